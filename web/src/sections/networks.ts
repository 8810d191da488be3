// SPDX-License-Identifier: Apache-2.0
// A drawing of each network.
import * as d3 from "d3";
import type {Drawing, FailedSet, Network, WatchedPair, WorstSet} from "../data";
import {type FileNames, parseCompact} from "../designs";
import {chooser, h, picker} from "../dom";
import {scopeName, unitName} from "../faults";
import {integer, plural, significant} from "../format";
import {FailedPaths, setNames} from "../network/failed";
import {OpenPaths} from "../network/open";
import {PathModel} from "../network/paths";
import {NetworkView} from "../network/view";
import type {Context, Section} from "./section";

const titleOf = (network: Network, files: FileNames) => {
  const {kind, parameters} = parseCompact(network.topology);
  return {kind, parameters: parameters.map(([name, value]) => `${name} = ${files.short(value)}`).join(", ")};
};

const worstName = (worst: WorstSet) =>
  `${worst.names.length} ${unitName(worst.unit, worst.names.length)} ${scopeName(worst.scope)}: ${plural(worst.lost.length, "terminal")} lost`;

const watchedName = (drawing: Drawing, {source, destination, load, setting}: WatchedPair) =>
  `open paths of ${drawing.terminals[source] ?? source} to ${drawing.terminals[destination] ?? destination}, load ${significant(load)}${setting.map((one) => `, ${one}`).join("")}`;

function clear(view: NetworkView): void {
  view.watch(undefined);
  view.fail(undefined);
}

/** What the routing chosen can be seen with: nothing failed, the fault sets of its cases, paths that sources had open, or
 * the sets that lose terminals. */
function faultPicker(network: Network, drawing: Drawing, routing: string, view: NetworkView): HTMLElement | null {
  const none = {value: "none", label: "no fault", choose: () => clear(view)};
  const sets = (network.failed?.sets ?? []).filter((set) => set.routing === routing);
  const names = setNames(sets);
  const made = new Map<FailedSet, FailedPaths>();
  const modelOf = (set: FailedSet) => {
    const model = made.get(set) ?? new FailedPaths(drawing, set);
    made.set(set, model);
    return model;
  };
  const failed = sets.map((set, i) => ({value: `failed ${i}`, label: names[i] ?? "", choose: () => { clear(view); view.fail(modelOf(set)); }}));
  const worst = (network.worst?.sets ?? []).map((set, i) => ({
    value: `worst ${i}`, label: worstName(set), choose: () => { clear(view); view.lose(set.channels.flat(), set.switches, set.lost); },
  }));
  const watched = (network.watched?.sets ?? []).filter((pair) => pair.routing === routing).map((pair, i) => ({
    value: `watched ${i}`, label: watchedName(drawing, pair), choose: () => { clear(view); view.watch(new OpenPaths(drawing, pair)); },
  }));
  const choices = [none, ...failed, ...watched, ...worst];
  return choices.length === 1 ? null : picker("Faults", choices, (value) => choices.find((one) => one.value === value)?.choose());
}

function plate(network: Network, drawing: Drawing, files: FileNames): HTMLElement {
  const {kind, parameters} = titleOf(network, files);
  const view = new NetworkView(network.topology, drawing);
  const routings = network.routings ?? [];
  const names = [...new Set([...routings.map(({name}) => name), ...(network.failed?.sets ?? []).map((set) => set.routing),
                            ...(network.watched?.sets ?? []).map((pair) => pair.routing)])];
  const faults = h("span");
  const choose = (name: string) => {
    const routing = routings.find((one) => one.name === name);
    view.follow(routing && new PathModel(drawing, routing.paths));
    clear(view);
    faults.replaceChildren(faultPicker(network, drawing, name, view) ?? "");
  };
  choose(names[0] ?? "");
  const leftOut = (network.failed?.left_out ?? 0) + (network.worst?.left_out ?? 0);
  const unwatched = network.watched?.left_out ?? 0;
  return h("figure", {class: "wide"},
           h("figcaption", {}, h("h3", {}, kind, h("small", {}, parameters)),
             h("p", {class: "note"}, `${plural(drawing.terminals.length, "terminal")}, ${plural(drawing.switches.names.length, "switch", "switches")}, `,
               `${integer(drawing.channels.from.length)} channels`, leftOut > 0 && `; ${plural(leftOut, "fault set")} of its results ${leftOut === 1 ? "is" : "are"} not drawn`,
               unwatched > 0 && `; the open paths of ${plural(unwatched, "more pair")} are not drawn`)),
           h("div", {class: "tools"},
             names.length > 1 && chooser("Routing", names.map((name) => ({value: name, label: name || "default"})), names[0] ?? "", choose),
             faults),
           view.element);
}

function tabs(networks: (Network & {drawing: Drawing})[], files: FileNames): HTMLElement {
  const place = h("div");
  const made = new Map<number, HTMLElement>();
  const open = (index: number) => {
    const network = networks[index];
    if (!network) return;
    const shown = made.get(index) ?? plate(network, network.drawing, files);
    made.set(index, shown);
    place.replaceChildren(shown);
  };
  open(0);
  const label = (network: Network) => {
    const {kind, parameters} = titleOf(network, files);
    const isAlone = networks.filter((one) => titleOf(one, files).kind === kind).length === 1;
    return isAlone || parameters === "" ? kind : `${kind} ${parameters}`;
  };
  const choices = networks.map((network, i) => ({value: String(i), label: label(network)}));
  return h("div", {}, networks.length > 1 && h("div", {class: "tools"}, chooser("Network", choices, "0", (value) => open(Number(value)))), place);
}

export const section: Section = {
  order: 800,
  id: "networks",
  title: "The networks",
  verbs: [],
  render({data, designs}: Context) {
    const drawn = data.networks.filter((network): network is Network & {drawing: Drawing} => network.drawing !== undefined);
    const skipped = data.networks.filter((network) => network.skipped !== undefined);
    if (drawn.length + skipped.length === 0) return null;
    const sorted = d3.sort(drawn, (network) => designs.size(network.topology).order);
    return h("div", {}, sorted.length > 0 && tabs(sorted, designs.files),
             skipped.length > 0 && h("details", {}, h("summary", {}, `${plural(skipped.length, "network")} not drawn`),
               h("ul", {class: "plain"}, skipped.map((network) => h("li", {}, h("code", {}, network.topology), `: ${network.skipped ?? ""}`)))));
  },
};
