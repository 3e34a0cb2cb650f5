// A review under way: what has come so far, and the arrays that graph and list are drawn from.

import { signal } from "@preact/signals";
import { type Turn, replayPlies } from "../game/game";
import { type Limits, type ReviewGame, type ReviewSummary, type ReviewTurn, aborted, api, sentence } from "./api";

/** Milliseconds between two drawings of a review that is under way. */
const PULSE = 150;

export interface Progress {
  done: number;
  total: number;
  secondsLeft: number | null;
}

export class ReviewRun {
  /** Grows when there is something new to draw, a few times a second: a long game is much to draw. */
  readonly version = signal(0);
  state: "running" | "done" | "cancelled" | "failed" = "running";
  problem: string | null = null;
  game: ReviewGame | null = null;
  /** The positions of the game; one more than its moves. */
  replay: Turn[] = [];
  /** Judgements by turn, as they come in. */
  turns: (ReviewTurn | undefined)[] = [];
  progress: Progress | null = null;
  summary: ReviewSummary | null = null;
  private stop = new AbortController();
  private frame = false;

  constructor(query: { record: string; agent?: string; limits?: Limits }) {
    void this.read(query);
  }

  cancel(): void {
    if (this.state === "running") this.state = "cancelled";
    this.stop.abort();
    this.show();
  }

  private show(): void {
    if (this.frame) return;
    this.frame = true;
    setTimeout(() => {
      this.frame = false;
      this.version.value++;
    }, PULSE);
  }

  private async read(query: { record: string; agent?: string; limits?: Limits }): Promise<void> {
    try {
      for await (const line of api.review(query, this.stop.signal)) {
        switch (line.type) {
          case "game":
            this.game = line;
            this.replay = replayPlies(line.start, line.plies) ?? [];
            break;
          case "turn":
            this.turns[line.turn] = line;
            break;
          case "progress":
            this.progress = { done: line.done, total: line.total, secondsLeft: line.seconds_left };
            break;
          case "summary":
            this.summary = line;
            this.state = "done";
            break;
          case "error":
            throw new Error(line.error);
        }
        this.show();
      }
      if (this.state === "running") throw new Error("The answer ended early.");
    } catch (cause) {
      if (!aborted(cause) && this.state === "running") {
        this.state = "failed";
        this.problem = sentence(cause);
      }
    }
    this.show();
  }
}

/** Turns at which a tile larger than all before appears, from the given exponent on. */
export function phases(replay: readonly Turn[], from: number): { turn: number; exponent: number }[] {
  const found: { turn: number; exponent: number }[] = [];
  let largest = from - 1;
  replay.forEach((turn, i) => {
    const made = Math.max(...turn.board.cells);
    if (made <= largest) return;
    if (i > 0) found.push({ turn: i, exponent: made });
    largest = made;
  });
  return found;
}

/** The next turn in a direction whose error is at least so much. */
export function nextMistake(turns: readonly (ReviewTurn | undefined)[], from: number, step: 1 | -1, least: number): number | null {
  for (let i = from + step; i >= 0 && i < turns.length; i += step) {
    const turn = turns[i];
    if (turn && isMistake(turn, least)) return i;
  }
  return null;
}

export function isMistake(turn: ReviewTurn, least: number): boolean {
  return turn.grade !== "best" && turn.grade !== "good" && turn.error >= least;
}
