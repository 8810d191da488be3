// SPDX-License-Identifier: Apache-2.0
// What paper 4 states about lost terminals of rings, cliques and tori of switches, and whether it holds.
import {type Case, number, object, objects, text, texts} from "../data";
import {h} from "../dom";
import {integer} from "../format";
import {type Column, csvButton, table} from "../table";
import type {Section} from "./section";

interface Row {
  network: string;
  statement: string;
  source: string;
  verdict: string;
  worst: string;
  sets: number | undefined;
  exception: string[];
}

const columns: Column<Row>[] = [
  {label: "Network", value: (row) => row.network},
  {label: "Statement", wraps: true, value: (row) => row.statement},
  {label: "Source", value: (row) => row.source},
  {label: "Verdict", value: (row) => row.verdict},
  {label: "Lost at worst", unit: "terminals", value: (row) => row.worst},
  {label: "Fault sets", numeric: true, value: (row) => row.sets, show: (row) => integer(row.sets)},
  {label: "Counter-example", wraps: true, value: (row) => row.exception.join(", ")},
];

function rowsOf(one: Case): Row[] {
  const all = object(one.result, "statements") ?? {};
  return Object.keys(all).flatMap((name): Row[] => {
    const found = object(all, name);
    const holds = found?.["holds"];
    return found === undefined ? [] : [{
      network: one.topology, statement: text(found, "text") ?? name, source: text(found, "source") ?? "",
      verdict: holds === true ? "✓ holds" : holds === false ? "✗ fails" : "? unchecked",
      worst: objects(found, "worst").map((limit) => integer(number(limit, "lost"))).join(", "),
      sets: number(found, "sets"), exception: texts(found, "counter_example"),
    }];
  });
}

export const section: Section = {
  order: 80,
  id: "statements",
  title: "Lost terminals: the paper's statements, checked",
  verbs: ["statements"],
  render({cases}) {
    const rows = cases("statements").flatMap(rowsOf);
    if (rows.length === 0) return null;
    return h("div", {},
             h("p", {class: "intro"}, "A terminal is lost when it is outside the largest set of terminals that are all connected to each other. ",
               "A statement holds or fails where every fault set was tried, or settled by a worse one; the others are unchecked."),
             h("div", {class: "tools"}, csvButton("statements", () => columns, () => rows)),
             table("Statements about lost terminals", columns, rows));
  },
};
