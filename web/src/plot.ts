// SPDX-License-Identifier: Apache-2.0
// The look that all plots share.
import * as Plot from "@observablehq/plot";

export function frame(options: Plot.PlotOptions): SVGSVGElement | HTMLElement {
  return Plot.plot({
    width: 560,
    height: 350,
    marginLeft: 52,
    marginBottom: 42,
    marginTop: 24,
    marginRight: 16,
    ...options,
    style: {background: "transparent", fontSize: "12px", fontFamily: "inherit", overflow: "visible"},
    x: {labelAnchor: "center", labelArrow: "none", nice: true, ...options.x},
    y: {labelArrow: "none", ...options.y},
  });
}

/** A box with the `title` of the point nearest to the pointer. */
export function tooltip<T>(data: T[], options: {x: (item: T) => number; y: (item: T) => number; title: (item: T) => string}): Plot.Markish {
  return Plot.tip(data, Plot.pointer({...options, fill: "var(--surface)", stroke: "var(--rule)", textPadding: 9, lineHeight: 1.35, maxRadius: 30, lineWidth: 30,
                                      fontSize: 12} as Plot.TipOptions & Plot.PointerOptions));
}
