// How much is still to come: full when it is much more than a new game is worth, half when as much.

import { points } from "../lib/format";
import { evalShare } from "../lib/measure";
import { t } from "../lib/i18n";

export function EvalBar({ value, start, says }: { value: number | null; start: number | null; says?: string }) {
  const share = value === null || start === null ? null : evalShare(value, start);
  const label = says ?? (value === null ? t("evalUnknown") : t("evalTip", { value: points(value) }));
  return (
    <div class="evalbar" role="meter" aria-label={label} title={label} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(100 * (share ?? 0))}>
      <div class="level" style={{ height: `${100 * (share ?? 0)}%` }} />
    </div>
  );
}
