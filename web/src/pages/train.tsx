// Train: the runs on this machine, live, beside each other and beside what was published.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Preset, type Published, type Run, api, sentence } from "../lib/api";
import { decimal, short, whole } from "../lib/format";
import { type Word, t } from "../lib/i18n";
import { useKeys } from "../lib/keys";
import { navigate, query, setQuery } from "../lib/router";
import { Followed } from "../lib/run_store";
import { meanCurve, settingOf } from "../lib/run_groups";
import { type Curve, type XAxis, align, curveOf, difference, linesOf, optimizerLines, smooth, tileCurve, tilesOf, toCsv, toSvg } from "../lib/series";
import Chart, { type Data, axis, colour } from "../parts/chart";
import { RunList } from "../parts/run_list";
import { Weights } from "../parts/weights";

const COLOURS = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];
const X_AXES: XAxis[] = ["games", "moves", "time"];
const X_WORDS: Record<XAxis, Word> = { games: "xGames", moves: "xMoves", time: "xTime" };
/** How often the list of runs is asked for. */
const PULSE = 3000;

function save(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

interface Figure {
  id: string;
  title: string;
  curves: Curve[];
  log: boolean;
  axisName: XAxis;
  format?: (v: number) => string;
}

/** Is there an area around the curve? */
const edged = (curve: Curve): boolean => Boolean(curve.band ?? curve.low);

function FigurePanel({ id, title, curves, log, axisName, format }: Figure) {
  // A curve with a band is three rows: itself and the two edges.
  const rows = curves.flatMap((curve) => {
    if (curve.low && curve.high) return [curve, { ...curve, y: curve.high }, { ...curve, y: curve.low }];
    if (!curve.band) return [curve];
    const edge = (sign: number) => ({ ...curve, y: curve.y.map((y, i) => (y === null || curve.band![i] == null ? null : Math.max(0, y + sign * curve.band![i]!))) });
    return [curve, edge(1), edge(-1)];
  });
  const data = useMemo<Data>(() => align(rows) as Data, [curves]);
  const shape = `${id}|${log}|${axisName}|${curves.map((c) => c.name + edged(c) + (c.x.length === 1)).join()}`;
  return (
    <section class="panel figure" aria-labelledby={`${id}-title`}>
      <div class="row spread">
        <h2 id={`${id}-title`}>{title}</h2>
        <div class="row">
          <button type="button" class="plain" onClick={() => save(`${id}.csv`, "text/csv", toCsv(curves, axisName))} disabled={curves.length === 0} aria-label={t("downloadOf", { what: title, form: "CSV" })}>
            CSV
          </button>
          <button type="button" class="plain" onClick={() => save(`${id}.svg`, "image/svg+xml", toSvg(title, curves, COLOURS.map(colour)))} disabled={curves.length === 0} aria-label={t("downloadOf", { what: title, form: "SVG" })}>
            SVG
          </button>
        </div>
      </div>
      {curves.length === 0 ? (
        <p class="muted">{t("noCurve")}</p>
      ) : (
        <>
          <Chart
            label={title}
            height={240}
            data={data}
            shape={shape}
            options={() => {
              let row = 0;
              const bands: { series: [number, number]; fill: string }[] = [];
              const series: object[] = [{}];
              curves.forEach((curve, i) => {
                const stroke = colour(COLOURS[i % COLOURS.length]!);
                const few = curve.x.length < 30;
                series.push({ label: curve.name, stroke, width: 2, spanGaps: true, points: { show: few, size: 5 } });
                row += 1;
                if (edged(curve)) {
                  series.push({ stroke: "transparent", width: 0, spanGaps: true, points: { show: false } }, { stroke: "transparent", width: 0, spanGaps: true, points: { show: false } });
                  bands.push({ series: [row + 1, row + 2], fill: `${stroke}33` });
                  row += 2;
                }
              });
              return {
                scales: { x: { time: false, distr: log ? 3 : 1 }, y: { range: (_u: unknown, _low: number, high: number) => [0, (high || 1) * 1.05] } },
                legend: { show: false },
                cursor: { drag: { x: true, y: false } },
                axes: [axis({ size: 30, values: (_u, v) => v.map((n) => (n === null ? "" : short(n))) }), axis({ size: 60, values: (_u, v) => v.map((n) => (format ?? short)(n)) })],
                series: series as never,
                bands: bands as never,
              };
            }}
          />
          <ul class="legend">
            {curves.map((curve, i) => (
              <li key={curve.name + i}>
                <span class={`swatch s${i % COLOURS.length}`} aria-hidden="true" /> {curve.name}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function StartForm({ onStarted }: { onStarted: (name: string) => void }) {
  const presets = useSignal<Preset[]>([]);
  const chosen = useSignal("");
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    api
      .presets()
      .then((list) => {
        presets.value = list;
        chosen.value = list.find((p) => p.name === "tc-4x6")?.name ?? list[0]?.name ?? "";
      })
      .catch((cause: unknown) => (problem.value = sentence(cause)));
  }, []);
  const preset = presets.value.find((p) => p.name === chosen.value);
  const games = preset?.recipe.games;
  return (
    <section class="panel" aria-labelledby="start-title">
      <h2 id="start-title">{t("startRun")}</h2>
      {problem.value && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const data = new FormData(form);
          const field = (name: string): string => String(data.get(name) ?? "").trim();
          const set: Record<string, string> = {};
          if (field("games")) set.games = field("games");
          for (const pair of field("set").split(/[,\n]/)) {
            const [key, ...rest] = pair.split("=");
            if (key?.trim() && rest.length > 0) set[key.trim()] = rest.join("=").trim();
          }
          api
            .startRun({ preset: chosen.value, ...(field("name") ? { name: field("name") } : {}), set })
            .then(({ name }) => {
              problem.value = null;
              onStarted(name);
            })
            .catch((cause: unknown) => (problem.value = sentence(cause)));
        }}
      >
        <label>
          {t("preset")}
          <select value={chosen.value} onChange={(e) => (chosen.value = e.currentTarget.value)}>
            {presets.value.map((p) => (
              <option key={p.name} value={p.name}>
                {p.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("runName")}
          <input name="name" autocomplete="off" maxLength={64} />
        </label>
        <label>
          {t("gamesTitle")}
          <input name="games" inputMode="numeric" pattern="[0-9]*" placeholder={games === undefined ? "" : String(games)} />
        </label>
        <label title={t("setTip")}>
          {t("set")}
          <input name="set" autocomplete="off" placeholder="seed=2" />
        </label>
        <button type="submit" class="primary" disabled={!preset}>
          {t("start")}
        </button>
      </form>
      {preset?.summary && <p class="muted small">{preset.summary}</p>}
    </section>
  );
}

export default function Train() {
  const runs = useSignal<Run[] | null>(null);
  const published = useSignal<Published[]>([]);
  const problem = useSignal<string | null>(null);
  const ask = query.value;
  const chosen = ask.getAll("run");
  const papers = ask.getAll("paper");
  const xAxis = (X_AXES.find((x) => x === ask.get("x")) ?? "games") as XAxis;
  const weight = Math.min(0.99, Math.max(0, Number(ask.get("smooth") ?? 0) || 0));
  const log = ask.get("log") === "1";
  const filter = ask.get("filter") ?? "";
  const group = ask.get("group");
  const means = group !== null && ask.get("means") === "1";

  const followed = useRef(new Map<string, Followed>()).current;
  const refresh = (): void => {
    api
      .runs()
      .then((list) => {
        runs.value = list;
        problem.value = null;
        // A run that was resumed grows again, and is followed again.
        for (const run of list) {
          const watched = followed.get(run.name);
          if (watched?.detail && watched.detail.state !== run.state) void watched.refresh();
        }
      })
      .catch((cause: unknown) => (problem.value = sentence(cause)));
  };
  useEffect(() => {
    refresh();
    const timer = setInterval(() => document.visibilityState === "visible" && refresh(), PULSE);
    api
      .published()
      .then((list) => (published.value = list))
      .catch((cause: unknown) => (problem.value = sentence(cause)));
    return () => clearInterval(timer);
  }, []);

  for (const name of chosen) if (!followed.has(name)) followed.set(name, new Followed(name));
  useEffect(() => {
    for (const [name, one] of followed) {
      if (chosen.includes(name)) continue;
      one.close();
      followed.delete(name);
    }
  }, [chosen.join()]);
  useEffect(() => () => followed.forEach((one) => one.close()), []);

  const setList = (name: "run" | "paper", list: string[]): void => {
    const next = new URLSearchParams(query.peek());
    next.delete(name);
    for (const item of list) next.append(name, item);
    navigate(`/train${next.size > 0 ? `?${next}` : ""}`, { replace: true });
  };
  const togglePaper = (label: string): void => setList("paper", papers.includes(label) ? papers.filter((other) => other !== label) : [...papers, label]);
  const act = (work: Promise<unknown>): void => {
    work.then(refresh).catch((cause: unknown) => (problem.value = sentence(cause)));
  };

  useKeys([
    { keys: ["l"], does: "logAxis", run: () => setQuery({ log: !log }) },
    { keys: ["x"], does: "otherAxis", run: () => setQuery({ x: X_AXES[(X_AXES.indexOf(xAxis) + 1) % 3]! }) },
    { keys: ["]"], does: "smoother", run: () => setQuery({ smooth: Math.min(0.95, weight + 0.05).toFixed(2) }) },
    { keys: ["["], does: "rougher", run: () => setQuery({ smooth: weight <= 0.05 ? null : (weight - 0.05).toFixed(2) }) },
  ]);

  const shown = chosen.flatMap((name) => followed.get(name) ?? []);
  const stamp = shown.map((one) => one.version.value).join();
  const curves = useMemo(() => {
    const smoothed = (curve: Curve): Curve => ({ ...curve, y: smooth(curve.y, weight) });
    let score: Curve[] = [];
    let speed: Curve[] = [];
    let rate: Curve[] = [];
    let loss: Curve[] = [];
    let tiles: Curve[] = [];
    const groupOf = (name: string): string => {
      const run = (runs.value ?? []).find((other) => other.name === name);
      return means && group && run ? `${group} = ${settingOf(run, group)}` : name;
    };
    // Curves that are called the same belong together: those of a group.
    const together = (curves: Curve[]): Curve[] => {
      if (!means) return curves;
      const names = [...new Set(curves.map((curve) => curve.name))];
      return names.map((name) => meanCurve(name, curves.filter((curve) => curve.name === name)));
    };
    for (const one of shown) {
      const name = groupOf(one.name);
      const lines = linesOf(one.metrics, "train");
      if (lines.length > 0) {
        score.push(smoothed(curveOf(name, lines, xAxis, "mean", "ci95")));
        speed.push(smoothed(curveOf(name, lines, xAxis, "games_per_s")));
        rate.push(curveOf(name, lines, xAxis, "rate"));
        // Neural networks alone have an optimiser.
        const optimised = optimizerLines(lines);
        if (optimised.length > 0) loss.push(smoothed(curveOf(name, optimised, xAxis, "loss")));
      }
      const tests = linesOf(one.metrics, "eval");
      if (tests.length > 0) score.push(curveOf(`${name} (${t("tested")})`, tests, xAxis, "mean", "ci95"));
      for (const tile of tilesOf(lines, shown.length > 1 ? 3 : 6)) tiles.push(smoothed({ ...tileCurve(tile, lines, xAxis), name: shown.length > 1 ? `${name} ${tile}` : tile }));
    }
    [score, speed, rate, loss, tiles] = [score, speed, rate, loss, tiles].map(together) as [Curve[], Curve[], Curve[], Curve[], Curve[]];
    if (xAxis === "games") {
      for (const paper of published.value) {
        if (papers.includes(paper.label)) score.push({ name: paper.label, x: paper.points.map((p) => p[0]), y: paper.points.map((p) => p[1]) });
      }
    }
    return { score, speed, rate, loss, tiles };
  }, [stamp, xAxis, weight, papers.join(), published.value, means ? `${group} ${runs.value?.length}` : ""]);

  const first = shown[0];
  const list = runs.value ?? [];
  return (
    <>
      <h1>{t("trainTitle")}</h1>
      {problem.value && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <div class="columns train">
        <div class="main">
          <section class="panel" aria-labelledby="runs-title">
            <h2 id="runs-title">{t("runs")}</h2>
            {runs.value === null && <p class="muted">{t("loading")}</p>}
            {runs.value !== null && list.length === 0 && <p class="muted">{t("noRuns")}</p>}
            <RunList
              runs={list}
              chosen={chosen}
              filter={filter}
              group={group}
              onFilter={(text) => setQuery({ filter: text })}
              onGroup={(key) => setQuery({ group: key })}
              onChoose={(names) => setList("run", names)}
              onStop={(name) => act(api.stopRun(name))}
              onResume={(name) => act(api.resumeRun(name))}
            />
          </section>
          <StartForm
            onStarted={(name) => {
              refresh();
              setList("run", [...new Set([...chosen, name])]);
            }}
          />
          <section class="panel" aria-labelledby="paper-title">
            <h2 id="paper-title">{t("published")}</h2>
            <ul class="papers" tabIndex={0} aria-label={t("published")}>
              {published.value.map((paper) => (
                <li key={paper.label}>
                  <label class="check" title={paper.source}>
                    <input type="checkbox" checked={papers.includes(paper.label)} onChange={() => togglePaper(paper.label)} />
                    {paper.label}
                  </label>
                </li>
              ))}
            </ul>
            {papers.length > 0 && xAxis !== "games" && <p class="muted small">{t("paperAxis")}</p>}
          </section>
        </div>
        <div class="side">
          <div class="panel row controls">
            <label>
              {t("xAxis")}
              <select value={xAxis} onChange={(e) => setQuery({ x: e.currentTarget.value === "games" ? null : e.currentTarget.value })}>
                {X_AXES.map((x) => (
                  <option key={x} value={x}>
                    {t(X_WORDS[x])}
                  </option>
                ))}
              </select>
            </label>
            <label class="slider">
              {t("smoothing", { weight: decimal(weight, 2) })}
              <input type="range" min="0" max="0.95" step="0.05" value={weight} onInput={(e) => setQuery({ smooth: Number(e.currentTarget.value) === 0 ? null : e.currentTarget.value })} />
            </label>
            <label class="check">
              <input type="checkbox" checked={log} onChange={(e) => setQuery({ log: e.currentTarget.checked })} />
              {t("logAxis")}
            </label>
            {group && (
              <label class="check">
                <input type="checkbox" checked={means} onChange={(e) => setQuery({ means: e.currentTarget.checked })} />
                {t("groupMeans")}
              </label>
            )}
          </div>
          {shown.map((one) => one.problem && <p class="problem" key={one.name}>{one.problem}</p>)}
          <FigurePanel id="score" title={t("meanScore")} curves={curves.score} log={log} axisName={xAxis} />
          {shown.length > 0 && (
            <>
              <FigurePanel id="tiles" title={t("tileRates")} curves={curves.tiles} log={log} axisName={xAxis} format={(v) => `${decimal(100 * v, 0)} %`} />
              <FigurePanel id="speed" title={t("gamesPerSecond")} curves={curves.speed} log={log} axisName={xAxis} />
              <FigurePanel id="rate" title={t("learningRate")} curves={curves.rate} log={log} axisName={xAxis} format={(v) => String(Number(v.toPrecision(3)))} />
              {curves.loss.length > 0 && <FigurePanel id="loss" title={t("loss")} curves={curves.loss} log={log} axisName={xAxis} format={(v) => String(Number(v.toPrecision(3)))} />}
            </>
          )}
          {shown.map((one) => {
            const { detail } = one;
            if (!detail) return null;
            const diff = first?.detail && one !== first ? difference(first.detail.recipe, detail.recipe) : [];
            return (
              <section class="panel" key={one.name} aria-label={one.name}>
                <h2>{one.name}</h2>
                {diff.length > 0 && (
                  <table>
                    <thead>
                      <tr>
                        <th scope="col">{t("setting")}</th>
                        <th scope="col">{first!.name}</th>
                        <th scope="col">{one.name}</th>
                      </tr>
                    </thead>
                    <tbody>
                      {diff.map((row) => (
                        <tr key={row.key}>
                          <td>
                            <code>{row.key}</code>
                          </td>
                          <td>{row.one}</td>
                          <td>{row.two}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                )}
                {detail.checkpoints.length > 0 && (
                  <ul class="links">
                    {detail.checkpoints.map((checkpoint) => (
                      <li key={checkpoint.games}>
                        <a href={`/watch?${detail.size === null || detail.size === "4x4" ? "" : `size=${detail.size}&`}agent=${encodeURIComponent(checkpoint.agent)}`}>{t("watchCheckpoint", { games: whole(checkpoint.games) })}</a>
                      </li>
                    ))}
                  </ul>
                )}
                {detail.checkpoints.length > 0 && <Weights name={one.name} games={detail.checkpoints.at(-1)!.games} />}
                <details>
                  <summary>{t("recipe")}</summary>
                  <pre tabIndex={0}>{JSON.stringify(detail.recipe, null, 1)}</pre>
                </details>
              </section>
            );
          })}
        </div>
      </div>
    </>
  );
}
