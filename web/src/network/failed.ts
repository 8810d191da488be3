// SPDX-License-Identifier: Apache-2.0
// The paths of a network with faults, leg by leg, as draw_legs (src/report/failed.h) describes them.
import * as d3 from "d3";
import type {Drawing, FailedSet} from "../data";
import {h, svg} from "../dom";
import {scopeName, unitName} from "../faults";
import {arrow, plural} from "../format";

interface Leg {
  /** The intermediate switch; undefined: the destination. */
  to: number | undefined;
  channels: number[];
  mayChoose: boolean;
}

interface Pair {
  /** As PairClass counts: served, likely, livelock, stalled, refused. */
  becomes: number;
  legs: Leg[];
}

const [served, likely, livelock, stalled] = [0, 1, 2, 3];

const shortName = ({names, unit, scope, origin}: FailedSet) => {
  const place = scope === "network" ? "" : ` ${scopeName(scope)}`;
  return `${names.length} failed ${unitName(unit, names.length)}${place} (${origin})`;
};

/** Names that tell the sets apart: equal faults may be known to more or fewer switches. */
export function setNames(sets: FailedSet[]): string[] {
  const counts = d3.rollup(sets, (group) => group.length, shortName);
  return sets.map((set) => shortName(set) + (counts.get(shortName(set)) === 1 ? "" :
    `, known: ${set.knowledge || "as designed"}, source: ${set.source || "as designed"}, ${set.switching}`));
}

/** Of the line of a leg: "to the destination", or a number below two for intermediate switches in turn. */
export const legClass = (leg: Leg, index: number) => (leg.to === undefined ? "leg-last" : `leg-${index % 2}`);

export class FailedPaths {
  private readonly pairs = new Map<number, Map<number, Pair>>();

  constructor(private readonly drawing: Drawing, readonly set: FailedSet) {
    for (const [source, destination, becomes, ...legs] of set.pairs ?? []) {
      const from = this.pairs.get(source) ?? new Map<number, Pair>();
      this.pairs.set(source, from.set(destination, {becomes, legs: legs.map(([choice = 0, to = -1, ...channels]) => (
        {to: to < 0 ? undefined : to, channels, mayChoose: choice === 1}))}));
    }
  }

  pair(source: number, destination: number): Pair | undefined { return this.pairs.get(source)?.get(destination); }

  /** The channels on stored paths of a terminal. */
  from(source: number): Set<number> {
    return new Set([...this.pairs.get(source)?.values() ?? []].flatMap(({legs}) => legs.flatMap(({channels}) => channels)));
  }

  /** What stands above the drawing while no pair is chosen. */
  summary(source: number | undefined): string {
    const {set} = this;
    if (!set.pairs) return "The paths with these faults are not in the report.";
    const leftOut = set.left_out ? ` The paths of ${plural(set.left_out, "pair")} are left out to keep the page small.` : "";
    if (source === undefined) {
      const unserved = set.unserved ? `${plural(set.unserved, "pair")} of terminals ${set.unserved === 1 ? "is" : "are"} not served.` : "Every pair of terminals is served.";
      const cutOff = set.pair === "" ? "" : ` One of them is ${arrow(set.pair)}.`;
      return `${unserved}${cutOff} Click a terminal, then a second one, for the path of that pair, leg by leg.${leftOut}`;
    }
    const all = [...this.pairs.get(source)?.values() ?? []];
    const others = this.drawing.terminals.length - 1;
    const byIntermediate = all.filter(({becomes, legs}) => becomes <= likely && legs.length > 1).length;
    const unserved = all.filter(({becomes}) => becomes > likely).length;
    const missing = others - all.length;
    return `${this.terminal(source)} to ${others} others: ` + [
      `${all.length - byIntermediate - unserved} in one leg`, `${byIntermediate} via an intermediate switch`,
      `${unserved} not served`, ...(missing > 0 ? [`${missing} not in the report`] : []),
    ].join(", ") + ".";
  }

  /** The same for a pair. */
  told(source: number, destination: number): string {
    const pair = this.pair(source, destination);
    const names = `${this.terminal(source)} to ${this.terminal(destination)}: `;
    if (!pair) return names + (source === destination ? "the same terminal." : "left out of the report to keep the page small.");
    const hops = d3.sum(pair.legs, (leg) => this.hops(leg).length);
    const how = `${plural(hops, "hop")} in ${plural(pair.legs.length, "leg")}`;
    switch (pair.becomes) {
      case served: return `${names}${how}.`;
      case likely: return `${names}arrives with probability one, without a bound on its hops; one path has ${how}.`;
      case livelock: return `${names}not served: its packets may travel for ever.`;
      case stalled: return `${names}not served: its packets may come to a dead channel, or to a switch that offers none.`;
      default: return `${names}not served: its source knows no path that avoids the faults.`;
    }
  }

  /** What the lines of a pair mean. */
  legend(source: number | undefined, destination: number | undefined): HTMLElement {
    const {set} = this;
    const pair = source === undefined || destination === undefined ? undefined : this.pair(source, destination);
    const kind = unitName(set.unit, set.names.length);
    const listed = set.names.length > 8 ? [...set.names.slice(0, 8), `and ${set.names.length - 8} more`] : set.names;
    return h("ul", {class: "legs"},
             line("cut", `failed ${kind}: ${listed.map(arrow).join("; ")}`),
             ...(pair?.legs ?? []).map((leg, i) => line(legClass(leg, i), this.words(leg, i, pair?.legs.length ?? 1) + this.end(leg))));
  }

  private words(leg: Leg, index: number, count: number): string {
    const number = count > 1 ? `leg ${index + 1}, ` : "";
    const to = leg.to === undefined ? "to the destination" : `to the intermediate switch ${this.drawing.switches.names[leg.to] ?? leg.to}`;
    const hops = this.hops(leg);
    const away = this.away(leg);
    return `${number}${to}: ${plural(hops.length, "hop")}` + (away > 0 ? `, ${away} of them misrouted` : "") +
        (leg.mayChoose ? "; one of the paths that switches may choose" : hops.length > 0 ? "; the only path" : "");
  }

  /** Where a leg ends that arrives neither at its switch nor at the destination. */
  private end({to, channels}: Leg): string {
    const {from, to: target, network, injection} = this.drawing.channels;
    const last = channels.at(-1) ?? 0;
    const nameOf = (at: number | undefined) => this.drawing.switches.names[at ?? -1] ?? "";
    if (this.set.channels.includes(last)) return last < network ? `; ends on a dead channel of ${nameOf(from[last])}` : "; ends on a dead channel";
    const arrives = to === undefined ? last >= network + injection : target[last] === to;
    return arrives ? "" : `; ends at ${nameOf(target[last])}`;
  }

  private terminal(terminal: number): string { return this.drawing.terminals[terminal] ?? String(terminal); }

  private hops({channels}: Leg): number[] { return channels.filter((channel) => channel < this.drawing.channels.network); }

  /** Hops that do not bring a packet nearer to where the leg ends, in the network without faults. */
  private away(leg: Leg): number {
    const {from, to} = this.drawing.channels;
    const hops = this.hops(leg);
    const last = hops.at(-1);
    if (last === undefined) return 0;
    const distance = this.distances(leg.to ?? to[last] ?? 0);
    return hops.filter((hop) => (distance.get(to[hop] ?? 0) ?? 0) >= (distance.get(from[hop] ?? 0) ?? 0)).length;
  }

  private distances(end: number): Map<number, number> {
    const {from, to, network} = this.drawing.channels;
    const into = d3.group(d3.range(network), (channel) => to[channel] ?? 0);
    const distance = new Map([[end, 0]]);
    for (const at of distance.keys())  // which grows meanwhile
      for (const channel of into.get(at) ?? []) {
        const before = from[channel] ?? 0;
        if (!distance.has(before)) distance.set(before, (distance.get(at) ?? 0) + 1);
      }
    return distance;
  }
}

/** A line of the legend: how the drawing shows a channel of this kind. */
export const line = (kind: string, words: string) =>
  h("li", {}, svg("svg", {class: "sample", width: 44, height: 10, viewBox: "0 0 44 10", "aria-hidden": "true"},
                  svg("path", {class: `channel lit ${kind}`, d: "M1,5H43"})), words);
