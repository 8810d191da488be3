// SPDX-License-Identifier: Apache-2.0
// Units and scopes of faults in words; what the command line calls them is the fallback.
import {type Case, text} from "./data";

const units: Record<string, [string, string]> = {
  channel: ["channel", "channels"], link: ["link", "links"], switch: ["switch", "switches"], terminal: ["terminal", "terminals"],
};
const scopes: Record<string, string> = {network: "in the network", terminal: "at terminals", all: "anywhere"};

/** A mixture is written "link+switch". */
export const unitName = (unit: string, count = 2) =>
  unit.split("+").map((one) => units[one]?.[count === 1 ? 0 : 1] ?? one).join(" or ");
export const scopeName = (scope: string) => scopes[scope] ?? scope;
export const scopeOrder = (scope: string) => Object.keys(scopes).indexOf(scope);

/** What fails in a case: "links in the network". */
export const failing = ({result}: Case) => `${unitName(text(result, "unit") ?? "")} ${scopeName(text(result, "scope") ?? "")}`.trim();
