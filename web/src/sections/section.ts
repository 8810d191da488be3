// SPDX-License-Identifier: Apache-2.0
import type {Case, Data} from "../data";
import type {Designs} from "../designs";

export interface Context {
  data: Data;
  designs: Designs;
  /** The cases of one verb. */
  cases: (verb: string) => Case[];
}

/**
 * A part of the page: one file in this folder that exports it as `section`. list_sections.mjs finds the files and writes
 * their list, index.ts, when the page is built.
 */
export interface Section {
  /** Smaller numbers come first; the sections of verbs are below 800. */
  order: number;
  id: string;
  title: string;
  /** The verbs whose results it shows; what no section shows ends in "Other results". */
  verbs: string[];
  /** What stands below the title; null leaves the section out. */
  render: (context: Context) => Node | null;
}
