// The attacker's cells: a click places a 2; right-click, Shift or a long press a 4.

import { useEffect, useRef } from "preact/hooks";
import type { Board, Move } from "../game/board";
import { t } from "../lib/i18n";
import { cellStyle } from "./board";

/** Milliseconds that a finger must stay. */
const LONG = 450;

/** A column's letter and a row's number, as `maxtile duel` has them. */
export const cellName = (cols: number, cell: number): string => `${String.fromCharCode(97 + (cell % cols))}${Math.floor(cell / cols) + 1}`;

/** The cell next to this one, or itself at the edge. */
export function neighbour({ rows, cols }: Board["shape"], cell: number, move: Move): number {
  const [row, col] = [Math.floor(cell / cols), cell % cols];
  const [down, right] = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] }[move] as [number, number];
  const [r, c] = [Math.min(rows - 1, Math.max(0, row + down)), Math.min(cols - 1, Math.max(0, col + right))];
  return r * cols + c;
}

export interface CellHint {
  text: string;
  best: boolean;
}

interface Props {
  board: Board;
  /** May something be placed now? Between turns the cells stay, so that the focus stays too. */
  active: boolean;
  /** The exponent of a plain click. */
  usual: number;
  onPlace: (cell: number, other: boolean) => void;
  /** What the best tile in each cell leaves, and whether no other cell is better. */
  hints?: Map<number, CellHint> | null;
}

export function Placing({ board, active, usual, onPlace, hints }: Props) {
  const { cols } = board.shape;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const pressed = useRef(false);
  const release = (): void => clearTimeout(timer.current);
  useEffect(() => release, []);
  return (
    <div class={`field placing${active ? " active" : ""}`} role="group" aria-label={t("cellsToPlace")}>
      {board.cells.map((exponent, cell) => {
        const free = active && exponent === 0;
        const words = { row: Math.floor(cell / cols) + 1, col: (cell % cols) + 1, tile: exponent ? 2 ** exponent : t("empty") };
        const hint = free ? hints?.get(cell) : undefined;
        return (
          <button
            type="button"
            key={cell}
            data-cell={cell}
            data-tile={2 ** usual}
            class={`${free ? "free" : ""}${hint?.best ? " best" : ""}`}
            style={cellStyle(board.shape, cell)}
            tabIndex={exponent === 0 ? 0 : -1}
            aria-disabled={!free}
            onClick={(event) => {
              // The end of a long press is a click too.
              if (pressed.current) pressed.current = false;
              else if (free) onPlace(cell, event.shiftKey);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !event.shiftKey) return;
              // Not every browser says in the click that Shift was held.
              event.preventDefault();
              if (free) onPlace(cell, true);
            }}
            onContextMenu={(event) => {
              event.preventDefault();
              if (free && !pressed.current) onPlace(cell, true);
            }}
            onPointerDown={(event) => {
              pressed.current = false;
              if (!free || event.pointerType !== "touch") return;
              timer.current = setTimeout(() => {
                pressed.current = true;
                onPlace(cell, true);
              }, LONG);
            }}
            onPointerUp={release}
            onPointerLeave={release}
            onPointerCancel={release}
          >
            <span class="hidden">{t("placeCell", words)} </span>
            {hint && <span class={`worth${hint.text.length > 6 ? " long" : ""}`}>{hint.text}</span>}
          </button>
        );
      })}
    </div>
  );
}
