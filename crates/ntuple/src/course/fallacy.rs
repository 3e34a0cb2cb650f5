//! The corner fallacy (Kanazawa 2018): the rule was followed where not following it was better.
//!
//! Counted where the rule changes the move. What is better is asked of a search one move deeper
//! than the player: reward + mean over all spawns of the best next reward + value.

use maxtile_game::{Afterstate, Board, SpawnLaw};

use super::Reward;
use crate::network::Network;

/// By what the moves of a game are judged.
#[derive(Clone, Copy)]
pub(super) struct Judging {
    pub(super) law: SpawnLaw,
    pub(super) reward: Reward,
    /// The stage that the game has reached.
    pub(super) stage: usize,
}

/// What the rule did in some games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fallacy {
    /// Moves looked at.
    pub moves: u64,
    /// Moves that the rule changed.
    pub changed: u64,
    /// Changed moves of which the deeper search prefers the other one.
    pub wrong: u64,
}

impl Fallacy {
    /// Looks at a move: what was played under the rule, and what would have been without it.
    pub(super) fn see(
        &mut self,
        network: &Network,
        game: Judging,
        played: (Afterstate, u32),
        greedy: (Afterstate, u32),
    ) {
        self.moves += 1;
        if played.0 != greedy.0 {
            self.changed += 1;
            let worth = |(afterstate, points): (Afterstate, u32)| {
                game.reward.of(points) + deeper(network, game, afterstate)
            };
            self.wrong += u64::from(worth(greedy) > worth(played));
        }
    }

    /// Adds what another has seen.
    pub(super) fn add(&mut self, other: Fallacy) {
        self.moves += other.moves;
        self.changed += other.changed;
        self.wrong += other.wrong;
    }
}

/// The mean over the spawns of the best reward + value that follows; 0 where the game is over.
fn deeper(network: &Network, game: Judging, afterstate: Afterstate) -> f32 {
    let best = |board: Board| {
        let slides = board.afterstates();
        let worths = slides.iter().map(|(_, next, points)| {
            let set = network.judging(network.stage(next.grid(), game.stage));
            game.reward.of(points) + network.value_in(next.grid(), set)
        });
        worths.reduce(f32::max).unwrap_or(0.0)
    };
    let outcomes = game.law.outcomes(afterstate);
    outcomes.filter_map(|(spawn, p)| Some(p as f32 * best(afterstate.spawn(spawn).ok()?))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    #[test]
    fn the_deeper_search_judges_by_hand() {
        let spec =
            Spec { board: "1x3".to_owned(), ..Spec::classic("test", &[&[0], &[1]], 5, false) };
        let network = Network::new(spec).unwrap();
        // Only the left cell counts: a 4 there is worth 10.
        network.set_table(0, &[0.0, 0.0, 10.0, 0.0, 0.0]).unwrap();
        let law = SpawnLaw::new(0.0).unwrap();
        let game = Judging { law, reward: Reward::Score, stage: 0 };
        let of = |text: &str| deeper(&network, game, text.parse().unwrap());
        // 2 0 0: a 2 in the middle or at the end, then left merges: 4 + 10 either way.
        assert_eq!(of("1x3:100"), 14.0);
        // Where a move is worth 1, the 4 points are not counted.
        let steps = Judging { reward: Reward::Step, ..game };
        assert_eq!(deeper(&network, steps, "1x3:100".parse().unwrap()), 11.0);
        // 4 2 8: no empty cell, no spawn: 0. 4 0 8, then 4 2 8: over.
        assert_eq!(of("1x3:203"), 0.0);
        // 0 0 4: a 2 at the left: right gives 0 2 4 (0), up and left nothing but 2 4 0 (0);
        // a 2 in the middle: left gives 2 4 0 (0).
        assert_eq!(of("1x3:002"), 0.0);

        let mut fallacy = Fallacy::default();
        let good = ("1x3:100".parse().unwrap(), 0);
        let bad = ("1x3:002".parse().unwrap(), 4);
        fallacy.see(&network, game, good, good);
        fallacy.see(&network, game, bad, good);
        fallacy.see(&network, game, good, bad);
        assert_eq!(fallacy, Fallacy { moves: 3, changed: 2, wrong: 1 });
        let mut twice = fallacy;
        twice.add(fallacy);
        assert_eq!(twice, Fallacy { moves: 6, changed: 4, wrong: 2 });
    }
}
