// Finished duels, kept by the browser.

import type { Variant } from "../game/duel";
import type { Role } from "./duel_table";
import { load, save } from "./storage";

export interface DuelResult {
  role: Role;
  /** Who played the other side, one after the other where that was changed. */
  opponents: { agent: string; hostility: number }[];
  variant: Variant;
  size: string;
  score: number;
  tile: number;
  seed: string;
  plies: string;
}

/** Older ones are forgotten. */
const KEPT = 100;
const KEY = "duel.results";

export const loadResults = (): DuelResult[] => load<DuelResult[]>(KEY) ?? [];

const same = (a: DuelResult, b: DuelResult): boolean => a.size === b.size && a.variant === b.variant && a.seed === b.seed && a.plies === b.plies && a.role === b.role;

/** The newest first; the same duel, ended again after an undo, counts once. */
export function addResult(results: readonly DuelResult[], result: DuelResult): DuelResult[] {
  return [result, ...results.filter((other) => !same(other, result))].slice(0, KEPT);
}

export function saveResults(results: readonly DuelResult[]): void {
  save(KEY, results);
}

/** The finished duel again. */
export function resultAddress({ role, variant, size, seed, plies, opponents }: DuelResult): string {
  const params = new URLSearchParams({ role, variant, size, seed, plies });
  const last = opponents.at(-1);
  if (last) {
    params.set("opponent", last.agent);
    params.set("hostility", String(last.hostility));
  }
  return `/duel?${params}`;
}
