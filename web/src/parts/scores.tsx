// Which scores the best player makes on a solved board, and how often.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, type Scores as Known, aborted, api, sentence } from "../lib/api";
import { decimal, duration, percent, short, whole } from "../lib/format";
import { t } from "../lib/i18n";
import { ticks } from "../lib/series";
import { Badge } from "./bars";
import { BarChart, type Tick } from "./barchart";
import { Work } from "./work";

/** Seconds that it takes where it is not done at once. */
const SECONDS = 120;

function Chart({ known }: { known: Known }) {
  const { from, width, shares } = known;
  const end = from + width * shares.length;
  const place = (score: number, text: string): Tick => ({ at: (score - from) / (end - from), text });
  const tip = (i: number): string => {
    const low = from + i * width;
    // Scores are multiples of 4, and so are the ends of bars.
    return t("scoresTip", { from: whole(low), to: whole(low + width - 4), share: percent(shares[i]!, 2) });
  };
  return (
    <BarChart
      label={t("scoresSaid", { mean: decimal(known.mean, 1), std: decimal(known.std, 1) })}
      values={shares}
      tip={tip}
      mark={place(known.mean, t("meanShort"))}
      ticks={ticks(from, end, 5).map((score) => place(score, short(score)))}
    />
  );
}

export function Scores({ size }: { size: string }) {
  const known = useSignal<Known | null>(null);
  const missing = useSignal(false);
  const problem = useSignal<string | null>(null);
  const load = (signal?: AbortSignal): void => {
    api
      .scores(size, signal)
      .then((got) => {
        known.value = got;
        missing.value = false;
      })
      .catch((cause: unknown) => {
        if (aborted(cause)) return;
        if (cause instanceof ApiError && cause.status === 409) missing.value = true;
        else problem.value = sentence(cause);
      });
  };
  useEffect(() => {
    const stop = new AbortController();
    known.value = null;
    missing.value = false;
    problem.value = null;
    load(stop.signal);
    return () => stop.abort();
  }, [size]);
  const now = known.value;
  return (
    <section class="panel" aria-labelledby="scores-title">
      <h2 id="scores-title">{t("scoresTitle", { size: size.replace("x", "×") })}</h2>
      {problem.value && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {missing.value && (
        <>
          <p>{t("scoresLead", { time: duration(SECONDS) })}</p>
          <Work label={t("workOut")} begin={(signal) => api.followScores(size, signal)} onDone={() => load()} />
        </>
      )}
      {!now && !missing.value && !problem.value && <p class="muted">{t("loading")}</p>}
      {now && (
        <>
          <Chart known={now} />
          <dl class="figures">
            <div title={t("pointsTip")}>
              <dt>{t("meanShort")}</dt>
              <dd id="scores-mean">{decimal(now.mean, 2)}</dd>
            </div>
            <div title={t("pointsTip")}>
              <dt>{t("deviation")}</dt>
              <dd>{decimal(now.std, 2)}</dd>
            </div>
            <div title={t("pointsTip")}>
              <dt>{t("largest")}</dt>
              <dd>{whole(now.most)}</dd>
            </div>
          </dl>
          <p class="small muted" id="quantiles-title">
            {t("quantiles")}
          </p>
          <dl class="figures" aria-labelledby="quantiles-title">
            {now.quantiles.map(([part, score]) => (
              <div key={part} title={t("quantileTip", { part: percent(part, 0), score: whole(score) })}>
                <dt>{percent(part, 0)}</dt>
                <dd>{whole(score)}</dd>
              </div>
            ))}
          </dl>
          <Badge exact />
        </>
      )}
    </section>
  );
}
