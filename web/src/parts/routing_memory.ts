// SPDX-License-Identifier: Apache-2.0
// Routing memory of a switch: the registers of FIR and FT-FIR compared with a forwarding table (paper 5, section 5).
import * as Plot from "@observablehq/plot";
import * as d3 from "d3";
import {type Case, type Json, number, object} from "../data";
import {h} from "../dom";
import {figure} from "../figure";
import {integer} from "../format";
import {frame, tooltip} from "../plot";
import type {Column} from "../table";
import type {Context} from "../sections/section";

interface Row {
  design: string;
  topology: string;
  switches: number;
  memory: Json;
}

const bits = (label: string, key: string): Column<Row> => ({
  label, unit: "bits per switch", numeric: true, value: ({memory}) => number(memory, key), show: ({memory}) => integer(number(memory, key)),
});

const columns: Column<Row>[] = [
  {label: "Design", value: (row) => row.design},
  {label: "Topology", value: (row) => row.topology},
  {label: "Switches", numeric: true, value: (row) => row.switches, show: (row) => integer(row.switches)},
  {label: "Ports", numeric: true, value: ({memory}) => number(memory, "ports")},
  {label: "Virtual channels", numeric: true, value: ({memory}) => number(memory, "vcs")},
  {label: "Options per entry", numeric: true, value: ({memory}) => number(memory, "options")},
  bits("FIR", "fir_bits"), bits("FT-FIR", "ft_fir_bits"), bits("Forwarding table", "table_bits"),
  {label: "FT-FIR is smaller from", unit: "switches", numeric: true, value: ({memory}) => number(memory, "crossover_switches")},
];

const kinds = [
  {key: "fir_bits", label: "FIR", symbol: d3.symbolCircle}, {key: "ft_fir_bits", label: "FT-FIR", symbol: d3.symbolSquare},
  {key: "table_bits", label: "forwarding table", symbol: d3.symbolTriangle},
];

/** What the memory depends on besides the number of switches: only points that share it lie on one line. */
const shape = ({memory}: Row) => ["ports", "vcs", "options"].map((key) => number(memory, key) ?? 0).join(" ");

function draw(rows: Row[]): SVGSVGElement | HTMLElement {
  const points = rows.flatMap((row) => kinds.map((kind) => ({row, kind, value: number(row.memory, kind.key) ?? 1})));
  type Point = (typeof points)[number];
  return frame({
    x: {label: "switches →", type: "log"},
    y: {label: "↑ bits per switch", type: "log", grid: true, inset: 14},
    symbol: {domain: kinds.map((kind) => kind.label), range: kinds.map((kind) => kind.symbol), legend: true},
    marks: [
      Plot.line(points, {x: (point: Point) => point.row.switches, y: "value", z: (point: Point) => `${point.kind.label} ${shape(point.row)}`, sort: (point: Point) => point.row.switches,
                         stroke: "var(--soft)"}),
      // Without a fill, because those of FIR and FT-FIR often lie on each other.
      Plot.dot(points, {x: (point: Point) => point.row.switches, y: "value", symbol: (point: Point) => point.kind.label, r: 4.5, stroke: "var(--ink)"}),
      tooltip(points, {x: (point: Point) => point.row.switches, y: (point: Point) => point.value,
                       title: (point: Point) => `${point.kind.label}\n${integer(point.value)} bits per switch\n${point.row.topology}`}),
    ],
  });
}

/** From how many switches on FT-FIR takes less than a table, once for each shape of a switch. */
function crossovers(rows: Row[]): string[] {
  const told = rows.map(({memory}) => `With ${integer(number(memory, "ports"))} ports, ${integer(number(memory, "vcs"))} virtual channels and ` +
      `${integer(number(memory, "options"))} options per entry, FT-FIR takes less than a table from ${integer(number(memory, "crossover_switches"))} switches on`);
  return [...new Set(told)];
}

/** Null where no topology was asked for it. */
export function routingMemory(cases: Case[], {designs}: Context): HTMLElement | null {
  const rows = d3.sort(cases.flatMap((one): Row[] => {
    const memory = object(one.result, "routing_memory");
    return memory === undefined ? [] : [{design: designs.of(one).label, topology: one.topology, switches: number(one.result, "switches") ?? 0, memory}];
  }), (row) => row.switches);
  if (rows.length === 0) return null;
  const drawn = figure({
    title: "Memory for routing",
    description: "Bits per switch that FIR, FT-FIR and a forwarding table take, against the number of switches",
    columns, rows, plot: draw(rows),
    note: `${crossovers(rows).join("; ")}. FIR and FT-FIR grow with the logarithm of the number of switches, a forwarding table in proportion to it.`,
  });
  return h("div", {}, h("h3", {}, "Memory in switches"), h("div", {class: "figures"}, drawn));
}
