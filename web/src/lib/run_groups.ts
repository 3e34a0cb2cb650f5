// Runs by their settings: which ones they differ in, which runs fit a filter, which belong together.

import type { Run } from "./api";
import { type Curve, difference } from "./series";

/** Settings that say nothing about how a run learns. */
const PLAIN = new Set(["name"]);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** A setting as people write it. */
const shown = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "–"));

/** All settings of a recipe by dotted name. */
export function settings(recipe: unknown, prefix = ""): Map<string, string> {
  if (!isObject(recipe)) return new Map(prefix ? [[prefix, shown(recipe)]] : []);
  return new Map(Object.entries(recipe).flatMap(([key, value]) => [...settings(value, prefix ? `${prefix}.${key}` : key)]));
}

/** The value of a setting of a run; its board is one too. */
export function settingOf(run: Run, key: string): string {
  if (key === "size") return run.size ?? "–";
  return settings(run.recipe).get(key) ?? "–";
}

/** The settings in which runs differ: those worth grouping by. */
export function varying(runs: readonly Run[]): string[] {
  const keys = new Set(["size", ...runs.flatMap((run) => [...settings(run.recipe).keys()])]);
  const differs = (key: string): boolean => new Set(runs.map((run) => settingOf(run, key))).size > 1;
  return [...keys].filter((key) => !PLAIN.has(key) && differs(key)).sort();
}

/** Does a run fit? Every word is a part of its name, or `setting=value`; `_` and `-` are the same. */
export function fits(run: Run, filter: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replaceAll("_", "-");
  const known = new Map([...settings(run.recipe)].map(([key, value]) => [plain(key), plain(value)]));
  known.set("size", plain(run.size ?? "–"));
  return plain(filter)
    .split(/[\s,]+/)
    .filter(Boolean)
    .every((word) => {
      const [key, ...value] = word.split("=");
      return value.length === 0 ? plain(run.name).includes(word) : known.get(key!) === value.join("=");
    });
}

export interface Group {
  value: string;
  runs: Run[];
}

/** Runs by the value of a setting; numbers in their order, all together without a setting. */
export function grouped(runs: readonly Run[], key: string | null): Group[] {
  if (!key) return [{ value: "", runs: [...runs] }];
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const value = settingOf(run, key);
    groups.set(value, [...(groups.get(value) ?? []), run]);
  }
  const order = (a: Group, b: Group): number => Number(a.value) - Number(b.value) || a.value.localeCompare(b.value);
  return [...groups].map(([value, members]) => ({ value, runs: members })).sort(order);
}

/** What makes a run another one than the one beside it. */
export function unlike(run: Run, other: Run): { key: string; one: string; two: string }[] {
  const bare = (text: string): string => text.replace(/^"(.*)"$/, "$1");
  const rows = difference(other.recipe, run.recipe).filter(({ key }) => !PLAIN.has(key));
  return rows.map(({ key, one, two }) => ({ key, one: bare(one), two: bare(two) }));
}

/** The value of a curve at a place, between its points on a straight line, and nothing outside of them. */
function at(curve: Curve, x: number): number | null {
  const next = curve.x.findIndex((other) => other >= x);
  if (next < 0) return null;
  const right = curve.y[next] ?? null;
  if (curve.x[next] === x) return right;
  const left = next > 0 ? (curve.y[next - 1] ?? null) : null;
  if (left === null || right === null) return null;
  const part = (x - curve.x[next - 1]!) / (curve.x[next]! - curve.x[next - 1]!);
  return left + part * (right - left);
}

/** One curve for several: their mean where all of them are, with the smallest and the largest. */
export function meanCurve(name: string, curves: readonly Curve[]): Curve {
  const mean: Curve = { name, x: [], y: [], low: [], high: [] };
  for (const x of [...new Set(curves.flatMap((curve) => curve.x))].sort((a, b) => a - b)) {
    const values = curves.map((curve) => at(curve, x));
    const known = values.filter((value) => value !== null);
    if (known.length < curves.length) continue;
    mean.x.push(x);
    mean.y.push(known.reduce((sum, value) => sum + value, 0) / known.length);
    mean.low!.push(Math.min(...known));
    mean.high!.push(Math.max(...known));
  }
  return mean;
}
