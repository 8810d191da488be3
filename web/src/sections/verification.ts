// SPDX-License-Identifier: Apache-2.0
// What was proved of each routing, and the deadlock where it was refuted.
import * as d3 from "d3";
import {type Case, interval, type Json, number, object, objects, plain, text, texts} from "../data";
import {deadlock, waitingPackets} from "../deadlock";
import {type FileNames, parseCompact} from "../designs";
import {h} from "../dom";
import {assumptions} from "../facets";
import {scopeName, unitName} from "../faults";
import {arrow, integer, missing, percent, plural} from "../format";
import {notesColumn, notesOf} from "../notes";
import {assuming, type Column, csvButton, distinct, table} from "../table";
import type {Section} from "./section";

type Answer = "yes" | "no" | "unproved" | undefined;

const shownFigures = 12;

const methods: Record<string, string> = {
  "acyclic-dependencies": "acyclic dependencies", escape: "escape channels", bubble: "bubble in each ring",
};

/** The usual one terminal a switch goes without saying. */
function network(one: Case, files: FileNames): string {
  const {kind, parameters} = parseCompact(one.topology);
  const told = parameters.filter(([name, value]) => name !== "terminals_per_switch" || value !== "1");
  return [kind, told.map(([name, value]) => `${name}=${files.short(value)}`).join(", ")].filter((part) => part !== "").join(" ");
}

/** With spaces at which it breaks into lines. */
const routing = (one: Case) => h("span", {class: "broken"}, one.routing.replace(/[:,]/g, "$& ") || missing);

const switching = (one: Case) => text(one.options, "switching");

function answer(one: Case, key: string): Answer {
  const value = one.result[key];
  return typeof value === "boolean" ? (value ? "yes" : "no") : undefined;
}

/** Neither proof nor counterexample: not a refutation. */
function deadlockFree(one: Case): Answer {
  return one.result["method"] === "unproved" ? "unproved" : answer(one, "deadlock_free");
}

/** The smallest number of faults of which a set has one of these counts. */
function failsAt(one: Case, ...keys: string[]): string | undefined {
  const found = objects(one.result, "by_faults").find((point) => keys.some((key) => (number(point, key) ?? 0) > 0));
  const count = number(found, "faults");
  return count === undefined ? undefined : plural(count, "fault");
}

/** What `holds` says, and from how many faults on it fails where the case without them is sound. */
function verdict(one: Case): {state: Answer; words: string} {
  const holds = answer(one, "holds");
  const isSampled = objects(one.result, "by_faults").some((point) => point["exhaustive"] !== true);
  if (holds !== "no") return {state: holds, words: holds === "yes" ? (isSampled ? "holds for the sets drawn" : "holds") : ""};
  const answers = [answer(one, "connected"), deadlockFree(one), answer(one, "livelock_free")];
  if (answers.includes("no")) return {state: "no", words: "refuted"};
  const refuted = failsAt(one, "disconnected_sets", "endless_sets"), open = failsAt(one, "not_deadlock_free_sets", "not_built_sets");
  if (refuted !== undefined) return {state: "no", words: `refuted at ${refuted}`};
  if (answers.includes("unproved") || open === undefined) return {state: "unproved", words: "unproved"};
  return {state: "unproved", words: `not proved at ${open}`};
}

/** Faults in the network go without saying. */
function failing(one: Case, count: number): string {
  const scope = text(one.options, "scope") ?? "network";
  return `${count} ${unitName(text(one.options, "unit") ?? "", count)}${scope === "network" ? "" : ` ${scopeName(scope)}`}`;
}

function faults(one: Case): string {
  const chosen = plain(one.options["faults"]);
  if (chosen === "" || chosen === "0") return "none";
  const count = Number(chosen);
  if (Number.isNaN(count)) return `from ${chosen.split("/").at(-1)}`;
  return `${failing(one, count)}, seed ${plain(one.options["seed"])}`;
}

const signs = {yes: "✓", no: "✗", unproved: "?"};

/** Told apart by sign and word; colour only helps. */
function marked(state: Answer, words: string): Node {
  if (state === undefined) return h("span", {}, missing);
  return h("span", {class: `answer ${state}`}, h("span", {class: "sign", "aria-hidden": "true"}, signs[state]), words);
}

function deadlockWords(one: Case): string | undefined {
  const state = deadlockFree(one);
  if (state === undefined) return undefined;
  if (state === "no") return `no: ${plural(waitingPackets(one).length, "packet")} in deadlock`;
  if (state === "unproved") return "unproved";
  const method = text(one.result, "method");
  return method === undefined ? "yes" : `yes: ${methods[method] ?? method}`;
}

/** Whether no routing could serve any pair, because faults cut off each of them. */
function isNoneLeft(one: Case): boolean {
  const cutOff = number(one.result, "cut_off_pairs") ?? 0, pairs = object(one.result, "pairs") ?? {};
  return cutOff > 0 && cutOff === d3.sum(Object.keys(pairs), (kind) => number(pairs, kind) ?? 0);
}

function connectedWords(one: Case): string | undefined {
  const pairs = number(one.result, "unreachable_pairs"), cutOff = number(one.result, "cut_off_pairs") ?? 0;
  if (isNoneLeft(one)) return "no pair is left";
  if (answer(one, "connected") === "no" && pairs !== undefined) return `no: ${plural(pairs, "pair")} unreachable`;
  return answer(one, "connected") === "yes" && cutOff > 0 ? `yes, but ${plural(cutOff, "pair")} cut off` : answer(one, "connected");
}

function livelockWords(one: Case): string | undefined {
  const hops = number(one.result, "max_hops");
  return answer(one, "livelock_free") === "yes" && hops !== undefined ? `yes: at most ${plural(hops, "switch", "switches")}`
                                                                      : answer(one, "livelock_free");
}

const columns = (files: FileNames, all: Case[]): Column<Case>[] => [
  {label: "Network", value: (one) => network(one, files)},
  {label: "Routing", value: (one) => one.routing || undefined, show: routing},
  {label: "Switching", value: switching},
  {label: "Faults", value: faults,
   show: (one) => h("span", {title: texts(one.result, "failed").map(arrow).join("\n") || undefined}, faults(one))},
  ...assuming(all, assumptions(all)),
  {label: "Verdict", value: (one) => verdict(one).words || undefined, show: (one) => marked(verdict(one).state, verdict(one).words)},
  {label: "Connected", value: connectedWords,
   title: "Of the pairs that are not cut off: those whose terminals have a living channel into the network and out of it",
   show: (one) => h("span", {title: unreachable(one)}, isNoneLeft(one) ? connectedWords(one) : marked(answer(one, "connected"), connectedWords(one) ?? ""))},
  {label: "Free of deadlock", value: deadlockWords, show: (one) => marked(deadlockFree(one), deadlockWords(one) ?? "")},
  {label: "Free of livelock", value: livelockWords, show: (one) => marked(answer(one, "livelock_free"), livelockWords(one) ?? "")},
  ...notesColumn(all, notesOf),
];

/** The same, with the figures on their own. */
const csvColumns = (files: FileNames, all: Case[]): Column<Case>[] => [
  ...columns(files, all),
  {label: "Unreachable pairs", value: (one) => number(one.result, "unreachable_pairs")},
  {label: "Cut-off pairs", value: (one) => number(one.result, "cut_off_pairs")},
  {label: "Longest path", unit: "switches", value: (one) => number(one.result, "max_hops")},
];

function unreachable(one: Case): string | undefined {
  const pairs = one.result["unreachable"];
  if (!Array.isArray(pairs) || pairs.length === 0) return undefined;
  return pairs.filter(Array.isArray).map((pair) => pair.join(" → ")).join("\n");
}

interface FaultRow {
  one: Case;
  point: Json;
}

/** Undefined where no more sets exist than were verified. */
function ofAllSets(point: Json, key: string): string | undefined {
  const bounds = point["exhaustive"] === true ? undefined : interval(point, key);
  return bounds && bounds.map(percent).join(" to ");
}

const faultColumns = (files: FileNames, assumed: (one: Case) => string, rows: FaultRow[]): Column<FaultRow>[] => [
  {label: "Network", value: ({one}) => network(one, files)},
  {label: "Routing", value: ({one}) => one.routing || undefined, show: ({one}) => routing(one)},
  {label: "Switching", value: ({one}) => switching(one)},
  {label: "Faults", value: ({one, point}) => failing(one, number(point, "faults") ?? 0)},
  ...assuming(rows, ({one}) => assumed(one)),
  {label: "Fault sets", numeric: true, value: ({point}) => number(point, "sets"),
   show: ({point}) => `${integer(number(point, "sets"))} ${point["exhaustive"] === true ? "(all)" : "(sample)"}`},
  {label: "Terminal cut off", unit: "fault sets", numeric: true, title: "Its last channel has failed: no routing could serve it",
   value: ({point}) => number(point, "cut_off_sets"), show: ({point}) => integer(number(point, "cut_off_sets"))},
  ...[["Disconnected", "disconnected_sets"], ["Deadlock or unproved", "not_deadlock_free_sets"], ["Livelock", "endless_sets"]]
      .map(([label = "", key = ""]): Column<FaultRow> => ({
        label, unit: "fault sets", numeric: true, value: ({point}) => number(point, key), show: ({point}) => integer(number(point, key)),
      })),
  ...[["Disconnected", "disconnected_interval"], ["Deadlock or unproved", "not_deadlock_free_interval"]]
      .map(([label = "", key = ""]): Column<FaultRow> => ({
        label, unit: "of all sets where some were drawn, 95 % interval", numeric: true, value: ({point}) => ofAllSets(point, key),
      })),
  {label: "Cannot be routed", unit: "fault sets", numeric: true, title: "The routing needs more virtual channels than it may use",
   value: ({point}) => number(point, "not_built_sets") || undefined, show: ({point}) => integer(number(point, "not_built_sets") ?? 0)},
  {label: "For example", wraps: true, value: ({point}) => texts(point, "witness").join("; ") || undefined,
   show: ({point}) => arrow(texts(point, "witness").join("; ") || missing)},
];

/** Where packets of the first pair that is not connected stop, if they leave their source. */
function deadEnd(one: Case): {words: string; walk: string[]} | undefined {
  const end = object(one.result, "dead_end"), walk = texts(end, "walk");
  if (walk.length === 0) return undefined;
  const pair = `${text(end, "source") ?? "?"} → ${text(end, "destination") ?? "?"}`;
  const why = end?.["on_dead_channel"] === true ? "the last of which is dead" : `and finds no option at ${text(end, "switch") ?? "the switch"}`;
  return {words: `A packet of ${pair} takes these channels, ${why}:`, walk};
}

/** Channels one after the other. */
const walked = (title: string, subtitle: string, words: string, walk: string[]) =>
  h("figure", {}, h("figcaption", {}, h("h3", {}, title), h("p", {class: "note"}, subtitle)), h("p", {class: "note"}, words),
    h("ol", {}, ...walk.map((name) => h("li", {}, arrow(name)))));

/** Deadlocks, livelocks and dead ends, one figure each. */
function counterexamples(one: Case, files: FileNames, assumed: (one: Case) => string): HTMLElement[] {
  const title = [network(one, files), one.routing].filter((part) => part !== "").join(" · ");
  const subtitle = [switching(one), faults(one) === "none" ? "" : faults(one), assumed(one)].filter((part) => part).join(" · ");
  const packets = waitingPackets(one), walk = texts(one.result, "endless_walk"), end = deadEnd(one);
  return [
    ...(packets.length > 0 ? [deadlock(title, subtitle, packets)] : []),
    ...(walk.length > 0 ? [walked(title, subtitle, "A packet may circle through these channels for ever:", walk)] : []),
    ...(end ? [walked(title, subtitle, end.words, end.walk)] : []),
  ];
}

function gallery(cases: Case[], files: FileNames, assumed: (one: Case) => string): Node {
  const figures = (some: Case[]) => h("div", {class: "figures"}, some.flatMap((one) => counterexamples(one, files, assumed)));
  const rest = cases.slice(shownFigures);
  const more = h("details", {toggle: () => {
    if (more.open && more.childElementCount === 1) more.append(figures(rest));
  }}, h("summary", {}, `${plural(rest.length, "more refuted case")}`));
  return h("div", {}, h("h3", {}, "Counterexamples"), figures(cases.slice(0, shownFigures)), rest.length > 0 && more);
}

export const section: Section = {
  order: 90,
  id: "verification",
  title: "Verification",
  verbs: ["verify"],
  render({cases, designs: {files}}) {
    const all = cases("verify");
    if (all.length === 0) return null;
    const rows = all.flatMap((one) => objects(one.result, "by_faults").map((point): FaultRow => ({one, point})));
    const assumed = assumptions(all);
    const afterFaults = faultColumns(files, assumed, rows).filter((column) => rows.some((row) => column.value(row) !== undefined));
    const refuted = all.filter((one) => objects(one.result, "cycle").length > 0 || texts(one.result, "endless_walk").length > 0 ||
      deadEnd(one) !== undefined);
    return h("div", {},
             h("p", {class: "intro"}, "Whether a routing takes every packet to its destination, and whether packets may wait for each other ",
               "or travel for ever. “Unproved” means neither proof nor counterexample."),
             h("div", {class: "tools"}, csvButton("verification", () => csvColumns(files, all), () => all)),
             table("Verdict on each case", columns(files, all), distinct(columns(files, all), all)),
             rows.length > 0 && h("div", {}, h("h3", {}, "After faults"),
               h("div", {class: "tools"}, csvButton("verification after faults", () => afterFaults, () => rows)),
               table("Fault sets verified", afterFaults, distinct(afterFaults, rows))),
             refuted.length > 0 && gallery(refuted, files, assumed));
  },
};
