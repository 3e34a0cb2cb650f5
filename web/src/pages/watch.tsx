// Watch: agents at play, side by side on the same seeds.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Shape, parseSize } from "../game/board";
import { packMoves } from "../game/moves_text";
import { decimal, points, short, whole } from "../lib/format";
import { t } from "../lib/i18n";
import { useKeys } from "../lib/keys";
import { announce } from "../lib/live";
import { navigate, query, setQuery } from "../lib/router";
import { BUDGETS, about, usualAgent } from "../lib/server";
import { movesOf, parseLaw, parseSeed } from "../lib/table";
import { Lane, histogram, mean } from "../lib/theater";
import { Board } from "../parts/board";
import { AgentField, BudgetField, SizeField } from "../parts/fields";

/** Moves a second; 0 is as fast as possible. */
const SPEEDS = [1, 2, 5, 10, 20, 50, 0];
const MOST_LANES = 4;
/** How long a finished game stays. */
const PAUSE = 1500;

function Histogram({ lane }: { lane: Lane }) {
  void lane.version.value;
  const bins = histogram(lane.results);
  const most = Math.max(1, ...bins.map(([, count]) => count));
  if (bins.length === 0) return <p class="muted small">{t("noGames")}</p>;
  return (
    <>
      <ul class="histogram" aria-label={t("histogram")}>
        {bins.map(([tile, count]) => (
          <li key={tile} title={t("histogramTip", { tile, count })}>
            <span class="bin" style={{ height: `${(100 * count) / most}%` }} />
            <span class="count">{count}</span>
            <span class="tilename">{short(tile)}</span>
          </li>
        ))}
      </ul>
      <p class="small">{t("meanOf", { n: lane.results.length, mean: whole(mean(lane.results.map((r) => r.score))) })}</p>
    </>
  );
}

function LaneView({ lane, only, onTake, onClose }: { lane: Lane; only: boolean; onTake: () => void; onClose: () => void }) {
  void lane.version.value;
  const { facts, game } = lane;
  return (
    <section class="panel lane" aria-label={lane.agent}>
      <h2>
        <code>{lane.agent}</code>
        {!only && (
          <button type="button" class="plain" aria-label={t("removeLane", { agent: lane.agent })} onClick={onClose}>
            ×
          </button>
        )}
      </h2>
      {lane.problem && (
        <p class="problem" role="alert">
          {lane.problem}
        </p>
      )}
      <div class="scores">
        <div class="score">
          <span>{t("score")}</span>
          <b class="lane-score">{whole(game.score)}</b>
        </div>
        <div class="score">
          <span>{t("moves")}</span>
          <b class="lane-moves">{whole(game.turns.length - 1)}</b>
        </div>
        <div class="score" title={t("seedTip")}>
          <span>{t("seed")}</span>
          <b>{String(lane.seed)}</b>
        </div>
      </div>
      <Board turn={game.turn} small>
        {lane.over && (
          <div class="overlay">
            <p>{t("gameOver")}</p>
            <p class="big">{whole(game.score)}</p>
          </div>
        )}
      </Board>
      <dl class="figures">
        <div title={t("expectedTip")}>
          <dt>{t("expected")}</dt>
          <dd>{facts.value === null || lane.over ? "–" : points(game.score + facts.value)}</dd>
        </div>
        <div title={t("depthTip")}>
          <dt>{t("depthTitle")}</dt>
          <dd>{facts.depth ?? "–"}</dd>
        </div>
        <div title={t("nodesTip")}>
          <dt>{t("nodes")}</dt>
          <dd>{facts.nodesPerSecond === null ? "–" : short(facts.nodesPerSecond)}</dd>
        </div>
      </dl>
      <div class="row">
        <button type="button" onClick={onTake} disabled={lane.over}>
          {t("takeOver")}
        </button>
      </div>
      <Histogram lane={lane} />
    </section>
  );
}

export default function Watch() {
  const ask = query.value;
  const shape: Shape = parseSize(ask.get("size") ?? "4x4") ?? { rows: 4, cols: 4 };
  const size = `${shape.rows}x${shape.cols}`;
  const p4 = parseLaw(ask.get("p4"));
  const seed = parseSeed(ask.get("seed") ?? "1") ?? 1n;
  const asked = ask.getAll("agent").slice(0, MOST_LANES);
  const agents = asked.length > 0 ? asked : [usualAgent(size)];
  const budget = ask.get("budget") ?? "usual";
  const speed = Number(ask.get("speed") ?? 5);
  const known = about.value !== null;
  const playing = useSignal(ask.get("paused") !== "1");
  const version = useSignal(0);
  void version.value;

  const lanes = useMemo(
    () => (known ? agents.map((agent) => new Lane(agent, BUDGETS[budget] ?? {}, shape, p4, seed)) : []),
    [known, agents.join("\n"), budget, size, p4, String(seed)],
  );
  useEffect(() => () => lanes.forEach((lane) => lane.close()), [lanes]);

  const nextGames = (): void => {
    lanes.forEach((lane) => lane.begin(lane.seed + 1n));
    version.value++;
  };
  const step = async (): Promise<boolean> => {
    const moved = await Promise.all(lanes.map((lane) => lane.step()));
    return moved.some(Boolean);
  };
  useEffect(() => {
    if (!playing.value || lanes.length === 0) return;
    let on = true;
    void (async () => {
      let due = performance.now();
      let drawn = due;
      while (on) {
        const moved = await step();
        if (!on) return;
        if (!moved) {
          if (lanes.every((lane) => lane.problem)) return;
          // New games were begun meanwhile: their first moves are still to come.
          if (!lanes.every((lane) => lane.over || lane.problem)) continue;
          const best = lanes.map((lane) => `${lane.agent} ${whole(lane.game.score)}`).join(", ");
          announce(t("overSaid", { score: best }));
          await new Promise((done) => setTimeout(done, speed === 0 ? PAUSE / 5 : PAUSE));
          if (on) nextGames();
          due = performance.now();
          continue;
        }
        due = speed === 0 ? performance.now() : Math.max(due + 1000 / speed, performance.now() - 100);
        const left = due - performance.now();
        if (left > 0) await new Promise((done) => setTimeout(done, left));
        else if (performance.now() - drawn > 16) {
          // As fast as possible still leaves the browser its turn to draw.
          await new Promise((done) => setTimeout(done, 0));
          drawn = performance.now();
        }
      }
    })();
    return () => {
      on = false;
    };
  }, [playing.value, lanes, speed]);

  const setAgents = (list: string[]): void => {
    const next = new URLSearchParams(query.peek());
    next.delete("agent");
    for (const agent of list) next.append("agent", agent);
    navigate(`/watch?${next}`, { replace: true });
  };
  const pause = (): void => {
    playing.value = !playing.value;
    setQuery({ paused: !playing.value });
  };
  const once = (): void => {
    playing.value = false;
    setQuery({ paused: true });
    void step().then(() => announce(lanes.map((lane) => `${lane.agent}: ${lane.game.score}`).join(", ")));
  };
  const faster = (by: number): void => {
    const now = SPEEDS.indexOf(speed);
    const next = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, (now < 0 ? 2 : now) + by))]!;
    setQuery({ speed: next === 5 ? null : String(next) });
  };
  const take = (lane: Lane): void => {
    playing.value = false;
    const params = new URLSearchParams({ size, p4: String(p4), seed: String(lane.seed) });
    const moves = packMoves(movesOf(lane.game));
    if (moves) params.set("moves", moves);
    navigate(`/?${params}`);
  };
  useKeys([
    { keys: [" "], does: "pause", run: pause },
    { keys: ["n", "ArrowRight"], does: "step", run: once },
    { keys: ["+", "="], does: "faster", run: () => faster(1) },
    { keys: ["-"], does: "slower", run: () => faster(-1) },
    { keys: ["g"], does: "nextGame", run: nextGames },
    { keys: ["t"], does: "takeOver", run: () => lanes[0] && take(lanes[0]) },
  ]);

  return (
    <>
      <h1>{t("watchTitle")}</h1>
      <div class="panel controls">
        <div class="row">
          <button type="button" class="primary" onClick={pause} id="pause">
            {playing.value ? t("pauseButton") : t("goOn")}
          </button>
          <button type="button" onClick={once} id="step">
            {t("step")}
          </button>
          <button type="button" onClick={nextGames}>
            {t("nextGame")}
          </button>
          <label class="slider">
            {t("speed", { speed: speed === 0 ? t("fastest") : decimal(speed, 0) })}
            <input
              type="range"
              min="0"
              max={SPEEDS.length - 1}
              value={Math.max(0, SPEEDS.indexOf(speed))}
              aria-valuetext={speed === 0 ? t("fastest") : String(speed)}
              onInput={(e) => setQuery({ speed: String(SPEEDS[Number(e.currentTarget.value)]) })}
            />
          </label>
        </div>
        {/* A small screen shows the boards first. */}
        <details class="more" open={innerWidth > 800}>
          <summary>{t("setupWatch")}</summary>
          <div class="form">
            <SizeField value={size} onChange={(text) => navigate(`/watch?size=${text}`, { replace: true })} />
            <label title={t("seedTip")}>
              {t("firstSeed")}
              <input inputMode="numeric" value={String(seed)} onChange={(e) => setQuery({ seed: parseSeed(e.currentTarget.value.trim()) === null ? "1" : e.currentTarget.value.trim() })} />
            </label>
            <BudgetField value={budget} onChange={(name) => setQuery({ budget: name === "usual" ? null : name })} />
            {agents.map((agent, i) => (
              <AgentField
                key={i}
                size={size}
                label={agents.length > 1 ? `${t("agent")} ${i + 1}` : t("agent")}
                value={agent}
                onChange={(text) => setAgents(agents.map((old, j) => (j === i ? text : old)))}
              />
            ))}
            {agents.length < MOST_LANES && (
              <button type="button" onClick={() => setAgents([...agents, agents.includes("greedy") ? "random" : "greedy"])}>
                {t("addAgent")}
              </button>
            )}
          </div>
        </details>
      </div>
      <div class="lanes">
        {lanes.map((lane, i) => (
          <LaneView key={`${i}${lane.agent}`} lane={lane} only={lanes.length === 1} onTake={() => take(lane)} onClose={() => setAgents(agents.filter((_, j) => j !== i))} />
        ))}
      </div>
    </>
  );
}

