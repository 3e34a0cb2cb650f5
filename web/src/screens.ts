// The list of pages. A new one is a line here, a file in pages/, and its path in the server.

import type { ComponentType } from "preact";
import type { Word } from "./lib/i18n";
import Play from "./pages/play";

export interface Screen {
  /** The first part of its paths. */
  path: string;
  title: Word;
  /** Loaded when first opened; the first page comes with the frame. */
  load: () => Promise<{ default: ComponentType }>;
  ready?: ComponentType;
}

export const SCREENS: Screen[] = [
  { path: "/", title: "play", load: async () => ({ default: Play }), ready: Play },
  { path: "/review", title: "review", load: () => import("./pages/review") },
  { path: "/watch", title: "watch", load: () => import("./pages/watch") },
  { path: "/duel", title: "duel", load: () => import("./pages/duel") },
  { path: "/explore", title: "explore", load: () => import("./pages/explore") },
  { path: "/train", title: "train", load: () => import("./pages/train") },
  { path: "/about", title: "about", load: () => import("./pages/about") },
];

/** The page of a path: the one whose path is its beginning. */
export function screenOf(path: string): Screen | undefined {
  const first = `/${path.split("/")[1] ?? ""}`;
  return SCREENS.find((screen) => screen.path === first);
}
