// Lengths, shares and gestures: small sums that parts of the page agree on.

import type { Move } from "../game/board";

/** Pixels a finger must go before it means a move. */
const SWIPE = 10;

/** The move of a finger that went so far, if it went far enough. */
export function swipeMove(dx: number, dy: number): Move | null {
  if (Math.max(Math.abs(dx), Math.abs(dy)) < SWIPE) return null;
  if (Math.abs(dx) > Math.abs(dy)) return dx > 0 ? "right" : "left";
  return dy > 0 ? "down" : "up";
}

/** Bars that tell near values apart: full for the best, shorter by the loss against at least 2 % of the value. */
export function barLength(value: number, best: number, worst: number): number {
  const scale = Math.max(best - worst, Math.abs(best) * 0.02, 1e-9);
  return Math.max(0.04, 1 - (0.9 * (best - value)) / scale);
}

/** How much is to come against what a new game is worth: half when as much. */
export function evalShare(value: number, startValue: number): number {
  const sum = value + startValue;
  return sum > 0 ? value / sum : 0;
}
