// Keys: each page says which it knows, one listener serves them, and `?` lists them.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Word } from "./i18n";

export interface Binding {
  /** Names of keys as the browser says them; a capital letter means with Shift. */
  keys: string[];
  /** What it does, a word of the dictionary. */
  does: Word;
  run: () => void;
}

/** The bindings in force, those of the innermost part last. */
export const bindings = signal<readonly { current: Binding[] }[]>([]);
export const helpOpen = signal(false);

/** Makes these keys work while the calling part is on the screen. */
export function useKeys(list: Binding[]): void {
  const latest = useRef(list);
  latest.current = list;
  useEffect(() => {
    bindings.value = [...bindings.value, latest];
    return () => {
      bindings.value = bindings.value.filter((other) => other !== latest);
    };
  }, []);
}

/** The binding of a key: an exact match, else a small letter. */
export function findBinding(key: string, lists: readonly { current: Binding[] }[]): Binding | undefined {
  const all = lists.flatMap((list) => list.current).reverse();
  return all.find((b) => b.keys.includes(key)) ?? all.find((b) => b.keys.includes(key.toLowerCase()));
}

function belongsToField(event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  // The focus leaves a closed dialog only with the next frame; its keys are the page's already.
  if (target.closest("dialog[open]")) return true;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) {
    const kind = (target as HTMLInputElement).type;
    return !(kind === "checkbox" || kind === "radio") || event.key === " ";
  }
  return /^(BUTTON|A|SUMMARY)$/.test(target.tagName) && (event.key === "Enter" || event.key === " ");
}

export function startKeys(): void {
  addEventListener("keydown", (event) => {
    // Browser shortcuts stay the browser's.
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || belongsToField(event)) return;
    const binding = findBinding(event.key, bindings.value);
    if (!binding) return;
    event.preventDefault();
    binding.run();
  });
}
