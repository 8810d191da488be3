// SPDX-License-Identifier: Apache-2.0
// The frame around a plot: title, controls, the data as CSV and as a table.
import {h} from "./dom";
import {type Column, csvButton, table} from "./table";

export interface FigureParts<Row> {
  title: string;
  subtitle?: string;
  /** One sentence for who cannot see the plot. */
  description: string;
  columns: Column<Row>[];
  rows: Row[];
  controls?: HTMLElement[];
  plot: Element;
  note?: string;
  notes?: HTMLElement;
}

export function figure<Row>(parts: FigureParts<Row>): HTMLElement {
  parts.plot.setAttribute("role", "img");
  parts.plot.setAttribute("aria-label", parts.description);
  const name = [parts.title, parts.subtitle].filter((part) => part !== undefined).join(" · ");
  const data = h("details", {class: "data", toggle: () => {
    if (data.open && data.childElementCount === 1) data.append(table(name, parts.columns, parts.rows));
  }}, h("summary", {}, "Table"));
  return h("figure", {},
           h("figcaption", {}, h("h3", {}, parts.title), parts.subtitle !== undefined && h("p", {class: "note"}, parts.subtitle),
             csvButton(name, () => parts.columns, () => parts.rows)),
           h("div", {class: "plot"}, parts.plot),
           parts.note !== undefined && h("p", {class: "note"}, parts.note),
           parts.notes,
           data);
}
