// Work of the server that takes a while: a button, then progress that can be cancelled.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type BuildLine, aborted, sentence } from "../lib/api";
import { percent } from "../lib/format";
import { t } from "../lib/i18n";

interface Props {
  label: string;
  begin: (signal: AbortSignal) => AsyncGenerator<BuildLine>;
  onDone: () => void;
}

export function Work({ label, begin, onDone }: Props) {
  const fraction = useSignal<number | null>(null);
  const problem = useSignal<string | null>(null);
  const stop = useSignal<AbortController | null>(null);
  useEffect(() => () => stop.peek()?.abort(), []);
  const run = async (): Promise<void> => {
    const control = new AbortController();
    stop.value = control;
    fraction.value = 0;
    problem.value = null;
    try {
      for await (const line of begin(control.signal)) {
        if (line.type === "progress") fraction.value = line.fraction;
        else if (line.type === "error") throw new Error(line.error);
      }
      onDone();
    } catch (cause) {
      if (!aborted(cause)) problem.value = sentence(cause);
    }
    fraction.value = null;
  };
  return (
    <>
      {problem.value && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {fraction.value === null ? (
        <button type="button" class="primary" onClick={() => void run()}>
          {label}
        </button>
      ) : (
        <div class="row progress">
          <progress aria-label={t("progress")} max={1} value={fraction.value} />
          <span>{percent(fraction.value, 0)}</span>
          <button type="button" onClick={() => stop.value?.abort()}>
            {t("cancel")}
          </button>
        </div>
      )}
    </>
  );
}
