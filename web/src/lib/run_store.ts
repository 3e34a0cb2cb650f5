// The metrics of runs as they grow: read once, then followed live.

import { signal } from "@preact/signals";
import { type Metric, type RunDetail, aborted, api, sentence } from "./api";

/** Milliseconds between drawings of a run that grows: small boards learn more lines a second than can be drawn. */
const PACE = 250;

/** One run that is looked at. */
export class Followed {
  readonly version = signal(0);
  metrics: Metric[] = [];
  detail: RunDetail | null = null;
  problem: string | null = null;
  private next = 0;
  /** Is everything written so far read? */
  private caught = false;
  private events: EventSource | null = null;
  /** Lines that have come since the last drawing. */
  private fresh: Metric[] = [];
  private drawing: ReturnType<typeof setTimeout> | undefined;
  private stop = new AbortController();

  constructor(readonly name: string) {
    void this.read();
  }

  close(): void {
    this.stop.abort();
    clearTimeout(this.drawing);
    this.events?.close();
    this.events = null;
  }

  async refresh(): Promise<void> {
    try {
      this.detail = await api.run(this.name, this.stop.signal);
    } catch (cause) {
      if (aborted(cause)) return;
      this.problem = sentence(cause);
    }
    this.version.value++;
    // Browsers have few connections: only a run that grows is followed.
    const grows = this.detail?.state === "running";
    if (grows && !this.events && this.caught) this.follow();
    if (!grows) {
      this.events?.close();
      this.events = null;
    }
  }

  private async read(): Promise<void> {
    try {
      for (;;) {
        const got = await api.metrics(this.name, this.next, this.stop.signal);
        if (got.restart) this.metrics = [];
        this.metrics = this.metrics.concat(got.lines);
        this.next = got.next;
        this.version.value++;
        if (!got.more) break;
      }
      this.caught = true;
      await this.refresh();
    } catch (cause) {
      if (aborted(cause)) return;
      this.problem = sentence(cause);
      this.version.value++;
    }
  }

  private follow(): void {
    this.events = api.live(this.name, this.next);
    this.events.addEventListener("metrics", (event) => {
      this.fresh.push(JSON.parse((event as MessageEvent<string>).data) as Metric);
      this.next++;
      this.drawing ??= setTimeout(() => this.draw(), PACE);
    });
    this.events.addEventListener("state", () => {
      this.draw();
      void this.refresh();
    });
  }

  private draw(): void {
    clearTimeout(this.drawing);
    this.drawing = undefined;
    this.metrics = this.metrics.concat(this.fresh);
    this.fresh = [];
    this.version.value++;
  }
}
