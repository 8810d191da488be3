// SPDX-License-Identifier: Apache-2.0
// Papers' figures and ours, with a verdict on each statement.
import {type Json, number, object, text} from "../data";
import {h} from "../dom";
import {integer, missing} from "../format";
import {type Column, csvButton, table} from "../table";
import type {Section} from "./section";

interface Count {
  name: string;
  title: string;
  findings: Json[];
}

/** What a reader looks for comes first. */
const byInterest = ["differs", "undecided", "within 5 %", "not computed", "agrees"];
const marks: Record<string, string> = {agrees: "✓", "within 5 %": "≈", undecided: "?", differs: "✗", "not computed": "–"};
const verdictOf = (finding: Json) => text(finding, "verdict") ?? "";
const marked = (verdict: string) => `${marks[verdict] ?? ""} ${verdict}`.trim();
const rank = (finding: Json) => byInterest.indexOf(verdictOf(finding));
const having = (findings: Json[], verdict: string) => findings.filter((finding) => verdictOf(finding) === verdict).length;

const counts: Column<Count>[] = [
  {label: "Paper", value: (row) => row.name, show: (row) => h("a", {href: `#paper-${row.name}`}, row.name)},
  {label: "About", wraps: true, value: (row) => row.title},
  {label: "Statements", numeric: true, value: (row) => row.findings.length, show: (row) => integer(row.findings.length)},
  ...[...byInterest].reverse().map((verdict): Column<Count> => ({
    label: marked(verdict), numeric: true, value: (row) => having(row.findings, verdict), show: (row) => integer(having(row.findings, verdict)),
  })),
];

/** As on the command line. */
const shown = (finding: Json, key: string) => text(object(finding, "shown"), key) ?? missing;

const findings: Column<Json>[] = [
  {label: "Statement", wraps: true, value: (row) => text(row, "claim")},
  {label: "Verdict", value: verdictOf, order: rank, show: (row) => marked(verdictOf(row))},
  {label: "Printed", numeric: true, value: (row) => shown(row, "printed")},
  {label: "Ours", numeric: true, value: (row) => number(row, "ours"), show: (row) => shown(row, "ours")},
  {label: "95 % interval", value: (row) => shown(row, "interval")},
  {label: "Source", value: (row) => text(row, "source")},
  {label: "Why", wraps: true, value: (row) => text(row, "explanation") ?? ""},
];

export const section: Section = {
  order: 10,
  id: "verdicts",
  title: "Papers and our results",
  verbs: [],
  render({data}) {
    const papers = data.papers ?? [];
    if (papers.length === 0) return null;
    const ordered = (all: Json[]) => [...all].sort((a, b) => rank(a) - rank(b));
    return h("div", {},
             h("p", {class: "intro"}, "Numbers and orderings that papers print, and ours. A statement agrees where it holds for all of our 95 % ",
               "interval, and is undecided where it holds for a part of it."),
             papers.length > 1 && table("Verdicts by paper", counts, papers),
             ...papers.map((paper) => {
               const rows = ordered(paper.findings);
               return h("div", {}, h("h3", {id: `paper-${paper.name}`}, `${paper.title} (${paper.name})`),
                        h("div", {class: "tools"}, csvButton(`verdicts-${paper.name}`, () => findings, () => rows)),
                        table(`Statements of ${paper.name}`, findings, rows));
             }));
  },
};
