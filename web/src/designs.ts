// SPDX-License-Identifier: Apache-2.0
// A *design* is a kind of topology with its routing, whatever its size: it keeps its name, colour, dash and marker in every
// figure. A *size* is what designs are compared at.
import * as d3 from "d3";
import type {Case, Data} from "./data";
import {plural} from "./format";

export interface Design {
  label: string;
  color: string;
  dash: string;
  symbol: d3.SymbolType;
  index: number;
}

export interface Size {
  label: string;
  order: number;
}

const sizeParameters = new Set([
  "k", "n", "radix", "rows", "columns", "p", "a", "h", "switches", "terminals", "terminals_per_switch",
]);
const dashes = ["none", "7 3", "2 3", "9 3 2 3", "13 4", "5 2 1 2 1 2", "4 4", "1 4"];
const symbols = [
  d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolStar, d3.symbolCross, d3.symbolWye,
];
const colors = 8;

/** Parts between commas. One with a backslash before it belongs to its part; before a comma or at the end of a part, two
 * backslashes stand for one. */
function unescaped(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  for (const [found, backslashes = "", end] of text.matchAll(/(\\*)(,|$)|\\+|[^\\,]+/g)) {
    const isSingle = end !== undefined && backslashes.length % 2 === 1;
    part += end === undefined ? found : "\\".repeat(backslashes.length / 2);
    if (isSingle) part += end || "\\";
    if (end === undefined || isSingle && end === ",") continue;
    if (part !== "") parts.push(part);
    part = "";
  }
  return parts;
}

interface Compact {
  kind: string;
  parameters: [string, string][];
}

const parsed = new Map<string, Compact>();  // thousands of cases name a few topologies

export function parseCompact(topology: string): Compact {
  const known = parsed.get(topology) ?? parse(topology);
  parsed.set(topology, known);
  return known;
}

function parse(topology: string): Compact {
  const colon = topology.indexOf(":");
  if (colon < 0) return {kind: topology, parameters: []};
  // A part without "=" continues the list before it: "radix=8,8".
  const parameters: [string, string][] = [];
  for (const part of unescaped(topology.slice(colon + 1))) {
    const equals = part.indexOf("=");
    const last = parameters.at(-1);
    if (equals > 0) parameters.push([part.slice(0, equals), part.slice(equals + 1)]);
    else if (last) last[1] += `,${part}`;
  }
  return {kind: topology.slice(0, colon), parameters};
}

/** "c", "b/c" and "a/b/c" of "a/b/c". */
function endsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, i) => parts.slice(-1 - i).join("/"));
}

/** Files by their last names, with as many folders before them as tell different files apart. */
export class FileNames {
  private readonly ending = new Map<string, number>();  // how many files' paths end in these names

  constructor(topologies: Iterable<string>) {
    const paths = new Set([...new Set(topologies)].flatMap((topology) => parseCompact(topology).parameters.map(([, value]) => value)));
    for (const path of paths)
      for (const name of endsOf(path)) this.ending.set(name, (this.ending.get(name) ?? 0) + 1);
  }

  short(path: string): string { return endsOf(path).find((name) => (this.ending.get(name) ?? 0) <= 1) ?? path; }
}

const sizeOf = (topology: string) => parseCompact(topology).parameters.filter(([name]) => sizeParameters.has(name)).join();

export class Designs {
  readonly all: Design[] = [];
  private readonly byName = new Map<string, Design>();
  private readonly found = new Map<string, Map<string, Design>>();  // by topology and routing
  private readonly sizes = new Map<string, Set<string>>();          // those of a kind that have as many terminals
  private readonly terminals = new Map<string, number>();
  private readonly usual = new Map<string, string>();  // routing of a topology, for results that name none
  private readonly routings: d3.InternMap<string, Set<string>>;  // of all sizes
  private readonly values = new Map<string, Set<string>>();
  readonly files: FileNames;

  constructor(data: Data) {
    this.files = new FileNames([...data.networks, ...data.cases].map((one) => one.topology));
    for (const network of data.networks)
      if (network.terminals !== undefined) this.terminals.set(network.topology, network.terminals);
    for (const [topology] of this.terminals) {
      const key = this.sizeClass(topology);
      this.sizes.set(key, (this.sizes.get(key) ?? new Set()).add(sizeOf(topology)));
    }
    const named = data.cases.filter((one) => one.topology !== "");
    for (const one of named) {
      const {kind, parameters} = parseCompact(one.topology);
      for (const [name, value] of parameters) {
        const key = `${kind}:${name}`;
        this.values.set(key, (this.values.get(key) ?? new Set()).add(value));
      }
    }
    const routed = named.filter((one) => one.routing !== "");
    for (const one of d3.reverse(routed)) this.usual.set(one.topology, one.routing);
    this.routings = d3.rollup(routed, (cases) => new Set(cases.map((one) => one.routing)), (one) => this.withoutSize(one.topology));
    const different = d3.rollups(named, ([one]) => one, (one) => one.topology, (one) => one.routing)
                          .flatMap(([, routings]) => routings.flatMap(([, one]) => one ?? []));
    for (const one of d3.sort(different, (a) => this.label(a))) this.of(one);
  }

  of(one: Pick<Case, "topology" | "routing">): Design {
    const routings = this.found.get(one.topology) ?? new Map<string, Design>();
    const design = routings.get(one.routing) ?? this.named(this.label(one));
    this.found.set(one.topology, routings.set(one.routing, design));
    return design;
  }

  private named(label: string): Design {
    const known = this.byName.get(label);
    if (known) return known;
    const index = this.all.length;
    const design: Design = {
      label,
      index,
      color: `var(--series-${index % colors})`,
      dash: dashes[(index + Math.floor(index / colors)) % dashes.length] ?? "none",
      symbol: symbols[index % symbols.length] ?? d3.symbolCircle,
    };
    this.byName.set(label, design);
    this.all.push(design);
    return design;
  }

  /** The design without its size; parameters and routing only where they tell designs apart. */
  private label({topology, routing}: Pick<Case, "topology" | "routing">): string {
    const {kind, parameters} = parseCompact(topology);
    const told = this.told(topology);
    if (this.isAmbiguous(topology)) told.unshift(...parameters.filter(([name]) => sizeParameters.has(name)).map((pair) => pair.join("=")));
    const chosen = routing !== "" ? routing : this.usual.get(topology);
    if (chosen !== undefined && (this.routings.get(this.withoutSize(topology))?.size ?? 0) > 1) told.push(chosen);
    return told.length === 0 ? kind : `${kind} (${told.join(", ")})`;
  }

  /** The parameters that differ among the cases of the kind, sizes aside. */
  private told(topology: string): string[] {
    const {kind, parameters} = parseCompact(topology);
    return parameters
        .filter(([name]) => !sizeParameters.has(name) && (name === "file" || (this.values.get(`${kind}:${name}`)?.size ?? 0) > 1))
        .map(([name, value]) => (name === "file" ? this.files.short(value) : `${name}=${value}`));
  }

  private withoutSize(topology: string): string { return [parseCompact(topology).kind, ...this.told(topology)].join(); }

  /** Whether another size of the same kind has as many terminals: k=4, n=3 and k=8, n=2. */
  private isAmbiguous(topology: string): boolean {
    return this.terminals.has(topology) && (this.sizes.get(this.sizeClass(topology))?.size ?? 0) > 1;
  }

  private sizeClass(topology: string): string { return `${this.terminals.get(topology)} ${parseCompact(topology).kind}`; }

  terminalsOf(topology: string): number | undefined { return this.terminals.get(topology); }

  size(topology: string): Size {
    const terminals = this.terminals.get(topology);
    if (terminals !== undefined) return {label: plural(terminals, "terminal"), order: terminals};
    const parameters = parseCompact(topology).parameters.filter(([name]) => sizeParameters.has(name));
    return {label: parameters.map(([name, value]) => `${name} = ${value}`).join(", "), order: Infinity};
  }
}
