// SPDX-License-Identifier: Apache-2.0
// The paths of packets, out of the rules that draw_paths (src/report/drawing.h) describes.
import type {Drawing, Paths} from "../data";

export interface PairPaths {
  channels: Set<number>;
  /** Undefined where packets may go in circles. */
  count: number | undefined;
  /** Fewest and most switches on a path; undefined likewise. */
  switches: [number, number] | undefined;
}

interface Move {
  channel: number;
  next: string;  // key of a state; arrived after an ejection channel
}

const arrived = "";
const key = (place: number, slot: number) => `${place}/${slot}`;

export class PathModel {
  private readonly states = new Map<number, Map<string, Move[]>>();

  /** The paths that take none of the `dead` channels. */
  constructor(private readonly drawing: Drawing, private readonly paths: Paths, private readonly dead: ReadonlySet<number> = new Set()) {}

  without(dead: number[]): PathModel {
    return new PathModel(this.drawing, this.paths, new Set(dead));
  }

  /** Channels and number of the paths from one terminal to another. */
  pair(source: number, destination: number): PairPaths {
    const states = this.statesOf(destination);
    const channels = new Set<number>();
    const {order, leads, isCyclic} = this.arriving(states, key(-1 - source, -1));
    const counts = new Map<string, {paths: number; shortest: number; longest: number}>([[arrived, {paths: 1, shortest: -1, longest: -1}]]);
    for (const state of order) {  // a state comes after those that it leads to
      const total = {paths: 0, shortest: Infinity, longest: -Infinity};
      for (const {channel, next} of states.get(state) ?? []) {
        if (!leads.has(next)) continue;
        channels.add(channel);
        const behind = counts.get(next);
        if (!behind) continue;
        total.paths += behind.paths;
        total.shortest = Math.min(total.shortest, behind.shortest + 1);
        total.longest = Math.max(total.longest, behind.longest + 1);
      }
      if (total.paths > 0) counts.set(state, total);
    }
    const start = counts.get(key(-1 - source, -1));
    if (isCyclic || !start) return {channels, count: isCyclic ? undefined : 0, switches: undefined};
    return {channels, count: start.paths, switches: [start.shortest, start.longest]};
  }

  /** Channels that packets of a terminal may take to anywhere. */
  from(source: number): Set<number> {
    const channels = new Set<number>();
    this.paths.destinations.forEach((_, destination) => {
      if (destination !== source) this.pair(source, destination).channels.forEach((channel) => channels.add(channel));
    });
    return channels;
  }

  private statesOf(destination: number): Map<string, Move[]> {
    const known = this.states.get(destination);
    if (known) return known;
    const states = new Map<string, Move[]>();
    for (const index of this.paths.destinations[destination] ?? []) {
      const [place = 0, slot = 0, ...steps] = this.paths.rules[index] ?? [];
      const moves: Move[] = [];
      for (let i = 0; i + 1 < steps.length; i += 2)
        if (!this.dead.has(steps[i] ?? 0)) moves.push(this.move(steps[i] ?? 0, steps[i + 1] ?? -1));
      states.set(key(place, slot), moves);
    }
    this.states.set(destination, states);
    return states;
  }

  private move(channel: number, slot: number): Move {
    if (slot < 0) return {channel, next: arrived};
    return {channel, next: key(this.paths.held ? channel : this.drawing.channels.to[channel] ?? -1, slot)};
  }

  /** The states on the way from `start` that lead to the destination, each after those that it leads to where there is
   * no cycle. */
  private arriving(states: Map<string, Move[]>, start: string): {order: string[]; leads: Set<string>; isCyclic: boolean} {
    const finished: string[] = [];
    const phase = new Map<string, "open" | "done">();
    let isCyclic = false;
    const visit = (state: string) => {
      phase.set(state, "open");
      for (const {next} of states.get(state) ?? []) {
        if (phase.get(next) === "open") isCyclic = true;
        if (next !== arrived && !phase.has(next)) visit(next);
      }
      phase.set(state, "done");
      finished.push(state);
    };
    visit(start);
    const leads = new Set<string>([arrived]);
    for (let grew = true; grew;) {
      grew = false;
      for (const state of finished)
        if (!leads.has(state) && (states.get(state) ?? []).some(({next}) => leads.has(next))) {
          leads.add(state);
          grew = true;
        }
    }
    return {order: finished.filter((state) => leads.has(state)), leads, isCyclic};
  }
}
