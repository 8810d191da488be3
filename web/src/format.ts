// SPDX-License-Identifier: Apache-2.0
// Numbers formatted for people.

export const missing = "–";

export function integer(value: number | undefined): string {
  return value === undefined ? missing : value.toLocaleString("en-GB", {maximumFractionDigits: 0});
}

/** A number with `digits` significant digits, never in exponential notation unless tiny. */
export function significant(value: number | undefined, digits = 3): string {
  if (value === undefined) return missing;
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(Math.max(0, digits - 1)).replace("-", "−");
  return value.toLocaleString("en-GB", {maximumSignificantDigits: digits});
}

export function fixed(value: number | undefined, digits: number): string {
  return value === undefined
      ? missing
      : value.toLocaleString("en-GB", {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

/** A fraction as a percentage that never rounds something to 0 % or 100 %. */
export function percent(fraction: number | undefined): string {
  if (fraction === undefined) return missing;
  const value = fraction * 100;
  if (value > 99.9 && value < 100) return `100 % − ${significant(100 - value, 2)} %`;
  return `${significant(value, 3)} %`;
}

export function duration(seconds: number): string {
  if (seconds < 1) return `${significant(seconds * 1000, 2)} ms`;
  if (seconds < 120) return `${significant(seconds, 3)} s`;
  return seconds < 7200 ? `${significant(seconds / 60, 3)} min` : `${significant(seconds / 3600, 3)} h`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${integer(count)} ${count === 1 ? one : many}`;
}

/** The name of a channel or a pair as people write it. */
export const arrow = (name: string) => name.replaceAll("->", "→");

/** The order of texts with numbers in them: "load 0.05" comes before "load 0.2", "8x8" before "16x16". */
export function inOrder(a: string, b: string): number {
  const parts = (text: string) => text.split(/(\d+(?:\.\d+)?)/);
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.min(left.length, right.length); ++i) {
    const [x = "", y = ""] = [left[i], right[i]];
    const found = i % 2 === 1 ? Number(x) - Number(y) : x.localeCompare(y, "en");
    if (found !== 0) return found;
  }
  return left.length - right.length;
}

/** "a, b and c". */
export function list(items: string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
