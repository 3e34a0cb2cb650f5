// A list of any length of which only the visible rows exist.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { visibleRows } from "../lib/window";

interface Props {
  count: number;
  rowHeight: number;
  label: string;
  /** The chosen row, kept in view. */
  selected: number;
  onSelect: (index: number) => void;
  row: (index: number) => ComponentChildren;
}

export function VirtualList({ count, rowHeight, label, selected, onSelect, row }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(400);
  const id = useId();
  useLayoutEffect(() => {
    const node = box.current!;
    const watch = new ResizeObserver(() => (height.value = node.clientHeight));
    watch.observe(node);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    const node = box.current!;
    const y = selected * rowHeight;
    if (y < node.scrollTop) node.scrollTop = y;
    else if (y + rowHeight > node.scrollTop + node.clientHeight) node.scrollTop = y + rowHeight - node.clientHeight;
  }, [selected, count > 0]);
  const [first, end] = visibleRows(top.value, height.value, rowHeight, count);
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  const active = selected >= first && selected < end ? `${id}-${selected}` : undefined;
  return (
    <div class="vlist" ref={box} tabIndex={0} role="listbox" aria-label={label} aria-activedescendant={active} onScroll={(e) => (top.value = e.currentTarget.scrollTop)}>
      <div class="vspace" style={{ height: `${count * rowHeight}px` }}>
        {rows.map((index) => (
          <div
            key={index}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === selected}
            class={`vrow${index === selected ? " selected" : ""}`}
            style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
            onClick={() => onSelect(index)}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
