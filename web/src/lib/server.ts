// What the server is, asked once.

import { signal } from "@preact/signals";
import { type About, type Limits, api, sentence } from "./api";
import { t } from "./i18n";

export const about = signal<About | null>(null);
export const aboutProblem = signal<string | null>(null);

export async function loadAbout(): Promise<void> {
  try {
    about.value = await api.about();
    aboutProblem.value = null;
  } catch (cause) {
    aboutProblem.value = sentence(cause);
  }
}

/** Who is asked on boards of this size when nobody else is named. */
export function usualAgent(size: string): string {
  return about.value?.default_agent[size] ?? "heuristic";
}

/** Budgets by name, as they stand in addresses. */
export const BUDGETS: Record<string, Limits> = {
  usual: {},
  d1: { depth: 1 },
  d2: { depth: 2 },
  d3: { depth: 3 },
  t50: { ms: 50 },
  t200: { ms: 200 },
  t1000: { ms: 1000 },
};

export function budgetText(name: string): string {
  const { depth, ms } = BUDGETS[name] ?? {};
  if (depth) return `${t("depth")} ${depth}`;
  return ms ? `${ms} ms` : "";
}

/** The time of a budget and how deep the search went: plies asked for mean nothing to a search by simulations. */
export function effortText(name: string, depth: number | null | undefined): string {
  const { ms } = BUDGETS[name] ?? {};
  return [ms ? `${ms} ms` : "", depth ? `${t("depth")} ${depth}` : ""].filter(Boolean).join(" · ");
}
