// Numbers as people read them.

import { lang } from "./settings";

const cache = new Map<string, Intl.NumberFormat>();

function formatter(digits: number): Intl.NumberFormat {
  const key = `${lang.value}${digits}`;
  let found = cache.get(key);
  if (!found) {
    found = new Intl.NumberFormat(lang.value, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    cache.set(key, found);
  }
  return found;
}

export const decimal = (n: number, digits: number): string => formatter(digits).format(n).replace("-", "−");
export const whole = (n: number): string => decimal(n, 0);

/** Points: whole where large, with decimals where small. */
export const points = (n: number): string => (Math.abs(n) >= 100 ? whole(n) : decimal(n, Math.abs(n) >= 10 ? 1 : 2));

/** How many decimals of exact points mean something: none where all are whole. */
export const exactDigits = (values: readonly number[]): number => (values.every(Number.isInteger) ? 0 : 2);

/** Points with a sign. */
export function signed(n: number): string {
  const text = points(Math.abs(n));
  return /[1-9]/.test(text) ? (n < 0 ? `−${text}` : `+${text}`) : text;
}

export const percent = (share: number, digits = 1): string => `${decimal(share * 100, digits)} %`;

/** Probabilities: small ones keep three digits that matter. */
export function chance(p: number): string {
  if (p === 0 || p >= 0.001) return percent(p, 2);
  return `${(p * 100).toPrecision(3)} %`;
}

export function short(n: number): string {
  const size = Math.abs(n);
  if (size >= 1e6) return `${decimal(n / 1e6, size >= 1e7 ? 0 : 1)} M`;
  if (size >= 1e4) return `${decimal(n / 1e3, 0)} k`;
  return whole(n);
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${whole(Math.max(0, seconds))} s`;
  if (seconds < 3600) return `${whole(Math.floor(seconds / 60))} min`;
  return `${decimal(seconds / 3600, 1)} h`;
}

export const bytes = (n: number): string => (n >= 1e6 ? `${decimal(n / 1e6, 1)} MB` : `${decimal(n / 1e3, 0)} kB`);
