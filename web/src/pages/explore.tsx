// Explore: what is known exactly about small boards.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Board as BoardData, type Move, cellsText, isOver, parsePosition, parseSize, sizeText, withTile } from "../game/board";
import { type Explored, type SolvedBoard, ApiError, aborted, api, sentence } from "../lib/api";
import { addCrumb, mirrored, readCrumbs, turned } from "../lib/crumbs";
import { chance, decimal, duration, points, signed, whole } from "../lib/format";
import { t } from "../lib/i18n";
import { useKeys } from "../lib/keys";
import { announce } from "../lib/live";
import { navigate, path, query, setQuery } from "../lib/router";
import { loadAbout } from "../lib/server";
import { Badge, Bars, arrowOf } from "../parts/bars";
import { Board } from "../parts/board";
import { Scores } from "../parts/scores";
import { Work } from "../parts/work";

const startOf = (size: string): string => {
  const { rows, cols } = parseSize(size)!;
  return "12".padEnd(rows * cols, "0");
};

function Build({ board, onReady }: { board: SolvedBoard; onReady: () => void }) {
  const done = (): void => {
    void loadAbout();
    onReady();
  };
  return (
    <div class="panel">
      <h2>{t("solveTitle", { size: board.size.replace("x", "×") })}</h2>
      <p>{t("solveLead", { states: whole(board.states ?? 0), time: duration(board.seconds ?? 0) })}</p>
      <Work label={t("solve")} begin={(signal) => api.solve(board.size, signal)} onDone={done} />
    </div>
  );
}

function Tiles({ known }: { known: Explored }) {
  const rows = known.tiles.filter(({ chance: p }) => p > 0);
  return (
    <section class="panel" aria-labelledby="tiles-title">
      <h2 id="tiles-title">{t("tileChances")}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("tile")}</th>
            <th scope="col" class="num">
              {t("chance")}
            </th>
            <th aria-hidden="true" />
          </tr>
        </thead>
        <tbody>
          {rows.map(({ exponent, chance: p }) => (
            <tr key={exponent}>
              <td>{whole(2 ** exponent)}</td>
              <td class="num" title={t("chanceTip")}>
                {chance(p)}
              </td>
              <td class="barcell">
                <span class="fill" style={{ width: `${100 * p}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {known.tiles_exact === false ? (
        <span class="badge estimate">{t("sampled", { n: whole(known.tiles_games ?? 0) })}</span>
      ) : (
        <Badge exact />
      )}
    </section>
  );
}

function Spawns({ known, move, onGo }: { known: Explored; move: Move | null; onGo: (position: string) => void }) {
  const rows = known.spawns.filter((spawn) => spawn.move === move).sort((a, b) => b.value - a.value);
  if (!move || rows.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="spawns-title">
      <h2 id="spawns-title">{t("spawnsAfter", { move: t(move) })}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-labelledby="spawns-title">
        <table class="spawns">
          <thead>
            <tr>
              <th scope="col">{t("tile")}</th>
              <th scope="col">{t("cell")}</th>
              <th scope="col" class="num">
                {t("chance")}
              </th>
              <th scope="col" class="num">
                {t("value")}
              </th>
              <th scope="col">
                <span class="hidden">{t("follow")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((spawn) => (
              <tr key={`${spawn.cell}-${spawn.exponent}`}>
                <td>{2 ** spawn.exponent}</td>
                <td>{spawn.cell + 1}</td>
                <td class="num">{chance(spawn.probability)}</td>
                <td class="num" title={t("pointsTip")}>
                  {decimal(spawn.value, 3)}
                </td>
                <td>
                  <button type="button" class="plain" onClick={() => onGo(spawn.position)} aria-label={t("followSpawn", { tile: 2 ** spawn.exponent, cell: spawn.cell + 1 })}>
                    →
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Model({ known }: { known: Explored }) {
  const { model } = known;
  if (!model) return null;
  return (
    <section class="panel" aria-labelledby="model-title">
      <h2 id="model-title">{t("modelTitle")}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("move")}</th>
            <th scope="col" class="num">
              {t("exact")}
            </th>
            <th scope="col" class="num">
              {t("estimate")}
            </th>
            <th scope="col" class="num">
              {t("gap")}
            </th>
          </tr>
        </thead>
        <tbody>
          {known.moves.map((row) => {
            const other = model.moves.find((m) => m.move === row.move);
            return (
              <tr key={row.move}>
                <td>
                  {arrowOf(row.move)} {t(row.move)}
                </td>
                <td class="num">{decimal(row.value, 2)}</td>
                <td class="num">{other ? decimal(other.value, 2) : "–"}</td>
                <td class="num">{other ? signed(other.value - row.value) : "–"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <Badge exact={false} agent={model.agent} />
    </section>
  );
}

function Known({ size, board, onMissing }: { size: string; board: BoardData; onMissing: () => void }) {
  const known = useSignal<Explored | null>(null);
  const problem = useSignal<string | null>(null);
  const editing = useSignal(false);
  const busy = useSignal(false);
  const cells = cellsText(board);
  const ask = query.value;
  const crumbs = readCrumbs(ask.get("way"), board.shape);
  const agent = ask.get("agent");
  useEffect(() => {
    const stop = new AbortController();
    problem.value = null;
    api
      .explore(size, cells, agent, stop.signal)
      .then((got) => {
        known.value = got;
        announce(t("exploreSaid", { value: points(got.value) }));
      })
      .catch((cause: unknown) => {
        if (aborted(cause)) return;
        known.value = null;
        if (cause instanceof ApiError && cause.status === 409) onMissing();
        else problem.value = sentence(cause);
      });
    return () => stop.abort();
  }, [size, cells, agent]);

  const address = (position: string, way: string[]): string => {
    const at = parsePosition(position, board.shape);
    const params = new URLSearchParams();
    if (way.length > 0) params.set("way", way.join("."));
    if (agent) params.set("agent", agent);
    const text = params.toString();
    return at ? `/explore/${sizeText(at.shape)}/${cellsText(at)}${text ? `?${text}` : ""}` : path.value;
  };
  const down = (position: string): void => navigate(address(position, addCrumb(crumbs, cells)));
  const jump = (position: string): void => navigate(address(position, []));
  const back = (): void => {
    const last = crumbs.at(-1);
    if (last) navigate(address(last, crumbs.slice(0, -1)));
  };
  const move = (ask.get("move") as Move | null) ?? known.value?.best ?? null;
  const choose = (direction: Move): void => {
    if (known.value?.moves.some((m) => m.move === direction)) setQuery({ move: direction });
  };
  /** A spawn by its chance. */
  const draw = (): void => {
    const rows = (known.value?.spawns ?? []).filter((spawn) => spawn.move === move);
    let left = Math.random();
    const found = rows.find((spawn) => (left -= spawn.probability) < 0) ?? rows.at(-1);
    if (found) down(found.position);
  };
  const fetchState = async (ask: () => Promise<{ position: string }>): Promise<void> => {
    if (busy.value) return;
    busy.value = true;
    try {
      jump((await ask()).position);
      problem.value = null;
    } catch (cause) {
      problem.value = sentence(cause);
    }
    busy.value = false;
  };
  const random = (): void => void fetchState(() => api.randomState(size));
  const disagree = (): void => void fetchState(() => api.disagreement(size, agent, String(Math.floor(Math.random() * 1e9))));
  useKeys([
    { keys: ["ArrowUp", "w", "k"], does: "chooseUp", run: () => choose("up") },
    { keys: ["ArrowRight", "d", "l"], does: "chooseRight", run: () => choose("right") },
    { keys: ["ArrowDown", "s", "j"], does: "chooseDown", run: () => choose("down") },
    { keys: ["ArrowLeft", "a", "h"], does: "chooseLeft", run: () => choose("left") },
    { keys: [" ", "Enter"], does: "drawSpawn", run: draw },
    { keys: ["u", "Backspace"], does: "back", run: back },
    { keys: ["r"], does: "randomState", run: random },
    { keys: ["x"], does: "disagreement", run: disagree },
    { keys: ["e"], does: "editBoard", run: () => (editing.value = !editing.value) },
  ]);
  const edit = (cell: number): void => {
    const most = board.cells.length + 1;
    jump(cellsText(withTile(board, cell, (board.cells[cell]! + 1) % (most + 1))));
  };
  const now = known.value;
  const over = isOver(board);
  return (
    <div class="columns">
      <section class="main" aria-label={t("board")}>
        <nav class="crumbs" aria-label={t("way")}>
          {crumbs.map((crumb, i) => (
            <a key={i} href={address(crumb, crumbs.slice(0, i))}>
              <code>{crumb}</code>
            </a>
          ))}
          <code aria-current="location">{cells}</code>
        </nav>
        <Board turn={{ board }} {...(editing.value ? { onCell: edit } : { onMove: choose })} arrow={editing.value ? null : move} />
        <div class="row tools">
          <button type="button" onClick={draw} disabled={!now || over}>
            {t("drawSpawn")}
          </button>
          <button type="button" onClick={back} disabled={crumbs.length === 0}>
            {t("back")}
          </button>
          <button type="button" onClick={random}>
            {t("randomState")}
          </button>
          <button type="button" onClick={disagree} disabled={busy.value}>
            {t("disagreement")}
          </button>
          <button type="button" aria-pressed={editing.value} onClick={() => (editing.value = !editing.value)}>
            {t("editBoard")}
          </button>
          <button type="button" onClick={() => jump(cellsText(mirrored(board)))}>
            {t("mirror")}
          </button>
          <button type="button" onClick={() => navigate(`/explore/${sizeText(turned(board).shape)}/${cellsText(turned(board))}`)}>
            {t("turn")}
          </button>
        </div>
        {editing.value && <p class="muted small">{t("editHint")}</p>}
      </section>
      <div class="side">
        {problem.value && (
          <p class="problem" role="alert">
            {problem.value}
          </p>
        )}
        {now && (
          <>
            <section class="panel" aria-labelledby="exact-title">
              <h2 id="exact-title">{t("moveValues")}</h2>
              <dl class="figures">
                <div title={t("pointsTip")}>
                  <dt>{t("value")}</dt>
                  <dd id="exact-value">{decimal(now.value, 4)}</dd>
                </div>
                {now.worst != null && (
                  <div title={t("worstTip")}>
                    <dt>{t("worst")}</dt>
                    <dd>{decimal(now.worst, 0)}</dd>
                  </div>
                )}
                {now.layer && (
                  <div title={t("layerTip")}>
                    <dt>{t("layer", { sum: now.layer.sum })}</dt>
                    <dd>{whole(now.layer.states)}</dd>
                  </div>
                )}
              </dl>
              {over ? <p class="muted">{t("gameOver")}</p> : <Bars moves={now.moves} played={move} onMove={choose} digits={4} />}
              <Badge exact />
            </section>
            <Spawns known={now} move={move} onGo={down} />
            <Tiles known={now} />
            <Model known={now} />
            <Scores size={size} />
            <p class="links">
              <a href={`/?position=${now.position}`}>{t("playFrom")}</a>
            </p>
          </>
        )}
      </div>
    </div>
  );
}

/** What an address says, or the address itself where it says nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export default function Explore() {
  const boards = useSignal<SolvedBoard[] | null>(null);
  const problem = useSignal<string | null>(null);
  const parts = path.value.split("/");
  const asked = parts[2] ? parseSize(parts[2]) : null;
  const refresh = (): void => {
    api
      .solved()
      .then((got) => (boards.value = got.boards))
      .catch((cause: unknown) => (problem.value = sentence(cause)));
  };
  useEffect(refresh, []);
  const ready = boards.value?.filter((board) => board.state === "ready") ?? [];
  const size = asked ? sizeText(asked) : (ready.find((b) => b.size === "3x3")?.size ?? ready.find((b) => b.size === "2x3")?.size ?? ready.at(-1)?.size ?? null);
  const position = parts[3] ? parsePosition(decoded(parts[3]), asked ?? undefined) : null;
  const board = size ? (position ?? parsePosition(startOf(size), parseSize(size)!)) : null;
  const entry = boards.value?.find((other) => other.size === size);
  return (
    <>
      <h1>{t("exploreTitle")}</h1>
      <div class="row tabs" role="group" aria-label={t("size")}>
        {(boards.value ?? []).map((other) => (
          <a key={other.size} class={`tab ${other.state}`} href={`/explore/${other.size}`} aria-current={other.size === size ? "true" : undefined}>
            {other.size.replace("x", "×")}
            {other.state !== "ready" && <span class="small muted"> {t("notSolved")}</span>}
          </a>
        ))}
      </div>
      {problem.value && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {parts[3] && !position && <p class="problem">{t("badPosition")}</p>}
      {boards.value && asked && !entry && <p class="problem">{t("neverSolved", { size: sizeText(asked) })}</p>}
      {entry && entry.state !== "ready" && <Build key={entry.size} board={entry} onReady={refresh} />}
      {entry?.state === "ready" && board && <Known size={entry.size} board={board} onMissing={refresh} />}
    </>
  );
}
