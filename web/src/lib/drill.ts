// A drill on one's own mistakes: any near-best answer counts, and what was failed comes back.

import type { Move } from "../game/board";
import type { ReviewTurn } from "./api";

/** How many others come before a failed one returns. */
const RETURN_AFTER = 3;

export function lossOf(turn: ReviewTurn, move: Move): number | null {
  const row = turn.moves.find((m) => m.move === move);
  return row ? turn.value - row.value : null;
}

/** Is this answer good enough? The review says which moves are near the best. */
export function accepts(turn: ReviewTurn, move: Move): boolean {
  return turn.accepted ? turn.accepted.includes(move) : move === turn.best;
}

export class Drill {
  private queue: number[];
  readonly total: number;
  solved = 0;
  failures = 0;
  private failedNow = false;

  /** The turns to practise, in this order. */
  constructor(turns: readonly number[]) {
    this.queue = [...turns];
    this.total = this.queue.length;
  }

  get current(): number | null {
    return this.queue[0] ?? null;
  }

  /** Judges an answer; a wrong one may be tried again, but the position will return. */
  answer(turn: ReviewTurn, move: Move): boolean {
    const right = accepts(turn, move);
    if (!right) this.fail();
    return right;
  }

  /** Counts the position as not known: it returns later. */
  fail(): void {
    if (!this.failedNow) this.failures += 1;
    this.failedNow = true;
  }

  /** On to the next position. */
  next(): void {
    const done = this.queue.shift();
    if (done === undefined) return;
    if (this.failedNow) this.queue.splice(Math.min(RETURN_AFTER, this.queue.length), 0, done);
    else this.solved += 1;
    this.failedNow = false;
  }
}
