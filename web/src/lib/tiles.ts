// Tiles with an identity, so that the style sheet can move them: pure bookkeeping, no timers.

import type { Board, Slide } from "../game/board";
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

/** What changed a board: a slide, a tile that was put down, or both as in the ordinary game. */
export type Change = Pick<Turn, "board" | "slide"> & { placed?: { cell: number; exponent: number } };

/** The tiles after a change, moved from where they were; laid anew when the change does not follow. */
export function advance(tiles: readonly Tile[], { board, slide, placed }: Change): Tile[] {
  const there = tiles.filter((tile) => tile.state !== "gone");
  const next = slide ? slid(there, slide) : there.map((tile): Tile => ({ ...tile, state: "still" }));
  if (!next) return lay(board);
  if (placed) next.push(born(placed.cell, placed.exponent, "new"));
  const standing = next.filter((tile) => tile.state !== "gone");
  const fits = standing.every((tile) => board.cells[tile.cell] === tile.exponent) && standing.length === board.cells.filter((e) => e > 0).length;
  // Elements keep their order in the document, or their transitions would begin anew.
  return fits ? next.sort((a, b) => a.id - b.id) : lay(board);
}

/** The tiles after a slide; `null` when it is not one of theirs. */
function slid(tiles: readonly Tile[], slide: Slide): Tile[] | null {
  const at = new Map(tiles.map((tile) => [tile.cell, tile]));
  if (at.size !== slide.steps.length || !slide.steps.every((step) => at.has(step.from))) return null;
  const next: Tile[] = [];
  const arrivals = new Map<number, Tile[]>();
  for (const { from, to } of slide.steps) {
    const tile = at.get(from)!;
    arrivals.set(to, [...(arrivals.get(to) ?? []), tile]);
  }
  for (const [cell, came] of arrivals) {
    const [one, two] = came;
    const exponent = slide.cells[cell]!;
    if (!one || one.exponent !== exponent - (two ? 1 : 0)) return null;
    if (two) {
      next.push({ ...one, cell, state: "gone" }, { ...two, cell, state: "gone" }, born(cell, exponent, "merged"));
    } else {
      next.push({ ...one, cell, state: "still" });
    }
  }
  return next;
}
