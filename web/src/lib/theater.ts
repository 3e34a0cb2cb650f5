// Agents at play side by side: one lane each, all on the same seeds, paced by whoever watches.

import { signal } from "@preact/signals";
import { type Shape, sizeText } from "../game/board";
import { Game } from "../game/game";
import { type Limits, type PlayLine, aborted, api, sentence } from "./api";

export interface Result {
  seed: bigint;
  score: number;
  maxTile: number;
  moves: number;
}

export interface Facts {
  value: number | null;
  depth: number | null;
  nodesPerSecond: number | null;
}

/** One agent and its games. It takes one line of its stream a step, so the server never runs ahead far. */
export class Lane {
  readonly version = signal(0);
  game: Game;
  facts: Facts = { value: null, depth: null, nodesPerSecond: null };
  results: Result[] = [];
  problem: string | null = null;
  /** Is the game shown at its end, waiting for the others? */
  over = false;
  private stop = new AbortController();
  private lines: AsyncGenerator<PlayLine> | null = null;
  private nodes = 0;
  private ms = 0;

  constructor(
    readonly agent: string,
    readonly limits: Limits,
    readonly shape: Shape,
    readonly p4: number,
    public seed: bigint,
  ) {
    this.game = Game.fromSeed({ shape, p4 }, seed);
  }

  close(): void {
    this.stop.abort();
    void this.lines?.return(undefined);
    this.lines = null;
  }

  begin(seed: bigint): void {
    this.close();
    this.stop = new AbortController();
    this.seed = seed;
    this.game = Game.fromSeed({ shape: this.shape, p4: this.p4 }, seed);
    this.over = false;
    this.version.value++;
  }

  /** The next move; false when the game is over or cannot go on. */
  async step(): Promise<boolean> {
    if (this.over || this.problem) return false;
    const { signal } = this.stop;
    try {
      this.lines ??= api.play({ agent: this.agent, limits: this.limits, rules: { size: sizeText(this.shape), p4: this.p4 }, seed: String(this.seed) }, signal);
      for (;;) {
        const { value: line, done } = await this.lines.next();
        if (signal.aborted) return false;
        if (done) throw new Error("The game ended early.");
        // The start is known already: the seed draws the same one here.
        if (line.type === "start") continue;
        if (line.type === "error") throw new Error(line.error);
        if (line.type === "over") {
          this.over = true;
          this.results.push({ seed: this.seed, score: line.score, maxTile: line.max_tile, moves: line.moves });
          this.lines = null;
        } else this.take(line);
        this.version.value++;
        return line.type === "move";
      }
    } catch (cause) {
      if (!aborted(cause) && !signal.aborted) {
        this.problem = sentence(cause);
        this.version.value++;
      }
      return false;
    }
  }

  private take(line: Extract<PlayLine, { type: "move" }>): void {
    this.game.follow(line.move, line.cell, line.exponent);
    this.nodes += line.nodes ?? 0;
    this.ms += line.ms ?? 0;
    this.facts = {
      value: line.value,
      depth: line.depth ?? null,
      nodesPerSecond: this.nodes > 0 && this.ms > 0 ? (1000 * this.nodes) / this.ms : null,
    };
  }
}

/** How many games reached exactly each largest tile. */
export function histogram(results: readonly Result[]): [tile: number, count: number][] {
  const counts = new Map<number, number>();
  for (const { maxTile } of results) counts.set(maxTile, (counts.get(maxTile) ?? 0) + 1);
  return [...counts].sort((a, b) => a[0] - b[0]);
}

export const mean = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
