// How the page looks and speaks: kept by the browser; `theme`, `palette` and `lang` in the address win.

import { effect, signal } from "@preact/signals";
import { load, save } from "./storage";

const CHOICES = {
  theme: ["auto", "light", "dark"],
  palette: ["standard", "blind"],
  lang: ["en", "ja"],
} as const;

type Name = keyof typeof CHOICES;

function first<N extends Name>(name: N, usual: (typeof CHOICES)[N][number]): (typeof CHOICES)[N][number] {
  const known = CHOICES[name] as readonly string[];
  const asked = new URLSearchParams(location.search).get(name) ?? load<string>(name);
  return (asked !== null && known.includes(asked) ? asked : usual) as (typeof CHOICES)[N][number];
}

const japanese = navigator.language.toLowerCase().startsWith("ja");

export const theme = signal(first("theme", "auto"));
export const palette = signal(first("palette", "standard"));
export const lang = signal(first("lang", japanese ? "ja" : "en"));

/** The colours in force, for what is drawn on a canvas. */
export const dark = signal(false);

export function startSettings(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const systemDark = signal(system.matches);
  system.addEventListener("change", () => (systemDark.value = system.matches));
  effect(() => {
    const root = document.documentElement;
    dark.value = theme.value === "auto" ? systemDark.value : theme.value === "dark";
    root.dataset.theme = dark.value ? "dark" : "light";
    root.dataset.palette = palette.value;
    root.lang = lang.value;
    save("theme", theme.value);
    save("palette", palette.value);
    save("lang", lang.value);
  });
}
