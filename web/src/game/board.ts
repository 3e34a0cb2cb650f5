// Boards as arrays of exponents, row by row: slides with the way each tile went, and the short text.

/** Moves by number: the original game's order. */
export const MOVES = ["up", "right", "down", "left"] as const;
export type Move = (typeof MOVES)[number];

export interface Shape {
  rows: number;
  cols: number;
}

/** Exponents of the tiles, 0 for an empty cell. */
export interface Board {
  shape: Shape;
  cells: readonly number[];
}

/** Where a tile came from and where it went; two with the same `to` have merged. */
export interface Step {
  from: number;
  to: number;
}

export interface Slide {
  cells: number[];
  reward: number;
  steps: Step[];
}

export const sizeText = (shape: Shape): string => `${shape.rows}x${shape.cols}`;
export const isClassic = (shape: Shape): boolean => shape.rows === 4 && shape.cols === 4;

/** Reads `3x4`: sides from 1 to 6, at most 16 cells. */
export function parseSize(text: string): Shape | null {
  const match = /^([1-6])x([1-6])$/.exec(text);
  if (!match) return null;
  const shape = { rows: Number(match[1]), cols: Number(match[2]) };
  return shape.rows * shape.cols <= 16 ? shape : null;
}

/** The cells of each line, the one the tiles slide to first. */
function lines({ rows, cols }: Shape, move: Move): number[][] {
  const upright = move === "up" || move === "down";
  const [count, length] = upright ? [cols, rows] : [rows, cols];
  const backwards = move === "down" || move === "right";
  return Array.from({ length: count }, (_, line) =>
    Array.from({ length }, (_, i) => {
      const along = backwards ? length - 1 - i : i;
      return upright ? along * cols + line : line * cols + along;
    }),
  );
}

/** The slide, or `null` when nothing moves. */
export function slide(board: Board, move: Move): Slide | null {
  const cells = new Array<number>(board.cells.length).fill(0);
  const steps: Step[] = [];
  let reward = 0;
  for (const line of lines(board.shape, move)) {
    let next = 0;
    let open = false; // May the tile at next - 1 still merge?
    for (const from of line) {
      const exponent = board.cells[from]!;
      if (exponent === 0) continue;
      const last = line[next - 1];
      if (open && last !== undefined && cells[last] === exponent) {
        cells[last] = exponent + 1;
        reward += 2 ** (exponent + 1);
        steps.push({ from, to: last });
        open = false;
      } else {
        const to = line[next++]!;
        cells[to] = exponent;
        steps.push({ from, to });
        open = true;
      }
    }
  }
  const moved = cells.some((exponent, cell) => exponent !== board.cells[cell]);
  return moved ? { cells, reward, steps } : null;
}

export const legalMoves = (board: Board): Move[] => MOVES.filter((move) => slide(board, move) !== null);
export const isOver = (board: Board): boolean => legalMoves(board).length === 0;
export const maxExponent = (board: Board): number => Math.max(0, ...board.cells);
export const tileSum = (board: Board): number => board.cells.reduce((sum, e) => sum + (e ? 2 ** e : 0), 0);

export function withTile(board: Board, cell: number, exponent: number): Board {
  const cells = board.cells.slice();
  cells[cell] = exponent;
  return { shape: board.shape, cells };
}

/** One character a cell, without the size. */
export const cellsText = (board: Board): string => board.cells.map((e) => e.toString(36)).join("");

/** The project's short text of a position (docs/formats.md). */
export function positionText(board: Board): string {
  return (isClassic(board.shape) ? "" : `${sizeText(board.shape)}:`) + cellsText(board);
}

/** Reads the short text; `shape` is the size of a text that does not say it. */
export function parsePosition(text: string, shape: Shape = { rows: 4, cols: 4 }): Board | null {
  const parts = text.trim().toLowerCase().split(":");
  const own = parts.length === 2 ? parseSize(parts[0]!) : shape;
  const cells = parts[parts.length - 1]!;
  if (!own || parts.length > 2 || cells.length !== own.rows * own.cols || !/^[0-9a-h]+$/.test(cells)) return null;
  const exponents = Array.from(cells, (c) => parseInt(c, 36));
  return exponents.some((e) => e > exponents.length + 1) ? null : { shape: own, cells: exponents };
}
