// SPDX-License-Identifier: Apache-2.0
// Papers' figures and ours, with a verdict on each statement.
import {interval, type Json, number, text} from "../data";
import {h} from "../dom";
import {integer, significant} from "../format";
import {type Column, csvButton, table} from "../table";
import type {Section} from "./section";

interface Count {
  name: string;
  title: string;
  findings: Json[];
}

/** What a reader looks for comes first. */
const order = ["differs", "undecided", "within 5 %", "not computed", "agrees"];
const marks: Record<string, string> = {agrees: "✓", "within 5 %": "≈", undecided: "?", differs: "✗", "not computed": "–"};
const verdictOf = (finding: Json) => text(finding, "verdict") ?? "";
const marked = (verdict: string) => `${marks[verdict] ?? ""} ${verdict}`.trim();
const having = (findings: Json[], verdict: string) => findings.filter((finding) => verdictOf(finding) === verdict).length;

const counts: Column<Count>[] = [
  {label: "Paper", value: (row) => row.name, show: (row) => h("a", {href: `#paper-${row.name}`}, row.name)},
  {label: "About", wraps: true, value: (row) => row.title},
  {label: "Statements", numeric: true, value: (row) => row.findings.length, show: (row) => integer(row.findings.length)},
  ...[...order].reverse().map((verdict): Column<Count> => ({
    label: marked(verdict), numeric: true, value: (row) => having(row.findings, verdict), show: (row) => integer(having(row.findings, verdict)),
  })),
];

/** As on the command line: whole numbers in full, others with four digits, or as many as tell the value from the ends of its interval. */
const shown = (value: number | undefined, digits: number) => (Number.isInteger(value) ? integer(value) : significant(value, digits));
const digitsOf = (finding: Json) => {
  const found = interval(finding, "interval"), ours = number(finding, "ours");
  let digits = 4;
  const lookAlike = (bound: number) => bound !== ours && shown(bound, digits) === shown(ours, digits);
  if (found !== undefined) while (digits < 12 && found.some(lookAlike)) digits++;
  return digits;
};

const printed = (finding: Json) => {
  const rounding = number(finding, "rounding") ?? 0;
  return `${text(finding, "printed")}${rounding === 0 ? "" : ` ± ${rounding}`}`;
};
const shownInterval = (finding: Json) => {
  const found = interval(finding, "interval");
  const digits = digitsOf(finding);
  return found === undefined ? "" : `${shown(found[0], digits)} … ${shown(found[1], digits)}`;
};

const findings: Column<Json>[] = [
  {label: "Statement", wraps: true, value: (row) => text(row, "claim")},
  {label: "Verdict", value: (row) => `${order.indexOf(verdictOf(row))} ${verdictOf(row)}`, show: (row) => marked(verdictOf(row))},
  {label: "Printed", numeric: true, value: printed},
  {label: "Ours", numeric: true, value: (row) => number(row, "ours"), show: (row) => shown(number(row, "ours"), digitsOf(row))},
  {label: "95 % interval", value: shownInterval},
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
    const ordered = (all: Json[]) => [...all].sort((a, b) => order.indexOf(verdictOf(a)) - order.indexOf(verdictOf(b)));
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
