// SPDX-License-Identifier: Apache-2.0
// What the C++ side put into the page (src/report/*.h say how). Results come from any version of any verb, so nothing in them is assumed: read them with number(), text(), objects().

export type Json = Record<string, unknown>;

export interface Case {
  verb: string;
  topology: string;
  routing: string;
  options: Json;
  result: Json;
  study: string;
  seed: string;
  version: string;
  generation: string;  // of the results: equal cases of one generation have equal results
  seconds: number;
  hash: string;
}

/** See draw_paths in src/report/drawing.h. */
export interface Paths {
  held: boolean;
  rules: number[][];
  destinations: number[][];
}

export interface Drawing {
  terminals: string[];
  switches: {names: string[]; columns: number[]; rows: number[]};
  channels: {network: number; injection: number; from: number[]; to: number[]};
  /** Switches stand on a circle: rings and cliques. */
  circle?: boolean;
}

/** A fault set that a result names: see src/report/failed.h. */
export interface FailedSet {
  routing: string;
  origin: string;
  pair: string;  // that loses its service; empty where none is named
  knowledge: string;
  source: string;
  switching: string;
  unit: string;
  scope: string;
  names: string[];
  channels: number[];
  switches: number[];
  pairs?: [number, number, number, ...number[][]][];
  unserved?: number;
  left_out?: number;
}

/** Faults that lose most terminals. */
export interface WorstSet {
  unit: string;
  scope: string;
  names: string[];
  channels: number[][];
  switches: number[];  // those that fail
  lost: number[];      // terminals
}

/** The paths between two terminals that were open at the end of a simulation; channels and terminals by number. */
export interface WatchedPair {
  routing: string;
  load: number;
  setting: string[];  // options that tell runs apart
  source: number;
  destination: number;
  down: number[];
  paths: {latency: number; channels: number[]}[];
}

/** See src/report/limits.h. */
export interface Drawn<Set> {
  sets: Set[];
  left_out: number;
}

export interface Network {
  topology: string;
  terminals?: number;
  skipped?: string;
  drawing?: Drawing;
  routings?: {name: string; paths: Paths}[];
  failed?: Drawn<FailedSet>;
  worst?: Drawn<WorstSet>;
  watched?: Drawn<WatchedPair>;
}

export interface Data {
  title: string;
  date: string;
  notes: string[];
  failures: {text: string; items: string[]} | null;
  /** What papers say beside ours; findings as page_finding() in study/verdicts.h gives them. */
  papers?: {name: string; title: string; findings: Json[]}[];
  cases: Case[];
  networks: Network[];
}

export function readData(): Data {
  return JSON.parse(document.getElementById("data")?.textContent ?? "") as Data;
}

export function number(object: Json | undefined, key: string): number | undefined {
  const value = object?.[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function text(object: Json | undefined, key: string): string | undefined {
  const value = object?.[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function object(parent: Json | undefined, key: string): Json | undefined {
  const value = parent?.[key];
  return isObject(value) ? value : undefined;
}

export function objects(parent: Json | undefined, key: string): Json[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function texts(parent: Json | undefined, key: string): string[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

export function integers(parent: Json | undefined, key: string): number[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value.filter((item): item is number => Number.isInteger(item)) : [];
}

/** A confidence interval as [low, high] or {low, high}; null, an end that is infinite, is possible for `high`. */
export function interval(parent: Json | undefined, key: string): [number, number] | undefined {
  const value = parent?.[key];
  const [low, high] = Array.isArray(value) ? value : isObject(value) ? [value["low"], value["high"]] : [];
  if (typeof low !== "number") return undefined;
  return high === null ? [low, Infinity] : typeof high === "number" ? [low, high] : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Any value in a table's cell. */
export function plain(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.join(", ");
  return value === undefined ? "" : JSON.stringify(value);
}
