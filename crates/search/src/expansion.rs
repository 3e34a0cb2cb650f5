//! The children of chance nodes: every spawn, every answer to it, each different afterstate once.
//!
//! A slide sees only the order of the tiles in a line, not the gaps between them. So a new tile
//! anywhere in one gap of a row leads to the same afterstate when everything slides along that row,
//! and of the boards that a chance node leads to, many share their children. They are found by
//! construction, without comparing boards.

use std::ops::Range;

use maxtile_game::{Afterstate, MAX_SIDE, Move, Spawn};

/// No child: the move is not legal.
const NONE: u32 = 0;

/// The children of some chance nodes, kept together so that they are judged together.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    /// The different afterstates.
    pub(crate) children: Vec<Afterstate>,
    /// What they are worth, once somebody has found out.
    pub(crate) values: Vec<f32>,
    rewards: Vec<f32>,
    /// Rewards and values together, behind that of a move that is not legal.
    worths: Vec<f32>,
    /// For each spawn the place of each move's child among the worths.
    boards: Vec<[u32; 4]>,
}

impl Expansion {
    pub(crate) fn clear(&mut self) {
        self.children.clear();
        self.rewards.clear();
        self.boards.clear();
    }

    /// Adds the boards with this tile in each empty cell of a node, and says where they stand.
    #[inline]
    pub(crate) fn add(&mut self, node: Afterstate, exponent: u8) -> Range<usize> {
        let first = self.boards.len();
        let cols = node.shape().cols();
        // The children of the gap at hand to the right and to the left, and of the gap at hand in
        // each column upwards and downwards.
        let mut across = [NONE; 2];
        let mut along = [[NONE; 2]; MAX_SIDE];
        let mut empty = 0u32;
        for cell in node.empty_cells() {
            let col = cell % cols;
            if col == 0 || empty >> (cell - 1) & 1 == 0 {
                across = [NONE; 2];
            }
            if cell < cols || empty >> (cell - cols) & 1 == 0 {
                along[col] = [NONE; 2];
            }
            empty |= 1 << cell;
            let spawn = Spawn { cell: cell as u8, exponent };
            let Ok(board) = node.spawn(spawn) else { continue };
            let mut answers = [NONE; 4];
            for (mv, afterstate, reward) in board.afterstates().iter() {
                let known = match mv {
                    Move::Up => &mut along[col][0],
                    Move::Right => &mut across[0],
                    Move::Down => &mut along[col][1],
                    Move::Left => &mut across[1],
                };
                if *known == NONE {
                    self.children.push(afterstate);
                    self.rewards.push(reward as f32);
                    *known = self.children.len() as u32;
                }
                answers[mv.index()] = *known;
            }
            self.boards.push(answers);
        }
        first..self.boards.len()
    }

    /// Adds rewards and values, once the values are there.
    pub(crate) fn add_up(&mut self) {
        self.worths.clear();
        self.worths.push(f32::NEG_INFINITY);
        self.worths.extend(self.rewards.iter().zip(&self.values).map(|(reward, value)| {
            let worth = reward + value;
            // A legal move is worth something even where its value is not a number.
            if worth.is_nan() { f32::MIN } else { worth }
        }));
    }

    /// The value of each board of a range: that of its best move, 0 where the game is over.
    #[inline]
    pub(crate) fn bests(&self, boards: Range<usize>) -> impl Iterator<Item = f32> {
        self.boards[boards].iter().map(|answers| {
            let [a, b, c, d] = answers.map(|child| self.worths[child as usize]);
            let more = |a: f32, b: f32| if a > b { a } else { b };
            let best = more(more(a, b), more(c, d));
            if best == f32::NEG_INFINITY { 0.0 } else { best }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::{Random, Shape};

    /// The same by definition: every board, every legal move.
    #[test]
    fn children_are_those_of_every_board() {
        let mut random = Random::new(1);
        let mut shared = 0;
        for shape in Shape::all() {
            for _ in 0..200 {
                let largest = if shape == Shape::CLASSIC { 17 } else { shape.max_exponent() };
                let mut cell = || match random.below(3) {
                    0 => 0,
                    1 => random.below(3) as u8,
                    _ => random.below(largest as u64) as u8,
                };
                let cells: Vec<u8> = (0..shape.cells()).map(|_| cell()).collect();
                let Ok(node) = Afterstate::from_exponents(shape, &cells) else { continue };
                let mut expansion = Expansion::default();
                let judge = |a: &Afterstate| (a.nibbles() % 9973) as f32 + a.high() as f32;
                let ranges = [expansion.add(node, 1), expansion.add(node, 2)];
                expansion.values = expansion.children.iter().map(judge).collect();
                expansion.add_up();
                for (exponent, range) in [1, 2].into_iter().zip(ranges) {
                    let found: Vec<f32> = expansion.bests(range).collect();
                    let spawns = node.spawns().filter(|s| s.exponent == exponent);
                    let expected: Vec<f32> = spawns
                        .map(|spawn| {
                            let slides = node.spawn(spawn).unwrap().afterstates();
                            let worths = slides.iter().map(|(_, a, r)| r as f32 + judge(&a));
                            worths
                                .fold(None, |best: Option<f32>, w| {
                                    Some(best.map_or(w, |b| b.max(w)))
                                })
                                .unwrap_or(0.0)
                        })
                        .collect();
                    assert_eq!(found, expected, "{node}");
                    let all: usize = node
                        .spawns()
                        .filter(|s| s.exponent == exponent)
                        .map(|s| node.spawn(s).unwrap().legal_moves().len())
                        .sum();
                    shared += all;
                }
                shared -= expansion.children.len();
            }
        }
        assert!(shared > 0, "no child was shared");
    }
}
