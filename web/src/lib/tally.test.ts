import { describe, expect, it } from "vitest";
import { type Board, MOVES, isOver, legalMoves, parsePosition, positionText, slide } from "../game/board";
import { Game } from "../game/game";
import { Ledger } from "./tally";

/** A value of positions without any sense; the identity holds for it all the same. */
function answer(board: Board) {
  const moves = legalMoves(board).map((move) => {
    const { cells, reward } = slide(board, move)!;
    return { move, reward, value: reward + cells.reduce((sum, e, i) => sum + e * ((i * 7) % 5), 1) };
  });
  const value = Math.max(0, ...moves.map((m) => m.value));
  return { position: positionText(board), best: moves[0]?.move ?? null, value, exact: false, moves };
}

const ask = (position: string) => answer(parsePosition(position)!);

describe("skill and luck", () => {
  it("score = V(start) − errors + luck over a complete game", () => {
    const game = Game.fromSeed({ shape: { rows: 3, cols: 3 }, p4: 0.1 }, 11n);
    for (let n = 0; !isOver(game.board); n++) game.play(MOVES[n % 4]!);
    const tally = new Ledger().tally(game.turns, ask);
    const start = ask(positionText(game.turns[0]!.board)).value;
    expect(tally.judged).toBe(tally.moves);
    expect(tally.errors).toBeGreaterThan(0);
    expect(start - tally.errors + tally.luck).toBeCloseTo(game.score, 8);
  });

  it("counts only what can be judged, and again after undo", () => {
    const game = Game.fromSeed({ shape: { rows: 4, cols: 4 }, p4: 0.1 }, 3n);
    const ledger = new Ledger();
    game.play(legalMoves(game.board)[0]!);
    expect(ledger.tally(game.turns, () => undefined)).toMatchObject({ judged: 0, moves: 1 });
    expect(ledger.tally(game.turns, ask)).toMatchObject({ judged: 1, moves: 1 });
    game.undo();
    expect(ledger.tally(game.turns, ask)).toEqual({ errors: 0, luck: 0, judged: 0, moves: 0, streak: 0 });
  });

  it("a row of best moves ends with an error", () => {
    const game = Game.fromSeed({ shape: { rows: 4, cols: 4 }, p4: 0.1 }, 3n);
    const play = (best: boolean): void => {
      const moves = answer(game.board).moves.sort((a, b) => b.value - a.value);
      game.play((best ? moves[0] : moves.at(-1))!.move);
    };
    for (let n = 0; n < 5; n++) play(true);
    expect(new Ledger().tally(game.turns, ask)).toMatchObject({ errors: 0, streak: 5 });
    play(false);
    expect(new Ledger().tally(game.turns, ask).streak).toBe(0);
  });
});
