// SPDX-License-Identifier: Apache-2.0
// Fetches what package-lock.json names for this machine into node_modules/, each archive checked against its hash. Replaces
// `npm ci`, because Debian's npm needs 362 packages. No script of a library is run, as .npmrc demands of npm.
import {execFileSync, spawnSync} from "node:child_process";
import {createHash} from "node:crypto";
import {mkdirSync, readFileSync, rmSync} from "node:fs";

const registry = (process.env.npm_config_registry ?? "https://registry.npmjs.org").replace(/\/$/, "");
const {packages} = JSON.parse(readFileSync("package-lock.json", "utf8"));
const fits = (allowed, own) => !allowed || allowed.includes(own);
const isForThisMachine = ([folder, {os, cpu}]) => folder !== "" && fits(os, process.platform) && fits(cpu, process.arch);

const libraries = Object.entries(packages).filter(isForThisMachine).map(([folder, {version, integrity}]) => {
  const name = folder.split("node_modules/").pop();
  const file = `${name.split("/").pop()}-${version}.tgz`;
  return {folder, integrity, url: `${registry}/${name}/-/${file}`, archive: `archives/${name.replace("/", "+")}-${version}.tgz`};
});

for (const folder of ["archives", "node_modules"]) rmSync(folder, {recursive: true, force: true});
mkdirSync("archives");
const fetched = spawnSync("curl", ["--config", "-", "--parallel", "--fail", "--fail-early", "--no-progress-meter", "--location", "--retry", "3"], {
  input: libraries.map(({url, archive}) => `url = "${url}"\noutput = "${archive}"\n`).join(""),
  stdio: ["pipe", "inherit", "inherit"]
});
if (fetched.status !== 0) {
  console.error(`the page's libraries could not be fetched from ${registry}: curl ended with ${fetched.status ?? fetched.error} (60: its ` +
                "certificate is not trusted here); set npm_config_registry to another registry");
  process.exit(1);
}
for (const {folder, integrity, url, archive} of libraries) {
  const [method, expected] = integrity.split("-", 2);
  if (createHash(method).update(readFileSync(archive)).digest("base64") !== expected)
    throw new Error(`${url}: not the archive that package-lock.json names`);
  mkdirSync(folder, {recursive: true});
  execFileSync("tar", ["-xzf", archive, "-C", folder, "--strip-components=1"]);
}
rmSync("archives", {recursive: true});
