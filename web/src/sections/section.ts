// SPDX-License-Identifier: Apache-2.0
import type {Case, Data} from "../data";
import type {Designs} from "../designs";

export interface Context {
  data: Data;
  designs: Designs;
  /** The cases of one verb. */
  cases: (verb: string) => Case[];
}

/** A part of the page. One file in this folder, one line in index.ts. */
export interface Section {
  id: string;
  title: string;
  /** The verbs whose results it shows; what no section shows ends in "Other results". */
  verbs: string[];
  /** What stands below the title; null leaves the section out. */
  render: (context: Context) => Node | null;
}
