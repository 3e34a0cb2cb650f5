// The plies of a duel in an address, a character each: 32 placements, then the four slides.

import { MOVES } from "./board";
import type { DuelPly } from "./duel";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef";

export function packPlies(plies: readonly DuelPly[]): string {
  const one = (ply: DuelPly): string => {
    if ("slide" in ply) return `${MOVES.indexOf(ply.slide)}`;
    return DIGITS[ply.place.cell + 16 * (ply.place.exponent - 1)]!;
  };
  return plies.map(one).join("");
}

/** `null` when the text is not such a list. */
export function unpackPlies(text: string): DuelPly[] | null {
  if (!/^[A-Za-f0-3]*$/.test(text)) return null;
  return Array.from(text, (c): DuelPly => {
    const placement = DIGITS.indexOf(c);
    if (placement < 0) return { slide: MOVES[Number(c)]! };
    return { place: { cell: placement % 16, exponent: placement < 16 ? 1 : 2 } };
  });
}
