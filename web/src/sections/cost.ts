// SPDX-License-Identifier: Apache-2.0
// What each design costs and what it gives: Tables 2 to 4 of the RUFT paper, as measured here.
import * as d3 from "d3";
import {type Case, type Json, number, object, text} from "../data";
import type {Design} from "../designs";
import {breakable, chooser, h} from "../dom";
import {assumptions, type Facet, facet} from "../facets";
import {scopeName, scopeOrder, unitName} from "../faults";
import {fixed, integer, significant} from "../format";
import {sample} from "../legend";
import {base, saturation, sweep} from "../performance";
import {type Column, csvButton, table} from "../table";
import {routingMemory} from "../parts/routing_memory";
import type {Context, Section} from "./section";

interface Row {
  design: Design;
  terminals: number | undefined;
  topology: string;
  routing: string;
  cases: Case[];
}

/** What the columns are read from. */
const read = new Set(["topology", "resilience", "simulate"]);

/** One row a topology and routing; results that name no routing belong to all rows of their topology. */
function rowsOf({data, designs}: Context): Row[] {
  const rows: Row[] = [];
  for (const [topology, cases] of d3.group(data.cases.filter((one) => one.topology !== "" && read.has(one.verb)), (one) => one.topology)) {
    const routings = [...new Set(cases.map((one) => one.routing).filter((name) => name !== ""))];
    for (const routing of routings.length > 0 ? routings : [""])
      rows.push({
        design: designs.of({topology, routing}),
        terminals: designs.terminalsOf(topology),
        topology,
        routing,
        cases: cases.filter((one) => one.routing === routing || one.routing === ""),
      });
  }
  return d3.sort(rows, (row) => row.terminals ?? Infinity, (row) => row.design.index);
}

type Find = (result: Json) => number | undefined;

const firstNumber = (cases: Case[], find: Find) =>
    cases.filter((one) => one.verb === "topology").map((one) => find(one.result)).find((value) => value !== undefined);

/** Figures that are the same for all cases of a topology, and switching elements, which depend on the routing. */
function sizeColumns(ofTopology: Map<string, Case[]>): {cost: Column<Row>[]; distance: Column<Row>[]} {
  const of = (key: string): Find => (result) => number(result, key);
  const found = (row: Row, find: Find) => firstNumber(row.cases, find) ?? firstNumber(ofTopology.get(row.topology) ?? [], find);
  const measure = (label: string, find: Find, more: Partial<Column<Row>> = {}): Column<Row> =>
    ({label, numeric: true, value: (row) => found(row, find), show: (row) => integer(found(row, find)), ...more});
  const elements = (row: Row) => firstNumber(row.cases, of("switching_elements"));
  const isBound = (row: Row) => found(row, (result) => (result["bisection_exact"] === false ? 1 : 0)) === 1;
  const cost: Column<Row>[] = [
    measure("Switches", of("switches")),
    measure("Switch ports", (result) => number(object(result, "switch_radix"), "max"), {unit: "of the largest"}),
    measure("Channels", of("channels")),
    measure("Links", of("links")),
    {label: "Switching elements", numeric: true, value: elements, show: (row) => integer(elements(row)),
     title: "Inputs times outputs of the multiplexers that the routing needs, over all switches"},
  ];
  const distance: Column<Row>[] = [
    measure("Diameter", of("diameter"), {unit: "links"}),
    measure("Average distance", of("average_distance"), {unit: "links", show: (row) => fixed(found(row, of("average_distance")), 2)}),
    measure("Bisection", of("bisection"), {
      unit: "channels", title: "In one direction between two halves of the terminals, channels of terminals included",
      show: (row) => (isBound(row) ? "≤ " : "") + integer(found(row, of("bisection"))),
      inCsv: [{label: "Bisection exact", value: (row) => yesNo(found(row, of("bisection")) === undefined ? undefined : !isBound(row))}],
    }),
  ];
  return {cost, distance};
}

/** The exact answer if a case has it, else the largest lower bound. */
function tolerance(cases: Case[]): {value: number; exact: boolean} | undefined {
  const known = cases.flatMap(({result}) => {
    const value = number(result, "tolerated_faults");
    return value === undefined ? [] : [{value, exact: result["tolerated_exact"] !== false}];
  });
  return d3.greatest(known, (a, b) => Number(a.exact) - Number(b.exact) || a.value - b.value);
}

const yesNo = (answer: boolean | undefined) => (answer === undefined ? undefined : answer ? "yes" : "no");

function toleranceColumns(cases: Case[]): Column<Row>[] {
  const assumed = assumptions(cases);
  const kinds = new Map<string, {unit: string; scope: string; assuming: string}>();
  for (const one of cases) {
    const [unit, scope] = [text(one.result, "unit"), text(one.result, "scope")];
    if (unit !== undefined && scope !== undefined && number(one.result, "tolerated_faults") !== undefined)
      kinds.set(`${unit} ${scope} ${assumed(one)}`, {unit, scope, assuming: assumed(one)});
  }
  const sorted = d3.sort(kinds.values(), (kind) => kind.unit, (kind) => scopeOrder(kind.scope), (kind) => kind.assuming);
  return sorted.map(({unit, scope, assuming}) => {
    const found = (row: Row) => tolerance(row.cases.filter(
        (one) => one.verb === "resilience" && one.result["unit"] === unit && one.result["scope"] === scope && assumed(one) === assuming));
    const failing = [`${unitName(unit)} ${scopeName(scope)}`, assuming].filter((part) => part !== "").join("; ");
    return {
      label: "Tolerated faults",
      unit: failing,
      title: "Any N faults at once leave every pair of terminals a path that the routing allows, for N up to this number",
      numeric: true,
      value: (row) => found(row)?.value,
      show: (row) => (found(row)?.exact === false ? "≥ " : "") + integer(found(row)?.value),
      inCsv: [{label: "Tolerated faults exact", unit: failing, value: (row) => yesNo(found(row)?.exact)}],
    };
  });
}

const ofShortRun = "run too short";

function performanceColumns(chosen: Set<Case>): Column<Row>[] {
  const points = (row: Row) => sweep(row.cases.filter((one) => chosen.has(one)));
  const alive = (row: Row) => { const found = saturation(points(row)); return found?.deadlock === undefined ? found : undefined; };
  const unit = "flits/cycle/terminal";
  return [
    {
      label: "Saturation throughput", unit, numeric: true,
      title: "The most traffic that the network accepted at any load; ≥ where no load of the study saturated it; the lowest " +
          "load with a deadlock, if there was one. Run too short: longer ones may give another figure",
      value: (row) => alive(row)?.throughput,
      order: (row) => saturation(points(row))?.throughput,
      show: (row) => {
        const found = saturation(points(row));
        if (found?.deadlock !== undefined) return `deadlock at ${significant(found.deadlock)}`;
        return (found?.bound === true ? "≥ " : "") + fixed(found?.throughput, 3);
      },
      remark: (row) => {
        const found = saturation(points(row));
        if (found === undefined || found.deadlock !== undefined) return undefined;
        return [found.drops && "packets dropped", found.tooShort && ofShortRun].filter(Boolean).join(", ") || undefined;
      },
      inCsv: [
        {label: "Saturation throughput reached", value: (row) => yesNo(alive(row) && !alive(row)?.bound)},
        {label: "Packets dropped", value: (row) => yesNo(alive(row)?.drops)},
        {label: "Lowest load with a deadlock", unit, value: (row) => saturation(points(row))?.deadlock},
      ],
    },
    {
      label: "Base latency", unit: "cycles", numeric: true,
      title: "Mean latency at the lightest load of the study. Run too short: longer ones may give another figure",
      value: (row) => base(points(row))?.latency,
      show: (row) => {
        const found = base(points(row));
        return h("span", {title: found && `at ${significant(found.load)} flits/cycle/terminal`}, fixed(found?.latency, 1));
      },
      remark: (row) => (base(points(row))?.tooShort === true ? ofShortRun : undefined),
    },
  ];
}

/** Facets of all sizes at once: the table has a row for each size. */
function trafficChoices(context: Context): Facet[] {
  const {facets} = facet(context.cases("simulate"), context.designs, ["load"], ["traffic", "packet-flits"]);
  const merged = d3.groups(facets, (one) => one.setting);
  return merged.map(([title, group]) => ({title, setting: title, cases: group.flatMap((one) => one.cases)}));
}

/** The choice that most designs were measured with: the first of several. */
const mostCompared = (choices: Facet[], {designs}: Context) =>
    d3.greatest(choices, (choice) => new Set(choice.cases.map((one) => designs.of(one))).size)?.title;

export const section: Section = {
  order: 20,
  id: "designs",
  title: "Cost, tolerance and performance",
  verbs: ["topology"],
  render(context) {
    const rows = rowsOf(context);
    if (rows.length === 0) return null;
    const choices = trafficChoices(context);
    const measured = d3.group(context.cases("topology"), (one) => one.topology);
    const several = new Set(rows.map((row) => row.topology.replace(/:.*/, ""))).size < rows.length;
    const {cost, distance} = sizeColumns(measured);
    const fixedColumns: Column<Row>[] = [
      {label: "Design", value: (row) => row.design.label,
       show: (row) => h("span", {class: "design", title: row.topology}, sample(row.design), h("span", {}, ...breakable(row.design.label)))},
      ...(several ? [{label: "Built as", value: (row: Row) => row.topology.replace(/^[^:]*:?/, "").replaceAll(",", ", "),
                    title: "Parameters of the topology"}] : []),
      {label: "Terminals", numeric: true, value: (row) => row.terminals, show: (row) => integer(row.terminals)},
      ...cost,
      ...toleranceColumns(context.cases("resilience")),
    ];
    let columns: Column<Row>[] = [];
    const place = h("div");
    const choose = (title: string) => {
      const chosen = choices.find((choice) => choice.title === title);
      columns = [...fixedColumns, ...(chosen ? performanceColumns(new Set(chosen.cases)) : []), ...distance];
      columns = columns.filter((column) => rows.some((row) => (column.order ?? column.value)(row) !== undefined));
      place.replaceChildren(table("Cost, tolerance and performance of each design", columns, rows));
    };
    const first = mostCompared(choices, context) ?? "";
    choose(first);
    const options = choices.map((choice) => ({value: choice.title, label: choice.title}));
    return h("div", {},
             h("p", {class: "intro"}, "Channels are unidirectional and, like links, include those of the terminals. Tolerated ",
               "faults: the largest number that, wherever they fall, leave every pair of terminals a path that the routing allows; with sources that plan, ",
               "among those that leave the network connected."),
             h("div", {class: "tools"}, choices.length > 1 && chooser("Performance with", options, first, choose),
               csvButton("designs", () => columns, () => rows)),
             place, routingMemory(context.cases("topology"), context));
  },
};
