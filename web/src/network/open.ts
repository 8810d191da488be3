// SPDX-License-Identifier: Apache-2.0
// The paths between two terminals that a source had open at the end of a simulation.
import type {Drawing, WatchedPair} from "../data";
import {h} from "../dom";
import {integer, plural} from "../format";
import {line} from "./failed";

/** Lines of paths that can be told apart. */
export const pathClasses = ["path-0", "path-1", "path-2", "path-3"];

export class OpenPaths {
  /** The class of each channel's line; a channel that several paths share has that of the first. */
  readonly classes = new Map<number, string>();

  constructor(private readonly drawing: Drawing, readonly pair: WatchedPair) {
    pair.paths.forEach(({channels}, i) => channels.forEach((channel) => {
      if (!this.classes.has(channel)) this.classes.set(channel, this.lineOf(i));
    }));
  }

  status(): string {
    const {pair} = this;
    const down = pair.down.length === 0 ? "no channel is dead" : `${plural(pair.down.length, "channel")} dead`;
    const open = pair.paths.length === 0 ? "no path is open" : `${plural(pair.paths.length, "path")} open`;
    return `${this.terminal(pair.source)} to ${this.terminal(pair.destination)} at the end of the run: ${open}, ${down}.`;
  }

  legend(): HTMLElement {
    return h("ul", {class: "legs"},
             ...this.pair.paths.map(({channels, latency}, i) =>
               line(this.lineOf(i), `path ${i + 1}: ${plural(channels.length, "hop")}, latency ${integer(latency)} cycles as last reported`)),
             this.pair.down.length > 0 && line("cut", "dead"));
  }

  private lineOf(path: number): string { return pathClasses[path % pathClasses.length] ?? ""; }
  private terminal(terminal: number): string { return this.drawing.terminals[terminal] ?? String(terminal); }
}
