// SPDX-License-Identifier: Apache-2.0
// Every case behind the page, with what is needed to compute it again.
import {type Case, plain} from "../data";
import {download, h} from "../dom";
import {duration, plural} from "../format";
import {notesColumn, notesOf} from "../notes";
import {type Column, csvButton, table} from "../table";
import type {Section} from "./section";

const columnsOf = (cases: Case[]): Column<Case>[] => [
  {label: "Verb", value: (one) => one.verb},
  {label: "Topology", value: (one) => one.topology},
  {label: "Routing", value: (one) => one.routing || undefined},
  {label: "Options", wraps: true, value: (one) => Object.entries(one.options).filter(([, value]) => value !== false).map(([name, value]) => `${name} ${plain(value)}`).join(", ") || undefined},
  {label: "Seed", numeric: true, value: (one) => one.seed},
  {label: "Generation", numeric: true, value: (one) => one.generation || undefined},
  {label: "Version", value: (one) => one.version},
  {label: "Time", unit: "s", numeric: true, value: (one) => one.seconds, show: (one) => duration(one.seconds)},
  {label: "Hash", value: (one) => one.hash, show: (one) => h("code", {title: one.hash}, one.hash.slice(0, 10))},
  ...notesColumn(cases, notesOf),
];

export const section: Section = {
  order: 1000,
  id: "cases",
  title: "All cases",
  verbs: [],
  render({data}) {
    if (data.cases.length === 0) return null;
    const columns = columnsOf(data.cases);
    const details = h("details", {toggle: () => {
      if (details.open && details.childElementCount === 1) details.append(table("All cases", columns, data.cases));
    }}, h("summary", {}, `${plural(data.cases.length, "case")}, with seed, generation, version and hash`));
    return h("div", {},
             h("p", {class: "intro"}, "A case is determined by its description and its seed: computing it again with a program whose results are of the same generation gives the same figures."),
             h("div", {class: "tools"}, csvButton("cases", () => columns, () => data.cases),
               h("button", {type: "button", class: "quiet",
                            click: () => download("cases.json", "application/json", JSON.stringify(data.cases, null, 1))}, "JSON")),
             details);
  },
};
