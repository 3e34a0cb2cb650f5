// Review: a game of one's own, graded move by move, and a drill on its mistakes.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { MOVES, type Move, cellsText, positionText } from "../game/board";
import { GRADES, type Grade, type ReviewTurn, aborted, api, sentence } from "../lib/api";
import { Drill, lossOf } from "../lib/drill";
import { decimal, duration, percent, points, signed, whole } from "../lib/format";
import { t } from "../lib/i18n";
import { useKeys } from "../lib/keys";
import { announce } from "../lib/live";
import { ReviewRun, isMistake, nextMistake, phases } from "../lib/review_run";
import { navigate, path, query, setQuery } from "../lib/router";
import { BUDGETS, about, budgetText } from "../lib/server";
import { load } from "../lib/storage";
import { type Saved, fromSaved } from "../lib/table";
import { Badge, Bars, arrowOf } from "../parts/bars";
import { Board } from "../parts/board";
import Chart, { type Data, axis, colour } from "../parts/chart";
import { AgentField, BudgetField } from "../parts/fields";
import { VirtualList } from "../parts/vlist";

const GLYPHS: Record<Grade, string> = { best: "★", good: "✓", inaccuracy: "?!", mistake: "?", blunder: "??" };
const MARKED: Grade[] = ["inaccuracy", "mistake", "blunder"];
const ROW = 30;

/** The text of a file, or its bytes where it is the compact form. */
async function readFile(file: File): Promise<{ record: string } | { record_base64: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (String.fromCharCode(...bytes.subarray(0, 3)) !== "mtg") return { record: new TextDecoder().decode(bytes) };
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { record_base64: btoa(text) };
}

function Choose() {
  const text = useSignal("");
  const problem = useSignal<string | null>(null);
  const over = useSignal(false);
  const own = useMemo(() => {
    const saved = load<Saved>(`game.${load<string>("size") ?? "4x4"}`);
    const game = saved && fromSaved(saved);
    return game && game.turns.length > 1 ? game : null;
  }, []);
  const open = async (body: { record: string } | { record_base64: string }): Promise<void> => {
    try {
      const { id } = await api.keepRecord(body);
      navigate(`/review/${id}`);
    } catch (cause) {
      problem.value = sentence(cause);
    }
  };
  const files = (list: FileList | null | undefined): void => {
    const file = list?.[0];
    if (file) void readFile(file).then(open);
  };
  return (
    <div
      class={`panel drop${over.value ? " over" : ""}`}
      onDragOver={(e) => {
        e.preventDefault();
        over.value = true;
      }}
      onDragLeave={() => (over.value = false)}
      onDrop={(e) => {
        e.preventDefault();
        over.value = false;
        files(e.dataTransfer?.files);
      }}
    >
      <h1>{t("reviewTitle")}</h1>
      <p>{t("reviewLead")}</p>
      {problem.value && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {own && (
        <p>
          <button type="button" class="primary" onClick={() => void open({ record: JSON.stringify(own.record("page")) })}>
            {t("reviewOwn", { score: whole(own.score), moves: whole(own.turns.length - 1) })}
          </button>
        </p>
      )}
      <form
        class="stack"
        onSubmit={(e) => {
          e.preventDefault();
          if (text.value.trim()) void open({ record: text.value });
        }}
      >
        <label>
          {t("paste")}
          <textarea rows={5} value={text.value} spellcheck={false} onInput={(e) => (text.value = e.currentTarget.value)} />
        </label>
        <div class="row">
          <button type="submit" disabled={!text.value.trim()}>
            {t("reviewThis")}
          </button>
          <label class="file">
            {t("chooseFile")}
            <input type="file" accept=".jsonl,.json,.mtg,.txt" onChange={(e) => files(e.currentTarget.files)} />
          </label>
        </div>
      </form>
      <p class="muted small">{t("reviewForms")}</p>
    </div>
  );
}

/** The graph: score, and score plus value, with marks and phases drawn over it. */
function Graph({ run, turn, least, onPick }: { run: ReviewRun; turn: number; least: number; onPick: (turn: number) => void }) {
  const version = run.version.value;
  const count = run.replay.length;
  const data = useMemo<Data>(() => {
    const xs = Array.from({ length: count }, (_, i) => i);
    const score = run.replay.map((r) => r.score);
    const expected = xs.map((i) => {
      const judged = run.turns[i];
      if (judged) return judged.score + judged.value;
      return i === count - 1 && run.summary ? run.summary.score + (run.summary.remaining ?? 0) : null;
    });
    return [xs, score, expected];
  }, [version, count]);
  const latest = useRef({ turn, least, run });
  latest.current = { turn, least, run };
  const plot = useRef<uPlot | null>(null);
  const line = useRef<HTMLDivElement | null>(null);
  /** The line at the current move is an element over the chart: walking must not draw 20,000 points again. */
  const place = (u: uPlot | null): void => {
    if (!u) return;
    if (!line.current || line.current.parentElement !== u.over) {
      line.current = document.createElement("div");
      line.current.className = "nowline";
      u.over.append(line.current);
    }
    line.current.style.left = `${u.valToPos(latest.current.turn, "x")}px`;
  };
  useEffect(() => place(plot.current), [turn]);
  useEffect(() => plot.current?.redraw(false), [least]);
  const lines = useMemo(() => phases(run.replay, Math.max(7, Math.max(0, ...(run.replay.at(-1)?.board.cells ?? [])) - 4)), [run.replay]);

  const draw = (u: uPlot): void => {
    const { ctx, bbox } = u;
    const now = latest.current;
    const scale = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.font = `${11 * scale}px 'DejaVu Sans', system-ui, sans-serif`;
    ctx.lineWidth = scale;
    for (const { turn: at, exponent } of lines) {
      const x = u.valToPos(at, "x", true);
      ctx.strokeStyle = ctx.fillStyle = colour("muted");
      ctx.setLineDash([3 * scale, 3 * scale]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.textAlign = x > bbox.left + bbox.width / 2 ? "right" : "left";
      ctx.fillText(` ${2 ** exponent} `, x, bbox.top + 11 * scale);
    }
    ctx.setLineDash([]);
    // Severities differ in form as well as in colour.
    const marked = now.run.turns.filter((judged): judged is ReviewTurn => judged !== undefined && isMistake(judged, now.least));
    for (const grade of MARKED) {
      ctx.fillStyle = colour(grade);
      for (const judged of marked) {
        if (judged.grade !== grade) continue;
        const [x, y, r] = [u.valToPos(judged.turn, "x", true), u.valToPos(judged.score + judged.value, "y", true), 4.5 * scale];
        ctx.beginPath();
        if (grade === "inaccuracy") ctx.arc(x, y, r * 0.8, 0, 7);
        else if (grade === "mistake") {
          ctx.moveTo(x, y + r);
          ctx.lineTo(x - r, y - r);
          ctx.lineTo(x + r, y - r);
        } else ctx.rect(x - r, y - r, 2 * r, 2 * r);
        ctx.fill();
      }
    }
    ctx.restore();
    place(u);
  };

  return (
    <Chart
      label={t("graphLabel")}
      height={220}
      data={data}
      shape={`review${count}`}
      onPick={onPick}
      onReady={(u) => (plot.current = u)}
      options={() => ({
        scales: { x: { time: false, range: (_u, _min, max) => [0, Math.max(1, max)] } },
        legend: { show: false },
        cursor: { drag: { x: false, y: false } },
        axes: [axis({ size: 30 }), axis({ size: 64, values: (_u, ticks) => ticks.map((v) => whole(v)) })],
        series: [
          {},
          { stroke: colour("muted"), width: 1.5, fill: colour("fill"), points: { show: false } },
          { stroke: colour("accent"), width: 1.5, points: { show: false }, spanGaps: true },
        ],
        hooks: { draw: [draw] },
      })}
    />
  );
}

function Summary({ run }: { run: ReviewRun }) {
  void run.version.value;
  const { summary, progress, state } = run;
  const judged = run.turns.filter((turn): turn is ReviewTurn => turn !== undefined);
  const counts = summary?.grades ?? Object.fromEntries(GRADES.map((g) => [g, judged.filter((turn) => turn.grade === g && turn.played && !turn.forced).length]));
  const errors = summary?.errors ?? judged.reduce((sum, turn) => sum + turn.error, 0);
  const luck = summary?.luck ?? judged.reduce((sum, turn) => sum + turn.luck, 0);
  return (
    <section class="panel" aria-labelledby="summary-title">
      <h2 id="summary-title">{t("summary")}</h2>
      {state === "running" && (
        <div class="row progress">
          <progress aria-label={t("progress")} max={progress?.total || 1} value={progress?.done ?? 0} />
          <span class="small">
            {progress ? `${whole(progress.done)} / ${whole(progress.total)}` : t("loading")}
            {progress?.secondsLeft != null ? ` · ${t("timeLeft", { time: duration(progress.secondsLeft) })}` : ""}
          </span>
          <button type="button" onClick={() => run.cancel()}>
            {t("cancel")}
          </button>
        </div>
      )}
      {state === "cancelled" && <p class="notice">{t("cancelled")}</p>}
      {run.problem && (
        <p class="problem" role="alert">
          {run.problem}
        </p>
      )}
      <dl class="figures">
        <div title={t("accuracyTip")}>
          <dt>{t("accuracy")}</dt>
          <dd id="accuracy">{summary?.accuracy != null ? percent(summary.accuracy / 100) : "–"}</dd>
        </div>
        <div title={t("errorsTip")}>
          <dt>{t("errors")}</dt>
          <dd>{signed(-errors)}</dd>
        </div>
        <div title={t("luckTip")}>
          <dt>{t("luck")}</dt>
          <dd>{signed(luck)}</dd>
        </div>
      </dl>
      <ul class="grades">
        {GRADES.map((grade) => (
          <li key={grade} class={grade}>
            <span aria-hidden="true">{GLYPHS[grade]}</span> {t(grade)} <b>{whole(counts[grade] ?? 0)}</b>
          </li>
        ))}
      </ul>
      {summary && (
        <>
          <p id="identity" class="identity" title={t("identityTip", { rest: summary.identity_residual.toExponential(1) })}>
            {whole(summary.score)} = {decimal(summary.start_value, 1)} − {decimal(summary.errors, 1)} {summary.luck < 0 ? "−" : "+"} {decimal(Math.abs(summary.luck), 1)}
            {summary.remaining ? ` − ${decimal(summary.remaining, 1)}` : ""}
          </p>
          <p class="small muted">{t(summary.remaining ? "identityOpen" : "identity")}</p>
          {/* Estimates err a little at every move, which adds up: only the truth says what play is worth. */}
          {summary.exact && <p>{t("worth", { score: whole(summary.score), worth: whole(summary.without_luck ?? summary.score - summary.luck) })}</p>}
          <Badge exact={summary.exact} agent={summary.agent} />
        </>
      )}
    </section>
  );
}

/** How the best move may go on. */
function BestLine({ judged }: { judged: ReviewTurn }) {
  const line = judged.line?.map((step) => arrowOf(step.move)).join(" ");
  return (
    <p class="line" title={t("lineTip")}>
      {t("bestLine")}: <b>{line || arrowOf(judged.best)}</b>
    </p>
  );
}

/** `round` counts changes of the drill, so that it is drawn again. */
function DrillPanel({ run, drill, onAnswer, onNext, onEnd, said }: { run: ReviewRun; drill: Drill; round: number; onAnswer: (move: Move) => void; onNext: () => void; onEnd: () => void; said: Said | null }) {
  const judged = drill.current === null ? undefined : run.turns[drill.current];
  return (
    <section class="panel" aria-labelledby="drill-title">
      <h2 id="drill-title">{t("drill")}</h2>
      <p id="drill-count">{t("drillCount", { solved: drill.solved, total: drill.total })}</p>
      {judged ? (
        <>
          <p>{t("drillAsk", { move: t(judged.played!), loss: points(judged.error) })}</p>
          <p role="status" class={said ? (said.right ? "right" : "wrong") : ""} id="drill-said">
            {said?.text ?? "\u00a0"}
          </p>
          {said?.show && <Bars moves={judged.moves} played={judged.played} />}
          {!said?.right && !said?.show && (
            <div class="row">
              {MOVES.filter((move) => judged.moves.some((m) => m.move === move)).map((move) => (
                <button type="button" key={move} onClick={() => onAnswer(move)} aria-label={t(move)}>
                  {arrowOf(move)}
                </button>
              ))}
            </div>
          )}
          <div class="row">
            <button type="button" class={said?.right ? "primary" : ""} onClick={onNext}>
              {said?.right || said?.show ? t("next") : t("showAnswer")}
            </button>
            <button type="button" onClick={onEnd}>
              {t("endDrill")}
            </button>
          </div>
        </>
      ) : (
        <>
          <p>{drill.total === 0 ? t("drillNone") : t("drillDone", { failures: drill.failures })}</p>
          <button type="button" onClick={onEnd}>
            {t("endDrill")}
          </button>
        </>
      )}
    </section>
  );
}

interface Said {
  right: boolean;
  show: boolean;
  text: string;
}

function Reviewed({ run, again }: { run: ReviewRun; again: (changes: Record<string, string | null>) => void }) {
  void run.version.value;
  const ask = query.value;
  const last = Math.max(0, run.replay.length - 1);
  const turn = Math.min(last, Math.max(0, Number(ask.get("turn") ?? 0) || 0));
  const least = Number(ask.get("least") ?? 0) || 0;
  const onlyMistakes = ask.get("only") === "1";
  const agent = ask.get("agent");
  const budget = ask.get("budget") ?? "usual";
  const drill = useSignal<Drill | null>(null);
  const said = useSignal<Said | null>(null);
  const tick = useSignal(0);
  void tick.value;
  const go = (to: number | null): void => {
    if (to === null) return;
    const turn = Math.min(last, Math.max(0, to));
    setQuery({ turn: turn || null });
    const judged = run.turns[turn];
    if (judged?.played) announce(t("turnSaid", { turn, move: t(judged.played), grade: t(judged.grade), error: points(judged.error) }));
  };
  const rows = useMemo(() => {
    const all = Array.from({ length: last }, (_, i) => i);
    return onlyMistakes ? all.filter((i) => run.turns[i] && isMistake(run.turns[i]!, least)) : all;
  }, [last, onlyMistakes, least, onlyMistakes ? run.version.value : 0]);
  const worst = useMemo(() => Math.max(1, ...run.turns.map((judged) => judged?.error ?? 0)), [run.version.value]);

  const showDrill = (next: Drill): void => {
    drill.value = next;
    said.value = null;
    if (next.current !== null) go(next.current);
    tick.value++;
  };
  const answer = (move: Move): void => {
    const now = drill.value;
    const judged = now?.current == null ? undefined : run.turns[now.current];
    if (!now || !judged || said.value?.right || said.value?.show || lossOf(judged, move) === null) return;
    const right = now.answer(judged, move);
    const loss = lossOf(judged, move)!;
    const text = right ? t(loss < 1e-3 ? "drillBest" : "drillNear", { move: t(move), loss: points(loss) }) : t("drillWrong", { move: t(move), loss: points(loss) });
    said.value = { right, show: false, text };
    tick.value++;
  };
  const nextDrill = (): void => {
    const now = drill.value;
    const judged = now?.current == null ? undefined : run.turns[now.current];
    if (!now || !judged) return;
    if (!said.value?.right && !said.value?.show) {
      now.fail();
      tick.value++;
      said.value = { right: false, show: true, text: t("drillShown", { move: t(judged.best ?? judged.moves[0]!.move) }) };
      return;
    }
    now.next();
    showDrill(now);
  };
  const endDrill = (): void => {
    drill.value = null;
    said.value = null;
  };
  const begin = (): void => showDrill(new Drill((run.summary?.drill ?? []).filter((i) => (run.turns[i]?.error ?? 0) >= least)));
  const arrows = (move: Move, otherwise: () => void) => () => (drill.value ? answer(move) : otherwise());
  useKeys([
    { keys: ["ArrowLeft", "h"], does: "previousMove", run: arrows("left", () => go(turn - 1)) },
    { keys: ["ArrowRight", "l"], does: "nextMove", run: arrows("right", () => go(turn + 1)) },
    { keys: ["ArrowUp", "k"], does: "backTen", run: arrows("up", () => go(turn - 10)) },
    { keys: ["ArrowDown", "j"], does: "forwardTen", run: arrows("down", () => go(turn + 10)) },
    { keys: ["Home"], does: "firstMove", run: () => go(0) },
    { keys: ["End"], does: "lastMove", run: () => go(last) },
    { keys: ["n"], does: "nextMistake", run: () => (drill.value ? nextDrill() : go(nextMistake(run.turns, turn, 1, least))) },
    { keys: ["N", "b"], does: "previousMistake", run: () => go(nextMistake(run.turns, turn, -1, least)) },
    { keys: ["t"], does: "drill", run: () => (drill.value ? endDrill() : run.summary && begin()) },
    { keys: ["Escape"], does: "endDrill", run: endDrill },
  ]);

  const judged = run.turns[turn];
  const board = run.replay[turn];
  const rowOf = (index: number) => {
    const i = rows[index]!;
    const row = run.turns[i];
    const ply = run.replay[i + 1]?.ply;
    return (
      <>
        <span class="at">{i}</span>
        <span class="mv">{ply ? ["↑", "→", "↓", "←"][ply[0]] : ""}</span>
        <span class={`gr ${row?.grade ?? ""}`} title={row ? t(row.grade) : ""}>
          {row ? GLYPHS[row.grade] : "…"}
        </span>
        <span class="er">{row && row.error >= 0.005 ? signed(-row.error) : ""}</span>
        <span class="lu">{row ? signed(row.luck) : ""}</span>
      </>
    );
  };
  const size = run.game?.rules.size ?? "4x4";
  const p4 = run.game?.rules.p4 ?? 0.1;
  if (!board) {
    return <Summary run={run} />;
  }
  const selected = onlyMistakes ? Math.max(0, rows.findIndex((i) => i >= turn)) : turn;
  return (
    <div class="columns">
      <section class="main" aria-label={t("review")}>
        <h1 class="hidden">{t("reviewTitle")}</h1>
        <div class="scores">
          <div class="score">
            <span>{t("score")}</span>
            <b>{whole(board.score)}</b>
          </div>
          <div class="score" title={t("expectedTip")}>
            <span>{t("expected")}</span>
            <b>{judged ? whole(judged.score + judged.value) : "–"}</b>
          </div>
          <div class="score">
            <span>{t("move")}</span>
            <b>
              {whole(turn)} / {whole(last)}
            </b>
          </div>
        </div>
        <Board turn={board} arrow={drill.value && !said.value?.right && !said.value?.show ? null : (judged?.best ?? null)} {...(drill.value ? { onMove: answer } : {})} />
        <div class="row tools">
          <button type="button" onClick={() => go(turn - 1)} disabled={turn === 0} aria-label={t("previousMove")}>
            ←
          </button>
          <button type="button" onClick={() => go(turn + 1)} disabled={turn === last} aria-label={t("nextMove")}>
            →
          </button>
          <button type="button" onClick={() => go(nextMistake(run.turns, turn, 1, least))}>
            {t("nextMistake")}
          </button>
          <button type="button" onClick={begin} disabled={!run.summary}>
            {t("drill")}
          </button>
        </div>
        {drill.value ? (
          <DrillPanel run={run} drill={drill.value} round={tick.value} said={said.value} onAnswer={answer} onNext={nextDrill} onEnd={endDrill} />
        ) : (
          <section class="panel" aria-labelledby="move-title">
            <h2 id="move-title">{t("moveValues")}</h2>
            {judged?.played ? (
              <>
                <Bars moves={judged.moves} played={judged.played} />
                <p>
                  {t("playedLine", { move: t(judged.played), grade: t(judged.grade) })} · {t("errors")} {signed(-judged.error)} · {t("luck")} {signed(judged.luck)}
                </p>
                <BestLine judged={judged} />
                <Badge exact={judged.exact} agent={run.summary?.agent ?? agent ?? undefined} budget={budgetText(budget)} />
              </>
            ) : (
              <p class="muted">{turn === last ? t("gameEnd") : t("notYet")}</p>
            )}
            <p class="links">
              <a href={`/?position=${positionText(board.board)}${p4 === 0.1 ? "" : `&p4=${p4}`}`}>{t("playFrom")}</a>
              {about.value?.solved.includes(size) && <a href={`/explore/${size}/${cellsText(board.board)}`}>{t("openExplore")}</a>}
            </p>
          </section>
        )}
      </section>
      <div class="side">
        <Summary run={run} />
        <section class="panel" aria-labelledby="graph-title">
          <h2 id="graph-title">{t("graph")}</h2>
          <Graph run={run} turn={turn} least={least} onPick={go} />
          <label class="slider" title={t("leastTip")}>
            {t("least", { points: points(least) })}
            <input
              type="range"
              min="0"
              max="100"
              value={least <= 0 ? 0 : Math.round((100 * Math.log1p(least)) / Math.log1p(worst))}
              onInput={(e) => {
                const share = Number(e.currentTarget.value) / 100;
                setQuery({ least: share === 0 ? null : Math.expm1(share * Math.log1p(worst)).toPrecision(3) });
              }}
            />
          </label>
        </section>
        <section class="panel" aria-labelledby="list-title">
          <h2 id="list-title">{t("moveList")}</h2>
          <label class="check">
            <input type="checkbox" checked={onlyMistakes} onChange={(e) => setQuery({ only: e.currentTarget.checked })} />
            {t("onlyMistakes")}
          </label>
          <div class="vhead" aria-hidden="true">
            <span class="at">#</span>
            <span class="mv" />
            <span class="gr" />
            <span class="er">{t("errors")}</span>
            <span class="lu">{t("luck")}</span>
          </div>
          <VirtualList count={rows.length} rowHeight={ROW} label={t("moveList")} selected={selected} onSelect={(index) => go(rows[index]!)} row={rowOf} />
        </section>
        <section class="panel" aria-labelledby="again-title">
          <h2 id="again-title">{t("judgedBy")}</h2>
          <div class="form">
            <AgentField size={size} value={agent ?? run.summary?.agent ?? ""} onChange={(text) => again({ agent: text })} />
            <BudgetField value={budget} onChange={(name) => again({ budget: name === "usual" ? null : name })} />
          </div>
          <p class="small muted">{t("gradeRule")}</p>
          <p class="links">
            <a href="/review">{t("anotherGame")}</a>
            <a href={`/api/records/${path.value.split("/")[2]}`} download={`game-${path.value.split("/")[2]}.jsonl`}>
              {t("download")}
            </a>
          </p>
          <label>
            {t("share")}
            <input readOnly value={`${location.origin}${path.value}`} onFocus={(e) => e.currentTarget.select()} />
          </label>
        </section>
      </div>
    </div>
  );
}

/** Reviews are kept while the page is loaded: going back to one does not compute it again. */
const kept = new Map<string, ReviewRun>();

export default function Review() {
  const id = path.value.split("/")[2] ?? "";
  const agent = query.value.get("agent");
  const budget = query.value.get("budget") ?? "usual";
  const key = `${id}|${agent ?? ""}|${budget}`;
  const [run, setRun] = useState<{ key: string; run: ReviewRun } | null>(null);
  const problem = useSignal<string | null>(null);
  useEffect(() => {
    problem.value = null;
    if (!id) return;
    const known = kept.get(key);
    if (known && known.state === "done") {
      setRun({ key, run: known });
      return;
    }
    const stop = new AbortController();
    let begun: ReviewRun | null = null;
    api
      .record(id, stop.signal)
      .then((record) => {
        const limits = BUDGETS[budget] ?? {};
        begun = new ReviewRun({ record, ...(agent ? { agent } : {}), ...(Object.keys(limits).length ? { limits } : {}) });
        kept.set(key, begun);
        setRun({ key, run: begun });
      })
      .catch((cause: unknown) => {
        if (!aborted(cause)) problem.value = sentence(cause);
      });
    return () => {
      stop.abort();
      begun?.cancel();
    };
  }, [key]);
  if (!id) return <Choose />;
  if (problem.value) {
    return (
      <div class="panel">
        <h1>{t("reviewTitle")}</h1>
        <p class="problem" role="alert">
          {problem.value}
        </p>
        <p>
          <a href="/review">{t("anotherGame")}</a>
        </p>
      </div>
    );
  }
  if (!run || run.key !== key) return <p class="muted">{t("loading")}</p>;
  return <Reviewed key={key} run={run.run} again={(changes) => setQuery(changes)} />;
}

