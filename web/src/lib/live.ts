// Sentences for screen readers: one polite region for the whole page.

import { signal } from "@preact/signals";

export const announcement = signal("");

export function announce(text: string): void {
  announcement.value = text;
}
