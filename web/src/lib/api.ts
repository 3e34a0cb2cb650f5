// The server's interface, as docs/protocol.md describes it. Every call can be aborted.

import type { Move } from "../game/board";
import type { Side, Variant } from "../game/duel";
import type { Ply } from "../game/game";
import { jsonLines } from "./ndjson";

export interface Limits {
  depth?: number;
  nodes?: number;
  ms?: number;
}

/** A step of a line: the move, and the tile after it. */
export interface Step {
  move: Move;
  spawn?: [cell: number, exponent: number];
}

export interface MoveValue {
  move: Move;
  reward: number;
  value: number;
  spread?: number;
  depth?: number;
  line?: Step[];
}

export interface Answer {
  position: string;
  best: Move | null;
  value: number;
  exact: boolean;
  moves: MoveValue[];
  agent?: string;
  depth?: number;
  nodes?: number;
  leaves?: number;
  ms?: number;
}

export interface AgentInfo {
  name: string;
  summary: string;
  parameters: { name: string; meaning: string; default: unknown }[];
}

export interface About {
  version: string;
  commit: string | null;
  default_agent: Record<string, string>;
  agents: AgentInfo[];
  networks: { name: string; notes: Record<string, unknown>; bytes: number }[];
  boards: string[];
  solved: string[];
  limits: { max_ms: number; max_body: number; max_searches: number };
}

export type PlayLine =
  | { type: "start"; position: string; seed: string }
  | { type: "move"; move: Move; cell: number; exponent: number; score: number; value: number | null; depth?: number; nodes?: number; ms?: number }
  | { type: "over"; score: number; max_tile: number; moves: number }
  | { type: "error"; error: string };

export const GRADES = ["best", "good", "inaccuracy", "mistake", "blunder"] as const;
export type Grade = (typeof GRADES)[number];

export interface ReviewTurn {
  type: "turn";
  turn: number;
  position: string;
  score: number;
  value: number;
  best: Move | null;
  played: Move | null;
  moves: { move: Move; reward: number; value: number }[];
  error: number;
  luck: number;
  grade: Grade;
  /** Was there nothing to choose? */
  forced?: boolean;
  /** The moves that a drill accepts. */
  accepted?: Move[];
  exact: boolean;
  /** How the best move may go on. */
  line?: Step[];
}

export interface ReviewSummary {
  type: "summary";
  score: number;
  start_value: number;
  errors: number;
  luck: number;
  /** Points still to be expected where the record ends before the game does. */
  remaining?: number;
  /** What the same play is worth at average luck. */
  without_luck?: number;
  /** In percent; `null` when there was never a choice. */
  accuracy: number | null;
  grades: Partial<Record<Grade, number>>;
  worst: number[];
  /** The turns worth another try, worst first. */
  drill?: number[];
  identity_residual: number;
  agent: string;
  exact: boolean;
}

export interface ReviewGame {
  type: "game";
  rules: { size: string; p4: number };
  start: string;
  plies: Ply[];
  score: number;
  format: string;
}

export type ReviewLine =
  | ReviewGame
  | ReviewTurn
  | { type: "progress"; done: number; total: number; seconds_left: number | null }
  | ReviewSummary
  | { type: "error"; error: string };

export interface SolvedBoard {
  size: string;
  state: "ready" | "buildable" | "building";
  states?: number;
  seconds?: number;
}

export type BuildLine = { type: "progress"; fraction: number } | { type: "done"; size: string } | { type: "error"; error: string };

export interface Explored {
  position: string;
  value: number;
  exact: boolean;
  moves: { move: Move; reward: number; value: number }[];
  best: Move | null;
  spawns: { move: Move; cell: number; exponent: number; probability: number; value: number; position: string }[];
  tiles: { exponent: number; chance: number }[];
  /** False where the chances come from sampled games, `tiles_games` of them. */
  tiles_exact?: boolean;
  tiles_games?: number;
  layer?: { sum: number; states: number };
  worst?: number | null;
  model?: { agent: string; value: number; moves: { move: Move; reward: number; value: number }[] } | null;
}

/** Which scores the best player makes: exact probabilities. */
export interface Scores {
  size: string;
  mean: number;
  std: number;
  least: number;
  most: number;
  quantiles: [part: number, score: number][];
  /** Bars: where the first begins, points of each, the probability of each. */
  from: number;
  width: number;
  shares: number[];
}

/** The weights of a table; mean and the rest are about those that are not 0. */
export interface WeightTable {
  table: string;
  stage: number;
  /** The cells of its tuple, as hexadecimal digits. */
  cells: string | null;
  count: number;
  nonzero: number;
  /** Weights that are no numbers. */
  wild: number;
  mean: number | null;
  std: number | null;
  min: number | null;
  max: number | null;
  histogram: number[];
}

export interface Weights {
  games: number;
  tables: WeightTable[];
}

export interface Run {
  name: string;
  /** The board of its network; `null` where only a file outside of the run says it. */
  size: string | null;
  state: "running" | "stopped" | "done";
  recipe: Record<string, unknown>;
  games: number | null;
  total: number | null;
  mean: number | null;
  /** Seconds since 1970. */
  updated: number | null;
  /** The last sentence of a run that failed. */
  error?: string;
}

export interface RunDetail extends Run {
  origin?: Record<string, unknown>;
  checkpoints: { games: number; agent: string }[];
}

export type Metric = Record<string, unknown> & { type: string };
export interface Preset {
  name: string;
  summary: string;
  recipe: Record<string, unknown>;
}
export interface Published {
  system: string;
  label: string;
  points: [games: number, score: number][];
  source: string;
}

/** What is asked about a duel; `tile` where one was drawn. */
export interface DuelQuery {
  position: string;
  turn: Side;
  tile?: number;
  rules: { size: string; variant: Variant };
  agent?: string;
  limits?: Limits;
}

/** What the plies are worth to whoever is to play, his best first. */
export interface DuelAnswer {
  position: string;
  turn: Side;
  value: number;
  exact: boolean;
  moves?: { move: Move; reward: number; value: number }[];
  placements?: { cell: number; exponent: number; value: number }[];
  agent: string;
  depth: number;
  nodes: number;
}

export interface DuelReply {
  turn: Side;
  move?: Move;
  cell?: number;
  exponent?: number;
  by: "agent" | "chance";
}

/** How a duel ends when both play best, where that is known. */
export interface DuelVerdict {
  size: string;
  variant: Variant;
  state: "ready" | "buildable" | "building" | "none";
  states?: number;
  seconds?: number;
  score?: number;
  tile?: number;
  default_agent: string;
}

/** What the server answered instead: one sentence, and the field it is about. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly field?: string,
  ) {
    super(message);
  }
}

const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

/** How often a busy server is asked again. */
const PATIENCE = 20;

async function request(method: string, url: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const init: RequestInit = { method, signal: signal ?? null };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(url, init);
    if (response.ok) return response;
    if (response.status === 503 && response.headers.has("retry-after") && attempt < PATIENCE) {
      await response.body?.cancel();
      await wait(1000 * Math.min(5, Number(response.headers.get("retry-after")) || 1), signal);
      continue;
    }
    const said = (await response.json().catch(() => ({}))) as { error?: string; field?: string };
    throw new ApiError(said.error ?? `${response.status} ${response.statusText}`, response.status, said.field);
  }
}

async function get<T>(url: string, signal?: AbortSignal): Promise<T> {
  return (await (await request("GET", url, undefined, signal)).json()) as T;
}

async function post<T>(url: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await request("POST", url, body, signal)).json()) as T;
}

async function* stream<T>(url: string, body: unknown, signal?: AbortSignal): AsyncGenerator<T> {
  const response = await request("POST", url, body, signal);
  if (response.body) yield* jsonLines<T>(response.body);
}

const part = encodeURIComponent;

export const api = {
  about: (signal?: AbortSignal) => get<About>("/api/about", signal),
  analyse: (query: { position: string; agent?: string; limits?: Limits; rules?: { size: string; p4: number } }, signal?: AbortSignal) =>
    post<Answer>("/api/analyse", query, signal),
  play: (
    query: { agent: string; limits?: Limits; rules: { size: string; p4: number }; seed: string; position?: string; score?: number },
    signal?: AbortSignal,
  ) => stream<PlayLine>("/api/play", query, signal),
  review: (query: { record?: string; record_base64?: string; agent?: string; limits?: Limits }, signal?: AbortSignal) =>
    stream<ReviewLine>("/api/review", query, signal),
  keepRecord: (body: { record: string } | { record_base64: string }) => post<{ id: string }>("/api/records", body),
  record: async (id: string, signal?: AbortSignal) => (await request("GET", `/api/records/${part(id)}`, undefined, signal)).text(),
  duelAnalyse: (query: DuelQuery, signal?: AbortSignal) => post<DuelAnswer>("/api/duel/analyse", query, signal),
  duelPlay: (query: DuelQuery & { seed: string; ply: number; hostility: number }, signal?: AbortSignal) => post<DuelReply>("/api/duel/play", query, signal),
  duelVerdict: (size: string, variant: Variant, signal?: AbortSignal) => get<DuelVerdict>(`/api/duel/${part(size)}/${variant}`, signal),
  duelSolve: (size: string, variant: Variant, signal?: AbortSignal) => stream<BuildLine>(`/api/duel/${part(size)}/${variant}/build`, {}, signal),
  solved: (signal?: AbortSignal) => get<{ boards: SolvedBoard[] }>("/api/explore", signal),
  solve: (size: string, signal?: AbortSignal) =>
    stream<BuildLine>(`/api/explore/${part(size)}/build`, {}, signal),
  explore: (size: string, position: string, agent: string | null, signal?: AbortSignal) =>
    get<Explored>(`/api/explore/${part(size)}/${part(position)}${agent ? `?agent=${part(agent)}` : ""}`, signal),
  randomState: (size: string) => get<{ position: string }>(`/api/explore/${part(size)}/random`),
  disagreement: (size: string, agent: string | null, seed: string) =>
    get<{ position: string; exact: number; model: number; looked?: number }>(`/api/explore/${part(size)}/disagreement?seed=${part(seed)}${agent ? `&agent=${part(agent)}` : ""}`),
  scores: (size: string, signal?: AbortSignal) => get<Scores>(`/api/explore/${part(size)}/scores`, signal),
  followScores: (size: string, signal?: AbortSignal) => stream<BuildLine>(`/api/explore/${part(size)}/scores`, {}, signal),
  presets: () => get<Preset[]>("/api/presets"),
  runs: (signal?: AbortSignal) => get<Run[]>("/api/runs", signal),
  run: (name: string, signal?: AbortSignal) => get<RunDetail>(`/api/runs/${part(name)}`, signal),
  metrics: (name: string, after: number, signal?: AbortSignal) =>
    get<{ lines: Metric[]; next: number; restart?: boolean; more?: boolean }>(`/api/runs/${part(name)}/metrics?after=${after}`, signal),
  weights: (name: string, signal?: AbortSignal) => get<Weights>(`/api/runs/${part(name)}/weights`, signal),
  live: (name: string, after: number) => new EventSource(`/api/runs/${part(name)}/live?after=${after}`),
  startRun: (body: { preset: string; name?: string; set: Record<string, string> }) => post<{ name: string }>("/api/runs", body),
  stopRun: (name: string) => post<unknown>(`/api/runs/${part(name)}/stop`, {}),
  resumeRun: (name: string) => post<unknown>(`/api/runs/${part(name)}/resume`, {}),
  published: () => get<Published[]>("/api/published"),
};

/** A sentence for people, whatever was thrown. */
export function sentence(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

export const aborted = (cause: unknown): boolean => cause instanceof DOMException && cause.name === "AbortError";
