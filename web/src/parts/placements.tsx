// What each placement leaves the defender: the attacker's bars, his best first.

import type { Shape } from "../game/board";
import { decimal, points, signed } from "../lib/format";
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

interface Props {
  /** The best first: a search that was cut short has others that look better but were searched less. */
  rows: readonly Row[];
  shape: Shape;
  onPlace?: (cell: number, exponent: number) => void;
  /** Decimals, where they are all true. */
  digits?: number | undefined;
}

export function Placements({ rows, shape, onPlace, digits }: Props) {
  const text = (value: number): string => (digits === undefined ? points(value) : decimal(value, digits));
  const least = rows[0]?.value ?? 0;
  const most = Math.max(...rows.map((row) => row.value));
  return (
    <>
      <ul class="bars" aria-label={t("placementValues")}>
        {rows.slice(0, SHOWN).map((row) => {
          const top = row.value === least;
          const name = `${2 ** row.exponent} ${cellName(shape.cols, row.cell)}`;
          const words = { tile: 2 ** row.exponent, row: Math.floor(row.cell / shape.cols) + 1, col: (row.cell % shape.cols) + 1 };
          return (
            <li key={`${row.cell}.${row.exponent}`} class={top ? "top" : ""} title={t("placementTip", { ...words, value: text(row.value) })}>
              {onPlace ? (
                <button type="button" class="dirbutton wide" onClick={() => onPlace(row.cell, row.exponent)}>
                  {name}
                  <span class="hidden"> {t("placeSaid", words)}</span>
                </button>
              ) : (
                <span class="dirbutton wide">{name}</span>
              )}
              <span class="track">
                {/* Less is better here. */}
                <span class="fill" style={{ width: `${100 * Math.min(1, barLength(-row.value, -least, -most))}%` }} />
              </span>
              <span class="number">{text(row.value)}</span>
              <span class="loss">{top ? t("bestShort") : digits === undefined ? signed(row.value - least) : `+${text(row.value - least)}`}</span>
            </li>
          );
        })}
      </ul>
      {rows.length > SHOWN && <p class="muted small">{t("morePlacements", { n: rows.length - SHOWN })}</p>}
    </>
  );
}
