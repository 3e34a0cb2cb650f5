import { describe, expect, it } from "vitest";
import type { ReviewTurn } from "./api";
import { Drill, accepts, lossOf } from "./drill";
import { isMistake, nextMistake, phases } from "./review_run";
import { replayPlies } from "../game/game";

const turn = (number: number, error: number, grade: ReviewTurn["grade"] = "mistake"): ReviewTurn => ({
  type: "turn",
  turn: number,
  position: "1100000000000000",
  score: 0,
  value: 100,
  best: "left",
  played: "down",
  moves: [
    { move: "left", reward: 4, value: 100 },
    { move: "right", reward: 4, value: 99.5 },
    { move: "down", reward: 0, value: 100 - error },
  ],
  error,
  luck: 0,
  grade,
  accepted: ["left", "right"],
  exact: false,
});

describe("the drill", () => {
  it("accepts what is near the best", () => {
    expect(["left", "right", "down", "up"].map((m) => accepts(turn(0, 10), m as never))).toEqual([true, true, false, false]);
    expect(lossOf(turn(0, 10), "right")).toBe(0.5);
    expect(lossOf(turn(0, 10), "up")).toBeNull();
  });

  it("failed positions return until they are solved", () => {
    const drill = new Drill([4, 2, 7]);
    const seen: number[] = [];
    let rounds = 0;
    while (drill.current !== null && rounds++ < 20) {
      const now = drill.current;
      const failedBefore = seen.includes(now);
      seen.push(now);
      expect(drill.answer(turn(now, 10), now === 4 && !failedBefore ? "down" : "left")).toBe(!(now === 4 && !failedBefore));
      drill.next();
    }
    expect(seen).toEqual([4, 2, 7, 4]);
    expect([drill.solved, drill.total, drill.failures]).toEqual([3, 3, 1]);
  });

  it("counts a position as failed once, however often it was tried", () => {
    const drill = new Drill([1]);
    drill.answer(turn(1, 10), "down");
    drill.answer(turn(1, 10), "down");
    expect(drill.failures).toBe(1);
  });
});

describe("walking through a review", () => {
  it("finds the next mistake in both directions", () => {
    const turns = [turn(0, 5), turn(1, 0, "best"), undefined, turn(3, 1), turn(4, 20, "blunder")];
    expect(nextMistake(turns, 0, 1, 0)).toBe(3);
    expect(nextMistake(turns, 0, 1, 2)).toBe(4);
    expect(nextMistake(turns, 4, -1, 2)).toBe(0);
    expect(nextMistake(turns, 4, 1, 0)).toBeNull();
    expect(isMistake(turn(0, 5, "good"), 0)).toBe(false);
  });

  it("marks where larger tiles appear", () => {
    const replay = replayPlies("1100000000000000", [[3, 1, 2], [3, 1, 1]])!;
    expect(phases(replay, 2)).toEqual([{ turn: 1, exponent: 2 }, { turn: 2, exponent: 3 }]);
    expect(phases(replay, 5)).toEqual([]);
  });
});
