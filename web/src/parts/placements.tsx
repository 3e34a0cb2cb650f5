// What each placement leaves the defender: the attacker's bars, his best first.

import type { Shape } from "../game/board";
import { points, signed } from "../lib/format";
import { t } from "../lib/i18n";
import { barLength } from "../lib/measure";
import { cellName } from "./placing";

interface Row {
  cell: number;
  exponent: number;
  value: number;
}

/** More would be a list of bad plies. */
const SHOWN = 6;

export function Placements({ rows, shape, onPlace }: { rows: readonly Row[]; shape: Shape; onPlace?: (cell: number, exponent: number) => void }) {
  const values = rows.map((row) => row.value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return (
    <>
      <ul class="bars" aria-label={t("placementValues")}>
        {rows.slice(0, SHOWN).map((row) => {
          const top = row.value === least;
          const name = `${2 ** row.exponent} ${cellName(shape.cols, row.cell)}`;
          const words = { tile: 2 ** row.exponent, row: Math.floor(row.cell / shape.cols) + 1, col: (row.cell % shape.cols) + 1 };
          return (
            <li key={`${row.cell}.${row.exponent}`} class={top ? "top" : ""} title={t("placementTip", { ...words, value: points(row.value) })}>
              {onPlace ? (
                <button type="button" class="dirbutton wide" onClick={() => onPlace(row.cell, row.exponent)} aria-label={t("placeSaid", words)}>
                  {name}
                </button>
              ) : (
                <span class="dirbutton wide">{name}</span>
              )}
              <span class="track">
                {/* Less is better here. */}
                <span class="fill" style={{ width: `${100 * barLength(-row.value, -least, -most)}%` }} />
              </span>
              <span class="number">{points(row.value)}</span>
              <span class="loss">{top ? t("bestShort") : signed(row.value - least)}</span>
            </li>
          );
        })}
      </ul>
      {rows.length > SHOWN && <p class="muted small">{t("morePlacements", { n: rows.length - SHOWN })}</p>}
    </>
  );
}
