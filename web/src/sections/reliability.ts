// SPDX-License-Identifier: Apache-2.0
// Resilience under failure rates and repair times: how often every pair is connected, and which component to watch.
import {type Case, interval, type Json, number, objects, text} from "../data";
import {h} from "../dom";
import {assumptions} from "../facets";
import {failing} from "../faults";
import {arrow, integer, significant} from "../format";
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

interface Row extends Setting {
  unavailability: number | undefined;
  low: number | undefined;
  high: number | undefined;
  pairs: number | undefined;
  toFailure: number | undefined;  // hours
  up: number | undefined;         // hours
  method: string;
}

const settingColumns = (rows: Setting[]): Column<Setting>[] => [
  {label: "Design", value: (row) => row.design},
  {label: "Size", value: (row) => row.size},
  {label: "Faults", value: (row) => row.faults},
  ...assuming(rows, (row) => row.assumed),
  {label: "Rates", unit: "failures per hour, repair", wraps: true, value: (row) => row.rates},
];

const columnsOf = (rows: Row[]): Column<Row>[] => [
  ...settingColumns(rows),
  {label: "Some pair disconnected", unit: "fraction of the time", numeric: true, value: (row) => row.unavailability,
   show: (row) => significant(row.unavailability)},
  {label: "Low", unit: "95 %", numeric: true, value: (row) => row.low, show: (row) => significant(row.low)},
  {label: "High", unit: "95 %", numeric: true, value: (row) => row.high, show: (row) => significant(row.high)},
  {label: "Disconnected pairs", unit: "mean fraction", numeric: true, value: (row) => row.pairs, show: (row) => significant(row.pairs)},
  {label: "Mean time to failure", unit: "hours, from an intact network, nothing repaired", numeric: true, value: (row) => row.toFailure,
   show: (row) => hours(row.toFailure)},
  {label: "Mean up time", unit: "hours, from every pair connected again", numeric: true, value: (row) => row.up, show: (row) => hours(row.up)},
  {label: "Method", value: (row) => row.method},
];

interface ImportanceRow extends Setting {
  rank: number;  // within its case
  name: string;
  birnbaum: number | undefined;
  low: number | undefined;
  high: number | undefined;
}

const importanceColumnsOf = (rows: ImportanceRow[]): Column<ImportanceRow>[] => [
  {label: "Component", wraps: true, value: (row) => row.name, show: (row) => arrow(row.name)},
  ...settingColumns(rows),
  {label: "Birnbaum importance", unit: "probability", numeric: true, value: (row) => row.birnbaum, show: (row) => significant(row.birnbaum)},
  {label: "Low", unit: "95 %", numeric: true, value: (row) => row.low, show: (row) => significant(row.low)},
  {label: "High", unit: "95 %", numeric: true, value: (row) => row.high, show: (row) => significant(row.high)},
];

const shownRanks = 5;

const hours = (value: number | undefined) =>
    value !== undefined && value >= 1e7 ? value.toExponential(2).replace("+", "") : significant(value, 4);

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

function rowOf(setting: Setting, found: Json): Row {
  const [low, high] = interval(found, "unavailability_interval") ?? [];
  return {
    ...setting, unavailability: number(found, "unavailability"), low, high, pairs: number(found, "disconnected_pairs"),
    toFailure: number(found, "mean_hours_to_intolerable"), up: number(found, "mean_up_hours"), method: text(found, "method") ?? "",
  };
}

const importanceOf = (setting: Setting, found: Json) => objects(found, "importance").map((item, rank): ImportanceRow => {
  const [low, high] = interval(item, "birnbaum_interval") ?? [];
  return {...setting, rank, name: text(item, "name") ?? "", birnbaum: number(item, "birnbaum"), low, high};
});

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
      return {setting, answer};
    });
    if (found.length === 0) return null;
    const rows = found.map(({setting, answer}) => rowOf(setting, answer));
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
