// SPDX-License-Identifier: Apache-2.0
// The packets of all pairs under faults: served, or why not, and how far they travel.
import {type Case, type Json, number, objects} from "../data";
import {h} from "../dom";
import {assumptions} from "../facets";
import {failing} from "../faults";
import {fixed, integer, percent} from "../format";
import {type Column, csvButton, distinct, table} from "../table";
import type {Context} from "../sections/section";

interface Row {
  design: string;
  size: string;
  failing: string;
  point: Json;
}

const share = (label: string, key: string): Column<Row> => ({
  label, unit: "of all pairs", numeric: true, value: ({point}) => number(point, key), show: ({point}) => percent(number(point, key)),
});
const links = (label: string, unit: string, key: string): Column<Row> => ({
  label, unit, numeric: true, value: ({point}) => number(point, key), show: ({point}) => fixed(number(point, key), 2),
});

/** Of pairs whose packets arrive sooner or later, if there are any: with those that are not served, they make up all pairs. */
const likely = (rows: Row[]) =>
  rows.some(({point}) => (number(point, "likely") ?? 0) > 0) ? [share("Likely", "likely")] : [];

const columnsOf = (rows: Row[]): Column<Row>[] => [
  {label: "Design", value: ({design}) => design},
  {label: "Size", value: ({size}) => size || undefined},
  {label: "Failing", value: ({failing}) => failing},
  {label: "Faults", numeric: true, value: ({point}) => number(point, "faults")},
  {label: "Fault sets", numeric: true, value: ({point}) => number(point, "sets"),
   show: ({point}) => `${integer(number(point, "sets"))} ${point["exhaustive"] === true ? "(all)" : "(sample)"}`},
  share("Served", "served"), ...likely(rows), share("Connected", "connected"), share("Dead leaf", "dead_leaf"),
  share("Ping-pong", "ping_pong"), share("Dead end", "dead_end"),
  links("Links travelled", "mean, pairs served", "links"), links("Shortest", "mean, same pairs", "shortest_links"),
];

/** Null where no packets were followed. */
export function journeys(cases: Case[], {designs}: Context): HTMLElement | null {
  const assumed = assumptions(cases);
  const rows = cases.flatMap((one) => objects(one.result, "followed").map((point): Row => ({
    design: designs.of(one).label, size: designs.size(one.topology).label, point,
    failing: [failing(one), assumed(one)].filter((part) => part !== "").join("; "),
  })));
  if (rows.length === 0) return null;
  const columns = columnsOf(rows);
  return h("div", {},
           h("h3", {}, "Packets followed"),
           h("p", {class: "note"}, "Connected: some path is alive. ",
             likely(rows).length === 0 ? "" : "Likely: packets arrive sooner or later, without a bound on hops. ",
             "The other pairs fail for one reason: a terminal is cut off, because its own switch or the link to it is dead (dead leaf); ",
             "the packet travels for ever (ping-pong); or it comes to a switch without an option (dead end)."),
           h("div", {class: "tools"}, csvButton("packets-followed", () => columns, () => rows)),
           table("Packets followed", columns, distinct(columns, rows)));
}
