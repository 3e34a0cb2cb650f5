import { describe, expect, it } from "vitest";
import { align, curveOf, difference, linesOf, optimizerLines, smooth, ticks, tileCurve, tilesOf, toCsv, toSvg } from "./series";

const line = (games: number, mean: number, more = {}) => ({ type: "train", games, moves: games * 10, seconds: games / 100, mean, ci95: 5, tiles: { "64": 1, "128": games / 1000 }, ...more });

describe("curves", () => {
  it("a resumed run replaces what it repeats", () => {
    const lines = linesOf([line(100, 1), line(200, 2), line(300, 3), { ...line(300, 9), type: "eval" }, line(200, 4)], "train");
    expect(lines.map((l) => [l.games, l.mean])).toEqual([[100, 1], [200, 4]]);
  });

  it("of what an optimiser says", () => {
    const lines = optimizerLines([line(100, 1), line(200, 2, { optimizer: { steps: 7, loss: 0.5 } }), line(300, 3, { optimizer: null })]);
    expect(curveOf("a", lines, "games", "loss")).toEqual({ name: "a", x: [200], y: [0.5] });
  });

  it("are read by any axis", () => {
    const lines = [line(100, 1), line(200, 2)];
    expect(curveOf("a", lines, "time", "mean", "ci95")).toEqual({ name: "a", x: [1, 2], y: [1, 2], band: [5, 5] });
    expect(curveOf("a", lines, "moves", "missing").y).toEqual([null, null]);
    // All games reach 64, none 256, and nobody says so of 32 and 512.
    expect(tilesOf(lines, 6)).toEqual(["128"]);
    expect(tileCurve("128", lines, "games").y).toEqual([0.1, 0.2]);
    expect(["32", "512"].map((tile) => tileCurve(tile, lines, "games").y[0])).toEqual([1, 0]);
  });

  it("smoothing keeps a constant and does nothing at 0", () => {
    expect(smooth([1, 5, null, 2], 0)).toEqual([1, 5, null, 2]);
    for (const value of smooth([3, 3, 3, 3], 0.9)) expect(value).toBeCloseTo(3, 12);
    expect(smooth([0, 10], 0.5)[1]).toBeCloseTo(20 / 3, 12);
  });

  it("share one axis", () => {
    const both = align([{ x: [1, 3], y: [10, 30] }, { x: [2, 3], y: [5, null] }]);
    expect(both).toEqual([[1, 2, 3], [10, null, 30], [null, 5, null]]);
  });

  it("as files", () => {
    const curve = { name: 'a,"b"', x: [1, 2], y: [10, null] };
    expect(toCsv([curve], "games")).toBe('games,"a,""b"""\n1,10\n2,\n');
    const svg = toSvg("a < b", [{ name: "x&y", x: [0, 100], y: [0, 50] }], ["#123456"]);
    expect(svg).toContain("a &lt; b");
    expect(svg).toContain("x&amp;y");
    expect(svg).toContain('points="70.0,390.0 780.0,40.0"');
  });

  it("ticks are round", () => {
    expect(ticks(0, 100, 5)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticks(0, 0.003, 3)).toEqual([0, 0.001, 0.002, 0.003]);
  });

  it("recipes differ by dotted names", () => {
    const one = { games: 5, net: { tuples: [1, 2], init: 0 } };
    expect(difference(one, one)).toEqual([]);
    expect(difference(one, { games: 6, net: { tuples: [1], init: 0 } })).toEqual([
      { key: "games", one: "5", two: "6" },
      { key: "net.tuples", one: "[1,2]", two: "[1]" },
    ]);
  });
});
