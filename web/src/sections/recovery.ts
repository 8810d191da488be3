// SPDX-License-Identifier: Apache-2.0
// Throughput while parts of the network fail and are repaired, and how long it takes to recover.
import * as Plot from "@observablehq/plot";
import * as d3 from "d3";
import {type Case, type Json, number, objects} from "../data";
import type {Design} from "../designs";
import {h} from "../dom";
import {type Facet, facet, hasFailures, sharedOptions} from "../facets";
import {figure} from "../figure";
import {fixed, integer} from "../format";
import {legend} from "../legend";
import {noteList, notesOf} from "../notes";
import {frame, tooltip} from "../plot";
import {type Column, distinct} from "../table";
import type {Context, Section} from "./section";

interface Curve {
  design: Design;
  bins: {from: number; until: number; accepted: number}[];
}

function curveOf(one: Case, {designs}: Context): Curve {
  const bins = objects(one.result, "throughput").map((bin) => ({
    from: number(bin, "from") ?? 0, until: number(bin, "until") ?? 0, accepted: number(bin, "accepted") ?? 0,
  }));
  return {design: designs.of(one), bins};
}

function draw(group: Facet, hidden: Set<Design>, context: Context): SVGSVGElement | HTMLElement {
  const curves = group.cases.map((one) => curveOf(one, context)).filter(({design}) => !hidden.has(design));
  const failures = [...new Set(group.cases.flatMap((one) => objects(one.result, "recovery").map((failure) => number(failure, "at"))))];
  const points = curves.flatMap(({design, bins}) => bins.map((bin) => ({design, bin})));
  type Point = (typeof points)[number];
  return frame({
    x: {label: "cycle →"},
    y: {label: "↑ throughput (flits/cycle/terminal)", grid: true, zero: true},
    marks: [
      Plot.ruleY([0]),
      Plot.ruleX(failures, {stroke: "var(--ink)", strokeDasharray: "2 3", strokeOpacity: 0.7}),
      ...curves.map(({design, bins}) => Plot.line(bins, {x: (bin: Curve["bins"][number]) => (bin.from + bin.until) / 2, y: "accepted", stroke: design.color,
                                                         strokeDasharray: design.dash, strokeWidth: 1.6})),
      tooltip(points, {
        x: ({bin}: Point) => (bin.from + bin.until) / 2,
        y: ({bin}: Point) => bin.accepted,
        title: ({design, bin}: Point) => `${design.label}\n${fixed(bin.accepted, 4)} flits/cycle/terminal\ncycles ${integer(bin.from)} to ${integer(bin.until)}`,
      }),
    ],
  });
}

interface Row {
  design: string;
  failure: Json;
  deadlock: boolean;
}

const throughput = (label: string, key: string): Column<Row> => ({
  label, unit: "flits/cycle/terminal", numeric: true, value: ({failure}) => number(failure, key), show: ({failure}) => fixed(number(failure, key), 4),
});

const columns: Column<Row>[] = [
  {label: "Design", value: (row) => row.design},
  {label: "Failure", unit: "cycle", numeric: true, value: ({failure}) => number(failure, "at"), show: ({failure}) => integer(number(failure, "at"))},
  {label: "Channels down", numeric: true, value: ({failure}) => number(failure, "channels_down")},
  throughput("Before", "before"), throughput("Lowest", "lowest"), throughput("At the end", "after"),
  {label: "Recovered within", unit: "cycles", numeric: true, value: ({failure}) => number(failure, "back_after"),
   show: ({failure}) => integer(number(failure, "back_after"))},
];

/** "no significant drop", "recovered within 400 cycles": of one failure. */
function outcome({failure, deadlock}: Row): string {
  const back = number(failure, "back_after");
  if (deadlock) return "ends in a deadlock";
  if (number(failure, "before") === undefined) return "too little was measured before the failure for a comparison";
  return back === undefined ? "does not recover" : back === 0 ? "no significant drop" : `recovered within ${integer(back)} cycles`;
}

/** Of several: "20 failures: no significant drop after 17, recovered within 1,200 cycles after 2, not recovered after 1". */
function outcomes(rows: Row[]): string {
  if (rows.some(({deadlock}) => deadlock)) return "ends in a deadlock";
  const measured = rows.filter(({failure}) => number(failure, "before") !== undefined);
  const back = measured.map(({failure}) => number(failure, "back_after"));
  const recovered = back.flatMap((cycles) => (cycles ? [cycles] : []));
  const told = [
    ["no significant drop after", back.filter((cycles) => cycles === 0).length],
    [`recovered within ${integer(d3.max(recovered))} cycles after`, recovered.length],
    ["not recovered after", back.filter((cycles) => cycles === undefined).length],
    ["too little measured before", rows.length - measured.length],
  ] as const;
  return `${rows.length} failures: ${told.filter(([, count]) => count > 0).map((part) => part.join(" ")).join(", ")}`;
}

/** For each design. */
function summary(rows: Row[]): string {
  const told = d3.groups(rows, ({design}) => design)
      .map(([design, own]) => `${design}: ${own[0] && own.length === 1 ? outcome(own[0]) : outcomes(own)}`);
  return `${told.join("; ")}.`;
}

function plate(group: Facet, kept: boolean, hidden: Set<Design>, context: Context): HTMLElement {
  const rows = distinct(columns, group.cases.flatMap((one) => objects(one.result, "recovery").map(
      (failure): Row => ({design: context.designs.of(one).label, failure, deadlock: one.result["deadlock"] === true}))));
  return figure({
    title: kept ? `${group.title}${group.title === "" ? "" : " · "}forwarding tables kept` : group.title,
    description: `Throughput in flits per cycle and terminal against time in cycles for ${[...new Set(rows.map((row) => row.design))].join(", ")}`,
    columns, rows, plot: draw(group, hidden, context), note: rows.length > 0 ? summary(rows) : undefined,
    notes: noteList(group.cases.map((one) => ({about: context.designs.of(one).label, notes: notesOf(one)}))),
  });
}

export const section: Section = {
  order: 40,
  id: "recovery",
  title: "Throughput during failures",
  verbs: ["simulate"],
  render(context) {
    // Channels that are dead from the start, of which sources are notified, are no failures during a run.
    const cases = context.cases("simulate").filter((one) => objects(one.result, "throughput").length > 0 && hasFailures(one));
    if (cases.length === 0) return null;
    const plan = facet(cases, context.designs, [], ["reroute-after", "traffic"]);
    const differs = new Set(cases.map((one) => one.options["reroute-after"])).size > 1;
    const kept = (group: Facet) => differs && group.cases[0]?.options["reroute-after"] === undefined;
    const hidden = new Set<Design>();
    const shown = new Set(cases.map((one) => context.designs.of(one)));
    const place = h("div", {class: "figures"});
    const redraw = () => place.replaceChildren(...plan.facets.map((group) => plate(group, kept(group), hidden, context)));
    redraw();
    return h("div", {},
             h("p", {class: "intro"}, "Dotted lines: channels go down. Throughput has recovered once neither any later part of the run nor the mean at the end ",
               "is significantly below that before the failure. Until new tables are installed, only the switches next to a dead channel know of it."),
             h("div", {class: "tools"}, legend(d3.sort(shown, (design) => design.index), hidden, redraw)),
             place, sharedOptions(plan));
  },
};
