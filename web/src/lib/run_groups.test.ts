import { describe, expect, it } from "vitest";
import type { Run } from "./api";
import { fits, grouped, meanCurve, settings, unlike, varying } from "./run_groups";

const run = (name: string, recipe: Record<string, unknown>, size: string | null = "4x4"): Run => ({ name, size, state: "done", recipe: { name, ...recipe }, games: 1, total: 1, mean: 1, updated: 1 });
const runs = [
  run("first", { step: "tc", rate: 1, rate_kind: "distributed" }),
  run("second", { step: "td", rate: 0.1, rate_kind: "distributed" }),
  run("small", { step: "tc", rate: 10, rate_kind: "distributed" }, "3x3"),
];

describe("runs", () => {
  it("settings have dotted names", () => {
    expect([...settings({ a: 1, b: { c: "x", d: [1, 2] } })]).toEqual([["a", "1"], ["b.c", "x"], ["b.d", "[1,2]"]]);
  });

  it("differ in some settings, and in names always", () => {
    expect(varying(runs)).toEqual(["rate", "size", "step"]);
    expect(varying(runs.slice(0, 1))).toEqual([]);
    expect(unlike(runs[1]!, runs[0]!)).toEqual([
      { key: "rate", one: "1", two: "0.1" },
      { key: "step", one: "tc", two: "td" },
    ]);
  });

  it("fit a filter word by word", () => {
    const found = (filter: string) => runs.filter((one) => fits(one, filter)).map((one) => one.name);
    expect(found("")).toEqual(["first", "second", "small"]);
    expect(found("step=tc")).toEqual(["first", "small"]);
    expect(found("step=TC, size=3x3")).toEqual(["small"]);
    expect(found("rate-kind=distributed s")).toEqual(["first", "second", "small"]);
    expect(found("sec")).toEqual(["second"]);
    // A value is compared whole, and a setting that nobody has fits nothing.
    expect([found("rate=1"), found("nothing=1")]).toEqual([["first"], []]);
  });

  it("are grouped by a setting, numbers in their order", () => {
    const groups = (key: string | null) => grouped(runs, key).map((group) => [group.value, ...group.runs.map((one) => one.name)]);
    expect(groups(null)).toEqual([["", "first", "second", "small"]]);
    expect(groups("step")).toEqual([["tc", "first", "small"], ["td", "second"]]);
    expect(groups("rate")).toEqual([["0.1", "second"], ["1", "first"], ["10", "small"]]);
  });

  it("of a group become one curve where all of them are", () => {
    const mean = meanCurve("g", [
      { name: "a", x: [0, 100, 200], y: [0, 10, 20] },
      { name: "b", x: [50, 100, 150], y: [25, null, 35] },
    ]);
    expect(mean).toEqual({ name: "g", x: [50, 150], y: [15, 25], low: [5, 15], high: [25, 35] });
    expect(meanCurve("g", []).x).toEqual([]);
  });
});
