// SPDX-License-Identifier: Apache-2.0
// The drawing of one network. Pointing at a terminal shows every channel its packets can take; choosing a second one
// shows the paths of that pair; with faults, one path leg by leg.
import type {Drawing} from "../data";
import {h, svg} from "../dom";
import {integer, plural} from "../format";
import {type FailedPaths, legClass} from "./failed";
import {type Layout, layOut, type TerminalSpot} from "./layout";
import {shortNames} from "./names";
import {type OpenPaths, pathClasses} from "./open";
import {PathModel} from "./paths";

interface Selection {
  source: number | undefined;  // chosen
  destination: number | undefined;
  pointed: TerminalSpot | undefined;
}

const legClasses = ["leg-0", "leg-1", "leg-last"];

export class NetworkView {
  readonly element: HTMLElement;
  private readonly layout: Layout;
  private readonly channels: SVGPathElement[];
  private readonly switches: SVGRectElement[];
  private readonly terminals: {spot: TerminalSpot; element: SVGGElement}[];
  private readonly status = h("p", {class: "status", "aria-live": "polite"});
  private readonly legend = h("div");
  private selection: Selection = {source: undefined, destination: undefined, pointed: undefined};
  private paths: PathModel | undefined;
  private left: PathModel | undefined;
  private failed: FailedPaths | undefined;
  private open: OpenPaths | undefined;

  constructor(name: string, private readonly drawing: Drawing) {
    this.layout = layOut(drawing);
    this.channels = this.layout.channels.map((d) => svg("path", {class: "channel", d}));
    const {switches, box} = this.layout;
    this.switches = switches.map(({x, y}, at) => svg("rect", {
      x: x - box.width / 2, y: y - box.height / 2, width: box.width, height: box.height, rx: 3,
    }, svg("title", {}, drawing.switches.names[at] ?? "")));
    this.terminals = this.layout.terminals.map((spot, index) => ({spot, element: this.terminal(spot, index)}));
    this.element = h("div", {class: "network"}, this.status, this.legend, h("div", {class: "canvas"}, this.picture(name)));
    this.show();
  }

  follow(paths: PathModel | undefined): void {
    this.paths = paths;
    this.show();
  }

  /** Shows the network with faults, and the paths that are left; without any where undefined. */
  fail(failed: FailedPaths | undefined): void {
    this.failed = failed;
    this.cut(failed?.set.channels ?? [], failed?.set.switches);
    this.show();
  }

  /** Shows the paths that were open between two terminals, and the channels that were dead. */
  watch(open: OpenPaths | undefined): void {
    this.open = open;
    if (open) this.cut(open.pair.down);
    this.show();
  }

  /** Shows a set that loses terminals, and which of the paths without faults are left. */
  lose(channels: number[], switches: number[], lost: number[]): void {
    this.cut(channels, switches, lost);
    this.left = this.paths?.without(channels);
    this.show();
  }

  /** Marks channels and switches as failed, and terminals as lost. */
  private cut(channels: number[], switches: number[] = [], lost: number[] = []): void {
    this.left = undefined;
    const [cut, dead, without] = [new Set(channels), new Set(switches), new Set(lost)];
    this.channels.forEach((element, channel) => element.classList.toggle("cut", cut.has(channel)));
    this.switches.forEach((element, at) => element.classList.toggle("dead", dead.has(at)));
    this.terminals.forEach(({spot, element}) => element.classList.toggle("lost", without.has(spot.terminal)));
  }

  private picture(name: string): SVGSVGElement {
    const {width, height, headings} = this.layout;
    return svg("svg", {
      viewBox: `0 0 ${width} ${height}`, role: "group",
      "aria-label": `Drawing of ${name}. Arrow keys move between terminals, Enter chooses one, Escape starts over.`,
      keydown: (event) => this.key(event as KeyboardEvent),
    },
      ...headings.map(({x, text}) => svg("text", {class: "heading", x, y: 14}, text)),
      svg("g", {class: "channels"}, ...this.channels),
      svg("g", {class: "switches"}, ...this.switches),
      ...(this.layout.names ? [this.names()] : []),
      svg("g", {class: "terminals"}, ...this.terminals.map(({element}) => element)));
  }

  private names(): SVGGElement {
    const {switches, box} = this.layout, short = shortNames(this.drawing.switches.names);
    return svg("g", {class: "names"}, ...switches.map(({x, y}, at) => svg("text", {x, y: y + box.height / 2 + 8}, short[at] ?? "")));
  }

  private terminal(spot: TerminalSpot, index: number): SVGGElement {
    const {terminal, side, x, y} = spot;
    const label = spot.label ?? side;
    const name = this.drawing.terminals[terminal] ?? String(terminal);
    const point = (pointed: TerminalSpot | undefined) => () => { this.selection.pointed = pointed; this.show(); };
    return svg("g", {
      class: "terminal", tabindex: index === 0 ? 0 : -1, role: "button",
      "aria-label": `${name}${side === "right" ? ", receiving side" : ""}`,
      "data-terminal": terminal, "data-side": side,
      pointerenter: point(spot), pointerleave: point(undefined), focus: point(spot), blur: point(undefined),
      click: () => this.choose(terminal),
    },
      svg("rect", {class: "hit", x: label === "left" ? x - 42 : x - 8, y: y - 5, width: 50, height: 10}),
      svg("circle", {cx: x, cy: y, r: 3.2}),
      svg("text", {
        "font-size": this.layout.labels,
        x: x + (label === "left" ? -9 : 9), y, "text-anchor": label === "left" ? "end" : "start",
      }, this.label(terminal)));
  }

  /** Names where all are short enough, else numbers. */
  private label(terminal: number): string {
    const short = this.drawing.terminals.map((name) => name.replace(/^terminal /, ""));
    return short.every((name) => name.length <= 6) ? short[terminal] ?? "" : String(terminal);
  }

  private choose(terminal: number): void {
    const {source, destination} = this.selection;
    if (source === undefined || destination !== undefined) this.selection = {...this.selection, source: terminal, destination: undefined};
    else if (terminal === source) this.selection = {...this.selection, source: undefined};
    else this.selection = {...this.selection, destination: terminal};
    this.show();
  }

  private key(event: KeyboardEvent): void {
    const current = this.terminals.findIndex(({element}) => element === document.activeElement);
    if (current < 0) return;
    const here = this.terminals[current]?.spot;
    const across = () => this.terminals.findIndex(({spot}) => spot.terminal === here?.terminal && spot.side !== here.side);
    const target = {
      ArrowDown: () => current + 1, ArrowUp: () => current - 1, Home: () => 0, End: () => this.terminals.length - 1,
      ArrowRight: across, ArrowLeft: across,
    }[event.key];
    if (target) {
      this.terminals[target()]?.element.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      if (here) this.choose(here.terminal);
    } else if (event.key === "Escape") {
      this.selection = {...this.selection, source: undefined, destination: undefined};
      this.show();
    } else {
      return;
    }
    event.preventDefault();
  }

  private show(): void {
    const {source, destination, pointed} = this.open ? {...this.open.pair, pointed: undefined} : this.selection;
    const from = source ?? pointed?.terminal;
    const to = destination ?? (source !== undefined && pointed?.terminal !== source ? pointed?.terminal : undefined);
    const lit = this.open ? this.litOpen(this.open) : this.failed ? this.litWithFaults(this.failed, from, to) : this.lit(from, to);
    this.channels.forEach((element, channel) => element.classList.toggle("lit", lit.has(channel)));
    this.showLegs(from, to);
    this.element.classList.toggle("pair", to !== undefined);
    this.element.classList.toggle("lighting", lit.size > 0);
    for (const {spot: {terminal}, element} of this.terminals) {
      element.classList.toggle("source", terminal === from);
      element.classList.toggle("destination", terminal === to);
      element.setAttribute("aria-pressed", String(terminal === source || terminal === destination));
    }
  }

  /** The legs' lines, and the switches that they lead to. */
  private showLegs(from: number | undefined, to: number | undefined): void {
    const legs = (this.failed && from !== undefined && to !== undefined && this.failed.pair(from, to)?.legs) || [];
    const kinds = new Map(legs.flatMap((leg, i) => leg.channels.map((channel) => [channel, legClass(leg, i)])));
    this.channels.forEach((element, channel) => legClasses.forEach((kind) => element.classList.toggle(kind, kinds.get(channel) === kind)));
    const intermediates = new Set(legs.map((leg) => leg.to));
    this.switches.forEach((element, at) => element.classList.toggle("via", intermediates.has(at)));
    this.channels.forEach((element, channel) =>
      pathClasses.forEach((kind) => element.classList.toggle(kind, this.open?.classes.get(channel) === kind)));
    this.element.classList.toggle("failed", this.failed !== undefined || this.open !== undefined);
    this.legend.replaceChildren(...(this.open ? [this.open.legend()] : this.failed ? [this.failed.legend(from, to)] : []));
  }

  private litOpen(open: OpenPaths): Set<number> {
    this.status.textContent = open.status();
    return new Set(open.classes.keys());
  }

  private litWithFaults(failed: FailedPaths, from: number | undefined, to: number | undefined): Set<number> {
    if (from === undefined || to === undefined) {
      this.status.textContent = failed.summary(from);
      return from === undefined ? new Set() : failed.from(from);
    }
    this.status.textContent = failed.told(from, to);
    return new Set(failed.pair(from, to)?.legs.flatMap((leg) => leg.channels));
  }

  private lit(from: number | undefined, to: number | undefined): Set<number> {
    const name = (terminal: number) => this.drawing.terminals[terminal] ?? String(terminal);
    const paths = this.left ?? this.paths;
    if (!paths) {
      this.status.textContent = "The paths of this network are not in the report.";
      return new Set();
    }
    if (from === undefined) {
      this.status.textContent = "Point at a terminal to see every channel that its packets can take; click it, then a second one, for the paths of that pair.";
      return new Set();
    }
    if (to === undefined) {
      const channels = paths.from(from);
      this.status.textContent = `${name(from)} to anywhere: its packets can take ${integer(channels.size)} of ${plural(this.channels.length, "channel")}.`;
      return channels;
    }
    const {channels, count, switches} = paths.pair(from, to);
    const across = switches && (switches[0] === switches[1] ? plural(switches[0], "switch", "switches") : `${switches[0]} to ${switches[1]} switches`);
    const none = this.left ? "none of the routing's paths without faults is left." : "no path.";
    this.status.textContent = `${name(from)} to ${name(to)}: ` +
        (channels.size === 0 ? none : count === undefined ? `${plural(channels.size, "channel")}.` :
         `${plural(count, "path")} ${this.left ? "left of those without faults, " : ""}across ${across}, ${plural(channels.size, "channel")}.`);
    return channels;
  }
}
