// The game on the table of the Play page: kept by the browser, named by the address.

import { signal } from "@preact/signals";
import { type Move, MOVES, type Shape, parsePosition, parseSize, positionText, sizeText } from "../game/board";
import { Game } from "../game/game";
import { packMoves, unpackMoves } from "../game/moves_text";
import { MAX_SEED, freshSeed } from "../game/random";
import { load, save } from "./storage";

/** A game as it is stored and as it stands in an address. */
export interface Saved {
  size: string;
  p4: number;
  seed: string;
  /** The start, where the seed has not drawn it. */
  position?: string;
  moves: string;
  /** Has an agent made some of the moves? Then the score is no personal best. */
  assisted?: boolean;
  /** Has the player gone on after 2048? */
  beyond?: boolean;
}

export function parseSeed(text: string): bigint | null {
  if (!/^\d{1,20}$/.test(text)) return null;
  const seed = BigInt(text);
  return seed <= MAX_SEED ? seed : null;
}

export function parseLaw(text: string | null): number {
  const p4 = Number(text ?? "0.1");
  return text !== "" && p4 >= 0 && p4 <= 1 ? p4 : 0.1;
}

export const movesOf = (game: Game): Move[] => game.turns.slice(1).map((turn) => MOVES[turn.ply![0]]!);

export function toSaved(game: Game, flags: { assisted: boolean; beyond: boolean }): Saved {
  return {
    size: sizeText(game.rules.shape),
    p4: game.rules.p4,
    seed: String(game.seed),
    ...(game.seeded ? {} : { position: positionText(game.turns[0]!.board) }),
    moves: packMoves(movesOf(game)),
    ...flags,
  };
}

/** The game of a saved one; `null` when it makes no sense. */
export function fromSaved(saved: Saved): Game | null {
  const seed = parseSeed(saved.seed);
  const moves = unpackMoves(saved.moves);
  const shape = parseSize(saved.size);
  if (seed === null || moves === null || !shape) return null;
  if (saved.position !== undefined) {
    const board = parsePosition(saved.position, shape);
    if (!board || board.cells.every((e) => e === 0)) return null;
    return Game.replay(Game.fromPosition(saved.p4, board, seed), moves);
  }
  return Game.replay(Game.fromSeed({ shape, p4: saved.p4 }, seed), moves);
}

/** What an address asks for; `null` when it names no game. */
export function fromQuery(query: URLSearchParams, fallback: Shape): Saved | null {
  const position = query.get("position");
  const seed = query.get("seed");
  if (position === null && seed === null) return null;
  const board = position === null ? null : parsePosition(position, parseSize(query.get("size") ?? "") ?? undefined);
  const shape = board?.shape ?? parseSize(query.get("size") ?? "") ?? fallback;
  return {
    size: sizeText(shape),
    p4: parseLaw(query.get("p4")),
    seed: parseSeed(seed ?? "") === null ? "1" : seed!,
    ...(board ? { position: positionText(board) } : {}),
    moves: query.get("moves") ?? "",
  };
}

/** Is the stored game the one asked for, perhaps some moves later? */
export function continues(stored: Saved, asked: Saved): boolean {
  const same = stored.size === asked.size && stored.p4 === asked.p4 && stored.seed === asked.seed && stored.position === asked.position;
  if (!same) return false;
  const [had, want] = [unpackMoves(stored.moves), unpackMoves(asked.moves)];
  return had !== null && want !== null && want.length <= had.length && want.every((move, i) => move === had[i]);
}

/** Longer games are in the browser's store only: addresses have their limits. */
const LONGEST_ADDRESS = 6000;

export class Table {
  readonly version = signal(0);
  game: Game;
  assisted = false;
  beyond = false;
  private before: { game: Game; assisted: boolean; beyond: boolean } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(query: URLSearchParams) {
    this.game = Game.fromSeed({ shape: { rows: 4, cols: 4 }, p4: 0.1 }, 1n);
    this.open(query);
    globalThis.addEventListener?.("pagehide", () => this.keep());
  }

  /** The game that the address asks for, the unfinished one, or a new one. */
  open(query: URLSearchParams): void {
    const fallback = parseSize(query.get("size") ?? load<string>("size") ?? "") ?? { rows: 4, cols: 4 };
    const asked = fromQuery(query, fallback);
    const stored = load<Saved>(`game.${asked?.size ?? sizeText(fallback)}`);
    const chosen = asked && !(stored && continues(stored, asked)) ? asked : (stored ?? asked);
    const game = chosen && fromSaved(chosen);
    this.set(game ?? Game.fromSeed({ shape: fallback, p4: parseLaw(query.get("p4")) }, freshSeed()), chosen?.assisted, chosen?.beyond);
  }

  private set(game: Game, assisted = false, beyond = false): void {
    this.game = game;
    this.assisted = assisted;
    this.beyond = beyond;
    this.changed();
  }

  begin(shape: Shape, p4: number, seed: bigint): void {
    if (this.game.turns.length > 1) this.before = { game: this.game, assisted: this.assisted, beyond: this.beyond };
    this.set(Game.fromSeed({ shape, p4 }, seed));
  }

  /** The unfinished game of another size, or a new one. */
  change(shape: Shape): void {
    this.keep();
    const stored = load<Saved>(`game.${sizeText(shape)}`);
    const game = stored && fromSaved(stored);
    this.before = null;
    this.set(game ?? Game.fromSeed({ shape, p4: this.game.rules.p4 }, freshSeed()), stored?.assisted, stored?.beyond);
  }

  play(move: Move, byAgent = false): boolean {
    if (!this.game.play(move)) return false;
    if (byAgent) this.assisted = true;
    this.changed();
    return true;
  }

  /** Takes a move back; at the start of a game, the game before it comes back. */
  undo(): boolean {
    if (this.game.undo()) {
      this.changed();
      return true;
    }
    const { before } = this;
    if (!before) return false;
    this.before = null;
    this.set(before.game, before.assisted, before.beyond);
    return true;
  }

  get canUndo(): boolean {
    return this.game.turns.length > 1 || this.before !== null;
  }

  goBeyond(): void {
    this.beyond = true;
    this.changed();
  }

  private bestKey(): string {
    return `best.${sizeText(this.game.rules.shape)}.${this.game.rules.p4}`;
  }

  get best(): number {
    return load<number>(this.bestKey()) ?? 0;
  }

  private changed(): void {
    if (!this.assisted && this.game.seeded && this.game.score > this.best) save(this.bestKey(), this.game.score);
    // Writing is put off a little, so that it never stands between two key presses.
    this.timer ??= setTimeout(() => this.keep(), 150);
    this.version.value++;
  }

  keep(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const saved = toSaved(this.game, { assisted: this.assisted, beyond: this.beyond });
    save(`game.${saved.size}`, saved);
    save("size", saved.size);
  }

  /** The part of the address that names this game. */
  address(): Record<string, string | null> {
    const saved = toSaved(this.game, { assisted: false, beyond: false });
    return {
      size: saved.size === "4x4" ? null : saved.size,
      p4: saved.p4 === 0.1 ? null : String(saved.p4),
      seed: saved.seed,
      position: saved.position ?? null,
      moves: this.game.turns.length > LONGEST_ADDRESS ? null : saved.moves || null,
    };
  }
}
