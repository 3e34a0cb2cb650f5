// The table of finished duels.

import { type DuelResult, resultAddress } from "../lib/duel_results";
import { percent, whole } from "../lib/format";
import { t } from "../lib/i18n";
import { depthOf, opponentName } from "../lib/opponents";

/** An opponent in words: the name of one who has a name, else the agent's text. */
export function opponentWords(name: string): string {
  const depth = depthOf(name);
  if (depth) return t("depthName", { depth });
  if (name === "chance") return t("chanceName");
  if (name === "greedy") return t("greedyName");
  return name === "exact" ? t("exactName") : name;
}

export const roleWords = (role: DuelResult["role"]): string => t(role === "both" ? "bothSides" : role);

function against({ opponents, role, size }: DuelResult): string {
  if (role === "both") return "–";
  const one = ({ agent, hostility }: DuelResult["opponents"][number]): string => {
    const share = role === "defender" && hostility < 1 ? ` ${percent(hostility, 0)}` : "";
    return opponentWords(opponentName(agent, size)) + share;
  };
  return opponents.map(one).join(" → ") || "–";
}

export function Results({ results, onForget }: { results: readonly DuelResult[]; onForget: () => void }) {
  return (
    <section class="panel" aria-labelledby="results-title">
      <h2 id="results-title">{t("results")}</h2>
      {results.length === 0 ? (
        <p class="muted">{t("noResults")}</p>
      ) : (
        <>
          <div class="scroll" tabIndex={0} role="region" aria-labelledby="results-title">
            <table class="results">
              <thead>
                <tr>
                  <th scope="col">{t("role")}</th>
                  <th scope="col">{t("opponent")}</th>
                  <th scope="col">{t("variant")}</th>
                  <th scope="col">{t("size")}</th>
                  <th scope="col" class="num">
                    {t("score")}
                  </th>
                  <th scope="col" class="num">
                    {t("tile")}
                  </th>
                </tr>
              </thead>
              <tbody>
                {results.map((result) => (
                  <tr key={`${result.role}${result.size}${result.variant}${result.seed}${result.plies}`}>
                    <td>{roleWords(result.role)}</td>
                    <td>{against(result)}</td>
                    <td>{t(result.variant)}</td>
                    <td>{result.size.replace("x", "×")}</td>
                    <td class="num">
                      <a href={resultAddress(result)} aria-label={t("openDuel", { score: whole(result.score) })}>
                        {whole(result.score)}
                      </a>
                    </td>
                    <td class="num">{whole(result.tile)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <button type="button" onClick={onForget}>
            {t("forgetResults")}
          </button>
        </>
      )}
    </section>
  );
}
