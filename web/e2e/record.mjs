// Games for the reviews, played by somebody who does not think. The server replays what it is given,
// so an error in this third form of the rules would be refused.

const MOVES = ["up", "right", "down", "left"];

/** Slides a board the slow way, row by row or column by column. */
function slide(cells, rows, cols, move) {
  const next = new Array(cells.length).fill(0);
  let reward = 0;
  const upright = move === 0 || move === 2;
  const [count, length] = upright ? [cols, rows] : [rows, cols];
  for (let line = 0; line < count; line++) {
    const at = (i) => {
      const j = move === 1 || move === 2 ? length - 1 - i : i;
      return upright ? j * cols + line : line * cols + j;
    };
    const tiles = Array.from({ length }, (_, i) => cells[at(i)]).filter(Boolean);
    for (let i = 0, to = 0; i < tiles.length; i++, to++) {
      if (tiles[i] === tiles[i + 1]) {
        next[at(to)] = tiles[i++] + 1;
        reward += 2 ** next[at(to)];
      } else next[at(to)] = tiles[i];
    }
  }
  return next.some((e, i) => e !== cells[i]) ? { next, reward } : null;
}

/** A complete record of a careless game: moves in turn, spawns by a small generator. */
export function careless(rows, cols, seed, most = Infinity) {
  let state = seed;
  const random = (n) => ((state = (state * 1103515245 + 12345) % 2147483648) >> 8) % n;
  let cells = new Array(rows * cols).fill(0);
  cells[0] = cells[1] = 1;
  const start = `${rows === 4 && cols === 4 ? "" : `${rows}x${cols}:`}${cells.map((e) => e.toString(36)).join("")}`;
  const plies = [];
  let score = 0;
  while (plies.length < most) {
    const legal = MOVES.map((_, move) => move).filter((move) => slide(cells, rows, cols, move));
    if (legal.length === 0) break;
    const move = legal[random(legal.length)];
    const { next, reward } = slide(cells, rows, cols, move);
    const empty = next.flatMap((e, i) => (e ? [] : [i]));
    const cell = empty[random(empty.length)];
    const exponent = random(10) === 0 ? 2 : 1;
    next[cell] = exponent;
    cells = next;
    score += reward;
    plies.push([move, cell, exponent]);
  }
  return JSON.stringify({ type: "game", version: 1, p4: 0.1, start, plies, score });
}
