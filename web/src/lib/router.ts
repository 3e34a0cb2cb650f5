// The address is the state of the page: a path and a query, both signals.

import { batch, signal } from "@preact/signals";

export const path = signal(location.pathname);
export const query = signal(new URLSearchParams(location.search));

function read(): void {
  batch(() => {
    path.value = location.pathname;
    query.value = new URLSearchParams(location.search);
  });
}

export function navigate(url: string, options: { replace?: boolean } = {}): void {
  flushQuery();
  if (options.replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  read();
  if (!options.replace) scrollTo(0, 0);
}

/** What an address looks like with some of its query replaced; empty values are left out. */
export function withQuery(now: URLSearchParams, changes: Record<string, string | number | boolean | null>): URLSearchParams {
  const next = new URLSearchParams(now);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "" || value === false) next.delete(name);
    else next.set(name, value === true ? "1" : String(value));
  }
  return next;
}

let waiting: ReturnType<typeof setTimeout> | undefined;

/** Changes the query in place. The address itself follows a little later: browsers refuse many changes a second. */
export function setQuery(changes: Record<string, string | number | boolean | null>): void {
  const next = withQuery(query.peek(), changes);
  if (next.toString() === query.peek().toString()) return;
  query.value = next;
  waiting ??= setTimeout(flushQuery, 300);
}

function flushQuery(): void {
  if (waiting === undefined) return;
  clearTimeout(waiting);
  waiting = undefined;
  // Colons and slashes are allowed in a query and are easier to read.
  const text = query.peek().toString().replace(/%3A/g, ":").replace(/%2F/g, "/");
  history.replaceState(null, "", path.peek() + (text ? `?${text}` : ""));
}

/** Follows our own links without loading the page again. */
function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest("a");
  if (!link || link.target || link.origin !== location.origin || link.hasAttribute("download")) return;
  if (link.pathname.startsWith("/api/")) return;
  event.preventDefault();
  navigate(link.pathname + link.search);
}

export function startRouter(): void {
  addEventListener("popstate", read);
  addEventListener("pagehide", flushQuery);
  document.addEventListener("click", follow);
}
