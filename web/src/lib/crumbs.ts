// The way through a solved board, as it stands in an address: positions without their size.

import { type Board, type Shape, parsePosition } from "../game/board";

/** Longer ways forget their beginning. */
const LONGEST = 12;

export function readCrumbs(text: string | null, shape: Shape): string[] {
  return (text ?? "").split(".").filter((cells) => cells !== "" && parsePosition(cells, shape) !== null);
}

export function addCrumb(crumbs: readonly string[], cells: string): string[] {
  return [...crumbs, cells].slice(-LONGEST);
}

/** The board seen in a mirror. */
export function mirrored({ shape, cells }: Board): Board {
  const { rows, cols } = shape;
  return { shape, cells: cells.map((_, i) => cells[Math.floor(i / cols) * cols + cols - 1 - (i % cols)]!).slice(0, rows * cols) };
}

/** The board a quarter turn to the right. */
export function turned({ shape, cells }: Board): Board {
  const next = { rows: shape.cols, cols: shape.rows };
  return { shape: next, cells: cells.map((_, i) => cells[(shape.rows - 1 - (i % next.cols)) * shape.cols + Math.floor(i / next.cols)]!) };
}
