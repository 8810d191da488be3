// SPDX-License-Identifier: Apache-2.0
// Results of verbs that have no section of their own: every value, plainly.
import * as d3 from "d3";
import {type Case, plain} from "../data";
import {h} from "../dom";
import {type Column, csvButton, table} from "../table";
import {sections} from "./index";
import type {Section} from "./section";

function columnsOf(cases: Case[]): Column<Case>[] {
  const cell = (value: unknown) => (typeof value === "number" ? value : plain(value) || undefined);
  const options = [...new Set(cases.flatMap((one) => Object.keys(one.options)))];
  const results = [...new Set(cases.flatMap((one) => Object.keys(one.result)))];
  const columns: Column<Case>[] = [
    {label: "Topology", value: (one) => one.topology || undefined},
    {label: "Routing", value: (one) => one.routing || undefined},
    ...options.map((key) => ({label: key, unit: "option", value: (one: Case) => cell(one.options[key])})),
    ...results.map((key) => ({
      label: key, numeric: cases.every((one) => typeof one.result[key] !== "string"), value: (one: Case) => cell(one.result[key]),
    })),
  ];
  return columns.filter((column) => cases.some((one) => column.value(one) !== undefined));
}

export const section: Section = {
  order: 900,
  id: "other",
  title: "Other results",
  verbs: [],
  render({data}) {
    const shown = new Set(sections.flatMap((section) => section.verbs));
    const groups = d3.groups(data.cases.filter((one) => !shown.has(one.verb)), (one) => one.verb);
    if (groups.length === 0) return null;
    return h("div", {}, ...groups.map(([verb, cases]) => {
      const columns = columnsOf(cases);
      const name = verb === "" ? "unnamed" : verb;
      return h("div", {}, h("h3", {}, name), h("div", {class: "tools"}, csvButton(name, () => columns, () => cases)),
               table(`Results of ${name}`, columns, cases));
    }));
  },
};
