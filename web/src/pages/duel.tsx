// Duel: attack or defend against the program, with advice for either side.

import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Move, parseSize, positionText, sizeText } from "../game/board";
import type { DuelPly, Moment, Side } from "../game/duel";
import { type DuelVerdict, aborted, api, sentence } from "../lib/api";
import { DuelAdviser, duelQuery, gifts, momentKey } from "../lib/duel_adviser";
import { DuelTable, type Role, parseHostility, sideOf } from "../lib/duel_table";
import { decimal, exactDigits, points, whole } from "../lib/format";
import { type Word, t } from "../lib/i18n";
import { type Binding, useKeys } from "../lib/keys";
import { announce } from "../lib/live";
import { USUAL_OPPONENT, opponentAgent, parseOpponent } from "../lib/opponents";
import { navigate, query, setQuery } from "../lib/router";
import { BUDGETS, effortText } from "../lib/server";
import { Badge, Bars } from "../parts/bars";
import { Board } from "../parts/board";
import { Results, opponentWords } from "../parts/duel_results";
import { DuelSetup } from "../parts/duel_setup";
import { Verdict, evalWords, exactly } from "../parts/duel_verdict";
import { EvalBar } from "../parts/evalbar";
import { Placements } from "../parts/placements";
import { type CellHint, Placing, neighbour } from "../parts/placing";

/** How long a ply stays before the program answers, so that it can be seen. */
const PACE = 200;
/** How many plies of a duel that is opened again are judged. */
const PAST = 150;

let kept: DuelTable | null = null;

/** One table for as long as the page is loaded; an address that names another duel changes the duel. */
function theTable(): DuelTable {
  if (!kept) return (kept = new DuelTable(query.peek()));
  kept.open(query.peek());
  return kept;
}

/** What is to be done now, in words. */
function turnWords({ side, tiles }: Moment): string {
  if (side === "defender") return t("turnSlide");
  return tiles.length > 1 ? t("turnAny") : t("turnTile", { tile: 2 ** (tiles[0] ?? 1) });
}

const focusCell = (cell: number): void => document.querySelector<HTMLElement>(`.placing [data-cell="${cell}"]`)?.focus();
const focusedCell = (): number | null => {
  const cell = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["cell"] : undefined;
  return cell === undefined ? null : Number(cell);
};

export default function DuelPage() {
  const [table] = useState(theTable);
  const [adviser] = useState(() => new DuelAdviser());
  const verdict = useSignal<DuelVerdict | null>(null);
  const asked = useSignal<string | null>(null);
  const problem = useSignal<string | null>(null);
  const swapped = useSignal(false);
  const byChance = useSignal(false);
  const written = useRef("");
  void table.version.value;
  void adviser.version.value;

  const { duel, role } = table;
  const { now } = duel;
  const { shape, variant } = duel.rules;
  const size = sizeText(shape);
  const ask = query.value;
  const known = verdict.value?.size === size && verdict.value.variant === variant ? verdict.value : null;
  const solved = known?.state === "ready";
  const opponent = parseOpponent(ask.get("opponent"), solved || known === null);
  const rival = opponentAgent(opponent, size);
  const hostility = parseHostility(ask.get("hostility"));
  const agent = ask.get("agent") ?? known?.default_agent ?? "";
  const budget = ask.get("budget") ?? "usual";
  const always = ask.get("hints") === "1";
  const over = now.side === null;
  const { yours } = table;
  const key = momentKey(now, variant);
  const hinting = always || asked.value === key;

  // The address follows the duel, and the duel follows an address that somebody else has set.
  useEffect(() => {
    if (written.current !== "" && query.peek().toString() !== written.current) table.open(query.peek());
  }, [ask.toString()]);
  useEffect(() => {
    setQuery(table.address());
    written.current = query.peek().toString();
  }, [table.version.value]);
  const change = (changes: Record<string, string | null>): void => {
    if (changes["opponent"] === USUAL_OPPONENT) changes["opponent"] = null;
    if (changes["hostility"] === "1") changes["hostility"] = null;
    if (changes["agent"] === known?.default_agent) changes["agent"] = null;
    problem.value = null;
    setQuery(changes);
    written.current = query.peek().toString();
  };

  const look = (signal?: AbortSignal): void => {
    api
      .duelVerdict(size, variant, signal)
      .then((found) => (verdict.value = found))
      .catch((cause: unknown) => {
        if (!aborted(cause)) problem.value = sentence(cause);
      });
  };
  useEffect(() => {
    const stop = new AbortController();
    look(stop.signal);
    return () => stop.abort();
  }, [size, variant]);

  useEffect(() => {
    if (known) adviser.use({ agent, limits: BUDGETS[budget] ?? {}, size, variant });
  }, [known, agent, budget]);
  useEffect(() => {
    if (!known) return;
    // The newest first: what was asked last is answered first.
    for (const moment of duel.moments.slice(-PAST)) if (moment.side) adviser.want(momentKey(moment, variant));
  }, [known, agent, budget, duel]);
  useEffect(() => {
    if (!known) return;
    adviser.want(momentKey(duel.moments[0]!, variant));
    if (!over) adviser.want(key);
  }, [known, agent, budget, key]);
  useEffect(() => () => adviser.close(), []);

  const answer = adviser.get(key);
  const value = over ? 0 : (answer?.value ?? null);
  const start = known?.score ?? adviser.get(momentKey(duel.moments[0]!, variant))?.value ?? null;
  const total = value === null || start === null ? null : now.score + value;
  const given = gifts(duel, adviser.get);

  const nameOf = (side: Side): string => (table.owns(side) ? (role === "both" ? t(side) : t("you")) : opponentWords(opponent));
  const played = (ply: DuelPly, by: "player" | "agent" | "chance"): boolean => {
    const who = nameOf(sideOf(ply));
    const before = duel.now.score;
    if (!table.play(ply, by === "player" ? null : { agent: rival, hostility: role === "defender" ? hostility : 1 })) return false;
    const { board, score } = duel.now;
    byChance.value = by === "chance";
    const cols = board.shape.cols;
    const said = "slide" in ply
      ? t("slidSaid", { who, move: t(ply.slide), gain: score - before, score })
      : t("placedSaid", { who, tile: 2 ** ply.place.exponent, row: Math.floor(ply.place.cell / cols) + 1, col: (ply.place.cell % cols) + 1 });
    announce(duel.now.side ? said : `${said} ${t("duelOverSaid", { score, tile: duel.largest })}`);
    return true;
  };
  const slideTo = (move: Move): void => {
    if (yours && now.side === "defender") played({ slide: move }, "player");
  };
  const place = (cell: number, exponent: number): void => {
    if (yours && now.side === "attacker") played({ place: { cell, exponent } }, "player");
  };
  /** A click, or with Shift, the right button or a long press the other tile. */
  const click = (cell: number, other: boolean): void => {
    const [one, two = one] = swapped.value ? [...now.tiles].reverse() : now.tiles;
    place(cell, (other ? two : one)!);
  };

  // The program's ply. Whoever undoes, changes the opponent or leaves ends its search.
  useEffect(() => {
    if (over || yours || !known) return;
    const stop = new AbortController();
    const since = performance.now();
    void (async () => {
      try {
        const reply = await api.duelPlay({ ...duelQuery(now, duel), agent: rival, seed: String(duel.seed), ply: duel.moments.length - 1, hostility: role === "defender" ? hostility : 1 }, stop.signal);
        const left = PACE - (performance.now() - since);
        if (left > 0) await new Promise((done) => setTimeout(done, left));
        if (stop.signal.aborted) return;
        const ply: DuelPly | null = reply.move ? { slide: reply.move } : reply.cell === undefined ? null : { place: { cell: reply.cell, exponent: reply.exponent! } };
        if (ply) played(ply, reply.by);
        problem.value = null;
      } catch (cause) {
        if (!aborted(cause) && !stop.signal.aborted) problem.value = sentence(cause);
      }
    })();
    return () => stop.abort();
  }, [table.version.value, known !== null, rival, hostility]);

  const undo = (): void => {
    asked.value = null;
    table.undo();
  };
  const fresh = (next: { role?: Role; size?: string; variant?: typeof variant } = {}): void => {
    asked.value = null;
    problem.value = null;
    table.begin(parseSize(next.size ?? size) ?? shape, next.variant ?? variant, next.role ?? role);
  };
  const swap = (): void => fresh({ role: role === "attacker" ? "defender" : "attacker" });
  const hint = (): void => {
    asked.value = asked.value === key && !always ? null : key;
    const best = answer?.moves?.[0];
    if (best) announce(t("hintSaid", { move: t(best.move), value: points(answer.value) }));
    const place = answer?.placements?.[0];
    if (place) announce(t("hintSaid", { move: t("placeSaid", { tile: 2 ** place.exponent, row: Math.floor(place.cell / shape.cols) + 1, col: (place.cell % shape.cols) + 1 }), value: points(answer.value) }));
  };
  const review = async (): Promise<void> => {
    const record = duel.record(table.owns("defender") ? "page" : rival, table.owns("attacker") ? "page" : rival);
    if (!record) return;
    try {
      const { id } = await api.keepRecord({ record: JSON.stringify(record) });
      navigate(`/review/${id}`);
    } catch (cause) {
      problem.value = sentence(cause);
    }
  };

  const attacks = role === "attacker" || (role === "both" && now.side === "attacker");
  const direct = (move: Move): void => {
    if (!attacks) return slideTo(move);
    const from = focusedCell();
    focusCell(from === null ? Math.max(0, now.board.cells.indexOf(0)) : neighbour(shape, from, move));
  };
  const put = (exponent: number): void => {
    const cell = focusedCell();
    if (cell === null) focusCell(now.board.cells.indexOf(0));
    else place(cell, exponent);
  };
  const direction = (move: Move, keys: string[], slides: Word, focuses: Word): Binding => ({ keys, does: attacks ? focuses : slides, run: () => direct(move) });
  useKeys([
    direction("up", ["ArrowUp", "w", "k"], "moveUp", "focusUp"),
    direction("right", ["ArrowRight", "d", "l"], "moveRight", "focusRight"),
    direction("down", ["ArrowDown", "s", "j"], "moveDown", "focusDown"),
    direction("left", ["ArrowLeft", "a", "h"], "moveLeft", "focusLeft"),
    ...(attacks ? [{ keys: ["2"], does: "placeTwo" as const, run: () => put(1) }, { keys: ["4"], does: "placeFour" as const, run: () => put(2) }] : []),
    { keys: ["H"], does: "hint", run: hint },
    { keys: ["u", "Backspace"], does: "undo", run: undo },
    { keys: ["r", "n"], does: "newDuel", run: () => fresh() },
    { keys: ["x"], does: "swapSides", run: swap },
    { keys: ["v"], does: "reviewThis", run: () => void review() },
  ]);

  const digits = answer?.exact ? exactDigits([...(answer.moves ?? []), ...(answer.placements ?? [])].map((row) => row.value)) : undefined;
  const valued = (n: number): string => (digits === undefined ? points(n) : decimal(n, digits));
  const hints = hinting && yours && answer?.placements ? leastByCell(answer.placements, valued) : null;
  const trouble = problem.value ?? adviser.problem.value;
  const chip = (side: Side) => (
    <span class={`side-chip${now.side === side ? " on" : ""}`} aria-current={now.side === side ? "true" : undefined}>
      {t(side)} <b>{nameOf(side)}</b>
    </span>
  );
  const status = over ? t("duelOver") : yours ? (role === "both" ? t("sideTurn", { side: t(now.side!), what: turnWords(now) }) : t("yourTurn", { what: turnWords(now) })) : t("thinking");

  return (
    <div class="columns">
      <section class="main duel" aria-label={t("duel")}>
        <h1 class="hidden">{t("duel")}</h1>
        <div class="scores">
          <div class="score" title={t("scoreTip")}>
            <span>{t("score")}</span>
            <b id="score">{whole(now.score)}</b>
            {now.slide && now.slide.reward > 0 && <i>+{whole(now.slide.reward)}</i>}
          </div>
          <div class="score" title={t("largestTip")}>
            <span>{t("largestTile")}</span>
            <b>{duel.largest ? whole(duel.largest) : "–"}</b>
          </div>
          <div class="score" title={t("pliesTip")}>
            <span>{t("plies")}</span>
            <b id="plies">{whole(duel.moments.length - 1)}</b>
          </div>
        </div>
        <div class="row spread sides">
          {chip("attacker")}
          {chip("defender")}
        </div>
        <p id="turn" class={`turnline${yours ? " yours" : ""}`}>
          {status}
          {byChance.value && now.placed && !over && <span class="muted small"> {t("byChance")}</span>}
        </p>
        <div class="withbar">
          <EvalBar value={total} start={start} says={evalWords(total)} />
          <Board turn={now} {...(attacks ? {} : { onMove: slideTo })} arrow={hinting && yours ? (answer?.moves?.[0]?.move ?? null) : null}>
            {attacks && <Placing board={now.board} active={yours && now.side === "attacker"} usual={(swapped.value ? now.tiles.at(-1) : now.tiles[0]) ?? 1} onPlace={click} hints={hints} />}
            {over && (
              <div class="overlay">
                <p>{t("gameOver")}</p>
                <p class="big">{whole(now.score)}</p>
                {known?.score !== undefined && (
                  <p class="small">
                    {t("verdictTitle")}: {exactly(known.score)}
                  </p>
                )}
                <div class="row">
                  <button type="button" class="primary" onClick={() => fresh()}>
                    {t("newDuel")}
                  </button>
                  {role !== "both" && (
                    <button type="button" onClick={swap}>
                      {t("swapSides")}
                    </button>
                  )}
                  <button type="button" onClick={() => void review()}>
                    {t("reviewThis")}
                  </button>
                </div>
              </div>
            )}
          </Board>
        </div>
        <div class="row tools">
          <button type="button" onClick={() => fresh()}>
            {t("newDuel")}
          </button>
          <button type="button" onClick={undo} disabled={!table.canUndo}>
            {t("undo")}
          </button>
          <button type="button" onClick={hint} aria-pressed={hinting} disabled={over}>
            {t("hint")}
          </button>
          {role !== "both" && (
            <button type="button" onClick={swap}>
              {t("swapSides")}
            </button>
          )}
        </div>
        {attacks && variant === "free" && (
          <div class="row tools" role="group" aria-label={t("clickPlaces")}>
            <span class="small">{t("clickPlaces")}</span>
            {[false, true].map((other) => (
              <button type="button" key={String(other)} aria-pressed={swapped.value === other} onClick={() => (swapped.value = other)}>
                {other ? 4 : 2}
              </button>
            ))}
          </div>
        )}
        <p class="muted small">
          {t("duelRules")} {attacks ? t(variant === "free" ? "duelHintAttack" : "duelHintOne") : t("duelHintDefend")}
        </p>
      </section>
      <div class="side">
        {trouble && (
          <p class="problem" role="alert">
            {trouble}
          </p>
        )}
        {known && <Verdict key={`${size}${variant}`} verdict={known} score={now.score} value={over ? 0 : answer?.exact ? answer.value : null} onSolved={() => look()} />}
        <section class="panel" aria-labelledby="values-title">
          <h2 id="values-title">{now.side === "attacker" ? t("placementValues") : t("plyValues")}</h2>
          {over ? (
            <p class="muted">{t("gameOver")}</p>
          ) : !hinting ? (
            <p class="muted">{t("hintHidden")}</p>
          ) : !answer ? (
            <p class="muted">{t("loading")}</p>
          ) : (
            <>
              {answer.moves && <Bars moves={answer.moves} {...(digits === undefined ? {} : { digits })} {...(yours ? { onMove: slideTo } : {})} />}
              {answer.placements && <Placements rows={answer.placements} shape={shape} digits={digits} {...(yours ? { onPlace: place } : {})} />}
              <Badge exact={answer.exact} agent={answer.agent} budget={effortText(budget, answer.depth)} />
            </>
          )}
          <label class="check">
            <input type="checkbox" checked={always} onChange={(e) => change({ hints: e.currentTarget.checked ? "1" : null })} />
            {t("hintAlways")}
          </label>
          <dl class="figures">
            {(["attacker", "defender"] as const).map((side) => (
              <div key={side} title={t("giftsTip")}>
                <dt>
                  {t("gifts")}: {t(side)}
                </dt>
                <dd class={`gift-${side}`}>{given.judged ? (solved && agent === "exact" ? exactly(given[side]) : points(given[side])) : "–"}</dd>
              </div>
            ))}
          </dl>
          <p class="muted small" id="judged">
            {t("giftsJudged", { n: given.judged, of: given.plies })}
          </p>
        </section>
        <DuelSetup
          role={role}
          size={size}
          variant={variant}
          opponent={opponent}
          hostility={hostility}
          solved={solved}
          adviser={agent}
          usualAdviser={known?.default_agent ?? ""}
          budget={budget}
          seed={String(duel.seed)}
          position={positionText(now.board)}
          onDuel={fresh}
          onChange={change}
        />
        <Results results={table.results.value} onForget={() => table.forgetResults()} />
      </div>
    </div>
  );
}

/** The better tile of each cell and what it leaves; the tile is named where there are two. */
function leastByCell(rows: readonly { cell: number; exponent: number; value: number }[], text: (value: number) => string): Map<number, CellHint> {
  const found = new Map<number, CellHint>();
  const two = new Set(rows.map((row) => row.exponent)).size > 1;
  // The list is in order: the first of a cell is its least.
  for (const { cell, exponent, value } of rows) if (!found.has(cell)) found.set(cell, { text: `${two ? `${2 ** exponent}: ` : ""}${text(value)}`, best: value === rows[0]!.value });
  return found;
}
