// A list of moves in an address: two bits a move, base64 of the URL kind, the count in front.

import { type Move, MOVES } from "./board";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Three moves a character. */
export function packMoves(moves: readonly Move[]): string {
  let text = "";
  for (let i = 0; i < moves.length; i += 3) {
    const digit = [0, 1, 2].reduce((sum, j) => sum * 4 + Math.max(0, MOVES.indexOf(moves[i + j]!)), 0);
    text += DIGITS[digit];
  }
  return moves.length === 0 ? "" : `${moves.length}.${text}`;
}

/** `null` when the text is not such a list. */
export function unpackMoves(text: string): Move[] | null {
  if (text === "") return [];
  const match = /^(\d{1,6})\.([\w-]*)$/.exec(text);
  if (!match) return null;
  const count = Number(match[1]);
  if (match[2]!.length !== Math.ceil(count / 3)) return null;
  const moves = Array.from(match[2]!).flatMap((c) => {
    const digit = DIGITS.indexOf(c);
    return [digit >> 4, (digit >> 2) & 3, digit & 3].map((m) => MOVES[m]!);
  });
  return moves.slice(0, count);
}
