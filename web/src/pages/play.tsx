// Play: the board, and on request what each move is worth.

import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Move, isOver, maxExponent, parseSize, positionText, sizeText } from "../game/board";
import { freshSeed } from "../game/random";
import { Analyst } from "../lib/analyst";
import { api, sentence } from "../lib/api";
import { points, signed, whole } from "../lib/format";
import { t } from "../lib/i18n";
import { useKeys } from "../lib/keys";
import { announce } from "../lib/live";
import { navigate, query, setQuery } from "../lib/router";
import { BUDGETS, about, effortText, usualAgent } from "../lib/server";
import { Table, parseLaw, parseSeed } from "../lib/table";
import { Ledger } from "../lib/tally";
import { Badge, Bars } from "../parts/bars";
import { Board } from "../parts/board";
import { AgentField, BudgetField, SizeField } from "../parts/fields";
import { EvalBar } from "../parts/evalbar";

const WON = 11;
/** How many moves of a game that is opened again are judged. */
const PAST = 150;
/** Milliseconds between the moves of an agent that plays for us. */
const PACES = [0, 100, 300, 1000];

let kept: Table | null = null;

/** One table for as long as the page is loaded; an address that names another game changes the game. */
function theTable(): Table {
  const address = query.peek();
  if (!kept) return (kept = new Table(address));
  kept.keep();
  if (address.has("seed") || address.has("position")) kept.open(address);
  return kept;
}

export default function Play() {
  const [table] = useState(theTable);
  const [analyst] = useState(() => new Analyst());
  const [ledger] = useState(() => new Ledger());
  const asked = useSignal<string | null>(null);
  const handed = useSignal(false);
  const problem = useSignal<string | null>(null);
  const written = useRef("");
  void table.version.value;
  void analyst.version.value;

  const { game } = table;
  const size = sizeText(game.rules.shape);
  const position = positionText(game.board);
  const over = isOver(game.board);
  const ask = query.value;
  const agent = ask.get("agent") ?? usualAgent(size);
  const budget = ask.get("budget") ?? "usual";
  const always = ask.get("hints") === "1";
  const pace = Number(ask.get("pace") ?? 100);
  const known = about.value !== null;

  // The address follows the game, and the game follows an address that somebody else has set.
  useEffect(() => {
    if (written.current !== "" && query.peek().toString() !== written.current) {
      handed.value = false;
      table.keep();
      table.open(query.peek());
    }
  }, [ask.toString()]);
  useEffect(() => {
    setQuery(table.address());
    written.current = query.peek().toString();
  }, [table.version.value]);
  const change = (changes: Record<string, string | null>): void => {
    setQuery(changes);
    written.current = query.peek().toString();
  };

  useEffect(() => {
    if (!known) return;
    analyst.use({ agent, limits: BUDGETS[budget] ?? {}, size, p4: game.rules.p4 });
    ledger.forget();
  }, [known, agent, budget, size, game.rules.p4, game]);
  useEffect(() => {
    if (!known) return;
    analyst.want(positionText(game.turns[0]!.board));
    if (!over) analyst.want(position);
  }, [known, position, agent, budget, game]);
  // A game that comes with a past is judged too, its newest moves first.
  useEffect(() => {
    if (!known) return;
    for (const turn of game.turns.slice(-PAST)) if (!isOver(turn.board)) analyst.want(positionText(turn.board));
  }, [known, agent, budget, game]);
  useEffect(() => () => analyst.close(), []);

  const answer = analyst.get(position);
  const start = analyst.get(positionText(game.turns[0]!.board));
  const tally = ledger.tally(game.turns, analyst.get);
  const hinting = always || asked.value === position;

  const move = (direction: Move, byAgent = false): void => {
    if (!byAgent) handed.value = false;
    const before = table.game.score;
    if (!table.play(direction, byAgent)) return;
    const { board, score, ply } = table.game.turn;
    const cols = board.shape.cols;
    const words = { move: t(direction), gain: score - before, tile: 2 ** ply![2], row: Math.floor(ply![1] / cols) + 1, col: (ply![1] % cols) + 1, score };
    announce(t("moveSaid", words) + (isOver(board) ? ` ${t("overSaid", { score })}` : ""));
  };
  const undo = (): void => {
    handed.value = false;
    table.undo();
  };
  const fresh = (seed = freshSeed()): void => {
    handed.value = false;
    asked.value = null;
    table.begin(table.game.rules.shape, table.game.rules.p4, seed);
  };
  const hint = (): void => {
    asked.value = asked.value === position && !always ? null : position;
    if (answer?.best) announce(t("hintSaid", { move: t(answer.best), value: points(answer.value) }));
  };
  const review = async (): Promise<void> => {
    try {
      const { id } = await api.keepRecord({ record: JSON.stringify(table.game.record("page")) });
      navigate(`/review/${id}`);
    } catch (cause) {
      problem.value = sentence(cause);
    }
  };

  // The agent plays while it is handed the game: the same answers as the hints.
  useEffect(() => {
    if (!handed.value || !known) return;
    let on = true;
    void (async () => {
      while (on && !isOver(table.game.board)) {
        const here = positionText(table.game.board);
        const since = performance.now();
        const said = await analyst.ask(here);
        const left = pace - (performance.now() - since);
        if (left > 0) await new Promise((done) => setTimeout(done, left));
        if (!on || positionText(table.game.board) !== here) continue;
        if (!said?.best) break;
        move(said.best, true);
      }
      if (on) handed.value = false;
    })();
    return () => {
      on = false;
    };
  }, [handed.value, known, agent, budget, pace]);

  useKeys([
    { keys: ["ArrowUp", "w", "k"], does: "moveUp", run: () => move("up") },
    { keys: ["ArrowRight", "d", "l"], does: "moveRight", run: () => move("right") },
    { keys: ["ArrowDown", "s", "j"], does: "moveDown", run: () => move("down") },
    { keys: ["ArrowLeft", "a", "h"], does: "moveLeft", run: () => move("left") },
    { keys: ["H"], does: "hint", run: hint },
    { keys: ["u", "Backspace"], does: "undo", run: undo },
    { keys: ["r", "n"], does: "newGame", run: () => fresh() },
    { keys: ["p"], does: "handOver", run: () => (handed.value = !handed.value && !over) },
    { keys: ["v"], does: "reviewThis", run: () => void review() },
  ]);

  const gain = useComputed(() => {
    void table.version.value;
    const { turns } = table.game;
    return turns.length > 1 ? turns[turns.length - 1]!.score - turns[turns.length - 2]!.score : 0;
  });
  const won = size === "4x4" && maxExponent(game.board) >= WON && !table.beyond && !over;
  const trouble = problem.value ?? analyst.problem.value;

  return (
    <div class="columns">
      <section class="main" aria-label={t("play")}>
        <h1 class="hidden">{t("play")}</h1>
        <div class="scores">
          <div class="score" title={t("scoreTip")}>
            <span>{t("score")}</span>
            <b id="score">{whole(game.score)}</b>
            {gain.value > 0 && <i>+{whole(gain.value)}</i>}
          </div>
          <div class="score" title={t("bestScoreTip")}>
            <span>{t("bestScore")}</span>
            <b>{whole(table.best)}</b>
          </div>
          <div class="score" title={t("movesTip")}>
            <span>{t("moves")}</span>
            <b>{whole(game.turns.length - 1)}</b>
          </div>
        </div>
        <div class="withbar">
          <EvalBar value={hinting || handed.value ? (over ? 0 : (answer?.value ?? null)) : null} start={start?.value ?? null} />
          <Board turn={game.turn} onMove={(m) => move(m)} arrow={hinting ? (answer?.best ?? null) : null}>
            {over && (
              <div class="overlay">
                <p>{t("gameOver")}</p>
                <p class="big">{whole(game.score)}</p>
                <div class="row">
                  <button type="button" class="primary" onClick={() => fresh()}>
                    {t("newGame")}
                  </button>
                  <button type="button" onClick={() => void review()}>
                    {t("reviewThis")}
                  </button>
                </div>
              </div>
            )}
          </Board>
        </div>
        {won && (
          <p class="notice" role="status">
            {t("won")}{" "}
            <button type="button" onClick={() => table.goBeyond()}>
              {t("keepGoing")}
            </button>
          </p>
        )}
        <div class="row tools">
          <button type="button" onClick={() => fresh()}>
            {t("newGame")}
          </button>
          <button type="button" onClick={undo} disabled={!table.canUndo}>
            {t("undo")}
          </button>
          <button type="button" onClick={hint} aria-pressed={hinting} disabled={over}>
            {t("hint")}
          </button>
          <button type="button" class={handed.value ? "primary" : ""} onClick={() => (handed.value = !handed.value)} aria-pressed={handed.value} disabled={over}>
            {handed.value ? t("takeBack") : t("handOver")}
          </button>
        </div>
        <p class="muted small">{t("playHint")}</p>
      </section>
      <div class="side">
        {trouble && (
          <p class="problem" role="alert">
            {trouble}
          </p>
        )}
        <section class="panel" aria-labelledby="values-title">
          <h2 id="values-title">{t("moveValues")}</h2>
          {hinting && !over ? (
            <>
              <Bars moves={answer?.moves ?? null} onMove={(m) => move(m)} />
              {answer && <Badge exact={answer.exact} agent={answer.agent ?? agent} budget={effortText(budget, answer.depth)} />}
            </>
          ) : (
            <p class="muted">{over ? t("gameOver") : t("hintHidden")}</p>
          )}
          <label class="check">
            <input type="checkbox" checked={always} onChange={(e) => change({ hints: e.currentTarget.checked ? "1" : null })} />
            {t("hintAlways")}
          </label>
        </section>
        <section class="panel" aria-labelledby="tally-title">
          <h2 id="tally-title">{t("skillLuck")}</h2>
          <dl class="figures">
            <div title={t("errorsTip")}>
              <dt>{t("errors")}</dt>
              <dd>{tally.judged ? signed(-tally.errors) : "–"}</dd>
            </div>
            <div title={t("luckTip")}>
              <dt>{t("luck")}</dt>
              <dd>{tally.judged ? signed(tally.luck) : "–"}</dd>
            </div>
            <div title={t("streakTip")}>
              <dt>{t("streak")}</dt>
              <dd>{whole(tally.streak)}</dd>
            </div>
          </dl>
          <p class="muted small">{t("judged", { n: tally.judged, of: tally.moves })}</p>
          <button type="button" onClick={() => void review()} disabled={tally.moves === 0}>
            {t("reviewThis")}
          </button>
        </section>
        <section class="panel" aria-labelledby="setup-title">
          <h2 id="setup-title">{t("setup")}</h2>
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              const data = new FormData(event.currentTarget);
              const seed = parseSeed(String(data.get("seed") ?? "").trim());
              const p4 = parseLaw(String(data.get("p4") ?? ""));
              handed.value = false;
              table.begin(table.game.rules.shape, p4, seed ?? freshSeed());
            }}
          >
            <SizeField value={size} onChange={(text) => table.change(parseSize(text)!)} />
            <label title={t("p4Tip")}>
              {t("p4")}
              <input name="p4" type="number" min="0" max="1" step="any" key={`p4${game.rules.p4}`} defaultValue={String(game.rules.p4)} />
            </label>
            <label title={t("seedTip")}>
              {t("seed")}
              <input name="seed" inputMode="numeric" pattern="[0-9]{1,20}" key={`seed${game.seed}`} placeholder={String(game.seed)} />
            </label>
            <button type="submit">{t("begin")}</button>
          </form>
          <div class="form">
            <AgentField size={size} value={agent} onChange={(text) => change({ agent: text === usualAgent(size) ? null : text })} />
            <BudgetField value={budget} onChange={(name) => change({ budget: name === "usual" ? null : name })} />
            <label title={t("paceTip")}>
              {t("pace")}
              <select value={String(pace)} onChange={(e) => change({ pace: e.currentTarget.value === "100" ? null : e.currentTarget.value })}>
                {PACES.map((ms) => (
                  <option key={ms} value={ms}>
                    {ms === 0 ? t("fastest") : `${ms} ms`}
                  </option>
                ))}
              </select>
            </label>
          </div>
          <p class="muted small">
            {t("seed")} <code>{String(game.seed)}</code> · <code>{position}</code>
          </p>
        </section>
      </div>
    </div>
  );
}

