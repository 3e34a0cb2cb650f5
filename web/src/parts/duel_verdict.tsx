// How a duel ends when both sides play best, or an honest word that nobody knows.

import { api, type DuelVerdict } from "../lib/api";
import { decimal, duration, exactDigits, points, whole } from "../lib/format";
import { t } from "../lib/i18n";
import { Badge } from "./bars";
import { Work } from "./work";

/** Exact values are shown with the decimals that are true and mean something. */
export const exactly = (value: number): string => decimal(value, exactDigits([value]));

interface Props {
  verdict: DuelVerdict;
  score: number;
  /** Exact points to come, once they are known. */
  value: number | null;
  onSolved: () => void;
}

export function Verdict({ verdict, score, value, onSolved }: Props) {
  const { size, variant, state } = verdict;
  const name = size.replace("x", "×");
  return (
    <section class="panel" aria-labelledby="verdict-title">
      <h2 id="verdict-title">{t("verdictTitle")}</h2>
      {state === "ready" && (
        <>
          <dl class="figures">
            <div title={t("verdictScoreTip")}>
              <dt>{t("verdictStart")}</dt>
              <dd id="verdict-start">{exactly(verdict.score ?? 0)}</dd>
            </div>
            {verdict.tile !== undefined && (
              <div title={t("forcedTip")}>
                <dt>{t("forcedTile")}</dt>
                <dd id="verdict-tile">{whole(verdict.tile)}</dd>
              </div>
            )}
            <div title={t("verdictHereTip")}>
              <dt>{t("verdictHere")}</dt>
              <dd id="verdict-here">{value === null ? "–" : `+${exactly(value)}`}</dd>
            </div>
            <div title={t("verdictEndTip")}>
              <dt>{t("verdictEnd")}</dt>
              <dd id="verdict-end">{value === null ? "–" : exactly(score + value)}</dd>
            </div>
          </dl>
          <Badge exact />
        </>
      )}
      {state === "none" && <p class="muted">{t("verdictNone", { size: name })}</p>}
      {state === "building" && <p class="muted">{t("verdictBusy")}</p>}
      {state === "buildable" && (
        <>
          <p class="muted">{t("verdictOpen", { states: whole(verdict.states ?? 0), time: duration(verdict.seconds ?? 0) })}</p>
          <Work label={t("solve")} begin={(signal) => api.duelSolve(size, variant, signal)} onDone={onSolved} />
        </>
      )}
    </section>
  );
}

/** How the score that things come to is said beside the bar. */
export const evalWords = (total: number | null): string => (total === null ? t("duelEvalUnknown") : t("duelEval", { total: points(total) }));
