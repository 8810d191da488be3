// SPDX-License-Identifier: Apache-2.0
// A deadlock drawn: packets in a circle, an arrow from each to those whose channel it waits for.
import {type Case, integers, number, objects, text} from "./data";
import {h, svg} from "./dom";
import {figure} from "./figure";
import {arrow, plural} from "./format";
import {type Column, csvButton, table} from "./table";

export interface WaitingPacket {
  position: number;  // in the list, as are those it waits for
  channel: string;
  vc: number | undefined;
  source: string;
  destination: string;
  waitsFor: number[];
}

type Point = [number, number];

const drawnPackets = 12;  // of more, the labels would run into each other
const labelLength = 30;
const disc = 11, gap = 11, letter = 7.3;  // of the drawing's units; the widest letter that is common

export function waitingPackets(one: Case): WaitingPacket[] {
  const packets = objects(one.result, "cycle");
  return packets.map((item, position) => ({
    position,
    channel: text(item, "channel") ?? "",
    vc: number(item, "vc"),
    source: text(item, "source") ?? "",
    destination: text(item, "destination") ?? "",
    waitsFor: integers(item, "waits_for").filter((other) => other !== position && other >= 0 && other < packets.length),
  }));
}

const way = (packet: WaitingPacket) => `${packet.source} → ${packet.destination}`;
const held = (packet: WaitingPacket, hasLanes: boolean) =>
    arrow(packet.channel) + (hasLanes && packet.vc !== undefined ? ` · vc ${packet.vc}` : "");

const columns: Column<WaitingPacket>[] = [
  {label: "Packet", numeric: true, value: (packet) => packet.position + 1},
  {label: "Holds", value: (packet) => packet.channel, show: (packet) => arrow(packet.channel)},
  {label: "Virtual channel", numeric: true, value: (packet) => packet.vc},
  {label: "Source", value: (packet) => packet.source},
  {label: "Destination", value: (packet) => packet.destination},
  {label: "Waits for packet", value: (packet) => packet.waitsFor.map((other) => other + 1).join(", ")},
];

/** A bent arrow between the rims of two discs. */
function wait([x1, y1]: Point, [x2, y2]: Point): SVGElement {
  const bend: Point = [(x1 + x2) / 2 + (y2 - y1) * 0.14, (y1 + y2) / 2 - (x2 - x1) * 0.14];
  const towardsBend = ([x, y]: Point, distance: number): Point => {
    const length = Math.hypot(bend[0] - x, bend[1] - y);
    return [x + (bend[0] - x) * distance / length, y + (bend[1] - y) * distance / length];
  };
  const start = towardsBend([x1, y1], disc + 2), tip = towardsBend([x2, y2], disc + 2), neck = towardsBend([x2, y2], disc + 10);
  const [across, along] = [(tip[1] - neck[1]) / 2, (neck[0] - tip[0]) / 2];
  return svg("g", {class: "wait"},
             svg("path", {class: "shaft", d: `M${start.join()}Q${bend.join()} ${neck.join()}`}),
             svg("path", {class: "head", d: `M${tip.join()}L${neck[0] + across},${neck[1] + along}L${neck[0] - across},${neck[1] - along}Z`}));
}

const shortened = (label: string) => (label.length <= labelLength ? label : `${label.slice(0, labelLength - 1)}…`);

function label(packet: WaitingPacket, hasLanes: boolean, [x, y]: Point, [dx, dy]: Point): SVGElement {
  const beside = Math.abs(dx) > 1e-6;
  const anchor = !beside ? "middle" : dx > 0 ? "start" : "end";
  const at: Point = beside ? [x + Math.sign(dx) * (disc + gap), y + dy * 10] : [x, y + Math.sign(dy) * (disc + 18)];
  const line = (name: string, shift: number, content: string) =>
      svg("text", {class: name, x: at[0], y: at[1] + shift, "text-anchor": anchor}, shortened(content));
  return svg("g", {}, svg("title", {}, `${held(packet, hasLanes)}: ${way(packet)}`),
             line("held", -2, held(packet, hasLanes)), line("way", 12, way(packet)));
}

/** Breadth first along the arrows, so that they are short; a plain cycle keeps its order. */
function aroundTheRing(packets: WaitingPacket[]): WaitingPacket[] {
  const placed = new Set<WaitingPacket>();
  for (const start of packets) {
    placed.add(start);
    for (const packet of placed)  // which also visits what is added meanwhile
      for (const other of packet.waitsFor) placed.add(packets[other] ?? packet);
  }
  return [...placed];
}

function ring(listed: WaitingPacket[]): SVGSVGElement {
  const packets = aroundTheRing(listed);
  const hasLanes = packets.some((packet) => packet.vc !== undefined && packet.vc > 0);
  const longest = Math.max(...packets.map((packet) => Math.max(held(packet, hasLanes).length, way(packet).length)));
  const radius = 62 + 6 * packets.length, height = 2 * radius + 92;
  const width = Math.max(540, 2 * (radius + disc + gap + letter * Math.min(longest, labelLength)));
  // Half a step off the top, so that nearly all labels have room beside the ring.
  const steps = new Map(packets.map((packet, step) => [packet.position, step]));
  const direction = (position: number): Point => {
    const angle = (2 * Math.PI * ((steps.get(position) ?? 0) + 0.5)) / packets.length;
    return [Math.sin(angle), -Math.cos(angle)];
  };
  const at = (position: number): Point => {
    const [dx, dy] = direction(position);
    return [width / 2 + radius * dx, height / 2 + radius * dy];
  };
  return svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "deadlock"},
             ...packets.flatMap(({position, waitsFor}) => waitsFor.map((other) => wait(at(position), at(other)))),
             ...packets.map((packet) => {
               const [x, y] = at(packet.position);
               return svg("g", {class: "packet"}, svg("circle", {cx: x, cy: y, r: disc}),
                          svg("text", {x, y, "text-anchor": "middle"}, packet.position + 1),
                          label(packet, hasLanes, [x, y], direction(packet.position)));
             }));
}

/** The deadlock that refutes a case: drawn, or listed if it is too large to draw. */
export function deadlock(title: string, subtitle: string, packets: WaitingPacket[]): HTMLElement {
  const sentence = `${plural(packets.length, "packet")}, each waiting for channels held by others`;
  if (packets.length <= drawnPackets)
    return figure({title, subtitle, columns, rows: packets, plot: ring(packets),
                   description: `${sentence}: ${packets.map((packet) => `${way(packet)} in ${packet.channel}`).join("; ")}`,
                   note: `${sentence}. Arrows point to the packets of which at least one must move first; labels give the channel that each packet holds, its source and its destination.`});
  return h("figure", {class: "wide"},
           h("figcaption", {}, h("h3", {}, title), h("p", {class: "note"}, `${subtitle} · ${sentence}`),
             csvButton(`${title} ${subtitle}`, () => columns, () => packets)),
           table(`${title} · ${subtitle}`, columns, packets));
}
