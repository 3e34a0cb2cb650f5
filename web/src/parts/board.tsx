// The board: keyed tiles that the style sheet moves, swipes, and words for those who do not see it.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Board as BoardData, Move, Shape } from "../game/board";
import type { DuelPly } from "../game/duel";
import type { Ply, Turn } from "../game/game";
import { t } from "../lib/i18n";
import { swipeMove } from "../lib/measure";
import { type Change, type Tile, advance, lay } from "../lib/tiles";

export function describe({ shape, cells }: BoardData): string {
  const rows = Array.from({ length: shape.rows }, (_, row) => {
    const tiles = cells.slice(row * shape.cols, (row + 1) * shape.cols);
    return tiles.map((e) => (e === 0 ? t("empty") : String(2 ** e))).join(" ");
  });
  return `${t("board")}: ${rows.join(", ")}`;
}

/** Where a cell lies in its field. */
export const cellStyle = (shape: Shape, cell: number) => ({
  width: `${100 / shape.cols}%`,
  height: `${100 / shape.rows}%`,
  transform: `translate(${(cell % shape.cols) * 100}%, ${Math.floor(cell / shape.cols) * 100}%)`,
});

/** What led from the turn before to this one, if that is known. */
function changeOf(turn: Props["turn"]): Change | null {
  if (turn.placed) return { board: turn.board, placed: turn.placed };
  if (!turn.slide) return null;
  const ply = turn.ply && Array.isArray(turn.ply) ? (turn.ply as Ply) : null;
  return { board: turn.board, slide: turn.slide, ...(ply ? { placed: { cell: ply[1], exponent: ply[2] } } : {}) };
}

interface Props {
  /** A turn of the ordinary game, or a moment of a duel. */
  turn: Change & { ply?: Turn["ply"] | DuelPly };
  onMove?: (move: Move) => void;
  onCell?: (cell: number) => void;
  /** A move to point at. */
  arrow?: Move | null;
  small?: boolean;
  children?: ComponentChildren;
}

export function Board({ turn, onMove, onCell, arrow, small, children }: Props) {
  const { shape } = turn.board;
  const tiles = useRef<Tile[]>([]);
  const shown = useRef<unknown>(null);
  if (shown.current !== turn) {
    const change = changeOf(turn);
    tiles.current = change ? advance(tiles.current, change) : lay(turn.board);
    shown.current = turn;
  }
  const element = useRef<HTMLDivElement>(null);
  const moving = useRef(onMove);
  moving.current = onMove;

  useLayoutEffect(() => {
    const node = element.current;
    if (!node || !moving.current) return;
    let from: { x: number; y: number } | null = null;
    const begin = (event: TouchEvent): void => {
      const touch = event.touches[0];
      from = event.touches.length === 1 && touch ? { x: touch.clientX, y: touch.clientY } : null;
    };
    const scroll = (event: TouchEvent): void => {
      if (from && event.cancelable) event.preventDefault();
    };
    const end = (event: TouchEvent): void => {
      const touch = event.changedTouches[0];
      if (!from || !touch) return;
      const move = swipeMove(touch.clientX - from.x, touch.clientY - from.y);
      from = null;
      if (move) moving.current?.(move);
    };
    node.addEventListener("touchstart", begin, { passive: true });
    node.addEventListener("touchmove", scroll, { passive: false });
    node.addEventListener("touchend", end);
    return () => {
      node.removeEventListener("touchstart", begin);
      node.removeEventListener("touchmove", scroll);
      node.removeEventListener("touchend", end);
    };
  }, [onMove !== undefined]);

  const place = (cell: number) => cellStyle(shape, cell);
  const cells = turn.board.cells.map((_, cell) => cell);
  const wide = Math.max(shape.rows, shape.cols);
  return (
    <div
      class={`board${small ? " small" : ""}`}
      ref={element}
      style={{ aspectRatio: `${shape.cols} / ${shape.rows}`, "--cells": wide, "--cols": shape.cols, maxWidth: `calc(var(--board) * ${shape.cols / wide})` }}
    >
      <div class="field" role="img" aria-label={describe(turn.board)}>
        {cells.map((cell) => (
          <div class="hole" key={`hole${cell}`} style={place(cell)} />
        ))}
        {tiles.current.map((tile) => (
          <div class={`tile ${tile.state}`} key={tile.id} style={place(tile.cell)}>
            <div class={`face t${tile.exponent} d${String(2 ** tile.exponent).length}`}>{2 ** tile.exponent}</div>
          </div>
        ))}
        {arrow && <div class={`arrow ${arrow}`} />}
      </div>
      {onCell && (
        <div class="field buttons">
          {cells.map((cell) => (
            <button type="button" key={cell} style={place(cell)} onClick={() => onCell(cell)} aria-label={t("cellButton", { n: cell + 1, tile: turn.board.cells[cell] ? 2 ** turn.board.cells[cell]! : t("empty") })} />
          ))}
        </div>
      )}
      {children}
    </div>
  );
}
