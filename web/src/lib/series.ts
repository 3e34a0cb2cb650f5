// Learning curves: smoothing, joining on one axis, and files to take away.

import type { Metric } from "./api";

export interface Curve {
  name: string;
  x: number[];
  y: (number | null)[];
  /** Half the width of the 95 % interval. */
  band?: (number | null)[];
  /** Edges of its own instead, where they are not as far away on either side. */
  low?: (number | null)[];
  high?: (number | null)[];
}

export type XAxis = "games" | "moves" | "time";

const number = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);

/** The lines of a kind, a repetition after a resumption replacing what it repeats. */
export function linesOf(metrics: readonly Metric[], type: string): Metric[] {
  const kept: Metric[] = [];
  for (const line of metrics) {
    if (line.type !== type) continue;
    while (kept.length > 0 && Number(kept.at(-1)!.games) >= Number(line.games)) kept.pop();
    kept.push(line);
  }
  return kept;
}

/** What the optimiser of a neural network says of a block, beside what the block says of itself. */
export function optimizerLines(lines: readonly Metric[]): Metric[] {
  return lines.flatMap((line) => (typeof line.optimizer === "object" && line.optimizer !== null ? [{ ...line, ...line.optimizer }] : []));
}

const FIELD: Record<XAxis, string> = { games: "games", moves: "moves", time: "seconds" };

export function curveOf(name: string, lines: readonly Metric[], axis: XAxis, field: string, band?: string): Curve {
  const curve: Curve = { name, x: [], y: [], ...(band ? { band: [] } : {}) };
  for (const line of lines) {
    const x = number(line[FIELD[axis]]);
    if (x === null) continue;
    curve.x.push(x);
    curve.y.push(number(line[field]));
    curve.band?.push(number(line[band!]));
  }
  return curve;
}

/**
 * The share of games that reached a tile. Runs leave out what goes without saying: tiles below the
 * smallest they name were reached by all games, those above the largest by none.
 */
function shareOf(line: Metric, tile: number): number {
  const tiles = (line.tiles as Record<string, unknown> | undefined) ?? {};
  const own = number(tiles[String(tile)]);
  if (own !== null) return own;
  return tile < Math.min(...Object.keys(tiles).map(Number)) ? 1 : 0;
}

export function tileCurve(tile: string, lines: readonly Metric[], axis: XAxis): Curve {
  const curve: Curve = { name: tile, x: [], y: [] };
  for (const line of lines) {
    const x = number(line[FIELD[axis]]);
    if (x === null) continue;
    curve.x.push(x);
    curve.y.push(shareOf(line, Number(tile)));
  }
  return curve;
}

/** The tiles worth a curve: those that some games reach and not all, the largest of them. */
export function tilesOf(lines: readonly Metric[], most: number): string[] {
  const seen = new Set<number>();
  for (const line of lines) {
    const tiles = (line.tiles as Record<string, number> | undefined) ?? {};
    for (const [tile, share] of Object.entries(tiles)) if (share > 0 && share < 1) seen.add(Number(tile));
  }
  return [...seen]
    .sort((a, b) => a - b)
    .slice(-most)
    .map(String);
}

/** Exponential smoothing that does not start from zero; 0 leaves everything as it is. */
export function smooth(values: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight <= 0) return [...values];
  let last = 0;
  let sum = 0;
  return values.map((value) => {
    if (value === null) return null;
    last = last * weight + (1 - weight) * value;
    sum = sum * weight + (1 - weight);
    return last / sum;
  });
}

/** All curves on one axis: a value where a curve has one, nothing elsewhere. */
export function align(curves: readonly { x: number[]; y: (number | null)[] }[]): [number[], ...(number | null)[][]] {
  const xs = [...new Set(curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
  const place = new Map(xs.map((x, i) => [x, i]));
  const rows = curves.map((curve) => {
    const row = new Array<number | null>(xs.length).fill(null);
    curve.x.forEach((x, i) => (row[place.get(x)!] = curve.y[i] ?? null));
    return row;
  });
  return [xs, ...rows];
}

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

export function toCsv(curves: readonly Curve[], axis: XAxis): string {
  const [xs, ...rows] = align(curves);
  const head = [FIELD[axis], ...curves.map((curve) => curve.name)].map(quoted).join(",");
  const lines = xs.map((x, i) => [x, ...rows.map((row) => row[i] ?? "")].join(","));
  return `${[head, ...lines].join("\n")}\n`;
}

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

/** Round numbers that cover a range. */
export function ticks(low: number, high: number, about: number): number[] {
  const rough = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((s) => s * power >= rough) ?? 10);
  const found: number[] = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) found.push(Number(v.toPrecision(12)));
  return found;
}

/** The curves as a picture that stands alone. */
export function toSvg(title: string, curves: readonly Curve[], colours: readonly string[]): string {
  const [width, height, left, right, top, bottom] = [800, 450, 70, 20, 40, 60];
  const pairs = curves.flatMap((curve) => curve.x.flatMap((x, i) => (curve.y[i] == null ? [] : [[x, curve.y[i]] as const])));
  const xMost = Math.max(1, ...pairs.map(([x]) => x));
  const yMost = Math.max(1e-9, ...pairs.map(([, y]) => y));
  const px = (x: number): string => (left + ((width - left - right) * x) / xMost).toFixed(1);
  const py = (y: number): string => (height - bottom - ((height - top - bottom) * y) / yMost).toFixed(1);
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="22" font-size="15">${escaped(title)}</text>`,
  ];
  for (const y of ticks(0, yMost, 6)) lines.push(`<path d="M${left} ${py(y)}H${width - right}" stroke="#ddd"/><text x="${left - 6}" y="${py(y)}" dy="4" text-anchor="end">${y}</text>`);
  for (const x of ticks(0, xMost, 6)) lines.push(`<text x="${px(x)}" y="${height - bottom + 18}" text-anchor="middle">${x}</text>`);
  curves.forEach((curve, i) => {
    const colour = colours[i % colours.length]!;
    const points = curve.x.flatMap((x, j) => (curve.y[j] == null ? [] : [`${px(x)},${py(curve.y[j]!)}`]));
    lines.push(`<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points.join(" ")}"/>`);
    lines.push(`<text x="${left + (i % 3) * 240}" y="${height - 24 + Math.floor(i / 3) * 14}" fill="${colour}">${escaped(curve.name)}</text>`);
  });
  return `${lines.join("\n")}\n</svg>\n`;
}

/** The settings in which two recipes differ, by dotted name. */
export function difference(one: unknown, two: unknown, prefix = ""): { key: string; one: string; two: string }[] {
  const isObject = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v);
  if (isObject(one) && isObject(two)) {
    const keys = [...new Set([...Object.keys(one), ...Object.keys(two)])].sort();
    return keys.flatMap((key) => difference(one[key], two[key], prefix ? `${prefix}.${key}` : key));
  }
  const [a, b] = [JSON.stringify(one) ?? "–", JSON.stringify(two) ?? "–"];
  return a === b ? [] : [{ key: prefix, one: a, two: b }];
}
