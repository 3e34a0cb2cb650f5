//! A value worked out by hand, in the classic way: empty cells, order, smoothness, a corner.
//!
//! Every row and every column gets marks of its own; the marks are summed and brought to the scale
//! of points. The weights are ours, found by play (`examples/tune_heuristic.rs`).

use std::sync::{Arc, OnceLock};

use maxtile_game::Afterstate;

use crate::value::Value;

/// What counts how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// For each empty cell of a line.
    pub empty: f32,
    /// For each pair of equal neighbours.
    pub merge: f32,
    /// Against tiles that rise and fall along a line: for the smaller of the two directions.
    pub order: f32,
    /// Against steps between neighbours.
    pub step: f32,
    /// For tiles at the end of a line: there they lie in a corner or at the edge.
    pub edge: f32,
    /// A tile of exponent e weighs e to this power in order and edge.
    pub growth: f32,
}

/// The usual weights.
pub const WEIGHTS: Weights =
    Weights { empty: 28.0, merge: 69.0, order: 4.76, step: 1.72, edge: 1.63, growth: 2.22 };

/// The value by hand.
#[derive(Clone, Debug)]
pub struct Heuristic {
    weights: Weights,
    /// The marks of all lines of four cells below 65536.
    fours: Arc<[f32]>,
}

impl Default for Heuristic {
    fn default() -> Heuristic {
        static USUAL: OnceLock<Heuristic> = OnceLock::new();
        USUAL.get_or_init(|| Heuristic::new(WEIGHTS)).clone()
    }
}

impl Heuristic {
    /// With these weights.
    pub fn new(weights: Weights) -> Heuristic {
        let cells = |row: u32| [0, 4, 8, 12].map(|shift| (row >> shift & 15) as u8);
        let fours = (0..1 << 16).map(|row| weights.line(&cells(row))).collect();
        Heuristic { weights, fours }
    }
}

impl Weights {
    /// The marks of a line of exponents. The same from either end.
    fn line(&self, line: &[u8]) -> f32 {
        let Weights { empty, merge, order, step, edge, growth } = *self;
        let weight = |exponent: u8| f32::from(exponent).powf(growth);
        let empties = line.iter().map(|e| f32::from(u8::from(*e == 0))).sum::<f32>();
        let (mut merges, mut rising, mut falling, mut steps) = (0.0, 0.0, 0.0, 0.0);
        for pair in line.windows(2) {
            let (a, b) = (weight(pair[0]), weight(pair[1]));
            if pair[0] == pair[1] && pair[0] > 0 {
                merges += 1.0;
            }
            rising += (b - a).max(0.0);
            falling += (a - b).max(0.0);
            if pair[0] > 0 && pair[1] > 0 {
                steps += f32::from(pair[0].abs_diff(pair[1]));
            }
        }
        let ends = weight(line[0]).max(weight(line[line.len() - 1]));
        empty * empties + merge * merges - order * rising.min(falling) - step * steps + edge * ends
    }
}

impl Value for Heuristic {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        for (afterstate, value) in afterstates.iter().zip(out) {
            let shape = afterstate.shape();
            let (rows, cols) = (shape.rows(), shape.cols());
            let mut sum = 0.0;
            if (rows, cols) == (4, 4) && afterstate.high() == 0 {
                let table = &self.fours;
                let x = afterstate.nibbles();
                for i in 0..4 {
                    sum += table[(x >> (16 * i) & 0xffff) as usize];
                    let column = (x >> (4 * i) & 0x000f_000f_000f_000f)
                        .wrapping_mul(0x0001_0010_0100_1000)
                        >> 48;
                    sum += table[column as usize];
                }
            } else {
                let mut line = [0; 16];
                for row in 0..rows {
                    (0..cols).for_each(|col| line[col] = afterstate.exponent(row * cols + col));
                    sum += self.weights.line(&line[..cols]);
                }
                for col in 0..cols {
                    (0..rows).for_each(|row| line[row] = afterstate.exponent(row * cols + col));
                    sum += self.weights.line(&line[..rows]);
                }
            }
            *value = sum;
        }
    }

    fn symmetric(&self) -> bool {
        // Up to the last bit, as sums of floats are.
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::{Random, Shape, Symmetry};

    #[test]
    fn table_and_definition_agree_and_symmetric_boards_are_worth_the_same() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let cells: Vec<u8> = (0..16).map(|_| random.below(14) as u8).collect();
            let node = Afterstate::from_exponents(Shape::CLASSIC, &cells).unwrap();
            let value = Heuristic::default().value(node);
            let line = |start: usize, next: usize| -> f32 {
                WEIGHTS.line(&[0, 1, 2, 3].map(|i| cells[start + i * next]))
            };
            let by_definition = (0..4).map(|i| line(4 * i, 1) + line(i, 4)).sum::<f32>();
            assert!((value - by_definition).abs() < 0.01 * value.abs().max(100.0), "{node}");
            for symmetry in Symmetry::ALL {
                let image = Heuristic::default().value(node.transformed(symmetry));
                assert!((value - image).abs() < 1e-3 * value.abs().max(100.0), "{node}");
            }
        }
    }

    #[test]
    fn likes_what_players_like() {
        let value = |text: &str| Heuristic::default().value(text.parse().unwrap());
        assert!(value("7654321000000000") > value("4567123000000000"));
        assert!(value("7600000000000000") > value("0760000000000000"));
        assert!(value("6000000000000000") > value("5500000000000000") - 200.0);
        assert!(value("gf00000000000000").is_finite());
        assert!(value("1x1:1").is_finite() && value("6x2:123456123456").is_finite());
    }
}
