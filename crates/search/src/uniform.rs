//! The player that knows nothing.

use crate::policy::{Policy, Query};

/// Plays every legal move with the same probability.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl Policy for Uniform {
    fn choose(&mut self, queries: &mut [Query]) {
        for query in queries {
            let legal = query.board.legal_moves();
            query.answer = legal.nth(query.random.below(legal.len() as u64) as usize);
        }
    }
}
