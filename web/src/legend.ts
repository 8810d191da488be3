// SPDX-License-Identifier: Apache-2.0
import * as d3 from "d3";
import type {Design} from "./designs";
import {h, svg} from "./dom";

/** A sample of a design's line and marker. */
export function sample(design: Design): SVGSVGElement {
  return svg("svg", {class: "sample", width: 44, height: 14, viewBox: "-22 -7 44 14", "aria-hidden": "true"},
             svg("path", {d: "M-21,0H21", stroke: design.color, "stroke-width": 2, "stroke-dasharray": design.dash, fill: "none"}),
             svg("path", {d: d3.symbol(design.symbol, 46)() ?? "", fill: design.color}));
}

/** Buttons that show and hide designs; `change` hears of it. */
export function legend(designs: Design[], hidden: Set<Design>, change: () => void): HTMLElement {
  return h("div", {class: "legend", role: "group", "aria-label": "Designs; press to show or hide"},
           ...designs.map((design) => {
             const button = h("button", {
               type: "button", "aria-pressed": "true", title: `Show or hide ${design.label}`,
               click: () => {
                 if (!hidden.delete(design)) hidden.add(design);
                 button.setAttribute("aria-pressed", String(!hidden.has(design)));
                 change();
               },
             }, sample(design), design.label);
             return button;
           }));
}
