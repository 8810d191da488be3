// SPDX-License-Identifier: Apache-2.0
// Cases that belong in one figure: those that differ in nothing but their design and what the figure's axis shows.
import * as d3 from "d3";
import {type Case, plain} from "./data";
import {h} from "./dom";
import {scopeName} from "./faults";
import {inOrder, integer, percent} from "./format";
import {type Designs, parseCompact} from "./designs";

export interface Facet {
  title: string;
  /** The title without the size. */
  setting: string;
  cases: Case[];
}

export interface Facets {
  facets: Facet[];
  /** The options that all cases share, as phrases, but for those that have no effect on any. */
  shared: string[];
  /** Of other options, the values that titles leave out, because they are usual. */
  usual: string[];
}

/** "128", or sizes with their weights: "8:0.5,128:0.4". */
function packets(value: string): string {
  const sizes = value.split(",").map((size) => size.split(":"));
  if (sizes.length === 1) return `${sizes[0]?.[0] ?? value}-flit packets`;
  const total = d3.sum(sizes, ([, weight]) => Number(weight));
  return `packets of ${sizes.map(([flits, weight]) => `${flits} (${percent(Number(weight) / total)})`).join(" or ")} flits`;
}

/** A number of faults that are drawn, or the file that names them. */
const faults = (value: string) => (value === "1" ? "1 fault" : /^\d+$/.test(value) ? `${value} faults` : `faults of ${value}`);

const phrases: Record<string, (value: string) => string> = {
  traffic: (value) => {
    const {kind, parameters} = parseCompact(value);
    return `${kind} traffic${parameters.map(([name, setting]) => `, ${name.replaceAll("_", " ")} ${setting}`).join("")}`;
  },
  cycles: (value) => (value === "0" ? "runs as long as their packets need" : `${integer(Number(value))} cycles`),
  packet_flits: packets,
  faults,
  unit: (value) => `${value} faults`,
  scope: (value) => `faults ${scopeName(value)}`,
  reroute_after: (value) => `new forwarding tables after ${integer(Number(value))} cycles`,
  reroute_stops: (value) => (value === "true" ? "sources pause until new tables are installed" : "sources go on"),
  on_failure: (value) => (value === "drop" ? "packets on a failing link are lost" : "packets on a failing link get through"),
  find_saturation: (value) => (value === "true" ? "search for saturation" : ""),
  switching: (value) => ({vct: "virtual cut-through", wormhole: "wormhole"})[value] ?? value,
};

/** Options that only add to an answer, or allow one. */
const observing = ["force", "watch", "channel-load", "ideal-gap", "schedule-out", "relation-out", "tables-out", "certificate"];

/** Options that say something of failures during a run alone. */
const duringFailures = new Set(["on_failure", "reroute_after", "reroute_stops"]);

export const hasFailures = (one: Case) => ["fault-process", "schedule"].some((name) => !["", "none"].includes(plain(one.options[name])));

const ofWormhole = new Set(["allocation", "atomic_vcs", "buffer_flits", "credit_delay", "iterations", "pipeline", "speculative"]);
const ofCutThrough = new Set(["buffer_packets", "buffers"]);
const ofAgents = new Set(["agent_reaction", "control_buffers", "control_flits"]);
const ofDrawnFaults = new Set(["scope", "tolerated_only", "unit"]);

/** Whether the case would differ with another value of an option: an answer names all, those with no effect too. */
function matters(option: string, one: Case): boolean {
  const name = option.replaceAll("-", "_"), {options, result, verb} = one;
  if (ofWormhole.has(name)) return plain(options["switching"]) === "wormhole";
  if (ofCutThrough.has(name)) return plain(options["switching"]) === "vct";
  if (ofAgents.has(name)) return "control" in result;
  if (duringFailures.has(name)) return hasFailures(one);
  if (ofDrawnFaults.has(name)) return verb !== "simulate" || plain(options["faults"]) !== "0";
  return name !== "burst_packets" || plain(options["injection"]) === "bursty";
}

/** Empty where the option has no effect. */
function phrase(option: string, value: string, one: Case): string {
  const name = option.replaceAll("-", "_");
  if (duringFailures.has(name) && !matters(option, one)) return "";
  const words = name.replaceAll("_", " ");
  if (value === "") return `without ${words}`;
  return phrases[name]?.(value) ?? `${words} ${value}`;
}

/** A file's name without its folders, also within a description: "trace:file=/home/a/jobs.csv". */
const withoutFolders = (text: string) => text.replace(/(^|[=:])\/(?:[^/,]*\/)*/g, "$1");

/** The same text where it alone has it among `all`, else with the folders. */
function shortened(text: string, all: Iterable<string>): string {
  const short = withoutFolders(text);
  return [...all].some((other) => other !== text && withoutFolders(other) === short) ? text : short;
}

/** What is assumed of switches, sources and selection, where that varies among the cases: "knowledge all · source any". */
export function assumptions(cases: Case[]): (one: Case) => string {
  const value = (one: Case, name: string) => plain(one.result[name] ?? one.options[name]);
  const varying = ["knowledge", "source", "selection"].filter((name) => new Set(cases.map((one) => value(one, name))).size > 1);
  return (one) => varying.filter((name) => value(one, name) !== "").map((name) => `${name} ${value(one, name)}`).join(" · ");
}

/** By size: the options that are the same in all its cases, with a value that every other size has as well. */
function usualValues(cases: Case[], size: (one: Case) => string, names: string[]): Map<string, Set<string>> {
  const bySize = d3.group(cases, size);
  const values = (of: Case[], name: string) => new Set(of.map((one) => plain(one.options[name])));
  const all = [...bySize.values()];
  return new Map([...bySize].map(([label, own]) => [label, new Set(names.filter((name) => {
    const [value, ...others] = values(own, name);
    return value !== undefined && others.length === 0 && all.every((some) => values(some, name).has(value));
  }))]));
}

/** One facet for each size and combination of those options that vary, leaving `axis` out of account. */
export function facet(cases: Case[], designs: Designs, axis: string[], first: string[] = []): Facets {
  const ignored = new Set([...axis, ...observing].map((name) => name.replaceAll("-", "_")));
  const values = new Map<string, Set<string>>();
  for (const name of first) values.set(name, new Set());
  for (const one of cases)
    for (const name of Object.keys(one.options))
      if (!ignored.has(name.replaceAll("-", "_"))) values.set(name, values.get(name) ?? new Set());
  for (const [name, seen] of values) for (const one of cases) seen.add(plain(one.options[name]));
  const varying = [...values].filter(([, seen]) => seen.size > 1).map(([name]) => name);
  const constant = [...values].filter(([, seen]) => seen.size === 1).map(([name]) => name);

  const told = (one: Case, name: string) => phrase(name, shortened(plain(one.options[name]), values.get(name) ?? []), one);
  const joined = (parts: string[]) => parts.filter((part) => part !== "").join(" · ");
  const size = (one: Case) => designs.size(one.topology).label;
  const someFail = cases.some(hasFailures);
  const phrased = (one: Case, names: string[]) => joined([
    ...names.filter((name) => name in one.options).map((name) => told(one, name)),
    someFail && !hasFailures(one) ? "no failures during the run" : "",
  ]);
  const usual = usualValues(cases, size, varying);
  const named = (one: Case) => phrased(one, varying.filter((name) => !usual.get(size(one))?.has(name)));
  const setting = (one: Case) => phrased(one, varying);
  const title = (one: Case) => joined([size(one), named(one)]);
  const groups = d3.groups(cases, title).map(([key, members]) => ({title: key, setting: members[0] ? setting(members[0]) : "", cases: members}));
  // Uniform traffic is the common baseline; numbers come in their order, not in that of their digits.
  const baseline = (group: Facet) => (/uniform traffic/.test(group.title) ? 0 : 1);
  const ordered = d3.sort(groups, (a, b) => d3.ascending(sizeOrder(a, designs), sizeOrder(b, designs)) || baseline(a) - baseline(b) ||
      inOrder(a.title, b.title));
  const phraseOf = (name: string, among: Case[]) => {
    const one = among.find((some) => plain(some.options[name]) !== "" && matters(name, some));
    return one === undefined ? "" : told(one, name);
  };
  const leftOut = (name: string) => cases.filter((one) => usual.get(size(one))?.has(name));
  const stated = (phrases: string[]) => phrases.filter((part) => part !== "");
  return {
    facets: ordered,
    shared: stated(constant.map((name) => phraseOf(name, cases))),
    usual: stated(varying.map((name) => phraseOf(name, leftOut(name)))),
  };
}

/** The shared options, folded where they are many. */
export function sharedOptions({shared, usual}: Facets): HTMLElement | null {
  if (shared.length + usual.length === 0) return null;
  const text = h("p", {class: "settings"}, [
    shared.length > 0 && `The same in all figures: ${shared.join(" · ")}.`,
    usual.length > 0 && `Where a title does not say otherwise: ${usual.join(" · ")}.`,
  ].filter((sentence) => sentence !== false).join(" "));
  return shared.length <= 5 ? text : h("details", {class: "settings"}, h("summary", {}, "Options that are the same in all figures"), text);
}

const sizeOrder = (group: Facet, designs: Designs) => d3.min(group.cases, (one) => designs.size(one.topology).order) ?? 0;
