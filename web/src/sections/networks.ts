// SPDX-License-Identifier: Apache-2.0
// A drawing of each network.
import * as d3 from "d3";
import type {Cut, Drawing, Network, WorstSet} from "../data";
import {parseCompact} from "../designs";
import {chooser, h} from "../dom";
import {scopeName, unitName} from "../faults";
import {integer, plural} from "../format";
import {PathModel} from "../network/paths";
import {NetworkView} from "../network/view";
import type {Context, Section} from "./section";

const titleOf = (network: Network) => {
  const {kind, parameters} = parseCompact(network.topology);
  return {kind, parameters: parameters.map(([name, value]) => `${name} = ${value.split("/").at(-1)}`).join(", ")};
};

const cutName = (cut: Cut) => `${cut.names.length} ${unitName(cut.unit, cut.names.length)} ${scopeName(cut.scope)}`;

const worstName = (worst: WorstSet) =>
  `${worst.names.length} ${unitName(worst.unit, worst.names.length)} ${scopeName(worst.scope)}: ${plural(worst.lost.length, "terminal")} lost`;

function plate(network: Network, drawing: Drawing): HTMLElement {
  const {kind, parameters} = titleOf(network);
  const view = new NetworkView(network.topology, drawing);
  const routings = network.routings ?? [];
  const choose = (name: string) => {
    const routing = routings.find((one) => one.name === name);
    view.follow(routing && new PathModel(drawing, routing.paths));
  };
  choose(routings[0]?.name ?? "");
  const cuts = network.cuts ?? [];
  const worst = network.worst ?? [];
  const none = {value: "", label: "none"};
  const choices = [none, ...cuts.map((cut, i) => ({value: String(i), label: cutName(cut)}))];
  const worstChoices = [none, ...worst.map((set, i) => ({value: String(i), label: worstName(set)}))];
  const chooseWorst = (value: string) => {
    const set = value === "" ? undefined : worst[Number(value)];
    view.cut((set?.channels ?? []).flat(), set?.switches, set?.lost);
  };
  return h("figure", {class: "wide"},
           h("figcaption", {}, h("h3", {}, kind, h("small", {}, parameters)),
             h("p", {class: "note"}, `${plural(drawing.terminals.length, "terminal")}, ${plural(drawing.switches.names.length, "switch", "switches")}, `,
               `${integer(drawing.channels.from.length)} channels`)),
           h("div", {class: "tools"},
             routings.length > 1 && chooser("Routing", routings.map(({name}) => ({value: name, label: name || "default"})), routings[0]?.name ?? "", choose),
             cuts.length > 0 && chooser("Smallest cut", choices, "", (value) => view.cut(value === "" ? [] : (cuts[Number(value)]?.channels ?? []).flat())),
             worst.length > 0 && chooser("Worst faults", worstChoices, "", chooseWorst)),
           view.element);
}

function tabs(networks: (Network & {drawing: Drawing})[]): HTMLElement {
  const place = h("div");
  const made = new Map<number, HTMLElement>();
  const open = (index: number) => {
    const network = networks[index];
    if (!network) return;
    const shown = made.get(index) ?? plate(network, network.drawing);
    made.set(index, shown);
    place.replaceChildren(shown);
  };
  open(0);
  const label = (network: Network) => {
    const {kind, parameters} = titleOf(network);
    const isAlone = networks.filter((one) => titleOf(one).kind === kind).length === 1;
    return isAlone || parameters === "" ? kind : `${kind} ${parameters}`;
  };
  const choices = networks.map((network, i) => ({value: String(i), label: label(network)}));
  return h("div", {}, networks.length > 1 && h("div", {class: "tools"}, chooser("Network", choices, "0", (value) => open(Number(value)))), place);
}

export const networks: Section = {
  id: "networks",
  title: "The networks",
  verbs: [],
  render({data, designs}: Context) {
    const drawn = data.networks.filter((network): network is Network & {drawing: Drawing} => network.drawing !== undefined);
    const skipped = data.networks.filter((network) => network.skipped !== undefined);
    if (drawn.length + skipped.length === 0) return null;
    const sorted = d3.sort(drawn, (network) => designs.size(network.topology).order);
    return h("div", {}, sorted.length > 0 && tabs(sorted),
             skipped.length > 0 && h("details", {}, h("summary", {}, `${plural(skipped.length, "network")} not drawn`),
               h("ul", {class: "plain"}, ...skipped.map((network) => h("li", {}, h("code", {}, network.topology), `: ${network.skipped ?? ""}`)))));
  },
};
