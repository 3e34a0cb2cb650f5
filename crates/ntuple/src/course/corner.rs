//! The max-in-corner rule (Kanazawa 2018): a move after which a largest tile stands in a corner is
//! worth ρ times as much.
//!
//! The board after the move is looked at, reward and value are multiplied together, and of several
//! largest tiles one in a corner is enough. The ratio may change once in a game, at a score or at
//! a largest tile.

use maxtile_game::{Afterstates, Board, Move};
use maxtile_search::{max_in_corner, weighed};

use super::best;

/// The corner ratio ρ, and when it changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Corner {
    /// ρ at first.
    pub first: f32,
    /// ρ after the change.
    pub later: f32,
    /// When it changes.
    pub change: CornerChange,
}

/// When the corner ratio of a game changes.
#[derive(Clone, Debug, PartialEq)]
pub enum CornerChange {
    /// Not at all.
    Never,
    /// From this score on.
    Score(u32),
    /// From a largest tile of this exponent on.
    Tile(u8),
    /// There is a ratio for each exponent of the largest tile; the last one serves all larger.
    Each(Vec<f32>),
}

impl Corner {
    /// The ratio of a position with this score.
    pub fn ratio(&self, score: u32, board: Board) -> f32 {
        let later = match &self.change {
            CornerChange::Never => false,
            CornerChange::Score(bound) => score >= *bound,
            CornerChange::Tile(bound) => board.max_exponent() >= *bound,
            CornerChange::Each(ratios) => {
                let place = (board.max_exponent() as usize).min(ratios.len().max(1) - 1);
                return ratios.get(place).copied().unwrap_or(self.first);
            }
        };
        if later { self.later } else { self.first }
    }

    /// The move to play when moves are worth this much.
    pub(crate) fn choose(
        &self,
        slides: &Afterstates,
        worth: impl Fn(Move) -> f32,
        score: u32,
        board: Board,
    ) -> Option<Move> {
        let ratio = self.ratio(score, board);
        best(slides, |mv| {
            let corner = slides.get(mv).is_some_and(|(afterstate, _)| max_in_corner(afterstate));
            if corner { weighed(worth(mv), ratio) } else { worth(mv) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(text: &str) -> Board {
        text.parse().unwrap()
    }

    #[test]
    fn the_board_after_the_move_counts() {
        // Before the move the 64 is in no corner; up brings it there, right scores 4.
        let position = board("0000600000001100");
        let chosen = |first: f32| {
            let corner = Corner { first, later: 1.0, change: CornerChange::Never };
            let slides = position.afterstates();
            corner.choose(&slides, |mv| 100.0 + slides.rewards()[mv.index()] as f32, 0, position)
        };
        assert_eq!(chosen(1.0), Some(Move::Right));
        // 100 · 1.03 is less than 104, 100 · 1.05 is more.
        assert_eq!(chosen(1.03), Some(Move::Right));
        assert_eq!(chosen(1.05), Some(Move::Up));
    }

    #[test]
    fn ratios_change_where_they_should() {
        let ratio = |change: CornerChange, score, text| {
            Corner { first: 1.2, later: 1.1, change }.ratio(score, board(text))
        };
        let small = "b000000000000000";
        assert_eq!(ratio(CornerChange::Never, 1_000_000, small), 1.2);
        assert_eq!(ratio(CornerChange::Score(70_000), 69_999, small), 1.2);
        assert_eq!(ratio(CornerChange::Score(70_000), 70_000, small), 1.1);
        assert_eq!(ratio(CornerChange::Tile(12), 0, small), 1.2);
        assert_eq!(ratio(CornerChange::Tile(12), 0, "c000000000000000"), 1.1);
        let each = || CornerChange::Each(vec![1.5, 1.4, 1.3]);
        assert_eq!(ratio(each(), 0, "1000000000000000"), 1.4);
        assert_eq!(ratio(each(), 0, "5000000000000000"), 1.3);
    }
}
