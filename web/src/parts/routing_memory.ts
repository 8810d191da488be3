// SPDX-License-Identifier: Apache-2.0
// Routing memory of a switch: the registers of FIR and FT-FIR compared with a forwarding table (paper 5, section 5).
// Marks tell designs apart, as in all figures; their filling tells what the memory is for.
import * as Plot from "@observablehq/plot";
import * as d3 from "d3";
import {type Case, type Json, number, object} from "../data";
import type {Design} from "../designs";
import {h} from "../dom";
import {figure} from "../figure";
import {integer} from "../format";
import {legend} from "../legend";
import {frame, tooltip} from "../plot";
import type {Column} from "../table";
import type {Context} from "../sections/section";

interface Row {
  design: Design;
  topology: string;
  switches: number;
  memory: Json;
}

const bits = (label: string, key: string): Column<Row> => ({
  label, unit: "bits per switch", numeric: true, value: ({memory}) => number(memory, key), show: ({memory}) => integer(number(memory, key)),
});

const columns: Column<Row>[] = [
  {label: "Design", value: (row) => row.design.label},
  {label: "Topology", value: (row) => row.topology},
  {label: "Switches", numeric: true, value: (row) => row.switches, show: (row) => integer(row.switches)},
  {label: "Ports", unit: "to other switches", numeric: true, value: ({memory}) => number(memory, "ports")},
  {label: "Virtual channels", numeric: true, value: ({memory}) => number(memory, "vcs")},
  {label: "Options per entry", numeric: true, value: ({memory}) => number(memory, "options")},
  bits("FIR", "fir_bits"), bits("FT-FIR", "ft_fir_bits"), bits("Forwarding table", "table_bits"),
  {label: "FT-FIR is smaller from", unit: "switches", numeric: true, value: ({memory}) => number(memory, "crossover_switches")},
];

const kinds = [
  {key: "fir_bits", label: "FIR", filling: 0}, {key: "ft_fir_bits", label: "FT-FIR", filling: 0.35},
  {key: "table_bits", label: "forwarding table", filling: 1},
];

interface Point {
  row: Row;
  kind: (typeof kinds)[number];
  value: number;
}

/** What the memory depends on besides the number of switches: only points that share it lie on one line. */
const shape = ({memory}: Row) => ["ports", "vcs", "options"].map((key) => number(memory, key) ?? 0).join(" ");

/** Designs with equally many switches often take equally many bits: their marks stand side by side. */
const apart = 14;  // pixels

function marksOf(design: Design, points: Point[], dx: number): Plot.Markish[] {
  const own = points.filter(({row}) => row.design === design);
  const at = {x: (point: Point) => point.row.switches, y: "value", dx, stroke: design.color};
  return [
    Plot.line(own, {...at, z: (point: Point) => `${point.kind.label} ${shape(point.row)}`, sort: (point: Point) => point.row.switches,
                    strokeDasharray: design.dash, strokeOpacity: 0.6}),
    Plot.dot(own, {...at, symbol: design.symbol, r: 4.5, strokeWidth: 1.4, fill: design.color, fillOpacity: (point: Point) => point.kind.filling}),
  ];
}

function draw(rows: Row[], designs: Design[], hidden: Set<Design>): SVGSVGElement | HTMLElement {
  const shown = designs.filter((design) => !hidden.has(design));
  const points = rows.filter((row) => shown.includes(row.design))
                     .flatMap((row) => kinds.map((kind): Point => ({row, kind, value: number(row.memory, kind.key) ?? 1})));
  const meet = d3.rollups(points, (same) => new Set(same.map(({row}) => row.design)).size, ({row}) => row.switches).some(([, count]) => count > 1);
  const alike = ({row, kind, value}: Point) => points.filter((one) => one.row.switches === row.switches && one.kind === kind && one.value === value);
  // Of a logarithmic axis within a decade hardly a tick is labelled.
  const [least = 1, most = 1] = d3.extent(points, ({value}) => value);
  return frame({
    x: {label: "switches →", type: "log", inset: 14},
    y: {label: "↑ bits per switch", type: most < 10 * least ? "linear" : "log", grid: true, inset: 14},
    marks: [
      ...shown.flatMap((design, i) => marksOf(design, points, meet ? (i - (shown.length - 1) / 2) * apart : 0)),
      tooltip(points, {x: (point: Point) => point.row.switches, y: (point: Point) => point.value,
                       title: (point: Point) => [`${point.kind.label}: ${integer(point.value)} bits per switch`,
                                                 ...alike(point).map(({row}) => `${row.design.label} · ${row.topology}`)].join("\n")}),
    ],
  });
}

/** A sentence for each shape of a switch: from how many switches on FT-FIR takes less than a table. */
function crossovers(rows: Row[]): string[] {
  const told = rows.map(({memory}) => `With ${integer(number(memory, "ports"))} ports, ${integer(number(memory, "vcs"))} virtual channels and ` +
      `${integer(number(memory, "options"))} options per entry, FT-FIR takes less than a table from ${integer(number(memory, "crossover_switches"))} switches on.`);
  return [...new Set(told)];
}

/** Null where no topology was asked for it. */
export function routingMemory(cases: Case[], {designs}: Context): HTMLElement | null {
  const rows: Row[] = d3.sort(cases.flatMap((one): Row[] => {
    const memory = object(one.result, "routing_memory");
    return memory === undefined ? [] : [{design: designs.of(one), topology: one.topology, switches: number(one.result, "switches") ?? 0, memory}];
  }), (row) => row.switches);
  if (rows.length === 0) return null;
  const shown = d3.sort(new Set(rows.map(({design}) => design)), ({index}) => index), hidden = new Set<Design>();
  const plate = () => figure({
    title: "Memory for routing",
    subtitle: "Hollow marks: FIR; pale marks: FT-FIR; filled marks: a forwarding table. Ports: those to other switches.",
    description: `Bits per switch that FIR, FT-FIR and a forwarding table take, against the number of switches, for ${shown.map(({label}) => label).join(", ")}`,
    columns, rows, plot: draw(rows, shown, hidden),
    note: `${crossovers(rows).join(" ")} FIR and FT-FIR grow with the logarithm of the number of switches, a forwarding table in proportion to it.`,
  });
  const place = h("div", {class: "figures"}, plate());
  return h("div", {}, h("h3", {}, "Memory in switches"),
           h("div", {class: "tools"}, legend(shown, hidden, () => place.replaceChildren(plate()))), place);
}
