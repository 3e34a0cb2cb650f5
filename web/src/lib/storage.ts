// What the browser keeps for us, or memory where that is forbidden.

const memory = new Map<string, string>();
const PREFIX = "maxtile.";

function usable(): Storage | null {
  try {
    const store = globalThis.localStorage;
    store.setItem(`${PREFIX}probe`, "1");
    store.removeItem(`${PREFIX}probe`);
    return store;
  } catch {
    return null;
  }
}

const store = usable();

export function load<T>(key: string): T | null {
  const text = store ? store.getItem(PREFIX + key) : (memory.get(key) ?? null);
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

export function save(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  try {
    if (store) store.setItem(PREFIX + key, text);
    else memory.set(key, text);
  } catch {
    // A full store loses the newest state, never the page.
    memory.set(key, text);
  }
}

export function forget(key: string): void {
  memory.delete(key);
  store?.removeItem(PREFIX + key);
}
