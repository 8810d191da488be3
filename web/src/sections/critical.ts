// SPDX-License-Identifier: Apache-2.0
// Which components matter most: the smallest set whose failure cuts off a pair, and the most harmful single ones.
import {type Case, number, objects, text, texts} from "../data";
import {h} from "../dom";
import {scopeName, unitName} from "../faults";
import {arrow, integer, percent, plural} from "../format";
import {type Column, csvButton, table} from "../table";
import type {Section} from "./section";

interface CutRow {
  design: string;
  size: string;
  faults: string;
  pair: string;
  components: string[];
}

const cutColumns: Column<CutRow>[] = [
  {label: "Design", value: (row) => row.design},
  {label: "Size", value: (row) => row.size},
  {label: "Faults", value: (row) => row.faults},
  {label: "Count", numeric: true, value: (row) => row.components.length},
  {label: "Cut off", wraps: true, value: (row) => row.pair, show: (row) => arrow(row.pair)},
  {label: "Components", wraps: true, value: (row) => row.components.join("; "), show: (row) => components(row.components)},
];

interface CriticalRow {
  rank: number;  // within its case
  design: string;
  size: string;
  name: string;
  pairs: number | undefined;
  share: number | undefined;
}

const criticalColumns: Column<CriticalRow>[] = [
  {label: "Component", wraps: true, value: (row) => row.name, show: (row) => arrow(row.name)},
  {label: "Design", value: (row) => row.design},
  {label: "Size", value: (row) => row.size},
  {label: "Pairs lost", unit: "when it fails alone", numeric: true, value: (row) => row.pairs, show: (row) => integer(row.pairs)},
  {label: "In minimum cuts", unit: "of the pairs easiest to cut off", numeric: true, value: (row) => row.share, show: (row) => percent(row.share)},
];

function components(names: string[]): Node {
  const items = names.map((name) => h("li", {}, arrow(name)));
  if (names.length <= 4) return h("ul", {class: "plain"}, ...items);
  return h("details", {}, h("summary", {}, plural(names.length, "component")), h("ul", {class: "plain"}, ...items));
}

const shownRanks = 5;

const scopeOf = (one: Case) => `${unitName(text(one.result, "unit") ?? "")} ${scopeName(text(one.result, "scope") ?? "")}`.trim();

export const critical: Section = {
  id: "critical",
  title: "Critical components",
  verbs: [],
  render({cases, designs}) {
    const all = cases("resilience");
    const named = (one: Case) => ({design: designs.of(one).label, size: designs.size(one.topology).label});
    const cuts = all.map((one): CutRow => ({
      ...named(one), faults: scopeOf(one), pair: text(one.result, "witness_pair") ?? "", components: texts(one.result, "witness"),
    })).filter((row) => row.components.length > 0);
    const rows = all.flatMap((one) => objects(one.result, "critical").map((item, rank): CriticalRow => ({
      rank,
      ...named(one), name: text(item, "name") ?? "", pairs: number(item, "pairs_lost"), share: number(item, "cut_share"),
    }))).filter((row) => row.name !== "");
    if (cuts.length === 0 && rows.length === 0) return null;
    return h("div", {},
             cuts.length > 0 && h("div", {},
               h("p", {class: "intro"}, "No smaller number of failures cuts off a pair of terminals than these. The drawings below can show them."),
               h("div", {class: "tools"}, csvButton("smallest cuts", () => cutColumns, () => cuts)),
               table("Smallest sets of failures that cut off a pair", cutColumns, cuts)),
             rows.length > 0 && h("div", {},
               h("h3", {}, "Components to watch"),
               h("div", {class: "tools"}, csvButton("critical components", () => criticalColumns, () => rows)),
               table("Components to watch", criticalColumns, rows.filter((row) => row.rank < shownRanks)),
               rows.some((row) => row.rank >= shownRanks) && h("p", {class: "settings"}, `The first ${shownRanks} of each case; the CSV holds all.`)));
  },
};
