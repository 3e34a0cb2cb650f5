// What the weights of a run look like, table by table.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, type Weights as Known, aborted, api, sentence } from "../lib/api";
import { percent, whole } from "../lib/format";
import { t } from "../lib/i18n";
import { BarChart } from "./barchart";

/** Three digits that matter. */
const brief = (n: number | null): string => (n === null ? "–" : String(Number(n.toPrecision(3))).replace("-", "−"));

interface Props {
  name: string;
  /** The games of the newest checkpoint: others have other weights. */
  games: number;
}

export function Weights({ name, games }: Props) {
  const known = useSignal<Known | null>(null);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    api
      .weights(name, stop.signal)
      .then((got) => {
        known.value = got;
        problem.value = null;
      })
      .catch((cause: unknown) => {
        // A run without a checkpoint has nothing to show yet.
        if (!aborted(cause) && !(cause instanceof ApiError && cause.status === 409)) problem.value = sentence(cause);
      });
    return () => stop.abort();
  }, [name, games]);
  if (problem.value) return <p class="problem">{problem.value}</p>;
  const now = known.value;
  if (!now) return null;
  const stages = new Set(now.tables.map((table) => table.stage)).size > 1;
  const wild = now.tables.reduce((sum, table) => sum + table.wild, 0);
  const id = `weights-${name}`;
  return (
    <>
      <h3 id={id}>{t("weights", { games: whole(now.games) })}</h3>
      {wild > 0 && <p class="problem">{t("wildWeights", { n: whole(wild) })}</p>}
      <div class="scroll weights" tabIndex={0} role="region" aria-labelledby={id}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("weightTable")}</th>
              {stages && (
                <th scope="col" class="num">
                  {t("weightStage")}
                </th>
              )}
              <th scope="col">{t("weightHistogram")}</th>
              <th scope="col" class="num">
                {t("weightCount")}
              </th>
              <th scope="col" class="num">
                {t("nonzero")}
              </th>
              {(["meanShort", "smallest", "largest"] as const).map((word) => (
                <th scope="col" class="num" title={t("weightsTip")} key={word}>
                  {t(word)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {now.tables.map((table) => {
              const { histogram, min, max } = table;
              const edge = (i: number): string => brief(min! + ((max! - min!) * i) / histogram.length);
              return (
                <tr key={table.table}>
                  <th scope="row">
                    <code title={table.table}>{table.cells ?? table.table}</code>
                  </th>
                  {stages && <td class="num">{table.stage + 1}</td>}
                  <td>
                    {histogram.length > 0 && (
                      <BarChart
                        small
                        label={`${table.table}: ${t("weightHistogram")}`}
                        values={histogram.map((n) => Math.log10(1 + n))}
                        tip={(i) => t("weightsIn", { low: edge(i), high: edge(i + 1), n: whole(histogram[i]!) })}
                      />
                    )}
                  </td>
                  <td class="num">{whole(table.count)}</td>
                  <td class="num" title={whole(table.nonzero)}>
                    {percent(table.nonzero / Math.max(1, table.count), 1)}
                  </td>
                  <td class="num">{brief(table.mean)}</td>
                  <td class="num">{brief(table.min)}</td>
                  <td class="num">{brief(table.max)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}
