// A distribution as bars: drawn by the style sheet's colours, as wide as its place.

export interface Tick {
  /** From 0, the left edge, to 1, the right one. */
  at: number;
  text: string;
}

interface Props {
  /** What it shows, in words. */
  label: string;
  values: readonly number[];
  /** What a bar says when it is pointed at. */
  tip: (index: number) => string;
  ticks?: readonly Tick[];
  /** A line with a name, such as the mean. */
  mark?: Tick;
  small?: boolean;
}

export function BarChart({ label, values, tip, ticks = [], mark, small }: Props) {
  const most = Math.max(...values, Number.MIN_VALUE);
  return (
    <div class={`barchart${small ? " small" : ""}${mark ? " marked" : ""}`}>
      <svg role="img" aria-label={label} viewBox={`0 0 ${values.length} 100`} preserveAspectRatio="none">
        {values.map((value, i) => (
          <g key={i} class="bar">
            <title>{tip(i)}</title>
            {/* All of the height can be pointed at, however low the bar. */}
            <rect class="reach" x={i} y={0} width={1} height={100} />
            <rect class="body" x={i + 0.05} y={100 - (100 * value) / most} width={0.9} height={(100 * value) / most} />
          </g>
        ))}
      </svg>
      {mark && (
        <span class={`mark${mark.at > 0.6 ? " left" : ""}`} style={{ left: `${100 * mark.at}%` }} aria-hidden="true">
          {mark.text}
        </span>
      )}
      {ticks.length > 0 && (
        <div class="ticks" aria-hidden="true">
          {ticks.map(({ at, text }) => (
            <span key={text} style={{ left: `${100 * at}%` }}>
              {text}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}
