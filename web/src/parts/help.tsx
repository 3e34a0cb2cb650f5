// The list of keys that `?` opens.

import { useEffect, useRef } from "preact/hooks";
import { t } from "../lib/i18n";
import { bindings, helpOpen } from "../lib/keys";

const NAMES: Record<string, string> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", " ": "Space", Escape: "Esc", Backspace: "⌫" };

function keyName(key: string): string {
  if (/^[A-Z]$/.test(key)) return `Shift+${key}`;
  return NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}

export function KeyList() {
  return (
    <dl class="keys">
      {bindings.value.flatMap((list) =>
        list.current.map((binding) => (
          <div key={binding.keys.join()}>
            <dt>
              {binding.keys.map((key) => (
                <kbd key={key}>{keyName(key)}</kbd>
              ))}
            </dt>
            <dd>{t(binding.does)}</dd>
          </div>
        )),
      )}
    </dl>
  );
}

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = helpOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog ref={dialog} aria-labelledby="keys-title" onClose={() => (helpOpen.value = false)}>
      <h2 id="keys-title">{t("keys")}</h2>
      {open && <KeyList />}
      <button type="button" onClick={() => (helpOpen.value = false)}>
        {t("close")}
      </button>
    </dialog>
  );
}
