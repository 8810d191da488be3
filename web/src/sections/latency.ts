// SPDX-License-Identifier: Apache-2.0
// Latency against accepted traffic, a curve per design (Figures 11 to 14 of the RUFT paper).
import * as Plot from "@observablehq/plot";
import * as d3 from "d3";
import type {Design} from "../designs";
import {chooser, h} from "../dom";
import {type Facet, facet, sharedOptions} from "../facets";
import {figure} from "../figure";
import {fixed, integer, significant} from "../format";
import {legend} from "../legend";
import {noteList, notesColumn} from "../notes";
import {type Point, sweep} from "../performance";
import {frame, tooltip} from "../plot";
import type {Column} from "../table";
import type {Context, Section} from "./section";

type Measure = "mean" | "p50" | "p99" | "network_mean";
type Abscissa = "accepted" | "offered";

interface View {
  measure: Measure;
  abscissa: Abscissa;
  hidden: Set<Design>;
}

interface Curve {
  design: Design;
  points: Point[];
}

const measures: {value: Measure; label: string}[] = [
  {value: "mean", label: "mean"}, {value: "p50", label: "median"}, {value: "p99", label: "99th percentile"},
  {value: "network_mean", label: "without source queue"},
];

function curvesOf(group: Facet, {designs}: Context): Curve[] {
  const byDesign = d3.groups(group.cases, (one) => designs.of(one));
  return d3.sort(byDesign.map(([design, cases]) => ({design, points: sweep(cases)})), (curve) => curve.design.index)
      .filter((curve) => curve.points.length > 0);
}

/** Saturated latencies grow with the length of the run: what is worth seeing ends at a multiple of the lowest one. */
function ceiling(curves: Curve[], measure: Measure): number {
  const all = curves.flatMap((curve) => curve.points);
  const lowest = d3.min(all, (point) => point.latency[measure]) ?? 1;
  const steady = d3.max(all.filter((point) => !point.saturated), (point) => point.latency[measure]) ?? lowest;
  return Math.min(Math.max(steady * 1.15, lowest * 2), lowest * 6);
}

/** The points below `top`, those that the line joins (with the first one beyond it), and those shown at `top`: deadlocks, and
 * the one that stands for all others beyond, where the most was accepted. */
function visible(points: Point[], {measure, abscissa}: View, top: number): {inside: Point[]; drawn: Point[]; beyond: Point[]} {
  const measured = points.filter((point) => point.latency[measure] !== undefined);
  const isBeyond = (point: Point) => (point.latency[measure] ?? 0) > top;
  const first = measured.findIndex(isBeyond);
  const others = measured.filter((point) => isBeyond(point) && !point.deadlock);
  const exit = abscissa === "accepted" ? d3.greatest(others, (point) => point.accepted) : others[0];
  return {
    inside: measured.filter((point) => !isBeyond(point)),
    drawn: first < 0 ? measured : measured.slice(0, first + 1),
    beyond: measured.filter((point) => point === exit || (isBeyond(point) && point.deadlock)),
  };
}

function draw(curves: Curve[], view: View): SVGSVGElement | HTMLElement {
  const shown = curves.filter((curve) => !view.hidden.has(curve.design));
  const top = ceiling(curves, view.measure);
  const x = (point: Point) => point[view.abscissa];
  const y = (point: Point) => point.latency[view.measure];
  const keepsUp = (point: Point) => !point.saturated && !point.deadlock && point.dropped === 0;
  const crosses = (points: Point[], height: (point: Point) => number | undefined, color: string) =>
      Plot.dot(points.filter((point) => point.deadlock), {x, y: height, symbol: "times", r: 6, stroke: color, strokeWidth: 2});
  // Around whatever mark a point has.
  const rings = (points: Point[], height: (point: Point) => number | undefined, color: string) =>
      Plot.dot(points.filter((point) => point.tooShort), {x, y: height, r: 8.5, stroke: color, strokeWidth: 1.3, strokeDasharray: "2 2"});
  const marks = shown.flatMap(({design, points}) => {
    const {inside, drawn, beyond} = visible(points, view, top);
    const style = {stroke: design.color, strokeDasharray: design.dash};
    return [
      view.measure === "mean"
          ? Plot.ruleX(inside.filter((point) => point.interval && keepsUp(point)),
                       {x, y1: (p: Point) => p.interval?.[0], y2: (p: Point) => Math.min(top, p.interval?.[1] ?? 0), stroke: design.color,
                        strokeWidth: 5, strokeOpacity: 0.3})
          : null,
      Plot.line(drawn, {x, y, ...style, strokeWidth: 1.8, clip: true}),
      Plot.dot(inside.filter((point) => !point.deadlock),
               {x, y, symbol: design.symbol, r: 3.6, stroke: design.color, strokeWidth: 1.4,
                fill: (p: Point) => (keepsUp(p) ? design.color : "var(--surface)")}),
      Plot.vector(beyond.filter((point) => !point.deadlock),
                  {x, y: top, length: 15, anchor: "start", stroke: design.color, strokeWidth: 1.8}),
      crosses(inside, y, design.color),
      crosses(beyond, () => top, design.color),
      rings(inside, y, design.color),
      rings(beyond, () => top, design.color),
    ];
  });
  const tips = shown.flatMap(({design, points}) => {
    const {inside, beyond} = visible(points, view, top);
    return [...inside, ...beyond].map((point) => ({design, point}));
  });
  type Tip = (typeof tips)[number];
  return frame({
    marginTop: 40,  // the arrows end below the label of the axis
    x: {label: `${view.abscissa === "accepted" ? "accepted traffic" : "offered load"} (flits/cycle/terminal) →`, domain: [0, d3.max(curves.flatMap((c) => c.points), x) ?? 1]},
    y: {label: "↑ latency (cycles)", domain: [0, top], grid: true},
    marks: [
      Plot.ruleY([0]),
      ...marks,
      tooltip(tips, {
        x: (tip: Tip) => x(tip.point), y: (tip: Tip) => Math.min(top, y(tip.point) ?? top),
        title: ({design, point}: Tip) => [
          design.label,
          `accepted ${fixed(point.accepted, 3)} of ${fixed(point.offered, 3)} flits/cycle/terminal`,
          `latency ${fixed(point.latency.mean, 1)} cycles` +
              (point.interval ? ` (${fixed(point.interval[0], 1)} to ${fixed(point.interval[1], 1)})` : ""),
          ...(point.latency.p99 !== undefined ? [`99th percentile ${fixed(point.latency.p99, 0)} cycles`] : []),
          ...(point.saturated ? ["saturated: latency grows with the run"] : []),
          ...(point.deadlock ? ["deadlock"] : []),
          ...(point.dropped > 0 ? [`${integer(point.dropped)} packets dropped`] : []),
          ...point.notes,
        ].join("\n"),
      }),
    ],
  });
}

interface Row extends Point {
  design: string;
}

const columnsOf = (rows: Row[]): Column<Row>[] => [
  {label: "Design", value: (row) => row.design},
  {label: "Topology", value: (row) => row.topology},
  {label: "Offered", unit: "flits/cycle/terminal", numeric: true, value: (row) => row.offered, show: (row) => significant(row.offered, 4)},
  {label: "Accepted", unit: "flits/cycle/terminal", numeric: true, value: (row) => row.accepted, show: (row) => fixed(row.accepted, 4)},
  {label: "Saturated", value: (row) => (row.deadlock ? "deadlock" : row.saturated ? "yes" : "no")},
  {label: "Too short", value: (row) => (row.tooShort ? "yes" : "no")},
  {label: "Dropped", unit: "packets", numeric: true, value: (row) => row.dropped, show: (row) => integer(row.dropped)},
  {label: "Latency", unit: "cycles", numeric: true, value: (row) => row.latency.mean, show: (row) => fixed(row.latency.mean, 1)},
  {label: "Low", unit: "cycles", numeric: true, value: (row) => row.interval?.[0], show: (row) => fixed(row.interval?.[0], 1)},
  {label: "High", unit: "cycles", numeric: true, value: (row) => row.interval?.[1], show: (row) => fixed(row.interval?.[1], 1)},
  {label: "Median", unit: "cycles", numeric: true, value: (row) => row.latency.p50, show: (row) => fixed(row.latency.p50, 0)},
  {label: "99th percentile", unit: "cycles", numeric: true, value: (row) => row.latency.p99, show: (row) => fixed(row.latency.p99, 0)},
  {label: "Without source queue", unit: "cycles", numeric: true, value: (row) => row.latency.network_mean,
   show: (row) => fixed(row.latency.network_mean, 1)},
  ...notesColumn(rows, (row) => row.notes),
];

function plate(group: Facet, view: View, context: Context): HTMLElement | null {
  const curves = curvesOf(group, context);
  if (curves.length === 0) return null;
  const rows = curves.flatMap(({design, points}) => points.map((point) => ({design: design.label, ...point})));
  return figure({
    title: group.title,
    description: `Latency in cycles against ${view.abscissa} traffic in flits per cycle and terminal for ` +
        curves.map((curve) => curve.design.label).join(", "),
    columns: columnsOf(rows), rows, plot: draw(curves, view),
    notes: noteList(rows.map((row) => ({about: `${row.design} at ${significant(row.offered)}`, notes: row.notes}))),
  });
}

export const section: Section = {
  order: 30,
  id: "latency",
  title: "Latency and throughput",
  verbs: ["simulate"],
  render(context) {
    const plan = facet(context.cases("simulate"), context.designs, ["load"], ["traffic", "packet-flits"]);
    const {facets} = plan;
    const view: View = {measure: "mean", abscissa: "accepted", hidden: new Set()};
    const shown = facets.flatMap((group) => curvesOf(group, context));
    if (shown.length === 0) return null;
    const designs = context.designs.all.filter((design) => shown.some((curve) => curve.design === design));
    const available = measures.filter(({value}) => shown.some((curve) => curve.points.some((point) => point.latency[value] !== undefined)));
    const place = h("div", {class: "figures"});
    const redraw = () => place.replaceChildren(...facets.map((group) => plate(group, view, context)).filter((part) => part !== null));
    redraw();
    return h("div", {},
             h("p", {class: "intro"}, "Latency runs from the generation of a packet to the ejection of its tail. Filled marks: the network keeps ",
               "up with the load; hollow marks: it is saturated or drops packets; crosses: it has a deadlock; arrows at the upper edge: the ",
               "largest accepted traffic, at a latency beyond the scale. Dashed rings: the run is too short, and its figures and intervals are ",
               "uncertain. Bars: 95 % confidence intervals of the mean where the network keeps up."),
             h("div", {class: "tools"}, legend(designs, view.hidden, redraw),
               available.length > 1 && chooser("Latency", available, view.measure, (value) => { view.measure = value; redraw(); }),
               chooser("Against", [{value: "accepted", label: "accepted"}, {value: "offered", label: "offered"}], view.abscissa,
                       (value) => { view.abscissa = value; redraw(); })),
             place, sharedOptions(plan));
  },
};
