//! Learning from the tree of a softmax search: afterstates inside it, or along the game, learn what it makes
//! of them.
//!
//! Games are played by the search. Rules that learn inside the tree take the most visited afterstates of
//! each turn; docs/learning/trees.md says which rule learns what, and which of them hold.

#[cfg(test)]
mod tests;
mod tree;

use std::sync::atomic::{AtomicU64, Ordering};

use maxtile_game::{Afterstate, Random};

use crate::network::Network;
use crate::plan::Octet;
use crate::side_by_side::side_by_side;
use crate::td::Step;
use crate::trainer::{Block, Played};
use tree::{Backup, INFINITE, Tree};

/// What is learned from a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeTargets {
    /// The most visited afterstates learn what the tree makes of them: best moves, mean spawns.
    Plain,
    /// Two networks, each learning the other's value of what it chose itself (Watanabe and Matsuzaki 2022).
    Double,
    /// As plain, with the mean of the moves by visits in place of the best.
    Visits,
    /// As plain, of afterstates alone whose spawns have all been looked at.
    Complete,
    /// Afterstates that were played learn a mean of what the trees after them say and what was really made.
    Returns,
    /// The most visited afterstates learn how the tree makes them differ from the one that was played, which
    /// learns what came of it: a mean of what the network says of the next ones and what was really made.
    Anchored,
    /// The same of those alone that the tree would play.
    Line,
}

impl TreeTargets {
    /// Is there a second network?
    pub fn networks(self) -> usize {
        if self == TreeTargets::Double { 2 } else { 1 }
    }

    /// Do lessons wait until it is known what came of the game?
    fn wait(self) -> bool {
        matches!(self, TreeTargets::Returns | TreeTargets::Anchored | TreeTargets::Line)
    }
}

/// How the games of a block are played and learned.
#[derive(Clone, Copy, Debug)]
pub struct TreeCourse {
    /// Which games.
    pub block: Block,
    /// What is learned.
    pub targets: TreeTargets,
    /// Simulations for a move.
    pub simulations: u64,
    /// How many of the most visited afterstates of a tree learn.
    pub samples: usize,
    /// How far returns look beyond the next tree, 0 to 1.
    pub lambda: f32,
}

/// A game and what was promised in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TreeGame {
    /// The game.
    pub played: Played,
    /// Of all afterstates that were played: what the network said of them.
    pub estimate: f64,
    /// And what was really made from there.
    pub realised: f64,
}

/// Plays and learns a block of games by one network, or by two where the rule needs them; each with its step
/// rule. The results come in the order of the games.
pub fn learn_trees<S: Step>(
    networks: &[&Network],
    steps: &[S],
    course: &TreeCourse,
) -> Vec<TreeGame> {
    let next = AtomicU64::new(0);
    let work = || {
        let mut games = Vec::new();
        let mut pupil = Pupil::new(networks, steps, course);
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= course.block.games {
                return games;
            }
            games.push(pupil.game(course.block.first + index));
        }
    };
    let mut games = side_by_side(course.block.threads, work).concat();
    games.sort_unstable_by_key(|game| game.played.game);
    games
}

/// Tells the player's random numbers from the spawns': "trees" in ASCII.
const OWN: u64 = 0x0000_0074_7265_6573;

/// An afterstate and what it is to be worth.
type Sample = (Afterstate, f32);

/// A turn, until the game is over.
struct Turn {
    afterstate: Afterstate,
    reward: f32,
    /// What the network said of the afterstate, and what the tree made of it.
    judged: f32,
    value: f32,
    /// How many of the samples are its own.
    samples: usize,
}

struct Pupil<'a, S> {
    networks: &'a [&'a Network],
    steps: &'a [S],
    course: &'a TreeCourse,
    tree: Tree<'a, &'a Network>,
    octets: Vec<Octet>,
    turns: Vec<Turn>,
    samples: Vec<Sample>,
    order: Vec<u32>,
}

impl<'a, S: Step> Pupil<'a, S> {
    fn new(networks: &'a [&'a Network], steps: &'a [S], course: &'a TreeCourse) -> Pupil<'a, S> {
        let backup = match course.targets {
            TreeTargets::Double => Backup::Crossed,
            TreeTargets::Visits => Backup::Visits,
            _ => Backup::Best,
        };
        Pupil {
            networks,
            steps,
            course,
            tree: Tree::new(networks, backup, course.block.rules.law),
            octets: vec![[0; 8]; networks[0].plan.octets()],
            turns: Vec::new(),
            samples: Vec::new(),
            order: Vec::new(),
        }
    }

    fn game(&mut self, game: u64) -> TreeGame {
        let TreeCourse { block, targets, simulations, .. } = *self.course;
        let mut spawns = Random::stream(block.seed, game);
        let mut own = Random::stream(block.seed ^ OWN, game);
        let mut board = block.rules.start(&mut spawns);
        let mut played = Played { game, ..Played::default() };
        let judged_before = self.tree.judged;
        self.tree.driver = own.below(self.networks.len() as u64) as usize;
        self.turns.clear();
        self.samples.clear();
        while !board.is_over() {
            self.tree.grow(board, simulations, &mut own);
            let driver = self.tree.driver;
            let chosen = self.tree.root()[self.tree.best(0, driver)];
            let before = self.samples.len();
            self.sample();
            if !targets.wait() {
                for at in before..self.samples.len() {
                    let (afterstate, target) = self.samples[at];
                    self.learn(afterstate, target);
                }
                self.samples.truncate(before);
            }
            self.turns.push(Turn {
                afterstate: chosen.afterstate,
                reward: chosen.reward as f32,
                judged: chosen.judged[driver],
                value: chosen.value(driver),
                samples: self.samples.len() - before,
            });
            played.score += chosen.reward;
            played.moves += 1;
            board = block.rules.law.spawn(chosen.afterstate, &mut spawns);
        }
        played.all_moves = u64::from(played.moves);
        played.largest = board.max_exponent();
        played.judged = self.tree.judged - judged_before;
        let (estimate, realised) = self.promised();
        self.learn_from_game();
        TreeGame { played, estimate, realised }
    }

    /// Takes the samples of a turn.
    fn sample(&mut self) {
        let TreeCourse { targets, samples, .. } = *self.course;
        let driver = self.tree.driver;
        if targets == TreeTargets::Returns {
            return;
        }
        let chances = self.tree.chances();
        let tree = &self.tree;
        let fit = |number: u32| match targets {
            TreeTargets::Complete => chances[number as usize].complete(),
            TreeTargets::Line => tree.would_play(number),
            _ => true,
        };
        self.order.clear();
        let visited = (0..chances.len() as u32).filter(|&n| chances[n as usize].visits > 0);
        self.order.extend(visited.filter(|&n| fit(n)));
        self.order.sort_by_key(|&n| std::cmp::Reverse(chances[n as usize].visits));
        let teacher = if targets == TreeTargets::Double { 1 - driver } else { driver };
        for &number in self.order.iter().take(samples) {
            let chance = &chances[number as usize];
            self.samples.push((chance.afterstate, chance.value(teacher)));
        }
    }

    /// What the network promised for the afterstates that were played, and what was made of them.
    fn promised(&self) -> (f64, f64) {
        let estimate = self.turns.iter().map(|turn| f64::from(turn.judged)).sum();
        let (mut realised, mut after) = (0.0, 0.0);
        for turn in self.turns.iter().rev() {
            realised += after;
            after += f64::from(turn.reward);
        }
        (estimate, realised)
    }

    /// The lessons that wait for the end of the game, the last turn first.
    fn learn_from_game(&mut self) {
        let TreeCourse { targets, lambda, .. } = *self.course;
        if !targets.wait() {
            return;
        }
        let mut back = 0.0;
        let mut end = self.samples.len();
        for at in (0..self.turns.len()).rev() {
            // What follows from this turn's afterstate: nothing from the last one.
            let Turn { afterstate, reward, value, samples, .. } = self.turns[at];
            if targets == TreeTargets::Returns {
                self.learn(afterstate, back);
            } else {
                for number in end - samples..end {
                    let (afterstate, target) = self.samples[number];
                    self.learn(afterstate, target + (back - value));
                }
                end -= samples;
            }
            let ahead = match targets {
                TreeTargets::Returns => value,
                _ => self.value(afterstate),
            };
            back = reward + (1.0 - lambda) * ahead + lambda * back;
        }
    }

    /// What the driving network says of an afterstate.
    fn value(&mut self, afterstate: Afterstate) -> f32 {
        let network = self.networks[self.tree.driver];
        network.plan.indices(&[network.word(afterstate.grid())], &mut self.octets);
        network.sum(&self.octets)
    }

    /// The driving network learns what an afterstate is worth.
    fn learn(&mut self, afterstate: Afterstate, target: f32) {
        let driver = self.tree.driver;
        let network = self.networks[driver];
        network.plan.indices(&[network.word(afterstate.grid())], &mut self.octets);
        let error = target.clamp(-INFINITE, INFINITE) - network.sum(&self.octets);
        if error.is_finite() {
            self.steps[driver].learn(network, network.active_of(&self.octets), error);
        }
    }
}
