import { describe, expect, it } from "vitest";
import { legalMoves } from "../game/board";
import { Duel } from "../game/duel";
import { neighbour, cellName } from "../parts/placing";
import type { DuelAnswer } from "./api";
import { duelQuery, gifts, momentKey } from "./duel_adviser";
import { type DuelResult, addResult, resultAddress } from "./duel_results";
import { DuelTable, parseHostility, parseRole, parseVariant } from "./duel_table";
import { opponentAgent, opponentName, opponentNames, parseOpponent } from "./opponents";

const asked = (table: DuelTable): URLSearchParams => new URLSearchParams(Object.entries(table.address()).filter((pair): pair is [string, string] => pair[1] !== null));
const rival = { agent: "exact", hostility: 1 };

/** Plays to the end, the opponent's plies by the first that is legal. */
function finish(table: DuelTable): void {
  while (table.duel.now.side !== null) {
    const { board, side, tiles } = table.duel.now;
    const by = table.yours ? null : rival;
    if (side === "attacker") table.play({ place: { cell: board.cells.indexOf(0), exponent: tiles[0]! } }, by);
    else table.play({ slide: legalMoves(board)[0]! }, by);
  }
}

describe("the duel on the table", () => {
  it("follows an address, and goes on where it was left", () => {
    const table = new DuelTable(new URLSearchParams("size=2x3&variant=drawn&role=attacker&seed=7"));
    expect([table.role, table.duel.rules.variant, table.duel.seed, table.yours]).toEqual(["attacker", "drawn", 7n, true]);
    const early = asked(table);
    table.play({ place: { cell: 0, exponent: table.duel.now.tiles[0]! } }, null);
    expect(new DuelTable(early).duel.moments.length).toBe(2);
    expect(new DuelTable(new URLSearchParams("")).duel.moments.length).toBe(2);
    expect(new DuelTable(new URLSearchParams("size=2x3&variant=drawn&role=attacker&seed=8")).duel.moments.length).toBe(1);
  });

  it("makes sense of nonsense", () => {
    for (const text of ["size=9x9", "size=1x1", "plies=%%%", "seed=-1", "role=king&variant=wild", "plies=AAAA"]) {
      const table = new DuelTable(new URLSearchParams(text));
      expect(table.duel.now.board.cells.length).toBeGreaterThan(1);
    }
    expect([parseRole("x"), parseVariant("x"), parseHostility("x"), parseHostility("2"), parseHostility(""), parseHostility("0.3")]).toEqual(["defender", "free", 1, 1, 1, 0.3]);
  });

  it("undo goes back to one's own turn, and at the first to the duel before", () => {
    const table = new DuelTable(new URLSearchParams("size=2x2&seed=1&role=defender"));
    expect([table.canUndo, table.undo()]).toEqual([false, false]);
    table.play({ place: { cell: 0, exponent: 1 } }, rival);
    table.play({ place: { cell: 1, exponent: 1 } }, rival);
    expect(table.canUndo).toBe(false);
    table.play({ slide: "left" }, null);
    table.play({ place: { cell: 3, exponent: 2 } }, rival);
    expect(table.undo()).toBe(true);
    expect([table.duel.moments.length, table.duel.now.side]).toEqual([3, "defender"]);
    table.play({ slide: "left" }, null);
    table.begin({ rows: 2, cols: 3 }, "twos", "attacker");
    expect(table.duel.rules.variant).toBe("twos");
    expect([table.undo(), table.duel.rules.variant, table.role]).toEqual([true, "free", "defender"]);
  });

  it("keeps what is finished, once", () => {
    const table = new DuelTable(new URLSearchParams("size=2x2&seed=5&role=attacker"));
    table.forgetResults();
    finish(table);
    const [result] = table.results.value;
    expect([result!.role, result!.size, result!.score, result!.opponents]).toEqual(["attacker", "2x2", table.duel.now.score, [rival]]);
    table.undo();
    finish(table);
    expect(table.results.value).toHaveLength(1);
    const again = new DuelTable(new URLSearchParams(resultAddress(result!).split("?")[1]));
    expect([again.duel.now.side, again.duel.now.score]).toEqual([null, result!.score]);
    expect(again.results.value).toHaveLength(1);
  });

  it("forgets the oldest of many", () => {
    const result: DuelResult = { role: "defender", opponents: [], variant: "free", size: "2x2", score: 1, tile: 4, seed: "1", plies: "" };
    let all: DuelResult[] = [];
    for (let n = 0; n < 120; n++) all = addResult(all, { ...result, seed: String(n) });
    expect([all.length, all[0]!.seed]).toEqual([100, "119"]);
  });
});

describe("advice", () => {
  const duel = new Duel({ shape: { rows: 2, cols: 2 }, variant: "drawn" }, 7n);
  it("is asked for by moments", () => {
    expect(momentKey(duel.now, "drawn")).toBe("attacker2 2x2:0000");
    expect(duelQuery(duel.now, duel)).toEqual({ position: "2x2:0000", turn: "attacker", tile: 2, rules: { size: "2x2", variant: "drawn" } });
    const free = new Duel({ shape: { rows: 2, cols: 2 }, variant: "free" }, 7n);
    expect(duelQuery(free.now, free)).toEqual({ position: "2x2:0000", turn: "attacker", rules: { size: "2x2", variant: "free" } });
  });
  it("says what each side gave away", () => {
    const free = new Duel({ shape: { rows: 2, cols: 2 }, variant: "free" }, 7n);
    free.place(0, 1);
    free.place(1, 1);
    free.slide("left");
    const base = { position: "", exact: true, agent: "exact", depth: 0, nodes: 0 };
    const answers: Record<string, DuelAnswer> = {
      "attacker 2x2:0000": { ...base, turn: "attacker", value: 8, placements: [{ cell: 3, exponent: 2, value: 8 }, { cell: 0, exponent: 1, value: 10 }] },
      "defender 2x2:1100": { ...base, turn: "defender", value: 30, moves: [{ move: "down", reward: 0, value: 30 }, { move: "left", reward: 4, value: 25 }] },
    };
    expect(gifts(free, (key) => answers[key])).toEqual({ attacker: 2, defender: 5, judged: 2, plies: 3 });
  });
});

describe("opponents", () => {
  it("have names on every board", () => {
    for (const size of ["4x4", "2x3"]) for (const name of opponentNames(true)) expect(opponentName(opponentAgent(name, size), size)).toBe(name);
    expect([opponentAgent("depth5", "4x4"), opponentAgent("depth5", "3x3"), opponentAgent("greedy", "2x2")]).toEqual(["alphabeta(depth=5)", "alphabeta(net=heuristic, depth=5)", "greedy(net=heuristic)"]);
    expect(opponentAgent("alphabeta(depth=2)", "4x4")).toBe("alphabeta(depth=2)");
    expect([parseOpponent(null, false), parseOpponent("exact", false), parseOpponent("exact", true)]).toEqual(["depth3", "depth7", "exact"]);
  });
});

describe("cells", () => {
  it("have names and neighbours", () => {
    const shape = { rows: 2, cols: 3 };
    expect([cellName(3, 0), cellName(3, 5)]).toEqual(["a1", "c2"]);
    expect((["up", "right", "down", "left"] as const).map((move) => neighbour(shape, 1, move))).toEqual([1, 2, 4, 0]);
  });
});
