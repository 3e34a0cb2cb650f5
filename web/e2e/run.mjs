// Every page in a real browser against the real program: MAXTILE_BIN=… npm run e2e.
// MAXTILE_BLESS=1 writes the golden images anew.

import { after, before } from "node:test";
import { start, stop } from "./harness.mjs";

before(start);
after(stop);

const only = process.argv[2];
for (const page of ["play", "review", "watch", "duel", "explore", "train", "about", "frame"]) {
  if (!only || only === page) await import(`./${page}.mjs`);
}
