// The duel on the table of the Duel page: kept by the browser, named by the address.

import { signal } from "@preact/signals";
import { type Shape, parseSize, sizeText } from "../game/board";
import { Duel, type DuelPly, type Side, VARIANTS, type Variant } from "../game/duel";
import { packPlies, unpackPlies } from "../game/plies_text";
import { freshSeed } from "../game/random";
import { type DuelResult, addResult, loadResults, saveResults } from "./duel_results";
import { load, save } from "./storage";
import { parseSeed } from "./table";

/** Which side the player has; both when two people share a screen. */
export const ROLES = ["defender", "attacker", "both"] as const;
export type Role = (typeof ROLES)[number];

export interface Opponent {
  agent: string;
  hostility: number;
}

/** A duel as it is stored. */
interface Saved {
  role: Role;
  variant: Variant;
  size: string;
  seed: string;
  plies: string;
  opponents: Opponent[];
}

/** Longer duels are in the browser's store only: addresses have their limits. */
const LONGEST_ADDRESS = 6000;
const KEY = "duel.game";

export const parseRole = (text: string | null): Role => ROLES.find((role) => role === text) ?? "defender";
export const parseVariant = (text: string | null): Variant => VARIANTS.find((variant) => variant === text) ?? "free";

export function parseHostility(text: string | null): number {
  const share = Number(text ?? "1");
  return text !== "" && share >= 0 && share <= 1 ? share : 1;
}

interface Seat {
  duel: Duel;
  role: Role;
  opponents: Opponent[];
}

export class DuelTable {
  readonly version = signal(0);
  readonly results = signal<DuelResult[]>(loadResults());
  duel: Duel;
  role: Role;
  /** Who has played the other side so far. */
  private opponents: Opponent[] = [];
  private before: Seat | null = null;

  constructor(query: URLSearchParams) {
    this.role = "defender";
    this.duel = new Duel({ shape: { rows: 4, cols: 4 }, variant: "free" }, 1n);
    this.open(query);
  }

  /** The duel that the address asks for, the unfinished one, or a new one. */
  open(query: URLSearchParams): void {
    const stored = load<Saved>(KEY);
    const named = ["role", "variant", "size", "seed", "plies"].some((name) => query.has(name));
    const shape = parseSize(query.get("size") ?? "4x4") ?? { rows: 4, cols: 4 };
    const saved: Saved = {
      role: parseRole(query.get("role")),
      variant: parseVariant(query.get("variant")),
      size: sizeText(shape),
      seed: query.get("seed") ?? "",
      plies: query.get("plies") ?? "",
      opponents: [],
    };
    const duel = { role: saved.role, variant: saved.variant, size: saved.size, seed: saved.seed };
    const longer = stored && stored.plies.startsWith(saved.plies) && JSON.stringify(duel) === JSON.stringify({ role: stored.role, variant: stored.variant, size: stored.size, seed: stored.seed });
    this.sit(seat(stored && (longer || !named) ? stored : saved) ?? seat(saved)!);
  }

  private sit({ duel, role, opponents }: Seat): void {
    this.duel = duel;
    this.role = role;
    this.opponents = opponents;
    this.changed();
  }

  /** Another duel; undo brings the one before back. */
  begin(shape: Shape, variant: Variant, role: Role, seed = freshSeed()): void {
    if (this.humanPlies > 0) this.before = { duel: this.duel, role: this.role, opponents: this.opponents };
    this.sit({ duel: new Duel({ shape, variant }, seed), role, opponents: [] });
  }

  owns(side: Side | null): boolean {
    return side !== null && (this.role === "both" || this.role === side);
  }

  /** Is it the player's turn? */
  get yours(): boolean {
    return this.owns(this.duel.now.side);
  }

  private get humanPlies(): number {
    return this.duel.moments.filter((moment) => moment.ply && this.owns(sideOf(moment.ply))).length;
  }

  /** A ply of the player, or of the opponent who is named. */
  play(ply: DuelPly, opponent: Opponent | null): boolean {
    if (!this.duel.play(ply)) return false;
    const last = this.opponents.at(-1);
    if (opponent && (last?.agent !== opponent.agent || last.hostility !== opponent.hostility)) this.opponents = [...this.opponents, opponent];
    if (this.duel.now.side === null) this.finish();
    this.changed();
    return true;
  }

  private finish(): void {
    const { role, variant, size, seed, plies, opponents } = this.saved();
    const result = { role, opponents, variant, size, score: this.duel.now.score, tile: this.duel.largest, seed, plies };
    // Another window may have added some.
    this.results.value = addResult(loadResults(), result);
    saveResults(this.results.value);
  }

  forgetResults(): void {
    this.results.value = [];
    saveResults([]);
  }

  /** Back to the player's turn before this one; at the first, to the duel before. */
  undo(): boolean {
    if (this.humanPlies === 0) {
      const { before } = this;
      if (!before) return false;
      this.before = null;
      this.sit(before);
      return true;
    }
    let taken = false;
    while (!taken) {
      const { ply } = this.duel.now;
      if (!ply || !this.duel.undo()) break;
      taken = this.owns(sideOf(ply));
    }
    this.changed();
    return true;
  }

  get canUndo(): boolean {
    return this.humanPlies > 0 || this.before !== null;
  }

  private changed(): void {
    save(KEY, this.saved());
    this.version.value++;
  }

  private saved(): Saved {
    const { rules, seed, plies } = this.duel;
    return { role: this.role, variant: rules.variant, size: sizeText(rules.shape), seed: String(seed), plies: packPlies(plies), opponents: this.opponents };
  }

  /** The part of the address that names this duel. */
  address(): Record<string, string | null> {
    const { role, variant, size, seed, plies } = this.saved();
    return {
      role: role === "defender" ? null : role,
      variant: variant === "free" ? null : variant,
      size: size === "4x4" ? null : size,
      seed,
      plies: plies.length > LONGEST_ADDRESS ? null : plies || null,
    };
  }
}

export const sideOf = (ply: DuelPly): Side => ("slide" in ply ? "defender" : "attacker");

/** The duel of a saved one, as far as its plies are legal; `null` when it makes no sense. */
function seat(saved: Saved): Seat | null {
  const shape = parseSize(saved.size);
  const plies = unpackPlies(saved.plies) ?? [];
  if (!shape || shape.rows * shape.cols < 2) return seat({ ...saved, size: "4x4", plies: "" });
  const duel = new Duel({ shape, variant: parseVariant(saved.variant) }, parseSeed(saved.seed) ?? freshSeed());
  for (const ply of plies) if (!duel.play(ply)) break;
  return { duel, role: parseRole(saved.role), opponents: Array.isArray(saved.opponents) ? saved.opponents : [] };
}
