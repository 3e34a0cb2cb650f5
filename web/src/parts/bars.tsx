// What each move is worth: four bars, the best highlighted, and how the numbers were made.

import { MOVES, type Move } from "../game/board";
import { decimal, points, signed } from "../lib/format";
import { barLength } from "../lib/measure";
import { t } from "../lib/i18n";

interface Row {
  move: Move;
  value: number;
  reward: number;
}

const ARROWS: Record<Move, string> = { up: "↑", right: "→", down: "↓", left: "←" };
export const arrowOf = (move: Move | null | undefined): string => (move ? ARROWS[move] : "–");

interface Props {
  moves: readonly Row[] | null;
  played?: Move | null;
  onMove?: (move: Move) => void;
  /** Decimals, where they are all true. */
  digits?: number;
}

export function Bars({ moves, played, onMove, digits }: Props) {
  const text = (value: number): string => (digits === undefined ? points(value) : decimal(value, digits));
  const values = (moves ?? []).map((m) => m.value);
  const best = Math.max(...values);
  const worst = Math.min(...values);
  return (
    <ul class="bars" aria-label={t("moveValues")}>
      {MOVES.map((move) => {
        const row = moves?.find((m) => m.move === move);
        const top = row !== undefined && row.value === best;
        const loss = row ? row.value - best : 0;
        const label = (
          <>
            <span class="dir" aria-hidden="true">
              {ARROWS[move]}
            </span>
            <span class="hidden">{t(move)}</span>
          </>
        );
        return (
          <li key={move} class={`${top ? "top" : ""}${move === played ? " played" : ""}${row ? "" : " none"}`} title={row ? t("valueTip", { value: points(row.value), reward: row.reward }) : t("notLegal")}>
            {onMove && row ? (
              <button type="button" class="dirbutton" onClick={() => onMove(move)}>
                {label}
              </button>
            ) : (
              <span class="dirbutton">{label}</span>
            )}
            <span class="track">
              <span class="fill" style={{ width: row ? `${100 * barLength(row.value, best, worst)}%` : "0" }} />
            </span>
            <span class="number">{row ? text(row.value) : "–"}</span>
            <span class="loss">{row ? (top ? t("bestShort") : digits === undefined ? signed(loss) : `−${text(-loss)}`) : ""}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** Solid for exact values, open for estimates, with who made them. */
export function Badge({ exact, agent, budget }: { exact: boolean; agent?: string | undefined; budget?: string | undefined }) {
  if (exact) return <span class="badge exact" title={t("exactTip")}>{t("exact")}</span>;
  return (
    <span class="badge estimate" title={t("estimateTip")}>
      {t("estimate")}
      {agent ? ` · ${agent}` : ""}
      {budget ? ` · ${budget}` : ""}
    </span>
  );
}
