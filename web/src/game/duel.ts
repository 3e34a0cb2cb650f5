// The duel: 2048 for two (crates/game/src/duel.rs). The attacker places two tiles on the empty board,
// then defender and attacker alternate until the defender cannot slide.

import { type Board, MOVES, type Move, type Shape, type Slide, isOver, maxExponent, positionText, slide, withTile } from "./board";
import type { Ply, RecordJson } from "./game";
import { type RandomState, stream, unit } from "./random";

export const VARIANTS = ["free", "drawn", "twos"] as const;
export type Variant = (typeof VARIANTS)[number];
export type Side = "attacker" | "defender";

/** How often a drawn tile is a 4. */
const P4 = 0.1;

export interface Placed {
  cell: number;
  exponent: number;
}

export type DuelPly = { place: Placed } | { slide: Move };

export interface Moment {
  board: Board;
  score: number;
  /** Who is to play; nobody when it is over. */
  side: Side | null;
  /** The exponents that may be placed now. */
  tiles: readonly number[];
  random: RandomState;
  /** How it came about: one of these, or neither at the beginning. */
  slide?: Slide;
  placed?: Placed;
  ply?: DuelPly;
}

export interface DuelRules {
  shape: Shape;
  variant: Variant;
}

export class Duel {
  readonly moments: Moment[];

  constructor(
    readonly rules: DuelRules,
    readonly seed: bigint,
  ) {
    const { rows, cols } = rules.shape;
    const board = { shape: rules.shape, cells: new Array<number>(rows * cols).fill(0) };
    this.moments = [{ board, score: 0, side: "attacker", ...this.draw(stream(seed, 0n)) }];
  }

  get now(): Moment {
    return this.moments[this.moments.length - 1]!;
  }
  get plies(): DuelPly[] {
    return this.moments.flatMap((moment) => (moment.ply ? [moment.ply] : []));
  }
  get largest(): number {
    const most = maxExponent(this.now.board);
    return most > 0 ? 2 ** most : 0;
  }

  /** What may be placed next; only drawn tiles take a number. */
  private draw(random: RandomState): Pick<Moment, "tiles" | "random"> {
    const { variant } = this.rules;
    if (variant !== "drawn") return { tiles: variant === "free" ? [1, 2] : [1], random };
    const [drawn, after] = unit(random);
    return { tiles: [drawn < P4 ? 2 : 1], random: after };
  }

  /** The attacker places a tile; false and no change when he may not. */
  place(cell: number, exponent: number): boolean {
    const { board, score, side, tiles, random } = this.now;
    if (side !== "attacker" || board.cells[cell] !== 0 || !tiles.includes(exponent)) return false;
    const next = withTile(board, cell, exponent);
    const placed = { cell, exponent };
    const how = { board: next, score, placed, ply: { place: placed } };
    // Two tiles to begin with, one where there is no room for more.
    if (this.moments.length === 1 && next.cells.includes(0)) this.moments.push({ ...how, side: "attacker", ...this.draw(random) });
    else this.moments.push({ ...how, side: isOver(next) ? null : "defender", tiles: [], random });
    return true;
  }

  /** The defender slides; false and no change when he may not. */
  slide(move: Move): boolean {
    const { board, score, side, random } = this.now;
    const slid = side === "defender" ? slide(board, move) : null;
    if (!slid) return false;
    const next = { shape: board.shape, cells: slid.cells };
    this.moments.push({ board: next, score: score + slid.reward, side: "attacker", ...this.draw(random), slide: slid, ply: { slide: move } });
    return true;
  }

  play(ply: DuelPly): boolean {
    return "slide" in ply ? this.slide(ply.slide) : this.place(ply.place.cell, ply.place.exponent);
  }

  undo(): boolean {
    if (this.moments.length === 1) return false;
    this.moments.pop();
    return true;
  }

  /** As a recorded game, the attacker's tiles as spawns; `null` during the opening. */
  record(defender: string, attacker: string): RecordJson | null {
    const opening = Math.min(2, this.now.board.cells.length);
    const start = this.moments[opening];
    if (!start) return null;
    const plies: Ply[] = [];
    for (let i = opening; i + 2 < this.moments.length; i += 2) {
      const [slid, placed] = [this.moments[i + 1]!.ply, this.moments[i + 2]!.placed];
      if (slid && "slide" in slid && placed) plies.push([MOVES.indexOf(slid.slide), placed.cell, placed.exponent]);
    }
    const last = this.moments[opening + 2 * plies.length]!;
    const p4 = this.rules.variant === "twos" ? 0 : P4;
    return { type: "game", version: 1, p4, player: defender, attacker, start: positionText(start.board), plies, score: last.score };
  }
}
