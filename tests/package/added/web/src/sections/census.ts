// SPDX-License-Identifier: Apache-2.0
import {number} from "../data";
import {h} from "../dom";
import type {Section} from "./section";

export const section: Section = {
  order: 200,
  id: "census",
  title: "Census of terminals",
  verbs: ["census"],
  render({cases}) {
    const rows = cases("census").map((one) => h("li", {}, `${one.topology}: ${String(number(one.result, "census"))}`));
    return rows.length === 0 ? null : h("ul", {}, ...rows);
  },
};
