// Opponents of a duel by the short names that stand in addresses.

/** Depths of alpha-beta that are offered: with odd ones the attacker's last word is heard out. */
export const DEPTHS = [1, 3, 5, 7];
export const USUAL_OPPONENT = "depth3";

/** The names to choose from; who knows the board only where it is solved. */
export function opponentNames(solved: boolean): string[] {
  return ["chance", "greedy", ...DEPTHS.map((depth) => `depth${depth}`), ...(solved ? ["exact"] : [])];
}

/** The depth of a name like depth3; `null` for others. */
export function depthOf(name: string): number | null {
  const match = /^depth([1-9])$/.exec(name);
  return match ? Number(match[1]) : null;
}

/** The opponent in an address, unless he is not to be had on this board. */
export function parseOpponent(text: string | null, solved: boolean): string {
  const name = text?.trim() || USUAL_OPPONENT;
  return name === "exact" && !solved ? "depth7" : name;
}

/** The agent behind a name; what is no name is an agent's text already. */
export function opponentAgent(name: string, size: string): string {
  // The network inside the program knows the ordinary board only.
  const net = size === "4x4" ? "" : "net=heuristic";
  const depth = depthOf(name);
  if (depth) return `alphabeta(${[net, `depth=${depth}`].filter(Boolean).join(", ")})`;
  if (name === "chance") return "random";
  if (name === "greedy") return net ? `greedy(${net})` : "greedy";
  return name;
}

/** The name of an agent that has one. */
export function opponentName(agent: string, size: string): string {
  return opponentNames(true).find((name) => opponentAgent(name, size) === agent) ?? agent;
}
