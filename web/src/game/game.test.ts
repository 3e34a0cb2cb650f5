import { describe, expect, it } from "vitest";
import { type Move, isOver, legalMoves, parsePosition, positionText, parseSize, slide } from "./board";
import { Game, replayPlies } from "./game";
import { packMoves, unpackMoves } from "./moves_text";
import { nextU64, type RandomState } from "./random";

const files = import.meta.glob<string>("./golden/*.jsonl", { query: "?raw", import: "default", eager: true });
const lawOf: Record<string, number> = { "3x3-max": 0.5, "4x3-fours": 1 };

describe("the same games as the program", () => {
  // Printed by `maxtile watch random --json --seed N --size RxC --p4 P`.
  for (const [path, text] of Object.entries(files)) {
    const file = path.split("/").pop()!;
    it(file, () => {
      const lines = text
        .trim()
        .split("\n")
        .map((line: string) => JSON.parse(line));
      const summary = lines.pop();
      const name = file.replace(".jsonl", "");
      const shape = parseSize(name.split("-")[0]!)!;
      const game = Game.fromSeed({ shape, p4: lawOf[name] ?? 0.1 }, BigInt(summary.seed.split("/")[0]));
      expect(lines.length).toBe(summary.moves);
      for (const line of lines) {
        expect(game.play(line.move as Move)).not.toBeNull();
        expect([positionText(game.board), game.score]).toEqual([line.position, line.score]);
      }
      expect(isOver(game.board)).toBe(true);
      expect(2 ** Math.max(...game.board.cells)).toBe(summary.max_tile);
      expect(replayPlies(positionText(game.turns[0]!.board), game.plies)!.at(-1)!.score).toBe(summary.score);
    });
  }

  it("reference outputs of xoshiro256++", () => {
    let state: RandomState = [1n, 2n, 3n, 4n];
    const expected = [41943041n, 58720359n, 3588806011781223n, 3591011842654386n, 9228616714210784205n];
    for (const number of expected) {
      const [drawn, after] = nextU64(state);
      expect(drawn).toBe(number);
      state = after;
    }
  });
});

describe("slides", () => {
  const board = (text: string) => parsePosition(text)!;
  it("merges pairs once, nearest the wall first", () => {
    const slid = slide(board("1111000000000000"), "left")!;
    expect([slid.cells.slice(0, 4), slid.reward]).toEqual([[2, 2, 0, 0], 8]);
    expect(slide(board("1120000000000000"), "right")!.cells.slice(0, 4)).toEqual([0, 0, 2, 2]);
    expect(slide(board("1110000000000000"), "right")!.cells.slice(0, 4)).toEqual([0, 0, 1, 2]);
  });
  it("says where each tile went", () => {
    const { steps } = slide(board("0101000000000000"), "left")!;
    expect(steps).toEqual([{ from: 1, to: 0 }, { from: 3, to: 0 }]);
  });
  it("knows legal moves and largest tiles", () => {
    expect(legalMoves(board("1000000000000000"))).toEqual(["right", "down"]);
    expect(slide(board("gg00000000000000"), "left")!.cells[0]).toBe(17);
    expect(isOver(board("1212212112122121"))).toBe(true);
  });
});

describe("undo", () => {
  it("brings the same tile again", () => {
    const game = Game.fromSeed({ shape: { rows: 4, cols: 4 }, p4: 0.1 }, 7n);
    const move = legalMoves(game.board)[0]!;
    game.play(move);
    const after = positionText(game.board);
    expect(game.undo()).toBe(true);
    game.play(move);
    expect(positionText(game.board)).toBe(after);
    expect([game.undo(), game.undo()]).toEqual([true, false]);
  });
});

describe("texts", () => {
  it("positions of all sizes", () => {
    for (const text of ["ba98000012340001", "3x3:120000000", "gh00000000000000"]) {
      expect(positionText(parsePosition(text)!)).toBe(text);
    }
    expect(positionText(parsePosition("120000000", { rows: 3, cols: 3 })!)).toBe("3x3:120000000");
  });
  it("refuses what no board holds", () => {
    for (const text of ["", "12", "3x3:12", "3x3:z20000000", "3x3:b20000000", "9x9:1", "i000000000000000"]) {
      expect(parsePosition(text)).toBeNull();
    }
    expect([parseSize("4x4"), parseSize("5x4"), parseSize("7x1"), parseSize("x")]).toEqual([{ rows: 4, cols: 4 }, null, null, null]);
  });
  it("lists of moves", () => {
    const all: Move[] = ["up", "left", "left", "down", "right", "up", "left"];
    for (let n = 0; n <= all.length; n++) expect(unpackMoves(packMoves(all.slice(0, n)))).toEqual(all.slice(0, n));
    for (const text of ["x", "3.", "4.AA!", "-1.A", "2.AA"]) expect(unpackMoves(text)).toBeNull();
  });
});
