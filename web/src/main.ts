// SPDX-License-Identifier: Apache-2.0
import {type Data, readData} from "./data";
import {Designs} from "./designs";
import {h} from "./dom";
import {duration, integer, list, plural} from "./format";
import {sections} from "./sections/index";
import type {Context, Section} from "./sections/section";
import {themeToggle} from "./theme";

/** What was studied, in a sentence. */
function summary(data: Data, designs: Designs): string {
  const each = data.networks.map((network) => designs.size(network.topology));
  const known = each.every((size) => size.label !== "") ? each : [];
  const sizes = [...new Set(known.sort((a, b) => a.order - b.order).map((size) => size.label))];
  const compared = designs.all.length === 0 ? "" : designs.all.length === 1 ? designs.all[0]?.label ?? "" : plural(designs.all.length, "design");
  return [compared, list(sizes)].filter((part) => part !== "").join(" at ");
}

function facts(data: Data): HTMLElement {
  const versions = [...new Set(data.cases.map((one) => one.version))];
  const seconds = data.cases.reduce((sum, one) => sum + one.seconds, 0);
  const entries: [string, string][] = [
    ["Date", data.date],
    ["faultline", versions.join(", ")],
    ["Cases", integer(data.cases.length)],
    ["Computed in", duration(seconds)],
  ];
  return h("dl", {class: "facts"}, ...entries.filter(([, value]) => value !== "")
                                       .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** A section that fails must not take the others with it. */
function rendered(section: Section, context: Context): HTMLElement | null {
  let content: Node | null;
  try {
    content = section.render(context);
  } catch (error) {
    console.error(section.id, error);
    content = h("p", {class: "notice"}, `This section could not be drawn: ${String(error)}`);
  }
  return content && h("section", {id: section.id, "aria-labelledby": `${section.id}-title`},
                      h("h2", {id: `${section.id}-title`}, section.title), content);
}

function page(): void {
  const data = readData();
  const designs = new Designs(data);
  const context: Context = {data, designs, cases: (verb) => data.cases.filter((one) => one.verb === verb)};
  const parts = sections.map((section) => rendered(section, context)).filter((part) => part !== null);
  const links = sections.filter((section) => parts.some((part) => part.id === section.id))
                    .map((section) => h("a", {href: `#${section.id}`}, section.title));
  document.getElementById("page")?.replaceChildren(
      h("header", {class: "page-head"},
        h("div", {class: "brand"}, h("span", {}, "faultline report"), themeToggle()),
        h("h1", {}, data.title), h("p", {class: "lead"}, summary(data, designs)),
        data.cases.length > 0 && facts(data), ...data.notes.map((note) => h("p", {class: "notice"}, note)),
        data.failures && h("div", {class: "notice"}, data.failures.text,
                           h("ul", {}, ...data.failures.items.map((item) => h("li", {}, item))))),
      links.length > 1 ? h("nav", {"aria-label": "Sections"}, ...links) : "",
      h("main", {}, ...parts),
      h("footer", {}, "Intervals are 95 % confidence intervals. This page loads nothing from the network."));
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView({behavior: "instant"});
}

page();
