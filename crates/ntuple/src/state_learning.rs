//! The two learners that Szubert & Jaśkowski (2014) compare TD-afterstate with. Both judge
//! positions to move, not afterstates, and have a loop of their own.
//!
//! **Q-learning**: four networks, one for each move. The move with the largest Vₐ(s) is played, the
//! reward is not added; Vₐ(s) += α (r + max V(s'') − Vₐ(s)), the maximum being over the networks of
//! the moves that are legal in the next position s'', 0 where the game is over.
//!
//! **TD-state**: one network. The move with the largest reward + Σ P(s'') V(s'') is played, over all
//! spawns; V(s) += α (r + V(s'') − V(s)). V(s'') = 0 where the game is over, in both places.

use std::sync::atomic::{AtomicU64, Ordering};

use maxtile_game::{Afterstate, Board, Move, Random, SpawnLaw};

use crate::course::best;
use crate::network::Network;
use crate::plan::Octet;
use crate::side_by_side::side_by_side;
use crate::spec::Judges;
use crate::td::Step;
use crate::trainer::{Block, Played};

/// Plays and learns a block of games by the rule that the network's description asks for: one of
/// moves learns by Q-learning, one of states by TD. Random moves come with probability `explore`.
pub fn learn_states<S: Step>(
    network: &Network,
    step: &S,
    block: &Block,
    explore: f64,
) -> Vec<Played> {
    let next = AtomicU64::new(0);
    let work = || {
        let mut played = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= block.games {
                return played;
            }
            let game = block.first + index;
            let mut learner =
                Learner { network, step, octets: vec![[0; 8]; network.plan.octets()] };
            played.push(learner.game(game, block, explore));
        }
    };
    let mut played = side_by_side(block.threads, work).concat();
    played.sort_unstable_by_key(|played| played.game);
    played
}

/// Tells the player's random numbers from the spawns': "states" in ASCII.
const OWN: u64 = 0x0000_7374_6174_6573;

struct Learner<'a, S> {
    network: &'a Network,
    step: &'a S,
    octets: Vec<Octet>,
}

impl<S: Step> Learner<'_, S> {
    fn game(&mut self, game: u64, block: &Block, explore: f64) -> Played {
        let mut spawns = Random::stream(block.seed, game);
        let mut own = Random::stream(block.seed ^ OWN, game);
        let mut board = block.rules.start(&mut spawns);
        let mut result = Played { game, ..Played::default() };
        loop {
            let legal = board.legal_moves();
            let any = explore > 0.0 && own.unit() < explore;
            let chosen = if any {
                legal.nth(own.below(legal.len() as u64) as usize)
            } else {
                self.choose(board, block.rules.law)
            };
            let Some((mv, (afterstate, reward))) =
                chosen.and_then(|mv| Some((mv, board.slide(mv)?)))
            else {
                break;
            };
            let next = block.rules.law.spawn(afterstate, &mut spawns);
            self.lesson(board, mv, reward as f32, next);
            board = next;
            result.score += reward;
            result.moves += 1;
        }
        result.all_moves = u64::from(result.moves);
        result.largest = board.max_exponent();
        result
    }

    fn choose(&self, board: Board, law: SpawnLaw) -> Option<Move> {
        let slides = board.afterstates();
        match self.network.spec().judges {
            Judges::Moves => best(&slides, |mv| self.network.value_in(board.grid(), mv.index())),
            _ => best(&slides, |mv| {
                let worth = |(afterstate, reward): (Afterstate, u32)| {
                    reward as f32 + self.network.mean_over_spawns(afterstate, law)
                };
                slides.get(mv).map_or(f32::NEG_INFINITY, worth)
            }),
        }
    }

    /// `mv` in `board` has brought this reward and led to `next`.
    fn lesson(&mut self, board: Board, mv: Move, reward: f32, next: Board) {
        let network = self.network;
        let (set, ahead) = match network.spec().judges {
            Judges::Moves => (mv.index(), network.best_move_value(next).unwrap_or(0.0)),
            _ if next.is_over() => (0, 0.0),
            _ => (0, network.value_in(next.grid(), 0)),
        };
        network.plan.indices(&[network.word(board.grid())], &mut self.octets);
        Network::shift(&mut self.octets, network.offset(set));
        let error = reward + ahead - network.sum(&self.octets);
        self.step.learn(network, network.active_of(&self.octets), error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;
    use crate::stages::Stages;
    use crate::td::{Rate, Td};
    use crate::trainer::Block;
    use maxtile_game::Rules;

    /// One cell of a 1×2 board is looked up: the left one. m = 1.
    fn network(judges: Judges) -> Network {
        let stages = if judges == Judges::Moves { Stages::Moves } else { Stages::One };
        let board = "1x2".to_owned();
        let spec = Spec { board, stages, judges, ..Spec::classic("test", &[&[0]], 4, false) };
        Network::new(spec).unwrap()
    }

    fn lessons(network: &Network, lessons: &[(&str, Move, f32, &str)]) {
        let step = Td::new(Rate::PerWeight(0.5), network);
        let mut learner = Learner { network, step: &step, octets: vec![[0; 8]; 1] };
        for &(board, mv, reward, next) in lessons {
            learner.lesson(board.parse().unwrap(), mv, reward, next.parse().unwrap());
        }
    }

    /// Three steps. 1 1 left: r = 4, to 2 1, which is over: left of 1 is worth 2. Then 1 1 right: r = 4,
    /// to 1 2, over: right of 1 is worth 2. Then 0 1 left: r = 0, to 1 1 where left and right are
    /// worth 2: left of 0 is worth 1. Then 1 1 left again: 2 + (4 − 2)/2.
    #[test]
    fn q_learning_by_hand() {
        let network = network(Judges::Moves);
        lessons(
            &network,
            &[
                ("1x2:11", Move::Left, 4.0, "1x2:21"),
                ("1x2:11", Move::Right, 4.0, "1x2:12"),
                ("1x2:01", Move::Left, 0.0, "1x2:11"),
                ("1x2:11", Move::Left, 4.0, "1x2:21"),
            ],
        );
        let left = network.table(Move::Left.index());
        let right = network.table(Move::Right.index());
        assert_eq!((left, right), (vec![1.0, 3.0, 0.0, 0.0], vec![0.0, 2.0, 0.0, 0.0]));
        // The larger of two values is the target: 0 1 again: 1 + (0 + 3 − 1)/2.
        lessons(&network, &[("1x2:01", Move::Left, 0.0, "1x2:11")]);
        assert_eq!(network.table(Move::Left.index())[0], 2.0);
        // Moves that are not legal do not count: in 0 1 only left is.
        network.set_table(Move::Right.index(), &[90.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!(network.best_move_value("1x2:01".parse().unwrap()), Some(2.0));
        let step = Td::new(Rate::PerWeight(0.5), &network);
        let learner = Learner { network: &network, step: &step, octets: Vec::new() };
        let choice = learner.choose("1x2:11".parse().unwrap(), SpawnLaw::default());
        assert_eq!(choice, Some(Move::Left), "3 against 0");
    }

    /// Three steps. 1 1 to 2 1, over: V(1) = 2. 0 1 to 1 1: V(0) = (0 + 2 − 0)/2 = 1. 1 1 to 0 2 with
    /// r = 4: V(1) = 2 + (4 + V(0) − 2)/2 = 3.5.
    #[test]
    fn td_state_by_hand() {
        let network = network(Judges::States);
        lessons(
            &network,
            &[
                ("1x2:11", Move::Left, 4.0, "1x2:21"),
                ("1x2:01", Move::Left, 0.0, "1x2:11"),
                ("1x2:11", Move::Right, 4.0, "1x2:02"),
            ],
        );
        assert_eq!(network.table(0), [1.0, 3.5, 0.0, 0.0]);
    }

    /// In 1 1 left gives 4 and 2 0, then 2 1 (0.9) or 2 2 (0.1); right gives 4 and 0 2, then 1 2 or
    /// 2 2.
    #[test]
    fn td_state_looks_at_every_spawn() {
        let network = network(Judges::States);
        let step = Td::new(Rate::PerWeight(0.5), &network);
        let choose = |table: &[f32; 4]| {
            network.set_table(0, table).unwrap();
            let learner = Learner { network: &network, step: &step, octets: Vec::new() };
            learner.choose("1x2:11".parse().unwrap(), SpawnLaw::default())
        };
        // 2 1 and 1 2 are over and worth 0; 2 2 is worth V(2) either way: right comes first.
        assert_eq!(choose(&[0.0, 10.0, 8.0, 0.0]), Some(Move::Right));
        let mean =
            |text: &str| network.mean_over_spawns(text.parse().unwrap(), SpawnLaw::default());
        assert!((mean("1x2:02") - 0.8).abs() < 1e-6, "{}", mean("1x2:02"));
        // 0 1, then 1 1 (0.9) or 2 1 (0.1, over): V(1).
        assert!((mean("1x2:01") - 9.0).abs() < 1e-6, "{}", mean("1x2:01"));
    }

    #[test]
    fn both_learn_2x2() {
        for (judges, stages) in [(Judges::States, Stages::One), (Judges::Moves, Stages::Moves)] {
            let whole = crate::named("whole-2x2").unwrap();
            let whole = if judges == Judges::Moves { whole.unshared() } else { whole };
            let spec = Spec { stages, judges, ..whole };
            let network = Network::new(spec).unwrap();
            network.set_all(80.0);
            let rules = Rules::of(network.shape());
            let mut last = Vec::new();
            for first in (0..40_000).step_by(4_000) {
                let factor = 1.0 - first as f32 / 44_000.0;
                let step = Td::new(Rate::Distributed(0.2 * factor), &network);
                let block =
                    Block { rules, seed: 2, first, games: 4_000, threads: 1, restart: None };
                last = learn_states(&network, &step, &block, 0.0);
            }
            let mean = last.iter().map(|p| f64::from(p.score)).sum::<f64>() / last.len() as f64;
            // The optimum is 66.96; four thousand games know their mean within about one.
            assert!((64.0..68.5).contains(&mean), "{judges:?}: {mean}");
        }
    }
}
