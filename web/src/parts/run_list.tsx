// The runs of this machine: filtered, in groups, with what makes each different from the chosen one.

import type { Run } from "../lib/api";
import { whole } from "../lib/format";
import { type Word, t } from "../lib/i18n";
import { fits, grouped, unlike, varying } from "../lib/run_groups";

const DOTS: Record<Run["state"], Word> = { running: "stateRunning", stopped: "stateStopped", done: "stateDone" };
/** Differences that are shown of a run. */
const SHOWN = 5;

interface Props {
  runs: readonly Run[];
  chosen: readonly string[];
  filter: string;
  group: string | null;
  onFilter: (filter: string) => void;
  onGroup: (group: string | null) => void;
  onChoose: (names: string[]) => void;
  onStop: (name: string) => void;
  onResume: (name: string) => void;
}

function Difference({ run, from }: { run: Run; from: Run }) {
  const rows = unlike(run, from);
  if (rows.length === 0) return null;
  return (
    <ul class="diff small" aria-label={t("differsFrom", { run: from.name })}>
      {rows.slice(0, SHOWN).map(({ key, one, two }) => (
        <li key={key}>
          <code>{key}</code> <s>{one}</s> {two}
        </li>
      ))}
      {rows.length > SHOWN && <li class="muted">{t("moreSettings", { n: rows.length - SHOWN })}</li>}
    </ul>
  );
}

export function RunList({ runs, chosen, filter, group, onFilter, onGroup, onChoose, onStop, onResume }: Props) {
  const keys = varying(runs);
  const fitting = runs.filter((run) => fits(run, filter));
  const first = runs.find((run) => run.name === chosen[0]);
  const toggle = (name: string): void => onChoose(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  const row = (run: Run) => (
    <li key={run.name}>
      <label class="check">
        <input type="checkbox" checked={chosen.includes(run.name)} onChange={() => toggle(run.name)} />
        <span class={`dot ${run.state}`} aria-hidden="true" />
        <b>{run.name}</b>
      </label>
      <span class="small muted">
        {run.size && run.size !== "4x4" ? `${run.size.replace("x", "×")} · ` : ""}
        {t(DOTS[run.state])} · {whole(run.games ?? 0)}
        {run.total ? ` / ${whole(run.total)}` : ""} {t("xGames")}
        {run.mean === null ? "" : ` · ${t("meanShort")} ${whole(run.mean)}`}
      </span>
      {first && first !== run && <Difference run={run} from={first} />}
      {run.error && <span class="problem small">{run.error}</span>}
      <span class="row">
        {run.state === "running" ? (
          <button type="button" onClick={() => onStop(run.name)} aria-label={`${t("stop")} ${run.name}`}>
            {t("stop")}
          </button>
        ) : (
          run.state === "stopped" && (
            <button type="button" onClick={() => onResume(run.name)} aria-label={`${t("resume")} ${run.name}`}>
              {t("resume")}
            </button>
          )
        )}
      </span>
    </li>
  );
  return (
    <>
      {runs.length > 1 && (
        <div class="form sift">
          <label title={t("filterTip")}>
            {t("filterRuns")}
            <input type="search" autocomplete="off" value={filter} placeholder="step=tc" onInput={(e) => onFilter(e.currentTarget.value)} />
          </label>
          <label>
            {t("groupBy")}
            <select value={group ?? ""} onChange={(e) => onGroup(e.currentTarget.value || null)}>
              <option value="">{t("noGroups")}</option>
              {[...new Set([...keys, ...(group ? [group] : [])])].map((key) => (
                <option key={key} value={key}>
                  {key}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {runs.length > 0 && fitting.length === 0 && <p class="muted">{t("noneMatch")}</p>}
      {grouped(fitting, group).map((one) => {
        const names = one.runs.map((run) => run.name);
        const all = names.every((name) => chosen.includes(name));
        const title = `${group} = ${one.value}`;
        return (
          <div key={one.value}>
            {group && (
              <h3 class="group">
                <label class="check">
                  <input
                    type="checkbox"
                    checked={all}
                    aria-label={t("chooseGroup", { group: title })}
                    onChange={() => onChoose(all ? chosen.filter((name) => !names.includes(name)) : [...new Set([...chosen, ...names])])}
                  />
                  <code>{title}</code>
                </label>
              </h3>
            )}
            <ul class="runs">{one.runs.map(row)}</ul>
          </div>
        );
      })}
    </>
  );
}
