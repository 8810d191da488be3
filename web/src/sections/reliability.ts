// SPDX-License-Identifier: Apache-2.0
// Resilience under failure rates and repair times: how often every pair is connected, and which component to watch.
import {type Case, interval, type Json, number, objects, text} from "../data";
import {h} from "../dom";
import {assumptions} from "../facets";
import {failing} from "../faults";
import {arrow, integer, plural, significant} from "../format";
import {notesColumn, notesOf} from "../notes";
import {assuming, type Column, csvButton, distinct, table} from "../table";
import type {Section} from "./section";

/** What a figure holds for. */
interface Setting {
  design: string;
  size: string;
  faults: string;
  rates: string;
  assumed: string;
}

/** With its 95 % interval, which is a point where the figure is exact. */
interface Estimate {
  value: number | undefined;
  low: number | undefined;
  high: number | undefined;
}

interface Row extends Setting {
  unavailability: Estimate;
  pairs: Estimate;
  toFailure: Estimate;  // hours
  up: Estimate;         // hours
  method: string;
  notes: string[];
}

const settingColumns = (rows: Setting[]): Column<Setting>[] => [
  {label: "Design", value: (row) => row.design},
  {label: "Size", value: (row) => row.size || undefined},
  {label: "Faults", value: (row) => row.faults},
  ...assuming(rows, (row) => row.assumed),
  {label: "Rates", unit: "failures per hour, repair", wraps: true, value: (row) => row.rates},
];

/** The figure and the ends of its interval; none where no row has it. */
function estimated<R>(rows: R[], label: string, unit: string, of: (row: R) => Estimate, show: (value: number | undefined) => string): Column<R>[] {
  const end = (name: string, pick: (estimate: Estimate) => number | undefined): Column<R> =>
      ({label: name, unit: "95 %", numeric: true, value: (row) => pick(of(row)), show: (row) => show(pick(of(row)))});
  const columns = [
    {...end(label, ({value}) => value), unit}, end("Low", ({low}) => low), end("High", ({high}) => high),
  ];
  return rows.some((row) => of(row).value !== undefined) ? columns : [];
}

const columnsOf = (rows: Row[]): Column<Row>[] => [
  ...settingColumns(rows),
  ...estimated(rows, "Some pair disconnected", "fraction of the time", (row) => row.unavailability, significant),
  ...estimated(rows, "Disconnected pairs", "mean fraction", (row) => row.pairs, significant),
  ...estimated(rows, "Mean time to failure", "hours, from an intact network, nothing repaired", (row) => row.toFailure, hours),
  ...estimated(rows, "Mean up time", "hours, from every pair connected again", (row) => row.up, hours),
  {label: "Method", value: (row) => row.method},
  ...notesColumn(rows, (row) => row.notes),
];

interface ImportanceRow extends Setting {
  rank: number;  // within its case
  name: string;
  birnbaum: Estimate;
}

const importanceColumnsOf = (rows: ImportanceRow[]): Column<ImportanceRow>[] => [
  {label: "Component", wraps: true, value: (row) => row.name, show: (row) => arrow(row.name)},
  ...settingColumns(rows),
  ...estimated(rows, "Birnbaum importance", "probability", (row) => row.birnbaum, significant),
];

const shownRanks = 5;

const hours = (value: number | undefined) =>
    value !== undefined && value >= 1e7 && Number.isFinite(value) ? value.toExponential(2).replace("+", "") : significant(value, 4);

function reliabilityOf(one: Case): Json | undefined {
  const found = one.result["reliability"];
  return typeof found === "object" && found !== null ? found as Json : undefined;
}

function ratesOf(found: Json): string {
  return objects(found, "classes").map((one) => {
    const repair = number(one, "repair_hours");
    return `${integer(number(one, "components"))} × ${text(one, "unit") ?? ""}: ${significant(number(one, "failures_per_hour"))}, ` +
        (repair === undefined ? "never" : `${significant(repair)} h`);
  }).join("; ");
}

function estimate(from: Json, key: string): Estimate {
  const [low, high] = interval(from, `${key}_interval`) ?? [];
  return {value: number(from, key), low, high};
}

/** Without repair, histories of failures are drawn; else sets of failed components. */
function methodOf(found: Json): string {
  const method = text(found, "method") ?? "", drawn = number(found, "sets");
  if (method !== "sampled" || drawn === undefined) return method;
  return number(found, "mean_hours_to_intolerable") === undefined ? `sampled: ${plural(drawn, "fault set")}`
                                                                  : `sampled: ${plural(drawn, "history", "histories")}`;
}

const rowOf = (setting: Setting, found: Json, notes: string[]): Row => ({
  ...setting, unavailability: estimate(found, "unavailability"), pairs: estimate(found, "disconnected_pairs"),
  toFailure: estimate(found, "mean_hours_to_intolerable"), up: estimate(found, "mean_up_hours"), method: methodOf(found), notes,
});

const importanceOf = (setting: Setting, found: Json) => objects(found, "importance").map((item, rank): ImportanceRow => ({
  ...setting, rank, name: text(item, "name") ?? "", birnbaum: estimate(item, "birnbaum"),
}));

export const section: Section = {
  order: 60,
  id: "reliability",
  title: "Reliability",
  verbs: [],
  render({cases, designs}) {
    const all = cases("resilience").filter((one) => reliabilityOf(one) !== undefined);
    const assumed = assumptions(all);
    const found = all.map((one) => {
      const answer = reliabilityOf(one) ?? {};
      const setting = {
        design: designs.of(one).label, size: designs.size(one.topology).label, faults: failing(one), rates: ratesOf(answer), assumed: assumed(one),
      };
      return {setting, answer, notes: notesOf(one)};
    });
    if (found.length === 0) return null;
    const rows = found.map(({setting, answer, notes}) => rowOf(setting, answer, notes));
    const important = found.flatMap(({setting, answer}) => importanceOf(setting, answer));
    const [columns, importanceColumns] = [columnsOf(rows), importanceColumnsOf(important)];
    return h("div", {},
             h("p", {class: "intro"}, "Components fail and are repaired independently, at constant rates; figures are steady-state, or start from an intact ",
               "network if nothing is repaired."),
             h("div", {class: "tools"}, csvButton("reliability", () => columns, () => rows)),
             table("Reliability", columns, distinct(columns, rows)),
             important.length > 0 && h("div", {},
               h("h3", {}, "Components that matter most"),
               h("p", {class: "intro"}, "What the failure of the component adds to the probability that some pair is disconnected."),
               h("div", {class: "tools"}, csvButton("importance", () => importanceColumns, () => important)),
               table("Components that matter most", importanceColumns, distinct(importanceColumns, important.filter((row) => row.rank < shownRanks)))));
  },
};
