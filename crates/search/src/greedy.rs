//! The move whose reward and afterstate value sum to the most ("1-ply").

use maxtile_game::{Afterstate, Afterstates, Board};

use crate::policy::{Policy, Query, Worths};
use crate::value::Value;

/// Looks at each legal move once. Of equal moves the first in the order up, right, down, left wins.
#[derive(Debug)]
pub struct Greedy<V> {
    value: V,
    // Room to work, kept from call to call.
    slides: Vec<Afterstates>,
    afterstates: Vec<Afterstate>,
    values: Vec<f32>,
}

impl<V: Value> Greedy<V> {
    /// Greedy play by this value.
    pub fn new(value: V) -> Greedy<V> {
        Greedy { value, slides: Vec::new(), afterstates: Vec::new(), values: Vec::new() }
    }
}

impl<V: Value> Policy for Greedy<V> {
    fn choose(&mut self, queries: &mut [Query]) {
        // All afterstates of all queries go to the value in one batch.
        self.slides.clear();
        self.slides.extend(queries.iter().map(|query| query.board.afterstates()));
        self.afterstates.clear();
        for slides in &self.slides {
            self.afterstates.extend(slides.iter().map(|(_, afterstate, _)| afterstate));
        }
        self.values.resize(self.afterstates.len(), 0.0);
        self.value.values(&self.afterstates, &mut self.values);
        let mut values = self.values.iter();
        for (query, slides) in queries.iter_mut().zip(&self.slides) {
            query.answer = None;
            let mut best = f32::NEG_INFINITY;
            for ((mv, _, reward), value) in slides.iter().zip(&mut values) {
                let worth = reward as f32 + value;
                // A value that is not a number must not leave a legal position undecided.
                if worth > best || query.answer.is_none() {
                    best = worth;
                    query.answer = Some(mv);
                }
            }
        }
    }

    fn worths(&mut self, board: Board) -> Option<Worths> {
        let mut worths = [None; 4];
        for (mv, afterstate, reward) in board.afterstates().iter() {
            worths[mv.index()] = Some(reward as f32 + self.value.value(afterstate));
        }
        Some(worths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::{Move, Random};

    struct Zero;
    impl Value for Zero {
        fn values(&self, _: &[Afterstate], out: &mut [f32]) {
            out.fill(0.0);
        }
    }

    fn answer(value: &dyn Value, position: &str) -> Option<Move> {
        let board: Board = position.parse().unwrap();
        let mut queries = [Query::new(board, Random::new(0))];
        Greedy::new(value).choose(&mut queries);
        queries[0].answer
    }

    #[test]
    fn takes_the_larger_reward_and_breaks_ties_by_number() {
        // A pair of 8s in the first row, a pair of 2s in the first column below it.
        assert_eq!(answer(&Zero, "3300100010000000"), Some(Move::Right));
        assert_eq!(answer(&Zero, "1000000000000000"), Some(Move::Right));
        assert_eq!(answer(&Zero, "1212212112122121"), None);
    }

    #[test]
    fn a_batch_answers_as_single_queries_do() {
        struct Sum;
        impl Value for Sum {
            fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
                for (a, v) in afterstates.iter().zip(out) {
                    *v = (a.nibbles() % 1009) as f32;
                }
            }
        }
        let mut random = Random::new(3);
        let boards: Vec<Board> = (0..200)
            .map(|_| {
                let cells: Vec<u8> = (0..16).map(|_| random.below(3) as u8).collect();
                Board::from_exponents(maxtile_game::Shape::CLASSIC, &cells).unwrap()
            })
            .collect();
        let mut batch: Vec<Query> = boards.iter().map(|&b| Query::new(b, Random::new(0))).collect();
        Greedy::new(&Sum).choose(&mut batch);
        for query in batch {
            assert_eq!(query.answer, answer(&Sum, &query.board.to_string()));
        }
    }

    #[test]
    fn not_a_number_still_moves() {
        struct Nan;
        impl Value for Nan {
            fn values(&self, _: &[Afterstate], out: &mut [f32]) {
                out.fill(f32::NAN);
            }
        }
        assert!(answer(&Nan, "1000000000000000").is_some());
    }
}
