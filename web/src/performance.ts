// SPDX-License-Identifier: Apache-2.0
// Simulation results as points of a load sweep.
import * as d3 from "d3";
import {type Case, interval, number, object} from "./data";
import {notesOf} from "./notes";

export interface Point {
  topology: string;
  offered: number;  // flits/cycle/terminal
  accepted: number;
  saturated: boolean;
  tooShort: boolean;  // for its intervals
  deadlock: boolean;
  dropped: number;  // packets
  latency: {mean?: number; p50?: number; p99?: number; network_mean?: number};  // cycles
  interval?: [number, number];  // of the mean latency
  notes: string[];
}

export function pointOf(one: Case): Point | undefined {
  const accepted = number(one.result, "accepted");
  const offered = number(one.result, "offered") ?? number(one.options, "load");
  if (accepted === undefined || offered === undefined) return undefined;
  const latency = object(one.result, "latency");
  const measured: Point["latency"] = {};
  for (const key of ["mean", "p50", "p99", "network_mean"] as const) {
    const value = number(latency, key);
    if (value !== undefined) measured[key] = value;
  }
  const bounds = interval(latency, "interval");
  return {
    topology: one.topology,
    offered,
    accepted,
    saturated: one.result["saturated"] === true,
    tooShort: one.result["too_short"] === true,
    deadlock: one.result["deadlock"] === true,
    dropped: number(one.result, "dropped") ?? 0,
    latency: measured,
    notes: notesOf(one),
    ...(bounds ? {interval: bounds} : {}),
  };
}

/** By offered load. */
export function sweep(cases: Case[]): Point[] {
  return d3.sort(cases.map(pointOf).filter((point) => point !== undefined), (point) => point.offered);
}

/** The most that was accepted without a deadlock (0 if every load ended in one); only a bound from below where no load
 * saturated the network; whether packets were dropped at that load, and whether its run was too short. */
export function saturation(points: Point[]):
    {throughput: number; bound: boolean; drops: boolean; tooShort: boolean; deadlock: number | undefined} | undefined {
  if (points.length === 0) return undefined;
  const alive = points.filter((point) => !point.deadlock);
  const most = d3.greatest(alive, (point) => point.accepted);
  return {
    throughput: most?.accepted ?? 0,
    drops: (most?.dropped ?? 0) > 0,
    tooShort: most?.tooShort ?? false,
    bound: !alive.some((point) => point.saturated),
    deadlock: d3.min(points.filter((point) => point.deadlock), (point) => point.offered),
  };
}

/** The mean latency at the lightest load. */
export function base(points: Point[]): {latency: number; load: number; tooShort: boolean} | undefined {
  const lightest = points.find((point) => !point.saturated && !point.deadlock && point.latency.mean !== undefined);
  return lightest && {latency: lightest.latency.mean ?? 0, load: lightest.offered, tooShort: lightest.tooShort};
}
