import { describe, expect, it } from "vitest";
import { parsePosition } from "../game/board";
import { addCrumb, mirrored, readCrumbs, turned } from "./crumbs";
import { chance, duration, exactDigits, points, short, signed, whole } from "./format";
import { WORDS, t } from "./i18n";
import { type Binding, findBinding } from "./keys";
import { barLength, evalShare, swipeMove } from "./measure";
import { withQuery } from "./router";
import { lang } from "./settings";
import { histogram, mean } from "./theater";
import { visibleRows } from "./window";

describe("words", () => {
  it("every word has both languages with the same gaps", () => {
    const gaps = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
    for (const [name, [en, ja]] of Object.entries(WORDS)) {
      expect(en.trim() && ja.trim(), name).toBeTruthy();
      expect(gaps(ja), name).toEqual(gaps(en));
    }
  });
  it("are filled in", () => {
    lang.value = "en";
    expect(t("judged", { n: 2, of: 5 })).toBe("2 of 5 moves judged");
    lang.value = "ja";
    expect(t("judged", { n: 2, of: 5 })).toBe("5 手中 2 手を評価済み");
    lang.value = "en";
  });
});

describe("numbers", () => {
  it("as people read them", () => {
    expect([whole(12345.6), points(1234.4), points(12.34), points(1.234)]).toEqual(["12,346", "1,234", "12.3", "1.23"]);
    expect([exactDigits([8, 40]), exactDigits([8, 63.7296]), exactDigits([])]).toEqual([0, 2, 0]);
    expect([signed(5), signed(-5), signed(0), signed(-0.001)]).toEqual(["+5.00", "−5.00", "0.00", "0.00"]);
    expect([chance(0.5), chance(0.00001), chance(0)]).toEqual(["50.00 %", "0.00100 %", "0.00 %"]);
    expect([short(999), short(131072), short(2.5e6)]).toEqual(["999", "131 k", "2.5 M"]);
    expect([duration(5), duration(125), duration(7200)]).toEqual(["5 s", "2 min", "2.0 h"]);
  });
  it("lengths and shares", () => {
    expect(barLength(100, 100, 50)).toBe(1);
    expect(barLength(50, 100, 50)).toBeCloseTo(0.1);
    // Values within a thousandth of each other do not look like day and night.
    expect(barLength(999, 1000, 999)).toBeGreaterThan(0.9);
    expect([evalShare(100, 100), evalShare(0, 100), evalShare(0, 0)]).toEqual([0.5, 0, 0]);
  });
  it("results by largest tile", () => {
    const result = (maxTile: number, score: number) => ({ seed: 1n, maxTile, score, moves: 1 });
    const results = [result(64, 10), result(32, 20), result(64, 30)];
    expect(histogram(results)).toEqual([[32, 1], [64, 2]]);
    expect(mean(results.map((r) => r.score))).toBe(20);
  });
});

describe("input", () => {
  it("swipes need ten pixels and take the longer way", () => {
    expect([swipeMove(9, 9), swipeMove(10, 0), swipeMove(-30, 29), swipeMove(3, -12), swipeMove(0, 50)]).toEqual([null, "right", "left", "up", "down"]);
  });
  it("a capital letter is its own key where somebody wants it, else the small one", () => {
    const binding = (keys: string[]): Binding => ({ keys, does: "hint", run: () => undefined });
    const [left, hint] = [binding(["h"]), binding(["H"])];
    expect(findBinding("h", [{ current: [left, hint] }])).toBe(left);
    expect(findBinding("H", [{ current: [left, hint] }])).toBe(hint);
    expect(findBinding("H", [{ current: [left] }])).toBe(left);
    expect(findBinding("x", [{ current: [left] }])).toBeUndefined();
  });
  it("only visible rows exist", () => {
    expect(visibleRows(0, 300, 30, 20000)).toEqual([0, 20]);
    expect(visibleRows(300_000, 300, 30, 20000)).toEqual([9990, 10020]);
    expect(visibleRows(599_700, 300, 30, 20000)).toEqual([19980, 20000]);
    expect(visibleRows(0, 300, 30, 0)).toEqual([0, 0]);
  });
});

describe("addresses", () => {
  it("leave out what is empty", () => {
    const now = new URLSearchParams("a=1&b=2");
    expect(withQuery(now, { a: null, c: true, d: "", e: 0 }).toString()).toBe("b=2&c=1&e=0");
  });
  it("ways through a board", () => {
    const shape = { rows: 2, cols: 2 };
    expect(readCrumbs("1200.zz.1100", shape)).toEqual(["1200", "1100"]);
    expect(readCrumbs(null, shape)).toEqual([]);
    expect(addCrumb(Array.from({ length: 12 }, (_, i) => String(i)), "x")).toHaveLength(12);
  });
  it("symmetries", () => {
    const board = parsePosition("2x3:123456")!;
    expect(mirrored(board).cells).toEqual([3, 2, 1, 6, 5, 4]);
    expect(turned(board)).toEqual({ shape: { rows: 3, cols: 2 }, cells: [4, 1, 5, 2, 6, 3] });
    expect(turned(turned(turned(turned(board))))).toEqual(board);
  });
});
