// SPDX-License-Identifier: Apache-2.0
// Where things stand: stages as columns, terminals left where they inject and, in a unidirectional network, right where
// they eject; left and right of two groups that face each other; beside their switch where switches of all columns hold
// terminals; outside of a circle of switches.
import * as d3 from "d3";
import type {Drawing} from "../data";
import {curves, type End, type Grid, type Spot} from "./curves";

export interface TerminalSpot extends Spot {
  terminal: number;
  side: "left" | "right";
  /** Where the label stands, if not there. */
  label?: "left" | "right";
}

export interface Layout {
  width: number;
  height: number;
  switches: Spot[];
  box: Grid["box"];
  terminals: TerminalSpot[];
  channels: string[];  // curves
  headings: {x: number; text: string}[];
  /** Height of the terminals' labels. */
  labels: number;
  /** Whether there is room for a name below each switch. */
  names: boolean;
}

const width = 1080;
const top = 34;
const edge = 44;  // of the columns of terminals
const nameHeight = 14;  // of a switch's name, with room around it

/** Column and place within the column of each switch. */
function placesOf({switches: {columns, rows}}: Drawing): {column: number; order: number}[] {
  const used = d3.sort(new Set(columns));
  const places = columns.map(() => ({column: 0, order: 0}));
  for (const [column, members] of d3.group(d3.range(columns.length), (at) => columns[at] ?? 0))
    d3.sort(members, (at) => rows[at] ?? 0).forEach((at, order) => { places[at] = {column: used.indexOf(column), order}; });
  return places;
}

/** Which channels are which, and whether terminals stand in columns of their own. */
function shapeOf(drawing: Drawing, columnOf: (at: number) => number, columns: number) {
  const {from, to, network, injection} = drawing.channels;
  const injecting = d3.range(network, network + injection);
  const ejecting = d3.range(network + injection, from.length);
  const isStaged = injecting.every((channel) => columnOf(to[channel] ?? 0) === 0);
  const isTwoSided = isStaged && columns > 1 && ejecting.every((channel) => columnOf(from[channel] ?? 0) === columns - 1);
  const isOuter = (at: number) => columnOf(at) === 0 || columnOf(at) === columns - 1;
  const isFacing = columns > 1 && !isStaged && injecting.every((channel) => isOuter(to[channel] ?? 0))
    && ejecting.every((channel) => isOuter(from[channel] ?? 0))
    && d3.range(network).every((channel) => columnOf(from[channel] ?? 0) !== columnOf(to[channel] ?? 0));
  return {injecting, ejecting, isStaged, isTwoSided, isFacing};
}

type Shape = ReturnType<typeof shapeOf>;

/** Terminals in columns, next to the switch of their first channel, so that few lines cross. */
function besideStages(drawing: Drawing, {injecting, ejecting, isTwoSided}: Shape, switches: Spot[], height: number): TerminalSpot[] {
  const {from, to} = drawing.channels;
  const count = drawing.terminals.length;
  const column = (channels: number[], terminalOf: number[], switchOf: number[], side: "left" | "right"): TerminalSpot[] => {
    const y = new Map(channels.slice().reverse().map((channel) => [terminalOf[channel], switches[switchOf[channel] ?? 0]?.y ?? 0]));
    return d3.sort(d3.range(count), (terminal) => y.get(terminal) ?? 0).map((terminal, i) => ({
      terminal, side, x: side === "left" ? edge : width - edge, y: top + height * (i + 0.5) / count,
    }));
  };
  return [...column(injecting, from, to, "left"), ...(isTwoSided ? column(ejecting, to, from, "right") : [])];
}

/** Terminals of two groups that face each other, each in the column outside of its group. */
function besideGroups(drawing: Drawing, {injecting}: Shape, switches: Spot[], height: number): TerminalSpot[] {
  const {from, to} = drawing.channels;
  const switchOf = new Map(injecting.map((channel) => [from[channel] ?? 0, switches[to[channel] ?? 0] ?? {x: 0, y: 0}]));
  return (["left", "right"] as const).flatMap((label) => {
    const members = d3.sort([...switchOf].filter(([, at]) => (at.x < width / 2) === (label === "left")), ([, at]) => at.y, ([terminal]) => terminal);
    return members.map(([terminal], i): TerminalSpot => ({
      terminal, side: "left", label, x: label === "left" ? edge : width - edge, y: top + height * (i + 0.5) / members.length,
    }));
  });
}

/** By terminal: the switch of its first channel. */
function firstSwitches(injecting: number[], from: number[], to: number[]): Map<number, number> {
  const first = new Map<number, number>();
  for (const channel of injecting) if (!first.has(from[channel] ?? 0)) first.set(from[channel] ?? 0, to[channel] ?? 0);
  return first;
}

/** Terminals below and left of the first switch where they inject. */
function besideSwitches(drawing: Drawing, {injecting}: Shape, switches: Spot[], box: Grid["box"]): TerminalSpot[] {
  const {from, to} = drawing.channels;
  const spots: TerminalSpot[] = [];
  for (const [at, members] of d3.group(firstSwitches(injecting, from, to), ([, at]) => at))
    members.forEach(([terminal], i) => spots.push({
      terminal, side: "left", x: (switches[at]?.x ?? 0) - box.width / 2 - 12,
      y: (switches[at]?.y ?? 0) + box.height / 2 + 8 + 11 * i,
    }));
  return spots;
}

/** Rings and cliques: terminals outside, near the switch of their first channel, and straight lines to all of theirs. */
function layOutCircle(drawing: Drawing): Layout {
  const count = drawing.switches.names.length;
  const {from, to, network, injection} = drawing.channels;
  const groups = d3.group(firstSwitches(d3.range(network, network + injection), from, to), ([, at]) => at);
  const [radius, height] = [300, 760];
  const [cx, cy] = [width / 2, height / 2];
  const spot = (position: number, distance: number): Spot => {
    const angle = 2 * Math.PI * position / count - Math.PI / 2;
    return {x: cx + distance * Math.cos(angle), y: cy + distance * Math.sin(angle)};
  };
  const switches = d3.range(count).map((at) => spot(at, radius));
  const terminals = [...groups].flatMap(([at, members]) => members.map(([terminal], i): TerminalSpot => {
    const place = spot(at + ((i + 0.5) / members.length - 0.5) * 0.8, radius + 46);
    return {terminal, side: "left", label: place.x < cx ? "left" : "right", ...place};
  }));
  const side = Math.min(18, 0.6 * 2 * Math.PI * radius / count);
  const channels = endsOf(drawing, switches, terminals, false).map((channel) => `M${channel.from.x},${channel.from.y}L${channel.to.x},${channel.to.y}`);
  return {width, height, switches, box: {width: side, height: side}, terminals, channels, headings: [], labels: Math.min(10, 700 / Math.max(terminals.length, 1)), names: false};
}

export function layOut(drawing: Drawing): Layout {
  if (drawing.circle) return layOutCircle(drawing);
  const count = drawing.terminals.length;
  const places = placesOf(drawing);
  const columns = 1 + (d3.max(places, (place) => place.column) ?? 0);
  const sizes = d3.rollup(places, (group) => group.length, (place) => place.column);
  const tallest = d3.max(sizes.values()) ?? 1;
  const shape = shapeOf(drawing, (at) => places[at]?.column ?? 0, columns);
  const {isTwoSided, isFacing} = shape;
  const isStaged = shape.isStaged || isFacing;

  const inColumn = isFacing ? Math.ceil(count / 2) : count;
  const pitch = Math.min(30, Math.max(8.5, 712 / Math.max(inColumn, 1)));
  const usable = isStaged ? Math.max(inColumn * pitch, tallest * 20) : Math.max(tallest * 64, 320);
  const [left, right] = isStaged ? [150, isTwoSided || isFacing ? width - 150 : width - 60] : [70, width - 110];
  const columnX = (column: number) => (columns === 1 ? (left + right) / 2 : left + (right - left) * column / (columns - 1));
  const switches = places.map(({column, order}) => ({x: columnX(column), y: top + usable * (order + 0.5) / (sizes.get(column) ?? 1)}));
  const grid: Grid = {
    box: isStaged ? {width: 18, height: Math.max(6, Math.min(44, usable / tallest * 0.72))} : {width: 24, height: 24},
    columnStep: columns === 1 ? width : (right - left) / (columns - 1), rowStep: usable / tallest,
  };
  const terminals = isFacing ? besideGroups(drawing, shape, switches, usable)
    : isStaged ? besideStages(drawing, shape, switches, usable) : besideSwitches(drawing, shape, switches, grid.box);
  return {
    width, height: top + usable + 8, switches, box: grid.box, terminals, channels: curves(endsOf(drawing, switches, terminals, isTwoSided), grid),
    headings: isFacing ? facingHeadings(columns, columnX) : isStaged ? headings(columns, columnX, isTwoSided) : [], labels: isStaged ? Math.min(10, pitch) : 10,
    names: isStaged && grid.rowStep - grid.box.height >= nameHeight,
  };
}

function endsOf(drawing: Drawing, switches: Spot[], terminals: TerminalSpot[], isTwoSided: boolean): {from: End; to: End}[] {
  const {from, to, network, injection} = drawing.channels;
  const spots = new Map(terminals.map((spot) => [`${spot.side}${spot.terminal}`, spot]));
  const origin: Spot = {x: 0, y: 0};
  const atTerminal = (terminal: number, side: "left" | "right"): End => ({...(spots.get(`${side}${terminal}`) ?? origin), at: undefined});
  const atSwitch = (at: number): End => ({...(switches[at] ?? origin), at});
  return from.map((source, channel) => {
    const target = to[channel] ?? 0;
    const isInjection = channel >= network && channel < network + injection;
    const isEjection = channel >= network + injection;
    return {
      from: isInjection ? atTerminal(source, "left") : atSwitch(source),
      to: isEjection ? atTerminal(target, isTwoSided ? "right" : "left") : atSwitch(target),
    };
  });
}

function headings(columns: number, columnX: (column: number) => number, isTwoSided: boolean): Layout["headings"] {
  return [
    {x: edge, text: isTwoSided ? "senders" : "terminals"},
    ...(columns === 1 ? [] : d3.range(columns).map((column) => ({x: columnX(column), text: `stage ${column}`}))),
    ...(isTwoSided ? [{x: width - edge, text: "receivers"}] : []),
  ];
}

/** Levels count from the terminals of each group; the column between two groups, if there is one, belongs to neither. */
function facingHeadings(columns: number, columnX: (column: number) => number): Layout["headings"] {
  const level = (column: number) => Math.min(column, columns - 1 - column);
  return [
    {x: edge, text: "group 0"},
    ...d3.range(columns).map((column) => ({x: columnX(column), text: 2 * column === columns - 1 ? "middle" : `level ${level(column)}`})),
    {x: width - edge, text: "group 1"},
  ];
}
