// Values of positions from the server, each asked once, the newest first.

import { signal } from "@preact/signals";
import { type Answer, type Limits, aborted, api, sentence } from "./api";

export interface Question {
  agent: string;
  limits: Limits;
  size: string;
  p4: number;
}

/** More than this waiting, and the oldest are left unasked until they are wanted again. */
const LONGEST_QUEUE = 200;

/** Asks about one position after the other; what is asked and answered is the caller's. */
export class Asker<Q, A> {
  /** Counts answers, so that whoever shows them is drawn again. */
  readonly version = signal(0);
  readonly problem = signal<string | null>(null);
  private answers = new Map<string, A>();
  private waiting: string[] = [];
  private working = false;
  private stop = new AbortController();
  private question: Q | null = null;

  constructor(private readonly put: (position: string, question: Q, signal: AbortSignal) => Promise<A>) {}

  /** Asks in another way from now on; answers of the old way are forgotten. */
  use(question: Q): void {
    if (JSON.stringify(question) === JSON.stringify(this.question)) return;
    this.question = question;
    this.stop.abort();
    this.stop = new AbortController();
    this.answers.clear();
    this.waiting = [];
    this.version.value++;
  }

  close(): void {
    this.stop.abort();
    this.waiting = [];
  }

  get = (position: string): A | undefined => this.answers.get(position);

  /** Asks for a position before all that wait. */
  want(position: string): void {
    if (this.answers.has(position)) return;
    this.waiting = this.waiting.filter((other) => other !== position);
    this.waiting.push(position);
    if (this.waiting.length > LONGEST_QUEUE) this.waiting.shift();
    void this.work();
  }

  /** The answer, when it comes. */
  async ask(position: string): Promise<A | null> {
    this.want(position);
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.answers.get(position);
        if (!found && !this.problem.peek() && this.waiting.length + Number(this.working) > 0) return;
        end();
        resolve(found ?? null);
      };
      const ends = [this.version.subscribe(() => queueMicrotask(look)), this.problem.subscribe(() => queueMicrotask(look))];
      const end = (): void => ends.forEach((f) => f());
    });
  }

  private async work(): Promise<void> {
    if (this.working || !this.question) return;
    this.working = true;
    while (this.waiting.length > 0) {
      const position = this.waiting.pop()!;
      const { signal } = this.stop;
      try {
        const answer = await this.put(position, this.question, signal);
        if (signal.aborted) continue;
        this.answers.set(position, answer);
        this.problem.value = null;
        this.version.value++;
      } catch (cause) {
        if (aborted(cause) || signal.aborted) continue;
        // Asking again would fail again; the next move tries anew.
        this.waiting = [];
        this.problem.value = sentence(cause);
      }
    }
    this.working = false;
    this.version.value++;
  }
}

/** Asks what the moves of the ordinary game are worth. */
export class Analyst extends Asker<Question, Answer> {
  constructor() {
    super((position, { agent, limits, size, p4 }, signal) => api.analyse({ position, agent, limits, rules: { size, p4 } }, signal));
  }
}
