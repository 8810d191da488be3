// SPDX-License-Identifier: Apache-2.0
// Channels as curves between the sides of their switches.
import * as d3 from "d3";

export interface Spot {
  x: number;
  y: number;
}

/** One end of a channel: a terminal where `at` is undefined, else a switch's number. */
export interface End extends Spot {
  at: number | undefined;
}

export interface Grid {
  box: {width: number; height: number};
  columnStep: number;
  rowStep: number;
}

type Side = "left" | "right" | "top" | "bottom";
type Anchor = Spot & {side: Side};

const normals: Record<Side, Spot> = {left: {x: -1, y: 0}, right: {x: 1, y: 0}, top: {x: 0, y: -1}, bottom: {x: 0, y: 1}};

/** Between neighbours straight; along a row or column past others, around them. */
function sideTowards(here: Spot, there: Spot, {columnStep, rowStep}: Grid): Side {
  const [dx, dy] = [there.x - here.x, there.y - here.y];
  if (Math.abs(dx) < 1) return Math.abs(dy) > 1.5 * rowStep ? "right" : dy < 0 ? "top" : "bottom";
  if (Math.abs(dy) < 1 && Math.abs(dx) > 1.5 * columnStep) return "top";
  return dx < 0 ? "left" : "right";
}

/** The ends on the sides of their switches, in the order of where they lead, so that none covers another. */
function anchors(channels: {from: End; to: End}[], grid: Grid): {from: Anchor; to: Anchor}[] {
  const placed = channels.map(({from, to}) => ({
    from: {x: from.x, y: from.y, side: sideTowards(from, to, grid)}, to: {x: to.x, y: to.y, side: sideTowards(to, from, grid)},
  }));
  const atSwitches = channels.flatMap((channel, index) => (["from", "to"] as const).flatMap((end) => {
    const [here, there, anchor] = [channel[end], channel[end === "from" ? "to" : "from"], placed[index]?.[end]];
    return here.at === undefined || !anchor ? [] : [{at: here.at, there, anchor, index}];
  }));
  for (const group of d3.group(atSwitches, ({at, anchor}) => `${at} ${anchor.side}`).values()) {
    const side = group[0]?.anchor.side ?? "left";
    const isUpright = side === "left" || side === "right";
    const sorted = d3.sort(group, ({there}) => (isUpright ? there.y : there.x), ({there}) => (isUpright ? there.x : there.y), ({index}) => index);
    sorted.forEach(({anchor}, i) => {
      const along = ((i + 0.5) / sorted.length - 0.5) * 0.86;
      anchor.x += isUpright ? normals[side].x * grid.box.width / 2 : along * grid.box.width;
      anchor.y += isUpright ? along * grid.box.height : normals[side].y * grid.box.height / 2;
    });
  }
  return placed;
}

function curve({from, to}: {from: Anchor; to: Anchor}): string {
  const [dx, dy] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  const isAround = from.side === to.side;
  const reach = isAround ? Math.min(68, 10 + 0.11 * (dx + dy)) : 0.35 * (from.side === "left" || from.side === "right" ? dx : dy);
  const [a, b] = [normals[from.side], normals[to.side]];
  const path = d3.path();
  path.moveTo(from.x, from.y);
  path.bezierCurveTo(from.x + a.x * reach, from.y + a.y * reach, to.x + b.x * reach, to.y + b.y * reach, to.x, to.y);
  return path.toString();
}

/** A path's description for each channel. */
export const curves = (channels: {from: End; to: End}[], grid: Grid): string[] => anchors(channels, grid).map(curve);
