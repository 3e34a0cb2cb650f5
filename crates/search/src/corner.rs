//! The max-in-corner rule (Kanazawa 2018): a move that leaves the largest tile in a corner counts
//! for more.
//!
//! What a move is worth to the agent inside is multiplied by the corner ratio ρ (divided where it is below zero) when after
//! the move a largest tile stands in a corner. The ratio may change once in a game, when the score or
//! the largest tile reaches a bound. A policy sees positions and not scores, so the score is that
//! of a game in which the usual share of the tiles came as 4s: a position tells it within some
//! percent.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use maxtile_game::{Afterstate, Board, SpawnLaw};

use crate::limits::Limits;
use crate::policy::{Policy, Query, Searched, Worths, best, weighed};
use crate::report::Report;

/// The corner ratio and when it changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CornerRatio {
    /// The ratio at the start.
    pub first: f32,
    /// The ratio later.
    pub then: f32,
    /// From this score on it is later.
    pub score: Option<u32>,
    /// From this largest tile on it is later.
    pub tile: Option<u32>,
}

impl CornerRatio {
    /// The same ratio throughout.
    pub fn constant(ratio: f32) -> CornerRatio {
        CornerRatio { first: ratio, then: ratio, score: None, tile: None }
    }

    /// The ratio for a position.
    pub fn at(&self, board: Board, law: SpawnLaw) -> f32 {
        let scored = self.score.is_some_and(|bound| likely_score(board, law) >= bound as f64);
        let grown = self.tile.is_some_and(|bound| board.max_tile() >= bound);
        if scored || grown { self.then } else { self.first }
    }
}

/// The score of a game that has come to this position with the usual share of 4s.
pub fn likely_score(board: Board, law: SpawnLaw) -> f64 {
    // A tile 2^e made of 2s has scored (e - 1) 2^e, and each spawned 4 costs four points of that.
    let from_twos: f64 = board
        .exponents()
        .filter(|&exponent| exponent > 0)
        .map(|exponent| f64::from(exponent - 1) * f64::from(1u32 << exponent))
        .sum();
    let spawns = f64::from(board.tile_sum()) / (2.0 + 2.0 * law.p4());
    (from_twos - 4.0 * law.p4() * spawns).max(0.0)
}

/// Is a largest tile in a corner?
pub fn max_in_corner(afterstate: Afterstate) -> bool {
    let shape = afterstate.shape();
    let (last, width) = (shape.cells() - 1, shape.cols());
    let largest = afterstate.max_exponent();
    [0, width - 1, last + 1 - width, last].iter().any(|&cell| afterstate.exponent(cell) == largest)
}

/// An agent under the rule. One that does not weigh moves is left as it is.
#[derive(Debug)]
pub struct Corner<P> {
    agent: P,
    ratio: CornerRatio,
    law: SpawnLaw,
}

impl<P: Policy> Corner<P> {
    /// The agent under the rule.
    pub fn new(agent: P, ratio: CornerRatio, law: SpawnLaw) -> Corner<P> {
        Corner { agent, ratio, law }
    }

    /// How often each move counts, and the agent inside knows it.
    fn ratios(&mut self, board: Board) -> [f32; 4] {
        let (ratio, mut ratios) = (self.ratio.at(board, self.law), [1.0; 4]);
        for (mv, afterstate, _) in board.afterstates().iter() {
            if max_in_corner(afterstate) {
                ratios[mv.index()] = ratio;
            }
        }
        self.agent.favour(ratios);
        ratios
    }
}

fn all_weighed(worths: Worths, ratios: [f32; 4]) -> Worths {
    std::array::from_fn(|at| worths[at].map(|worth| weighed(worth, ratios[at])))
}

impl<P: Policy> Policy for Corner<P> {
    fn choose(&mut self, queries: &mut [Query]) {
        for query in queries {
            let choice = query.board.legal_moves().len() > 1;
            match choice.then(|| self.compared(query.board)).flatten() {
                Some(worths) => query.answer = best(&worths),
                None => self.agent.choose(std::slice::from_mut(query)),
            }
        }
    }

    fn worths(&mut self, board: Board) -> Option<Worths> {
        let ratios = self.ratios(board);
        self.agent.worths(board).map(|worths| all_weighed(worths, ratios))
    }

    fn compared(&mut self, board: Board) -> Option<Worths> {
        let ratios = self.ratios(board);
        self.agent.compared(board).map(|worths| all_weighed(worths, ratios))
    }

    fn limits(&self) -> Option<Limits> {
        self.agent.limits()
    }

    fn searched(&self) -> Option<Searched> {
        self.agent.searched()
    }

    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        self.agent.stop_by(stop);
    }

    fn explain(&mut self, board: Board, limits: Option<Limits>) -> Option<Report> {
        let ratios = self.ratios(board);
        let mut report = self.agent.explain(board, limits)?;
        let mut worths = [None; 4];
        for found in &mut report.moves {
            found.value = weighed(found.value, ratios[found.mv.index()]);
            if found.compared {
                worths[found.mv.index()] = Some(found.value);
            }
        }
        report.sort(best(&worths));
        Some(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Expectimax, Greedy, Heuristic, Settings, Value};
    use maxtile_game::{Game, GameSeed, Move, Random, Rules};

    struct Constant(f32);
    impl Value for Constant {
        fn values(&self, _: &[Afterstate], out: &mut [f32]) {
            out.fill(self.0);
        }
    }

    fn choice(ratio: CornerRatio, position: &str) -> Option<Move> {
        let mut policy = Corner::new(Greedy::new(Constant(100.0)), ratio, SpawnLaw::default());
        let mut query = Query::new(position.parse().unwrap(), Random::new(0));
        policy.choose(std::slice::from_mut(&mut query));
        query.answer
    }

    #[test]
    fn the_corner_outweighs_a_small_reward() {
        // The 64 is in a corner after left, up and down; right scores 8 and takes it to another.
        let board = "6000000022000000";
        assert_eq!(choice(CornerRatio::constant(1.0), board), Some(Move::Right));
        // The 64 stands in the middle of the first column: up and down bring it to a corner.
        let board = "0000600000002200";
        assert_eq!(choice(CornerRatio::constant(1.0), board), Some(Move::Right));
        assert_eq!(choice(CornerRatio::constant(1.2), board), Some(Move::Up));
    }

    /// Moves that a search has looked at less than others are not compared with them under the rule either.
    #[test]
    fn a_rule_that_changes_nothing_plays_as_the_agent_inside() {
        let search = || {
            let settings = Settings::new(Limits::nodes(3000));
            Expectimax::new(Heuristic::default(), settings).unwrap()
        };
        let mut under = Corner::new(search(), CornerRatio::constant(1.0), SpawnLaw::default());
        let mut inside = search();
        let mut game = Game::new(Rules::default(), GameSeed { run: 3, index: 0 });
        for _ in 0..400 {
            let ask = |policy: &mut dyn Policy| {
                let mut query = Query::new(game.board(), Random::new(0));
                policy.choose(std::slice::from_mut(&mut query));
                query.answer
            };
            let (mv, same) = (ask(&mut inside), ask(&mut under));
            assert_eq!(same, mv, "{}", game.board());
            let Some(mv) = mv else { break };
            game.play(mv);
        }
        assert!(game.record().plies.len() > 100);
    }

    /// An iteration that the limit ends has looked at the moves that count most, and not at those that would without the rule.
    #[test]
    fn the_rule_holds_wherever_the_search_is_stopped() {
        let board: Board = "0000600000002200".parse().unwrap();
        let (mut ended_early, rule) = (0, CornerRatio::constant(1e6));
        for nodes in (100..6000).step_by(59) {
            let search = || {
                let value = Constant(100.0);
                Expectimax::new(value, Settings::new(Limits::nodes(nodes))).unwrap()
            };
            let seen = search().compared(board).unwrap();
            ended_early += usize::from(seen.iter().flatten().count() < board.legal_moves().len());
            let mut policy = Corner::new(search(), rule, SpawnLaw::default());
            let mut query = Query::new(board, Random::new(0));
            policy.choose(std::slice::from_mut(&mut query));
            let said = policy.explain(board, None).unwrap().best();
            for mv in [query.answer, said] {
                assert!(matches!(mv, Some(Move::Up | Move::Down)), "{nodes}: {mv:?}");
            }
        }
        assert!(ended_early > 10, "{ended_early} searches showed something");
    }

    /// Whatever the sign of a value, the corner counts for more.
    #[test]
    fn a_corner_is_better_than_none_below_zero_too() {
        assert_eq!((weighed(-150.0, 1.5), weighed(120.0, 1.5)), (-100.0, 180.0));
        let board: Board = "0000600000002200".parse().unwrap();
        let mut policy = Corner::new(
            Greedy::new(Constant(-100.0)),
            CornerRatio::constant(2.0),
            SpawnLaw::default(),
        );
        let worths = policy.worths(board).unwrap();
        assert!(worths[Move::Up.index()].unwrap() > -100.0);
    }

    #[test]
    fn corners_of_all_boards() {
        let corner = |text: &str| max_in_corner(text.parse().unwrap());
        assert!(corner("5000000000000000") && corner("0000000000000005"));
        assert!(corner("0005000000000000") && corner("0000000000005000"));
        assert!(!corner("0500000000000000") && !corner("0000050000000000"));
        assert!(corner("2x3:001000") && !corner("2x3:010000"));
        assert!(corner("2x3:000100") && !corner("2x3:000010"));
        assert!(!corner("1000050000000000"), "a smaller tile does not count");
        assert!(corner("5000050000000000"), "one of two largest is enough");
    }

    #[test]
    fn the_ratio_changes_once() {
        let ratio = CornerRatio { first: 1.2, then: 1.1, score: Some(70_000), tile: None };
        let at =
            |ratio: CornerRatio, text: &str| ratio.at(text.parse().unwrap(), SpawnLaw::default());
        assert_eq!(at(ratio, "c000000000000000"), 1.2);
        assert_eq!(at(ratio, "d000000000000000"), 1.1);
        let ratio = CornerRatio { score: None, tile: Some(4096), ..ratio };
        assert_eq!((at(ratio, "b000000000000000"), at(ratio, "c000000000000000")), (1.2, 1.1));
    }

    #[test]
    fn the_likely_score_is_near_the_score() {
        for index in 0..20 {
            let mut game = Game::new(Rules::default(), GameSeed { run: 9, index });
            let mut greedy = Greedy::new(Constant(0.0));
            loop {
                let mut query = Query::new(game.board(), Random::new(0));
                greedy.choose(std::slice::from_mut(&mut query));
                let Some(mv) = query.answer else { break };
                game.play(mv);
            }
            let (likely, score) =
                (likely_score(game.board(), SpawnLaw::default()), f64::from(game.score()));
            assert!((likely - score).abs() < 0.1 * score + 60.0, "{likely} {score}");
        }
    }
}
