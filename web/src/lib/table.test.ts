import { describe, expect, it } from "vitest";
import { legalMoves, positionText } from "../game/board";
import { Game } from "../game/game";
import { Table, continues, fromQuery, fromSaved, parseLaw, parseSeed, toSaved } from "./table";

const flags = { assisted: false, beyond: false };
const square = { rows: 4, cols: 4 };

describe("the game on the table", () => {
  it("survives being saved", () => {
    const game = Game.fromSeed({ shape: { rows: 3, cols: 4 }, p4: 0.25 }, 99n);
    for (let n = 0; n < 30; n++) game.play(legalMoves(game.board)[0]!);
    const again = fromSaved(toSaved(game, flags))!;
    expect([positionText(again.board), again.score]).toEqual([positionText(game.board), game.score]);
  });

  it("follows an address, and goes on where it was left", () => {
    const table = new Table(new URLSearchParams("seed=7&size=3x3"));
    expect([table.game.seed, table.game.rules.shape.rows]).toEqual([7n, 3]);
    const early = new URLSearchParams(Object.entries(table.address()).filter((pair): pair is [string, string] => pair[1] !== null));
    table.play(legalMoves(table.game.board)[0]!);
    table.play(legalMoves(table.game.board)[0]!);
    table.keep();
    expect(new Table(early).game.turns.length).toBe(3);
    expect(new Table(new URLSearchParams("seed=8&size=3x3")).game.turns.length).toBe(1);
  });

  it("undo at the start brings the game before it back", () => {
    const table = new Table(new URLSearchParams("seed=1"));
    table.play(legalMoves(table.game.board)[0]!);
    table.begin(square, 0.1, 2n);
    expect([table.game.seed, table.undo(), table.game.seed, table.game.turns.length]).toEqual([2n, true, 1n, 2]);
    expect([table.undo(), table.undo()]).toEqual([true, false]);
  });

  it("counts no best score that an agent has made", () => {
    const table = new Table(new URLSearchParams("seed=4&size=2x2"));
    while (legalMoves(table.game.board).length > 0) table.play(legalMoves(table.game.board)[0]!, true);
    expect(table.game.score).toBeGreaterThan(0);
    expect(table.best).toBe(0);
    table.begin({ rows: 2, cols: 2 }, 0.1, 4n);
    while (legalMoves(table.game.board).length > 0) table.play(legalMoves(table.game.board)[0]!);
    expect(table.best).toBe(table.game.score);
  });

  it("makes the best of bad addresses", () => {
    expect(fromQuery(new URLSearchParams(""), square)).toBeNull();
    expect(fromQuery(new URLSearchParams("seed=x&size=9x9"), square)).toMatchObject({ seed: "1", size: "4x4" });
    expect(fromQuery(new URLSearchParams("position=3x3:120000000&p4=7"), square)).toMatchObject({ size: "3x3", p4: 0.1, position: "3x3:120000000" });
    expect(fromSaved({ size: "4x4", p4: 0.1, seed: "1", position: "0000000000000000", moves: "" })).toBeNull();
    expect([parseSeed("18446744073709551615"), parseSeed("18446744073709551616"), parseSeed("-1")]).toEqual([18446744073709551615n, null, null]);
    expect([parseLaw("0"), parseLaw("1"), parseLaw("2"), parseLaw("x"), parseLaw(null)]).toEqual([0, 1, 0.1, 0.1, 0.1]);
  });

  it("a longer game continues a shorter one of the same seed only", () => {
    const one = toSaved(Game.replay(Game.fromSeed({ shape: square, p4: 0.1 }, 1n), ["left", "right", "left", "right"]), flags);
    const start = toSaved(Game.fromSeed({ shape: square, p4: 0.1 }, 1n), flags);
    expect([continues(one, start), continues(start, one), continues(one, { ...start, seed: "2" })]).toEqual([true, false, false]);
  });
});
