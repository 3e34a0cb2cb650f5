//! The duel learned: one network with a set of weights for each side, by TD in games that both
//! sides play greedily.
//!
//! The defender's set judges positions after a slide, V(s') += r + V(s'₊) − V(s'); the attacker's
//! judges positions after a placement, U(b) += r + U(b₊) − U(b), with r the reward of the slide
//! between the two. What comes after the end is worth 0. Each side takes the other as it is: who
//! does not learn in a block is frozen.

use std::cell::RefCell;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use maxtile_game::{Afterstate, Board, DuelRules, Random, Rules, Spawn, SpawnLaw, Tiles, Variant};
use maxtile_search::DuelValue;

use crate::network::Network;
use crate::plan::Octet;
use crate::side_by_side::side_by_side;
use crate::spec::Judges;
use crate::td::Step;
use crate::trainer::Played;

/// The set of weights that judges after slides, and the one that judges after placements.
pub(crate) const SLID: usize = 0;
pub(crate) const PLACED: usize = 1;

/// A network of both sides as the value of a duel.
#[derive(Clone, Debug)]
pub struct DuelNetwork(Arc<Network>);

impl DuelNetwork {
    /// `None` when the network judges something else.
    pub fn new(network: Arc<Network>) -> Option<DuelNetwork> {
        (network.spec().judges == Judges::Duel).then_some(DuelNetwork(network))
    }
}

impl DuelValue for DuelNetwork {
    fn slid(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        self.0.set_values(SLID, afterstates, out);
    }

    fn placed(&self, boards: &[Board], out: &mut [f32]) {
        placed(&self.0, boards, out);
    }

    fn symmetric(&self) -> bool {
        self.0.spec().symmetric
    }
}

fn placed(network: &Network, boards: &[Board], out: &mut [f32]) {
    thread_local! {
        static CELLS: RefCell<Vec<Afterstate>> = const { RefCell::new(Vec::new()) };
    }
    CELLS.with_borrow_mut(|cells| {
        cells.clear();
        cells.extend(boards.iter().map(|board| Afterstate::from(board.grid())));
        network.set_values(PLACED, cells, out);
    });
}

/// Who learns in a block of duels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learns {
    /// The defender, in the ordinary game: chance places the tiles.
    Chance,
    /// The defender against the attacker.
    Defender,
    /// The attacker against the defender.
    Attacker,
    /// Both at once.
    Both,
    /// Nobody: test games.
    Nobody,
}

impl fmt::Display for Learns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Learns::Chance => "chance",
            Learns::Defender => "defender",
            Learns::Attacker => "attacker",
            Learns::Both => "both",
            Learns::Nobody => "nobody",
        })
    }
}

impl FromStr for Learns {
    type Err = ();

    /// Only those who learn have a name to be written.
    fn from_str(text: &str) -> Result<Learns, ()> {
        let all = [Learns::Chance, Learns::Defender, Learns::Attacker, Learns::Both];
        all.into_iter().find(|learns| learns.to_string() == text).ok_or(())
    }
}

/// A stretch of duels to learn from.
#[derive(Clone, Copy, Debug)]
pub struct DuelBlock {
    /// Board and variant.
    pub rules: DuelRules,
    /// The seed of the run: game i draws from stream (seed, i).
    pub seed: u64,
    /// The number of the first game.
    pub first: u64,
    /// How many games.
    pub games: u64,
    /// How many threads. One gives the same result every time.
    pub threads: usize,
    /// Who learns.
    pub learns: Learns,
    /// The attacker's first placements are random, at most so many: without them all games of two
    /// greedy players would be one game. Nothing is learned from them.
    pub opening: u32,
    /// Are there exactly so many random placements, not any number up to it?
    pub whole_opening: bool,
}

/// Plays a block of duels and learns from them; the results come in the order of the games.
pub fn learn_duels<S: Step>(network: &Network, step: &S, block: &DuelBlock) -> Vec<Played> {
    let next = AtomicU64::new(0);
    let work = || {
        let octets = vec![[0; 8]; network.plan.octets()];
        let mut learner = Learner { network, step, block, octets, boards: Vec::new() };
        let mut played = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= block.games {
                return played;
            }
            played.push(learner.game(block.first + index));
        }
    };
    let mut played = side_by_side(block.threads, work).concat();
    played.sort_unstable_by_key(|played| played.game);
    played
}

struct Learner<'a, S> {
    network: &'a Network,
    step: &'a S,
    block: &'a DuelBlock,
    octets: Vec<Octet>,
    boards: Vec<Board>,
}

impl<S: Step> Learner<'_, S> {
    fn game(&mut self, game: u64) -> Played {
        let DuelBlock { rules, learns, opening, whole_opening, .. } = *self.block;
        let mut random = Random::stream(self.block.seed, game);
        let law = match rules.variant {
            Variant::Twos => SpawnLaw::new(0.0).unwrap_or_default(),
            Variant::Free | Variant::Drawn => rules.law,
        };
        let any = random.below(u64::from(opening) + 1);
        let random_placements = if whole_opening { u64::from(opening) } else { any };
        let mut board = Rules { shape: rules.shape, law }.start(&mut random);
        let mut result = Played { game, ..Played::default() };
        let defender_learns = matches!(learns, Learns::Chance | Learns::Defender | Learns::Both);
        // The last position after a slide and the last after a placement that what follows teaches
        // something about: from there on both sides choose.
        let (mut slid, mut left): (Option<Afterstate>, Board) = (None, board);
        while let Some((afterstate, reward, value)) = self.best_slide(board) {
            let own = u64::from(result.moves) >= random_placements;
            if let Some(before) = slid
                && defender_learns
            {
                self.learn(SLID, before, reward as f32 + value);
            }
            slid = own.then_some(afterstate);
            result.score += reward;
            result.moves += 1;
            if learns == Learns::Chance || !own {
                // Where the attacker is free, a random placement is one of all there are.
                let tiles = rules.variant.tiles(law, &mut random);
                board = match tiles {
                    Tiles::Any if learns != Learns::Chance => {
                        any_placement(afterstate, &mut random)
                    }
                    _ => law.spawn(afterstate, &mut random),
                };
                left = board;
                continue;
            }
            let tiles = rules.variant.tiles(law, &mut random);
            let Some((next, value)) = self.worst_placement(afterstate, tiles) else { break };
            if matches!(learns, Learns::Attacker | Learns::Both) {
                self.learn(PLACED, left.grid().into(), reward as f32 + value);
            }
            (board, left) = (next, next);
        }
        if let Some(before) = slid
            && defender_learns
        {
            self.learn(SLID, before, 0.0);
        }
        result.all_moves = u64::from(result.moves);
        result.largest = board.max_exponent();
        result
    }

    /// The slide whose reward and value are the most, with both.
    fn best_slide(&self, board: Board) -> Option<(Afterstate, u32, f32)> {
        let slides = board.afterstates();
        let mut afterstates = [Afterstate::from(board.grid()); 4];
        let (mut rewards, mut count) = ([0; 4], 0);
        for (_, afterstate, reward) in slides.iter() {
            (afterstates[count], rewards[count]) = (afterstate, reward);
            count += 1;
        }
        let mut values = [0.0; 4];
        self.network.set_values(SLID, &afterstates[..count], &mut values[..count]);
        let worth = |i: &usize| rewards[*i] as f32 + values[*i];
        let best = (0..count).reduce(|a, b| if worth(&b) > worth(&a) { b } else { a })?;
        Some((afterstates[best], rewards[best], values[best]))
    }

    /// The placement that is worth least, with its value: 0 where it ends the game.
    fn worst_placement(&mut self, afterstate: Afterstate, tiles: Tiles) -> Option<(Board, f32)> {
        self.boards.clear();
        for spawn in tiles.placements(afterstate) {
            self.boards.push(afterstate.spawn(spawn).ok()?);
        }
        let boards = &self.boards;
        let mut values = [0.0; 32];
        placed(self.network, boards, &mut values[..boards.len()]);
        let full = boards.first()?.empty_count() == 0;
        let mut least: Option<(Board, f32)> = None;
        for (&board, value) in boards.iter().zip(values) {
            let value = if full && board.is_over() { 0.0 } else { value };
            if least.is_none_or(|(_, so_far)| value < so_far) {
                least = Some((board, value));
            }
        }
        least
    }

    /// Moves the value of a position towards what came of it.
    fn learn(&mut self, set: usize, position: Afterstate, target: f32) {
        let network = self.network;
        network.plan.indices(&[network.word(position.grid())], &mut self.octets);
        Network::shift(&mut self.octets, network.offset(set));
        let error = target - network.sum(&self.octets);
        self.step.learn(network, network.active_of(&self.octets), error);
        network.set_learned(set);
    }
}

/// One of all placements of a 2 or a 4.
fn any_placement(afterstate: Afterstate, random: &mut Random) -> Board {
    let exponent = 1 + random.below(2) as u8;
    let cell = SpawnLaw::default().draw(afterstate, random).cell;
    let spawn = Spawn { cell, exponent };
    afterstate.spawn(spawn).unwrap_or_else(|_| afterstate.grid().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;
    use crate::stages::Stages;
    use crate::td::{Rate, Td};

    fn spec(name: &str) -> Spec {
        Spec { judges: Judges::Duel, stages: Stages::Sides, ..crate::named(name).unwrap() }
    }

    fn block(rules: DuelRules, learns: Learns) -> DuelBlock {
        DuelBlock {
            rules,
            seed: 3,
            first: 0,
            games: 200,
            threads: 1,
            learns,
            opening: 4,
            whole_opening: false,
        }
    }

    fn rules(shape: &str) -> DuelRules {
        DuelRules { shape: shape.parse().unwrap(), ..DuelRules::default() }
    }

    /// Only the side that learns changes.
    #[test]
    fn the_other_side_is_frozen() {
        for (learns, sets) in [
            (Learns::Chance, [true, false]),
            (Learns::Defender, [true, false]),
            (Learns::Attacker, [false, true]),
            (Learns::Both, [true, true]),
            (Learns::Nobody, [false, false]),
        ] {
            let network = Network::new(spec("whole-2x2")).unwrap();
            let step = Td::new(Rate::Distributed(0.1), &network);
            let played = learn_duels(&network, &step, &block(rules("2x2"), learns));
            assert_eq!(played.len(), 200);
            let changed = [0, 1].map(|set| network.table(set).iter().any(|&w| w != 0.0));
            assert_eq!(changed, sets, "{learns}");
        }
    }

    /// The two errors of one ply, by hand: 1 1 on a 1×2 board. Left makes 2 0 for 4 points, the
    /// attacker answers 2 1 and the game is over.
    #[test]
    fn errors_by_hand() {
        let board = "1x2".to_owned();
        let classic = Spec::classic("test", &[&[0], &[1]], 4, false);
        let spec = Spec { board, judges: Judges::Duel, stages: Stages::Sides, ..classic };
        let network = Network::new(spec).unwrap();
        let step = Td::new(Rate::PerWeight(0.5), &network);
        let block = block(rules("1x2"), Learns::Both);
        let octets = vec![[0; 8]; network.plan.octets()];
        let mut learner =
            Learner { network: &network, step: &step, block: &block, octets, boards: Vec::new() };
        learner.learn(PLACED, "1x2:11".parse().unwrap(), 4.0);
        // Both weights of 1 1 get half the error of 4.
        assert_eq!(network.table(2)[1], 2.0);
        assert_eq!(network.table(3)[1], 2.0);
        assert_eq!(network.table(0), [0.0; 4]);
        learner.learn(SLID, "1x2:20".parse().unwrap(), 10.0);
        assert_eq!((network.table(0)[2], network.table(1)[0]), (5.0, 5.0));
        let (placed, value) =
            learner.worst_placement("1x2:20".parse().unwrap(), Tiles::Any).unwrap();
        assert_eq!((placed.to_string().as_str(), value), ("1x2:21", 0.0), "the end is worth 0");
    }

    /// The attacker learns to hold a frozen defender down, then the defender to resist him.
    #[test]
    fn each_side_learns_against_the_other() {
        let network = Network::new(spec("whole-2x3")).unwrap();
        let step = Td::new(Rate::Distributed(0.2), &network);
        let mean = |learns, first: u64, games| {
            let block = DuelBlock { first, games, ..block(rules("2x3"), learns) };
            let played = learn_duels(&network, &step, &block);
            played.iter().map(|game| f64::from(game.score)).sum::<f64>() / played.len() as f64
        };
        mean(Learns::Chance, 0, 10_000);
        let before = mean(Learns::Nobody, 1_000_000, 1_000);
        mean(Learns::Attacker, 10_000, 20_000);
        let attacked = mean(Learns::Nobody, 1_000_000, 1_000);
        mean(Learns::Defender, 30_000, 20_000);
        let defended = mean(Learns::Nobody, 1_000_000, 1_000);
        assert!(attacked < 0.8 * before, "{before} {attacked}");
        assert!(defended > 1.1 * attacked, "{attacked} {defended}");
    }
}
