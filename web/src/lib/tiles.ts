// Tiles with an identity, so that the style sheet can move them: pure bookkeeping, no timers.

import type { Board } from "../game/board";
import type { Turn } from "../game/game";

export interface Tile {
  id: number;
  cell: number;
  exponent: number;
  /** `gone` tiles lie under the one they merged into until the next move. */
  state: "still" | "new" | "merged" | "gone";
}

let last = 0;
const born = (cell: number, exponent: number, state: Tile["state"]): Tile => ({ id: ++last, cell, exponent, state });

/** The tiles of a board that nothing led to. */
export function lay(board: Board): Tile[] {
  return board.cells.flatMap((exponent, cell) => (exponent ? [born(cell, exponent, "still")] : []));
}

/** The tiles after a turn, moved from where they were; laid anew when the turn does not follow. */
export function advance(tiles: readonly Tile[], turn: Turn): Tile[] {
  const { slide, ply, board } = turn;
  if (!slide || !ply) return lay(board);
  const at = new Map(tiles.filter((tile) => tile.state !== "gone").map((tile) => [tile.cell, tile]));
  if (at.size !== slide.steps.length || !slide.steps.every((step) => at.has(step.from))) return lay(board);
  const next: Tile[] = [];
  const arrivals = new Map<number, Tile[]>();
  for (const { from, to } of slide.steps) {
    const tile = at.get(from)!;
    arrivals.set(to, [...(arrivals.get(to) ?? []), tile]);
  }
  for (const [cell, came] of arrivals) {
    const [one, two] = came;
    const exponent = slide.cells[cell]!;
    if (!one || one.exponent !== exponent - (two ? 1 : 0)) return lay(board);
    if (two) {
      next.push({ ...one, cell, state: "gone" }, { ...two, cell, state: "gone" }, born(cell, exponent, "merged"));
    } else {
      next.push({ ...one, cell, state: "still" });
    }
  }
  next.push(born(ply[1], ply[2], "new"));
  // Elements keep their order in the document, or their transitions would begin anew.
  return next.sort((a, b) => a.id - b.id);
}
