// Skill and luck of a game so far. With V the value of a position and A the value of a move, reward
// included: error = max A − A(played), luck = reward + V(next) − A(played). Summed over a complete
// game, final score = V(start) − errors + luck, whatever V is.

import { isOver, MOVES, positionText } from "../game/board";
import type { Turn } from "../game/game";
import type { Answer } from "./api";

export interface Judged {
  error: number;
  luck: number;
}

export interface Tally {
  errors: number;
  luck: number;
  /** Moves that could be judged so far, of how many. */
  judged: number;
  moves: number;
  /** Best moves in a row until now. */
  streak: number;
}

type Ask = (position: string) => Pick<Answer, "value" | "moves"> | undefined;

/** The value of a position; one that is over needs no asking. */
function valueOf(turn: Turn, ask: Ask): number | undefined {
  const answer = ask(positionText(turn.board));
  if (answer) return answer.value;
  return isOver(turn.board) ? 0 : undefined;
}

export function judge(before: Turn, after: Turn, ask: Ask): Judged | null {
  const answer = ask(positionText(before.board));
  const next = valueOf(after, ask);
  const played = answer?.moves.find((m) => m.move === MOVES[after.ply![0]]);
  if (!answer || !played || next === undefined) return null;
  const reward = after.score - before.score;
  return { error: Math.max(0, answer.value - played.value), luck: reward + next - played.value };
}

/** Keeps what was judged already: a long game is not gone through again for each move. */
export class Ledger {
  private known: { turn: Turn; judged: Judged | null }[] = [];

  forget(): void {
    this.known = [];
  }

  tally(turns: readonly Turn[], ask: Ask): Tally {
    const result: Tally = { errors: 0, luck: 0, judged: 0, moves: turns.length - 1, streak: 0 };
    this.known.length = Math.min(this.known.length, turns.length);
    for (let i = 1; i < turns.length; i++) {
      const turn = turns[i]!;
      const kept = this.known[i];
      const judged = kept?.turn === turn && kept.judged ? kept.judged : judge(turns[i - 1]!, turn, ask);
      this.known[i] = { turn, judged };
      if (!judged) continue;
      result.errors += judged.error;
      result.luck += judged.luck;
      result.judged += 1;
      // Values carry rounding: a loss below a thousandth of a point is none.
      result.streak = judged.error < 1e-3 ? result.streak + 1 : 0;
    }
    return result;
  }
}
