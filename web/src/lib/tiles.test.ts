import { describe, expect, it } from "vitest";
import { type Move, legalMoves, parsePosition } from "../game/board";
import { Duel } from "../game/duel";
import { Game, type Turn } from "../game/game";
import { advance, lay } from "./tiles";

const shown = (tiles: ReturnType<typeof lay>) => {
  const cells = new Map(tiles.filter((tile) => tile.state !== "gone").map((tile) => [tile.cell, tile.exponent]));
  return Array.from({ length: 16 }, (_, cell) => cells.get(cell) ?? 0);
};

const changed = ({ board, slide, ply }: Turn) => ({ board, slide: slide!, placed: { cell: ply![1], exponent: ply![2] } });

describe("tiles", () => {
  it("show the board after every move of a game", () => {
    const game = Game.fromSeed({ shape: { rows: 4, cols: 4 }, p4: 0.1 }, 5n);
    let tiles = lay(game.board);
    for (let n = 0; n < 200; n++) {
      const legal = legalMoves(game.board);
      if (legal.length === 0) break;
      game.play(legal[n % legal.length]!);
      const before = new Set(tiles.map((tile) => tile.id));
      tiles = advance(tiles, changed(game.turn));
      expect(shown(tiles)).toEqual(game.board.cells);
      // What did not merge keeps its identity: otherwise nothing would slide.
      expect(tiles.filter((tile) => tile.state === "still").every((tile) => before.has(tile.id))).toBe(true);
      expect(new Set(tiles.map((tile) => tile.id)).size).toBe(tiles.length);
    }
  });

  it("two tiles go under the one they become", () => {
    const game = Game.fromPosition(0, parsePosition("1001000000000000")!, 1n);
    const before = lay(game.board);
    game.play("left" as Move);
    const after = advance(before, changed(game.turn));
    expect(after.filter((tile) => tile.state === "gone").map((tile) => tile.cell)).toEqual([0, 0]);
    expect(after.filter((tile) => tile.state === "merged").map((tile) => tile.exponent)).toEqual([2]);
    expect(after.filter((tile) => tile.state === "new")).toHaveLength(1);
  });

  it("are laid anew when the turn does not follow", () => {
    const game = Game.fromPosition(0, parsePosition("1001000000000000")!, 1n);
    game.play("left");
    const strange = lay(parsePosition("5000000000000000")!);
    expect(advance(strange, changed(game.turn)).every((tile) => tile.state === "still")).toBe(true);
  });

  it("of a duel move with slides and stay when one is placed", () => {
    const duel = new Duel({ shape: { rows: 4, cols: 4 }, variant: "free" }, 1n);
    let tiles = lay(duel.now.board);
    const step = (done: boolean): void => {
      expect(done).toBe(true);
      tiles = advance(tiles, duel.now);
      expect(shown(tiles)).toEqual(duel.now.board.cells);
    };
    step(duel.place(0, 1));
    step(duel.place(3, 1));
    expect(tiles.filter((tile) => tile.state === "new").map((tile) => tile.cell)).toEqual([3]);
    step(duel.slide("left"));
    expect(tiles.map((tile) => tile.state).sort()).toEqual(["gone", "gone", "merged"]);
    const merged = tiles.find((tile) => tile.state === "merged")!.id;
    step(duel.place(5, 2));
    expect(tiles.map((tile) => [tile.state, tile.id === merged])).toEqual([["still", true], ["new", false]]);
  });
});
