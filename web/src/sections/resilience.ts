// SPDX-License-Identifier: Apache-2.0
// What faults do: intolerable fault sets and connected pairs against their number (Figures 9 and 10 of the RUFT paper).
import * as Plot from "@observablehq/plot";
import * as d3 from "d3";
import {interval, type Json, number, objects, text} from "../data";
import type {Design} from "../designs";
import {chooser, h} from "../dom";
import {type Facet, facet, sharedOptions} from "../facets";
import {figure} from "../figure";
import {integer, percent} from "../format";
import {legend} from "../legend";
import {noteList, notesOf} from "../notes";
import {frame, tooltip} from "../plot";
import type {Column} from "../table";
import {journeys} from "../parts/journeys";
import type {Context, Section} from "./section";

interface Point {
  faults: number;
  sets: number | undefined;
  exhaustive: boolean;
  exact: boolean;  // all sets tried, or none needed
  value: number;  // a fraction
  low: number;
  high: number;
}

interface Curve {
  design: Design;
  points: Point[];
}

/** What a figure shows of by_faults. */
interface Quantity {
  key: string;
  name: string;
  axis: string;
  /** Of the fraction in the result. */
  shown: (fraction: number) => number;
}

type Scale = "linear" | "log";

const cutOff = {key: "intolerable", name: "Fault sets that cut off a pair", shown: (fraction: number) => fraction};
/** On a logarithmic scale the rare part is what matters. */
const quantities: Record<Scale, Quantity[]> = {
  linear: [
    {...cutOff, axis: "↑ intolerable fault sets (%)"},
    {key: "connected_pairs", name: "Pairs that stay connected", axis: "↑ connected pairs (%)", shown: (fraction) => fraction},
  ],
  log: [
    {...cutOff, axis: "↑ intolerable fault sets (%, logarithmic)"},
    {key: "connected_pairs", name: "Pairs that are cut off", axis: "↑ disconnected pairs (%, logarithmic)", shown: (fraction) => 1 - fraction},
  ],
};

interface View {
  scale: Scale;
  hidden: Set<Design>;
}

function pointOf(at: Json, {key, shown}: Quantity): Point | undefined {
  const [faults, value] = [number(at, "faults"), number(at, `${key}_fraction`)];
  if (faults === undefined || value === undefined) return undefined;
  const bounds = interval(at, `${key}_interval`);
  const [low, high] = bounds ?? [value, value];
  const exhaustive = at["exhaustive"] === true;
  const ends = [shown(low), shown(high)] as const;
  return {faults, value: shown(value), low: Math.min(...ends), high: Math.max(...ends), sets: number(at, "sets"), exhaustive, exact: exhaustive || (bounds !== undefined && low === high)};
}

/** Of answers to the same question that were found in several ways, the one that is surest. */
const surest = (points: Point[]) =>
    d3.sort(points, (a, b) => Number(b.exact) - Number(a.exact) || (b.sets ?? 0) - (a.sets ?? 0) || (a.high - a.low) - (b.high - b.low)).slice(0, 1);

function curvesOf(group: Facet, quantity: Quantity, {designs}: Context): Curve[] {
  return d3.sort(d3.groups(group.cases, (one) => designs.of(one)).map(([design, cases]) => {
    const points = cases.flatMap((one) => objects(one.result, "by_faults")).flatMap((at) => pointOf(at, quantity) ?? []);
    const each = d3.groups(points, (point) => point.faults).flatMap(([, same]) => surest(same));
    return {design, points: d3.sort(each, (point) => point.faults)};
  }), (curve) => curve.design.index).filter((curve) => curve.points.length > 0);
}

/** In per cent; undefined where a logarithmic scale has no place for it. */
const shownPoint = ({faults, value, low, high}: Point, scale: Scale) =>
    (scale === "linear" || value > 0 ? {faults, y: 100 * value, low: 100 * low, high: 100 * high} : undefined);

function draw(curves: Curve[], quantity: Quantity, view: View): SVGSVGElement | HTMLElement {
  const shown = curves.filter((curve) => !view.hidden.has(curve.design)).map(({design, points}) => ({
    design,
    points: points.map((point) => ({point, at: shownPoint(point, view.scale)}))
                .flatMap(({point, at}) => (at ? [{...at, point, design}] : [])),
  }));
  const all = shown.flatMap((curve) => curve.points);
  type Shown = (typeof all)[number];
  const floor = Math.max(1e-300, Math.min(10, (d3.min(all, (point) => point.y) ?? 1) / 2));
  const [x, y] = [(point: Shown) => point.faults, (point: Shown) => point.y];
  const most = d3.max(curves.flatMap((curve) => curve.points), (point) => point.faults) ?? 1;
  const marks = shown.flatMap(({design, points}) => [
    Plot.areaY(points, {x, y1: (p: Shown) => (view.scale === "log" ? Math.max(p.low, floor) : p.low), y2: (p: Shown) => p.high,
                        fill: design.color, fillOpacity: 0.18}),
    Plot.line(points, {x, y, stroke: design.color, strokeWidth: 1.8, strokeDasharray: design.dash}),
    Plot.dot(marked(points, design), {x, y, symbol: design.symbol, r: 3.4, fill: design.color}),
  ]);
  return frame({
    x: {label: "faults at once →", nice: false, domain: [0, most], tickFormat: (tick: number) => integer(tick), ...(most <= 12 ? {ticks: d3.range(0, most + 1)} : {})},
    y: view.scale === "log"
        ? {type: "log", label: quantity.axis, grid: true, ticks: decades(floor), tickFormat: decade, domain: [floor, 100]}
        : {label: quantity.axis, grid: true, domain: [0, 100]},
    marks: [
      view.scale === "linear" ? Plot.ruleY([0]) : null, ...marks,
      tooltip(all, {
        x, y,
        title: ({design, point}: Shown) => [
          design.label, `${integer(point.faults)} ${point.faults === 1 ? "fault" : "faults"} at once`,
          `${quantity.name.toLowerCase()}: ${percent(point.value)}`,
          point.exhaustive ? `all ${integer(point.sets)} fault sets tried` : `${percent(point.low)} to ${percent(point.high)}, ${integer(point.sets)} fault sets drawn`,
        ].join("\n"),
      }),
    ],
  });
}

/** About a dozen of them, others for each design, so that coinciding curves are seen to coincide. */
function marked<T>(points: T[], {index}: Design): T[] {
  const step = Math.ceil(points.length / 12);
  return points.filter((_, i) => i % step === index % step);
}

/** Powers of ten from `floor` to 100 %, about a dozen. */
function decades(floor: number): number[] {
  const least = Math.ceil(Math.log10(floor));
  return d3.range(2, least - 1, -Math.ceil((3 - least) / 12)).map((exponent) => 10 ** exponent);
}
const decade = (tick: number) => (tick > 5e-4 ? String(Number(tick.toPrecision(1))) : tick.toExponential(0).replace("-", "−"));

interface Row extends Point {
  design: string;
}

const columnsOf = (quantity: Quantity): Column<Row>[] => [
  {label: "Design", value: (row) => row.design},
  {label: "Faults", numeric: true, value: (row) => row.faults},
  {label: "Fault sets", numeric: true, value: (row) => row.sets, show: (row) => integer(row.sets)},
  {label: "All of them", value: (row) => (row.exhaustive ? "yes" : "no")},
  {label: quantity.name, unitInCsv: "fraction", numeric: true, value: (row) => row.value, show: (row) => percent(row.value)},
  {label: "Low", unitInCsv: "fraction", numeric: true, value: (row) => row.low, show: (row) => percent(row.low)},
  {label: "High", unitInCsv: "fraction", numeric: true, value: (row) => row.high, show: (row) => percent(row.high)},
];

function plate(group: Facet, quantity: Quantity, view: View, context: Context): HTMLElement | null {
  const curves = curvesOf(group, quantity, context);
  if (curves.length === 0) return null;
  const rows = curves.flatMap(({design, points}) => points.map((point) => ({design: design.label, ...point})));
  return figure({
    title: quantity.name,
    subtitle: group.title,
    description: `${quantity.name} against the number of faults for ${curves.map((curve) => curve.design.label).join(", ")}`,
    columns: columnsOf(quantity), rows, plot: draw(curves, quantity, view),
    notes: noteList(group.cases.map((one) => ({about: context.designs.of(one).label, notes: notesOf(one)}))),
  });
}

/** Options that choose the numbers of faults, how their fault sets are found, or what else is asked. */
const axis = [
  "faults", "samples", "interval-width", "budget", "exhaustive", "exact", "rare", "lost", "cuts", "adversary", "failing-set", "failure-rate",
  "repair-time", "follow",
];

export const section: Section = {
  order: 50,
  id: "resilience",
  title: "Resilience",
  verbs: ["resilience"],
  render(context) {
    const cases = context.cases("resilience").filter((one) => objects(one.result, "by_faults").length > 0).map((one) => ({
      ...one,  // unit and scope always tell figures apart, and results name them even where options do not
      options: {...one.options, unit: text(one.result, "unit") ?? one.options["unit"], scope: text(one.result, "scope") ?? one.options["scope"]},
    }));
    const plan = facet(cases, context.designs, axis, ["unit", "scope"]);
    const {facets} = plan;
    if (facets.length === 0) return null;
    const view: View = {scale: "linear", hidden: new Set()};
    const of = new Set(cases.map((one) => context.designs.of(one)));
    const designs = context.designs.all.filter((design) => of.has(design));
    const place = h("div", {class: "figures"});
    const redraw = () => place.replaceChildren(
        ...facets.flatMap((group) => quantities[view.scale].map((quantity) => plate(group, quantity, view, context))).filter((part) => part !== null));
    redraw();
    return h("div", {},
             h("p", {class: "intro"}, "A fault set is intolerable when it leaves some pair of terminals without a path that the routing allows. Bands: 95 % confidence intervals; ",
               "where all fault sets were tried there is none."),
             h("div", {class: "tools"}, legend(designs, view.hidden, redraw),
               chooser<Scale>("Scale", [{value: "linear", label: "linear"}, {value: "log", label: "logarithmic"}], view.scale,
                              (value) => { view.scale = value; redraw(); })),
             place, sharedOptions(plan), journeys(cases, context));
  },
};
