// SPDX-License-Identifier: Apache-2.0
// Where things stand: stages as columns, terminals left where they inject and, in a unidirectional network, right where
// they eject; beside their switch where switches of all columns hold terminals.
import * as d3 from "d3";
import type {Drawing} from "../data";

export interface Spot {
  x: number;
  y: number;
}

export interface TerminalSpot extends Spot {
  terminal: number;
  side: "left" | "right";
}

export interface Layout {
  width: number;
  height: number;
  switches: Spot[];
  box: {width: number; height: number};
  terminals: TerminalSpot[];
  /** Ends of each channel. */
  channels: {from: Spot; to: Spot}[];
  headings: {x: number; text: string}[];
  /** Height of the terminals' labels; 0 for none. */
  labels: number;
}

const width = 1080;
const top = 34;

/** Column and place within the column of each switch. */
function grid(drawing: Drawing): {column: number; order: number}[] {
  const {columns, rows} = drawing.switches;
  const used = d3.sort(new Set(columns));
  const places: {column: number; order: number}[] = columns.map(() => ({column: 0, order: 0}));
  for (const [column, members] of d3.group(d3.range(columns.length), (at) => columns[at] ?? 0))
    d3.sort(members, (at) => rows[at] ?? 0).forEach((at, order) => { places[at] = {column: used.indexOf(column), order}; });
  return places;
}

export function layOut(drawing: Drawing): Layout {
  const {from, to, network, injection} = drawing.channels;
  const count = drawing.terminals.length;
  const places = grid(drawing);
  const columns = 1 + (d3.max(places, (place) => place.column) ?? 0);
  const tallest = d3.max(d3.rollup(places, (group) => group.length, (place) => place.column).values()) ?? 1;

  const isInjection = (channel: number) => channel >= network && channel < network + injection;
  const injecting = d3.range(network, network + injection);
  const ejecting = d3.range(network + injection, from.length);
  const columnOf = (at: number | undefined) => places[at ?? 0]?.column ?? 0;
  const isStaged = injecting.every((channel) => columnOf(to[channel]) === 0);
  const isTwoSided = isStaged && columns > 1 && ejecting.every((channel) => columnOf(from[channel]) === columns - 1);

  const pitch = Math.min(30, Math.max(8.5, 712 / Math.max(count, 1)));
  const height = top + Math.max(count * pitch, tallest * 20) + 8;
  const usable = height - top - 8;
  const [left, right] = [150, isTwoSided ? width - 150 : width - 60];
  const columnX = (column: number) => (columns === 1 ? (left + right) / 2 : left + (right - left) * column / (columns - 1));
  const sizes = d3.rollup(places, (group) => group.length, (place) => place.column);
  const switches = places.map(({column, order}) => ({x: columnX(column), y: top + usable * (order + 0.5) / (sizes.get(column) ?? 1)}));
  const box = {width: 18, height: Math.max(6, Math.min(44, usable / tallest * 0.72))};

  const terminals: TerminalSpot[] = [];
  const columnOfTerminals = (order: number[], side: "left" | "right") =>
      order.forEach((terminal, i) => terminals.push({terminal, side, x: side === "left" ? 44 : width - 44, y: top + usable * (i + 0.5) / count}));
  if (isStaged) {
    // Next to the switch of their first channel, so that few lines cross.
    const beside = (channels: number[], terminalOf: number[], switchOf: number[]) => {
      const y = new Map(channels.slice().reverse().map((channel) => [terminalOf[channel], switches[switchOf[channel] ?? 0]?.y ?? 0]));
      return d3.sort(d3.range(count), (terminal) => y.get(terminal) ?? 0);
    };
    columnOfTerminals(beside(injecting, from, to), "left");
    if (isTwoSided) columnOfTerminals(beside(ejecting, to, from), "right");
  } else {
    const held = d3.group(injecting, (channel) => to[channel] ?? 0);
    for (const [at, channels] of held)
      channels.forEach((channel, i) => terminals.push({
        terminal: from[channel] ?? 0, side: "left", x: (switches[at]?.x ?? 0) - 26,
        y: (switches[at]?.y ?? 0) + (i - (channels.length - 1) / 2) * Math.min(9, box.height / channels.length),
      }));
  }

  const spotOf = new Map(terminals.map((spot) => [`${spot.side}${spot.terminal}`, spot] as const));
  const origin: Spot = {x: 0, y: 0};
  const terminalSpot = (terminal: number, isEjection: boolean): Spot =>
      spotOf.get(`${isTwoSided && isEjection ? "right" : "left"}${terminal}`) ?? origin;
  const centre = (channel: number, end: "from" | "to"): Spot => {
    const isTerminal = end === "from" ? isInjection(channel) : channel >= network + injection;
    const at = (end === "from" ? from : to)[channel] ?? 0;
    return isTerminal ? terminalSpot(at, end === "to") : switches[at] ?? origin;
  };
  return {
    width, height, switches, box, terminals, labels: isStaged ? Math.min(10, pitch) : 0,
    channels: spread(d3.range(from.length), centre, {isSwitch: (channel, end) => end === "from" ? !isInjection(channel) : channel < network + injection,
                                                    id: (channel, end) => (end === "from" ? from : to)[channel] ?? 0}, box),
    headings: [
      ...(isStaged ? [{x: 44, text: isTwoSided ? "senders" : "terminals"}] : []),
      ...d3.range(columns).map((column) => ({x: columnX(column), text: columns > 1 && isStaged ? `stage ${column}` : ""})),
      ...(isTwoSided ? [{x: width - 44, text: "receivers"}] : []),
    ].filter((heading) => heading.text !== ""),
  };
}

type End = "from" | "to";

/** The ends of the channels along the sides of their switches, in the order of where they lead, so that none covers another. */
function spread(channels: number[], centre: (channel: number, end: End) => Spot,
                ends: {isSwitch: (channel: number, end: End) => boolean; id: (channel: number, end: End) => number},
                box: {width: number; height: number}): {from: Spot; to: Spot}[] {
  const placed = channels.map((channel) => ({from: {...centre(channel, "from")}, to: {...centre(channel, "to")}}));
  const attachments = channels.flatMap((channel) => (["from", "to"] as const).filter((end) => ends.isSwitch(channel, end)).map((end) => {
    const [here, there] = [centre(channel, end), centre(channel, end === "from" ? "to" : "from")];
    return {channel, end, there, side: there.x < here.x ? -1 : 1, at: ends.id(channel, end)};
  }));
  for (const group of d3.group(attachments, (one) => `${one.at} ${one.side}`).values()) {
    const sorted = d3.sort(group, (one) => one.there.y, (one) => one.there.x, (one) => one.channel);
    sorted.forEach(({channel, end, side}, i) => {
      const spot = placed[channel]?.[end];
      if (!spot) return;
      spot.x += side * box.width / 2;
      spot.y += box.height * ((i + 0.5) / sorted.length - 0.5) * 0.86;
    });
  }
  return placed;
}
