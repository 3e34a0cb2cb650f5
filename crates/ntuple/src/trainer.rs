//! The hot loop: greedy self-play that learns.
//!
//! Each thread plays a few games side by side. While the weights of one game's next move are on
//! their way from memory, the others move: a move is begun (slides, indices), its weights are asked
//! for during the turn before its own, and it is finished (sums, choice, learning, spawn).

use std::sync::atomic::{AtomicU64, Ordering};

use maxtile_game::{Afterstates, Board, Move, Random, Rules};

use crate::network::Network;
use crate::plan::Octet;
use crate::side_by_side::{side_by_side, take_turns};
use crate::td::{Chosen, Credit, Step};
use crate::with_avx2;

/// Games played side by side by one thread: enough to hide the latency; more crowd the cache.
pub(crate) const SLOTS: usize = 2;

/// A stretch of games to learn from.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Board and spawns.
    pub rules: Rules,
    /// The seed of the run: game i draws from stream (seed, i).
    pub seed: u64,
    /// The number of the first game.
    pub first: u64,
    /// How many games.
    pub games: u64,
    /// How many threads. One gives the same result every time; more race for the weights.
    pub threads: usize,
    /// After a game of at least this many moves, play on from its middle, again and again.
    pub restart: Option<u32>,
}

impl Block {
    /// Where play goes on after a game over these boards: its middle, if restarts are asked for and it was long enough.
    pub(crate) fn restart_from(&self, boards: &[Board]) -> Option<Board> {
        // Two at least: every game that is played on from its middle has one.
        let least = self.restart?.max(2) as usize;
        (boards.len() >= least).then(|| boards[boards.len() / 2])
    }
}

/// How a game of a block went. Play after a restart is counted in `all_moves` only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// The number of the game.
    pub game: u64,
    /// Its score.
    pub score: u32,
    /// Its moves.
    pub moves: u32,
    /// Its moves and those after restarts.
    pub all_moves: u64,
    /// Afterstates judged for all of these, by every network that was asked; 0 where nobody counts.
    pub judged: u64,
    /// The exponent of its largest tile.
    pub largest: u8,
}

/// Plays and learns a block of games; the results come in the order of the games.
pub fn train<S: Step, C: Credit>(
    network: &Network,
    step: &S,
    credit: &C,
    block: &Block,
) -> Vec<Played> {
    let next = AtomicU64::new(0);
    let work = || with_avx2(|| Worker::new(network, step, credit, block, &next).run());
    let mut played = side_by_side(block.threads, work).concat();
    played.sort_unstable_by_key(|p| p.game);
    played
}

struct Worker<'a, S, C: Credit> {
    network: &'a Network,
    step: &'a S,
    credit: &'a C,
    block: &'a Block,
    next: &'a AtomicU64,
    played: Vec<Played>,
}

/// A game in progress, with its next move begun.
struct Slot<T> {
    random: Random,
    board: Board,
    slides: Afterstates,
    words: [u64; 4],
    octets: Vec<Octet>,
    trace: T,
    result: Played,
    /// The boards since the last start, kept only for restarts.
    boards: Vec<Board>,
    restarted: bool,
}

impl<'a, S: Step, C: Credit> Worker<'a, S, C> {
    fn new(
        network: &'a Network,
        step: &'a S,
        credit: &'a C,
        block: &'a Block,
        next: &'a AtomicU64,
    ) -> Self {
        Worker { network, step, credit, block, next, played: Vec::new() }
    }

    /// Plays until no game is left. While one slot is finished, the weights of the next are asked
    /// for, bit by bit: asked for all at once they would wait for each other.
    #[inline(always)]
    fn run(mut self) -> Vec<Played> {
        let slots = (0..SLOTS).filter_map(|_| self.new_game()).collect();
        take_turns(slots, |slot, next| self.turn(slot, next));
        self.played
    }

    fn new_game(&self) -> Option<Slot<C::Trace>> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        (index < self.block.games).then(|| {
            let game = self.block.first + index;
            let mut random = Random::stream(self.block.seed, game);
            let board = self.block.rules.start(&mut random);
            let mut slot = Slot {
                random,
                board,
                slides: board.afterstates(),
                words: [0; 4],
                octets: vec![[0; 8]; 4 * self.network.plan.octets()],
                trace: C::Trace::default(),
                result: Played { game, ..Played::default() },
                boards: Vec::new(),
                restarted: false,
            };
            self.begin(&mut slot);
            slot
        })
    }

    /// Slides and indices.
    #[inline(always)]
    fn begin(&self, slot: &mut Slot<C::Trace>) {
        slot.slides = slot.board.afterstates();
        slot.words = *slot.slides.nibbles();
        if slot.slides.any_high() || self.network.spec().values < 16 {
            for (mv, afterstate, _) in slot.slides.iter() {
                slot.words[mv.index()] = self.network.word(afterstate.grid());
            }
        }
        self.network.plan.indices(&slot.words, &mut slot.octets);
    }

    /// Sums, choice, learning, spawn; then the next move is begun. `false` when no game is left.
    #[inline(always)]
    fn turn(&mut self, slot: &mut Slot<C::Trace>, next: Option<&Slot<C::Trace>>) -> bool {
        let octets = self.network.plan.octets();
        let mut best = (f32::NEG_INFINITY, 0.0, None);
        for mv in Move::ALL {
            let part = mv.index() * octets..(mv.index() + 1) * octets;
            if let Some(next) = next.filter(|next| next.slides.legal().contains(mv)) {
                self.network.prefetch(&next.octets[part.clone()]);
            }
            if !slot.slides.legal().contains(mv) {
                continue;
            }
            let value = self.network.sum(&slot.octets[part]);
            let worth = slot.slides.rewards()[mv.index()] as f32 + value;
            if worth > best.0 || best.2.is_none() {
                best = (worth, value, Some(mv));
            }
        }
        let (_, value, Some(mv)) = best else { return self.over(slot) };
        let Some((afterstate, reward)) = slot.slides.get(mv) else { return self.over(slot) };
        if self.block.restart.is_some() {
            slot.boards.push(slot.board);
        }

        let word = slot.words[mv.index()];
        let octets = &slot.octets[mv.index() * octets..][..octets];
        let chosen = Chosen { word, reward: reward as f32, value, octets };
        self.credit.chosen(&mut slot.trace, self.network, self.step, chosen);

        slot.result.all_moves += 1;
        slot.result.judged += slot.slides.legal().len() as u64;
        if !slot.restarted {
            slot.result.score += reward;
            slot.result.moves += 1;
        }
        slot.board = self.block.rules.law.spawn(afterstate, &mut slot.random);
        self.begin(slot);
        true
    }

    /// The end of a game: the last lesson, then the middle of the same game or a new one.
    #[cold]
    fn over(&mut self, slot: &mut Slot<C::Trace>) -> bool {
        self.credit.over(&mut slot.trace, self.network, self.step);
        if !slot.restarted {
            slot.result.largest = slot.board.max_exponent();
        }
        if let Some(board) = self.block.restart_from(&slot.boards) {
            slot.restarted = true;
            slot.board = board;
            slot.boards.clear();
            self.begin(slot);
            return true;
        }
        self.played.push(slot.result);
        self.new_game().is_some_and(|fresh| {
            *slot = fresh;
            true
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::td::{OneStep, Rate, Td};

    /// Every game that is played on from its middle has a move: with 1 it would go on for ever.
    #[test]
    fn restarts_come_to_an_end() {
        let network = Network::new(crate::named("whole-2x2").unwrap()).unwrap();
        let step = Td::new(Rate::Distributed(0.1), &network);
        let rules = Rules::of(network.shape());
        for restart in [1, 2] {
            let restart = Some(restart);
            let block = Block { rules, seed: 1, first: 0, games: 20, threads: 1, restart };
            let played = train(&network, &step, &OneStep, &block);
            assert_eq!(played.len(), 20);
            assert!(played.iter().any(|game| game.all_moves > u64::from(game.moves)));
        }
    }
}
