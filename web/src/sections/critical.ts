// SPDX-License-Identifier: Apache-2.0
// Which components matter most: the smallest set whose failure disconnects a pair, and the most harmful single ones.
import {type Case, number, object, objects, text, texts} from "../data";
import {h} from "../dom";
import {assumptions} from "../facets";
import {failing} from "../faults";
import {arrow, integer, missing, percent, plural} from "../format";
import {type Column, csvButton, distinct, table} from "../table";
import type {Section} from "./section";

interface CutRow {
  design: string;
  size: string;
  faults: string;
  pair: string;
  components: string[];
  sets: string | undefined;  // may be beyond what a number holds
}

const cutColumns: Column<CutRow>[] = [
  {label: "Design", value: (row) => row.design},
  {label: "Size", value: (row) => row.size || undefined},
  {label: "Faults", value: (row) => row.faults},
  {label: "Count", numeric: true, value: (row) => row.components.length},
  {label: "Cut off", wraps: true, value: (row) => row.pair || undefined, show: (row) => arrow(row.pair || missing)},
  {label: "Components", wraps: true, value: (row) => row.components.join("; "), show: (row) => components(row.components)},
  {label: "Such sets", title: "in all, where they were counted", numeric: true, value: (row) => row.sets, show: (row) => row.sets?.replace(/\B(?=(\d{3})+$)/g, ",") ?? missing},
];

/** The failures that an adversary would choose. */
interface WorstRow {
  design: string;
  size: string;
  faults: string;
  count: number | undefined;
  lost: number | undefined;
  bound: number | undefined;
  components: string[];
}

const worstColumns: Column<WorstRow>[] = [
  {label: "Design", value: (row) => row.design},
  {label: "Size", value: (row) => row.size || undefined},
  {label: "Faults", value: (row) => row.faults},
  {label: "Count", numeric: true, value: (row) => row.count},
  {label: "Pairs lost", numeric: true, value: (row) => row.lost, show: (row) => integer(row.lost)},
  {label: "At most", unit: "pairs, for any set of that size", numeric: true, value: (row) => row.bound, show: (row) => integer(row.bound)},
  {label: "Components", wraps: true, value: (row) => row.components.join("; "), show: (row) => components(row.components)},
];

interface CriticalRow {
  rank: number;  // within its case
  design: string;
  size: string;
  faults: string;
  name: string;
  pairs: number | undefined;
  share: number | undefined;
}

const criticalColumns: Column<CriticalRow>[] = [
  {label: "Component", wraps: true, value: (row) => row.name, show: (row) => arrow(row.name)},
  {label: "Design", value: (row) => row.design},
  {label: "Size", value: (row) => row.size || undefined},
  {label: "Faults", value: (row) => row.faults},
  {label: "Pairs lost", unit: "when it fails alone", numeric: true, value: (row) => row.pairs, show: (row) => integer(row.pairs)},
  {label: "In minimum cuts", unit: "of the pairs easiest to cut off", numeric: true, value: (row) => row.share, show: (row) => percent(row.share)},
];

function components(names: string[]): Node {
  const items = names.map((name) => h("li", {}, arrow(name)));
  if (names.length <= 4) return h("ul", {class: "plain"}, ...items);
  return h("details", {}, h("summary", {}, plural(names.length, "component")), h("ul", {class: "plain"}, ...items));
}

const shownRanks = 5;

export const section: Section = {
  order: 70,
  id: "critical",
  title: "Critical components",
  verbs: [],
  render({cases, data, designs}) {
    const all = cases("resilience");
    const assumed = assumptions(all);
    const named = (one: Case) => ({
      design: designs.of(one).label, size: designs.size(one.topology).label,
      faults: [failing(one), assumed(one)].filter((part) => part !== "").join("; "),
    });
    const cuts = all.map((one): CutRow => ({
      ...named(one), pair: text(one.result, "witness_pair") ?? "", components: texts(one.result, "witness"),
      sets: text(object(one.result, "minimum_cuts"), "count"),
    })).filter((row) => row.components.length > 0);
    const rows = all.flatMap((one) => objects(one.result, "critical").map((item, rank): CriticalRow => ({
      rank,
      ...named(one), name: text(item, "name") ?? "", pairs: number(item, "pairs_lost"), share: number(item, "cut_share"),
    }))).filter((row) => row.name !== "");
    const worst = all.flatMap((one) => objects(one.result, "by_faults").flatMap((at): WorstRow[] => {
      const found = object(at, "worst_faults");
      return found === undefined ? [] : [{
        ...named(one), count: number(at, "faults"), lost: number(found, "pairs_lost"), bound: number(found, "bound"),
        components: texts(found, "components"),
      }];
    }));
    if (cuts.length === 0 && rows.length === 0 && worst.length === 0) return null;
    const anyDrawn = data.networks.some(({drawing}) => drawing !== undefined);
    return h("div", {},
             cuts.length > 0 && h("div", {},
               h("p", {class: "intro"}, "No fewer failures can disconnect a pair of terminals.", anyDrawn && " The drawings below can show them."),
               h("div", {class: "tools"}, csvButton("minimum cuts", () => cutColumns, () => cuts)),
               table("Smallest sets of failures that disconnect a pair", cutColumns, distinct(cutColumns, cuts))),
             worst.length > 0 && h("div", {},
               h("h3", {}, "The worst failures of each number"),
               h("div", {class: "tools"}, csvButton("worst failures", () => worstColumns, () => worst)),
               table("The worst failures of each number", worstColumns, distinct(worstColumns, worst))),
             rows.length > 0 && h("div", {},
               h("h3", {}, "Components to watch"),
               h("div", {class: "tools"}, csvButton("critical components", () => criticalColumns, () => rows)),
               table("Components to watch", criticalColumns, distinct(criticalColumns, rows.filter((row) => row.rank < shownRanks))),
               rows.some((row) => row.rank >= shownRanks) && h("p", {class: "settings"}, `The first ${shownRanks} of each case; the CSV holds all.`)));
  },
};
