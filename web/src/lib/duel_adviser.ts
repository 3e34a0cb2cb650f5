// What is asked about the moments of a duel, and what each side has given away so far.

import { positionText, sizeText } from "../game/board";
import type { Duel, Moment, Side, Variant } from "../game/duel";
import { Asker } from "./analyst";
import { type DuelAnswer, type DuelQuery, type Limits, api } from "./api";

export interface DuelQuestion {
  agent: string;
  limits: Limits;
  size: string;
  variant: Variant;
}

/** A moment as text: whose turn, what was drawn, the position. */
export function momentKey({ side, tiles, board }: Moment, variant: Variant): string {
  const drawn = side === "attacker" && variant === "drawn" ? String(2 ** tiles[0]!) : "";
  return `${side ?? "defender"}${drawn} ${positionText(board)}`;
}

function readKey(key: string): Pick<DuelQuery, "position" | "turn" | "tile"> {
  const [who, position] = key.split(" ") as [string, string];
  const tile = Number(/\d$/.exec(who)?.[0] ?? 0);
  return { position, turn: who.startsWith("attacker") ? "attacker" : "defender", ...(tile ? { tile } : {}) };
}

/** The question about a moment. */
export function duelQuery(moment: Moment, { rules }: Pick<Duel, "rules">): DuelQuery {
  return { ...readKey(momentKey(moment, rules.variant)), rules: { size: sizeText(rules.shape), variant: rules.variant } };
}

export class DuelAdviser extends Asker<DuelQuestion, DuelAnswer> {
  constructor() {
    super((key, { agent, limits, size, variant }, signal) => api.duelAnalyse({ ...readKey(key), agent, limits, rules: { size, variant } }, signal));
  }
}

/** Points that each side has given away against its best plies, and how many plies could be judged. */
export interface Gifts {
  attacker: number;
  defender: number;
  judged: number;
  plies: number;
}

export function gifts(duel: Duel, get: (key: string) => DuelAnswer | undefined): Gifts {
  const sum: Gifts = { attacker: 0, defender: 0, judged: 0, plies: duel.moments.length - 1 };
  for (let i = 1; i < duel.moments.length; i++) {
    const before = duel.moments[i - 1]!;
    const { ply } = duel.moments[i]!;
    const answer = get(momentKey(before, duel.rules.variant));
    if (!answer || !ply || !before.side) continue;
    const played = "slide" in ply ? answer.moves?.find((row) => row.move === ply.slide) : answer.placements?.find((row) => row.cell === ply.place.cell && row.exponent === ply.place.exponent);
    if (!played) continue;
    const side: Side = before.side;
    sum[side] += Math.abs(played.value - answer.value);
    sum.judged += 1;
  }
  return sum;
}
