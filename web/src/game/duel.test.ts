import { describe, expect, it } from "vitest";
import { legalMoves, positionText } from "./board";
import { Duel, type DuelPly } from "./duel";
import { replayPlies } from "./game";
import { packPlies, unpackPlies } from "./plies_text";

const square = { rows: 4, cols: 4 };

describe("a duel", () => {
  it("goes as the program's own example", () => {
    // The example of crates/game/src/duel.rs.
    const duel = new Duel({ shape: square, variant: "free" }, 1n);
    expect([duel.place(0, 1), duel.place(3, 1), duel.slide("left"), duel.place(1, 2)]).toEqual([true, true, true, true]);
    expect([positionText(duel.now.board), duel.now.score, duel.now.side]).toEqual(["2200000000000000", 4, "defender"]);
  });

  it("refuses what is not allowed and stays as it was", () => {
    const duel = new Duel({ shape: square, variant: "twos" }, 1n);
    expect([duel.slide("left"), duel.place(0, 2), duel.place(0, 1), duel.place(0, 1), duel.place(5, 1)]).toEqual([false, false, true, false, true]);
    expect([duel.place(1, 1), duel.moments.length]).toEqual([false, 3]);
    expect([duel.undo(), duel.undo(), duel.undo()]).toEqual([true, true, false]);
  });

  it("draws the tiles that the program draws", () => {
    // `maxtile duel human greedy --side attacker --variant drawn --opening 0 --seed 7`.
    const duel = new Duel({ shape: square, variant: "drawn" }, 7n);
    let drawn = "";
    while (duel.now.side !== null && drawn.length < 40) {
      if (duel.now.side === "attacker") {
        const [exponent] = duel.now.tiles;
        drawn += 2 ** exponent!;
        duel.place(duel.now.board.cells.indexOf(0), exponent!);
      } else duel.slide(legalMoves(duel.now.board)[0]!);
    }
    expect("222222222224222222222422222222222424222222222222222222222242".startsWith(drawn)).toBe(true);
    expect(drawn.length).toBeGreaterThan(20);
  });

  it("ends when the defender cannot slide, and becomes a record", () => {
    const duel = new Duel({ shape: { rows: 2, cols: 2 }, variant: "free" }, 1n);
    expect(duel.record("a", "b")).toBeNull();
    for (const ply of unpackPlies("AD0B1BQ") ?? []) duel.play(ply);
    while (duel.now.side !== null) {
      if (duel.now.side === "attacker") duel.place(duel.now.board.cells.indexOf(0), 2);
      else duel.slide(legalMoves(duel.now.board)[0]!);
    }
    const record = duel.record("page", "exact")!;
    const turns = replayPlies(record.start, record.plies)!;
    expect([turns.at(-1)!.score, record.score, record.attacker]).toEqual([duel.now.score, duel.now.score, "exact"]);
    expect(positionText(turns.at(-1)!.board)).toBe(positionText(duel.now.board));
    // A slide without an answer is left out.
    duel.undo();
    expect(duel.record("page", "exact")!.plies).toHaveLength(record.plies.length - 1);
  });
});

describe("plies in an address", () => {
  it("come back", () => {
    const plies: DuelPly[] = [{ place: { cell: 15, exponent: 2 } }, { place: { cell: 0, exponent: 1 } }, { slide: "up" }, { slide: "left" }, { place: { cell: 9, exponent: 2 } }];
    expect(unpackPlies(packPlies(plies))).toEqual(plies);
    expect(packPlies(plies)).toBe("fA03Z");
    for (const text of ["é", "A4", "z", "A B"]) expect(unpackPlies(text)).toBeNull();
  });
});
