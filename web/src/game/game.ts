// A game in progress: play, undo, and its record. Undoing a move also undoes its draw, so a seed and
// a list of moves always make one game (crates/game/src/game.rs).

import { type Board, type Move, MOVES, type Shape, type Slide, parsePosition, positionText, slide, withTile } from "./board";
import { type RandomState, nextU64, stream } from "./random";

export type Ply = readonly [move: number, cell: number, exponent: number];

export interface Rules {
  shape: Shape;
  p4: number;
}

export interface Turn {
  board: Board;
  score: number;
  random: RandomState;
  /** How the position came about; absent at the start. */
  slide?: Slide;
  ply?: Ply;
}

interface Spawn {
  cell: number;
  exponent: number;
}

/** Draws a spawn with one random number (crates/game/src/rules.rs). */
function draw(cells: readonly number[], p4: number, random: RandomState): [Spawn, RandomState] {
  const empty = cells.flatMap((exponent, cell) => (exponent === 0 ? [cell] : []));
  const [number, after] = nextU64(random);
  const wide = number * BigInt(empty.length);
  const low = (wide & ((1n << 64n) - 1n)) >> 1n;
  const four = low < BigInt(Math.floor(p4 * 2 ** 63));
  return [{ cell: empty[Number(wide >> 64n)]!, exponent: four ? 2 : 1 }, after];
}

function start(rules: Rules, random: RandomState): [Board, RandomState] {
  const { rows, cols } = rules.shape;
  let board: Board = { shape: rules.shape, cells: new Array<number>(rows * cols).fill(0) };
  for (let i = 0; i < Math.min(2, rows * cols); i++) {
    const [spawn, after] = draw(board.cells, rules.p4, random);
    board = withTile(board, spawn.cell, spawn.exponent);
    random = after;
  }
  return [board, random];
}

/** A record as docs/formats.md describes it; the optional checks are left to the program. */
export interface RecordJson {
  type: "game";
  version: 1;
  p4: number;
  seed?: string;
  player?: string;
  /** Who placed the tiles, in a duel. */
  attacker?: string;
  start: string;
  plies: Ply[];
  score: number;
}

export class Game {
  readonly turns: Turn[];
  /** Do the seed's numbers draw the start and every tile? */
  readonly seeded: boolean;

  private constructor(
    readonly rules: Rules,
    readonly seed: bigint,
    first: Board,
    random: RandomState,
    seeded: boolean,
  ) {
    this.turns = [{ board: first, score: 0, random }];
    this.seeded = seeded;
  }

  static fromSeed(rules: Rules, seed: bigint): Game {
    const [board, random] = start(rules, stream(seed, 0n));
    return new Game(rules, seed, board, random, true);
  }

  /** A game from a position of one's own: the seed draws the spawns only. */
  static fromPosition(p4: number, board: Board, seed: bigint): Game {
    return new Game({ shape: board.shape, p4 }, seed, board, stream(seed, 0n), false);
  }

  /** Replays a list of moves; those after an illegal one are dropped. */
  static replay(game: Game, moves: Iterable<Move>): Game {
    for (const move of moves) if (!game.play(move)) break;
    return game;
  }

  get turn(): Turn {
    return this.turns[this.turns.length - 1]!;
  }
  get board(): Board {
    return this.turn.board;
  }
  get score(): number {
    return this.turn.score;
  }
  get plies(): Ply[] {
    return this.turns.flatMap((turn) => (turn.ply ? [turn.ply] : []));
  }

  /** Plays a move; `null` and no change when it is not legal. */
  play(move: Move): Turn | null {
    const { board, score, random } = this.turn;
    const slid = slide(board, move);
    if (!slid) return null;
    const [spawn, after] = draw(slid.cells, this.rules.p4, random);
    return this.push(slid, score, move, spawn, after);
  }

  /** Plays a move whose spawn somebody else has drawn; `null` when it does not fit. */
  follow(move: Move, cell: number, exponent: number): Turn | null {
    const { board, score, random } = this.turn;
    const slid = slide(board, move);
    if (!slid || slid.cells[cell] !== 0) return null;
    return this.push(slid, score, move, { cell, exponent }, nextU64(random)[1]);
  }

  private push(slid: Slide, score: number, move: Move, spawn: Spawn, random: RandomState): Turn {
    const ply: Ply = [MOVES.indexOf(move), spawn.cell, spawn.exponent];
    const board = withTile({ shape: this.rules.shape, cells: slid.cells }, spawn.cell, spawn.exponent);
    const turn = { board, score: score + slid.reward, random, slide: slid, ply };
    this.turns.push(turn);
    return turn;
  }

  undo(): boolean {
    if (this.turns.length === 1) return false;
    this.turns.pop();
    return true;
  }

  record(player?: string): RecordJson {
    return {
      type: "game",
      version: 1,
      p4: this.rules.p4,
      ...(this.seeded ? { seed: `${this.seed}/0` } : {}),
      ...(player ? { player } : {}),
      start: positionText(this.turns[0]!.board),
      plies: this.plies,
      score: this.score,
    };
  }
}

/** The positions of a recorded game; `null` when it does not replay. */
export function replayPlies(start: string, plies: readonly Ply[]): Turn[] | null {
  const first = parsePosition(start);
  if (!first) return null;
  const game = Game.fromPosition(0.1, first, 0n);
  for (const [move, cell, exponent] of plies) {
    const name = MOVES[move];
    if (!name || !game.follow(name, cell, exponent)) return null;
  }
  return game.turns;
}
