// SPDX-License-Identifier: Apache-2.0
// What an answer says of itself besides its figures: a run that is too short, a proof that is missing, faults not counted.
import {type Case, interval, type Json, number, object, objects, plain, text, texts} from "./data";
import {h} from "./dom";
import {integer, list, plural, significant} from "./format";
import type {Column} from "./table";

function ofSimulation({result}: Case): string[] {
  const told = texts(result, "notes");
  const starvation = object(result, "starvation"), starved = number(starvation, "starved_sources") ?? 0;
  const search = object(result, "saturation");
  const unproved = text(result, "unproved"), cutOff = texts(result, "cut_off");
  return [
    ...(result["too_short"] === true && !told.some((note) => note.startsWith("too short")) ? ["too short: the intervals may be too narrow"] : []),
    ...told,
    ...(unproved === undefined ? [] : [`not proved free of deadlock: ${unproved}`]),
    ...(starved === 0 ? [] : [`${plural(starved, "source")} sent nothing while measuring, such as ${texts(starvation, "starved")[0] ?? "?"}`]),
    ...(cutOff.length === 0 ? [] : [`cut off from most others at the end: ${list(cutOff)}`]),
    ...(search === undefined ? [] : ofSearch(search, number(result, "delivered") !== 0)),
  ];
}

function ofSearch(search: Json, delivers: boolean): string[] {
  const load = number(search, "load"), sustained = significant(number(search, "sustained_load"), 4);
  const remark = text(search, "remark") ??
      (search["settled"] === false ? "these loads still changed by more than 3 % when runs became four times as long" : undefined);
  const found = load === undefined ? `not saturated at ${sustained} flits/cycle/terminal, the most that terminals can send`
                                   : `saturates between loads ${sustained} and ${significant(load, 4)}`;
  return [...(delivers ? [found] : []), ...(remark === undefined ? [] : [remark])];
}

function ofPoint(point: Json, width: number): string[] {
  const faults = plural(number(point, "faults") ?? 0, "fault"), reason = text(point, "not_counted");
  const [low, high] = interval(point, "intolerable_interval") ?? [0, 0];
  return [
    ...(reason === undefined ? [] : [`${faults}: sampled, not counted: ${reason}`]),
    ...(high - low < width ? [] : [`${faults}: too few sets for an interval narrower than ${significant(width)}`]),
  ];
}

function ofReliability(found: Json): string[] {
  if (number(found, "sets") === 0) return ["no set of faults disconnects a pair"];
  const [down, up] = [number(found, "unavailability"), number(found, "mean_up_hours")];
  return down === undefined || down === 1 || up !== undefined ? [] : ["mean up time unknown: too few of the sets tell when a pair is disconnected"];
}

function ofResilience({options, result}: Case): string[] {
  const lost = number(result, "pairs_lost_without_faults") ?? 0, channels = number(result, "most_virtual_channels");
  const reliability = object(result, "reliability");
  return [
    ...(result["interrupted"] === true ? ["interrupted: the last number of faults may have fewer sets than requested, later ones are missing"] : []),
    ...(lost === 0 ? [] : [`${plural(lost, "ordered pair")} disconnected without any fault; the other figures count them too, but for the pairs ` +
        "that a component disconnects alone"]),
    ...(channels === undefined ? [] : [`any path serves; not examined: whether ${plural(channels, "virtual channel")} suffice for all`]),
    ...objects(result, "by_faults").flatMap((point) => ofPoint(point, Number(plain(options["interval-width"])) || Infinity)),
    ...(reliability === undefined ? [] : ofReliability(reliability)),
  ];
}

function ofVerification({result}: Case): string[] {
  const cutOff = number(result, "cut_off_pairs") ?? 0;
  return [
    ...(cutOff === 0 ? [] : [`${plural(cutOff, "pair")} with a terminal all of whose injection or ejection channels are dead: no routing could serve them`]),
    ...(result["acyclic_with_switches"] === false && number(result, "switch_entries") !== 0
        ? ["the verdict does not cover packets to and from switches themselves: with these, channel dependencies have a cycle"] : []),
  ];
}

/** In words, as on the command line. */
export function notesOf(one: Case): string[] {
  if (one.verb === "simulate") return ofSimulation(one);
  const told = one.verb === "resilience" ? ofResilience(one) : one.verb === "verify" ? ofVerification(one) : [];
  return [...texts(one.result, "notes"), ...told];
}

/** A column of notes; none where no row has one. */
export function notesColumn<Row>(rows: Row[], notes: (row: Row) => string[]): Column<Row>[] {
  return rows.some((row) => notes(row).length > 0) ? [{label: "Notes", wraps: true, value: (row) => notes(row).join("; ") || undefined}] : [];
}

export interface Noted {
  /** The run, among those of the figure. */
  about: string;
  notes: string[];
}

/** Below a figure: its notes, each with the runs that it is about; undefined where there are none. */
export function noteList(runs: Noted[]): HTMLElement | undefined {
  const about = new Map<string, Set<string>>();
  for (const {about: run, notes} of runs)
    for (const note of notes) about.set(note, (about.get(note) ?? new Set()).add(run));
  if (about.size === 0) return undefined;
  const noted = runs.filter(({notes}) => notes.length > 0).length;
  return h("details", {class: "notes"},
           h("summary", {}, `Notes on ${integer(noted)} of ${plural(runs.length, "case")}`),
           h("ul", {class: "plain"}, ...[...about].map(([note, names]) => h("li", {}, h("b", {}, list([...names])), `: ${note}`))));
}
