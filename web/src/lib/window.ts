// Which rows of a long list are to be drawn.

/** Rows beyond the edges that are drawn too, so that fast scrolling shows no gap. */
const MARGIN = 10;

export function visibleRows(top: number, height: number, rowHeight: number, count: number): [first: number, end: number] {
  const first = Math.max(0, Math.floor(top / rowHeight) - MARGIN);
  return [Math.min(first, count), Math.min(count, Math.ceil((top + height) / rowHeight) + MARGIN)];
}
