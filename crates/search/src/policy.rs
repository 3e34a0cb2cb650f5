//! Who chooses a move.

use maxtile_game::{Board, Move, Random};

/// A position to be decided, and the answer.
#[derive(Clone, Debug)]
pub struct Query {
    /// The position.
    pub board: Board,
    /// The random numbers of this game's player. They belong to the game, not to the policy, so
    /// that a game comes out the same whichever others are decided beside it.
    pub random: Random,
    /// The move chosen; `None` when the game is over.
    pub answer: Option<Move>,
}

impl Query {
    /// A question without an answer yet.
    pub fn new(board: Board, random: Random) -> Query {
        Query { board, random, answer: None }
    }
}

/// Chooses moves. What it answers for one query does not depend on the others.
pub trait Policy: Send {
    /// Answers each query with a legal move, or `None` where there is none.
    fn choose(&mut self, queries: &mut [Query]);
}

impl<P: Policy + ?Sized> Policy for Box<P> {
    fn choose(&mut self, queries: &mut [Query]) {
        (**self).choose(queries);
    }
}
