// SPDX-License-Identifier: Apache-2.0
// src/ → page.html: one file that loads nothing. The marks for title and data are left for the C++ side to fill.
import {readFile, writeFile} from "node:fs/promises";
import {build} from "esbuild";

const options = {bundle: true, minify: true, write: false, target: ["es2020"], charset: "ascii", legalComments: "none"};
const [script, style] = await Promise.all(
    ["src/main.ts", "src/style/page.css"].map(async (entry) => {
      const result = await build({...options, entryPoints: [entry], format: "iife"});
      return result.outputFiles[0].text;
    }));

const page = (await readFile("src/page.html", "utf8"))
                 .replace("<!--faultline:style-->", () => style)
                 .replace("<!--faultline:script-->", () => script);
await writeFile("page.html", page);
