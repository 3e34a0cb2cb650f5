// A chart by uPlot, which is loaded only when there is one.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { dark, palette } from "../lib/settings";
import "uplot/dist/uPlot.min.css";

export type Data = uPlot.AlignedData;
type Options = Omit<uPlot.Options, "width" | "height">;

/** A colour of the style sheet, for drawing. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function axis(extra: Partial<uPlot.Axis> = {}): uPlot.Axis {
  const font = "12px 'DejaVu Sans', system-ui, sans-serif";
  return {
    stroke: colour("muted"),
    font,
    labelFont: font,
    grid: { stroke: colour("line"), width: 1 },
    ticks: { stroke: colour("line"), width: 1 },
    ...extra,
  };
}

interface Props {
  label: string;
  height: number;
  data: Data;
  /** Says how to draw; called again when `shape` or the colours change. */
  options: () => Options;
  shape: string;
  onPick?: (index: number) => void;
  /** Hands out the chart, to draw over it or to save it. */
  onReady?: (chart: uPlot | null) => void;
}

export default function Chart({ label, height, data, options, shape, onPick, onReady }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const made = useSignal(0);
  const latest = useRef({ data, onPick });
  latest.current = { data, onPick };
  const look = `${shape}|${dark.value}|${palette.value}|${height}`;
  useEffect(() => {
    let gone = false;
    const node = box.current!;
    let watch: ResizeObserver | undefined;
    void import("uplot").then(({ default: UPlot }) => {
      if (gone) return;
      const plot = new UPlot({ ...options(), width: node.clientWidth, height }, latest.current.data, node);
      chart.current = plot;
      onReady?.(plot);
      plot.over.addEventListener("click", () => {
        if (typeof plot.cursor.idx === "number") latest.current.onPick?.(plot.cursor.idx);
      });
      watch = new ResizeObserver(() => {
        if (node.clientWidth && node.clientWidth !== plot.width) plot.setSize({ width: node.clientWidth, height });
      });
      watch.observe(node);
      made.value++;
    });
    return () => {
      gone = true;
      watch?.disconnect();
      chart.current?.destroy();
      chart.current = null;
      onReady?.(null);
    };
  }, [look]);
  useEffect(() => {
    chart.current?.setData(data);
  }, [data]);
  return <div class="chart" ref={box} role="img" aria-label={label} style={{ minHeight: `${height}px` }} data-ready={made.value > 0 ? "1" : "0"} />;
}
