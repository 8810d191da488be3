// SPDX-License-Identifier: Apache-2.0
// What stands below a switch: of its name the end, without the words with which all names begin.

const most = 20;  // characters

/** The last words, as many as there is room for. */
function ending(words: string[]): string {
  let name = words.at(-1) ?? "", first = words.length - 1;
  while (first > 0 && name.length + 1 + (words[first - 1] ?? "").length <= most) name = `${words[--first]} ${name}`;
  if (name.length > most) return `…${name.slice(1 - most)}`;
  return first > 0 ? `… ${name}` : name;
}

export function shortNames(names: string[]): string[] {
  const words = names.map((name) => name.split(" "));
  const first = words[0] ?? [];
  let shared = 0;
  while (words.every((of) => of.length > shared + 1 && of[shared] === first[shared])) ++shared;
  return words.map((of) => ending(of.slice(shared)));
}
