//! Where a player's own games get: he is asked there and nowhere else.
//!
//! A game is at most once in a layer, so the probability of a state is how often one game gets there.

use std::io;
use std::sync::atomic::Ordering;

use maxtile_game::{Board, Move};

use crate::bits::Directory;
use crate::judge::{Choice, Chooser};
use crate::space::{BATCH, Layer, Space};
use crate::sweep::{FIRST, Pass, Progress, Run, Sets, number};
use crate::threads::share;
use crate::visits::{Filled, Window, begin, hand_on};

/// A state with a move that the player's games get to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    /// Its place among the states of its layer.
    pub(crate) place: u32,
    pub(crate) choice: Choice,
    /// The probability that a game gets there.
    pub(crate) visits: f64,
}

/// Follows the games of a player through all layers; the states in the order of their places.
pub(crate) fn follow<'c>(
    Run { space, threads, watch }: Run<'_>,
    sets: &impl Sets,
    p4: f64,
    player: &(dyn Fn() -> Chooser<'c> + Sync),
) -> io::Result<Vec<Vec<Met>>> {
    let last = space.last();
    let fill = |t: u32| -> io::Result<Filled> {
        let nothing = || Ok(Directory::new(std::iter::empty()));
        let states = if t > last { nothing() } else { sets.states(t) };
        Ok(Filled::empty(states?, Window::ALL_ONE))
    };
    let mut open = [fill(FIRST)?, fill(FIRST + 1)?];
    let mut layers = Vec::new();
    // A search has a table that is dear to make: a single thread keeps its own for all layers.
    let mut alone = (threads == 1).then(player);
    for t in FIRST..=last {
        let [mut here, one] = open;
        begin(space, t, p4, false, &mut here);
        let layer = space.layer(t);
        let after = sets.afterstates(t)?;
        let found = met(space, &layer, &here);
        let asked = match &mut alone {
            Some(chooser) => ask_one(space, &found, chooser),
            None => ask(space, &found, threads, player),
        };
        let mut slid = vec![0.0; after.count()];
        for (&(word, _, visits), &choice) in found.iter().zip(&asked) {
            let moves = legal(space, word);
            let named = moves.iter().find(|&&(mv, _)| Some(mv) == choice.mv);
            // A player who names no legal move is taken to draw one.
            let taken = named.map_or(moves.as_slice(), std::slice::from_ref);
            for &(_, board) in taken {
                slid[after.index(number(space, &layer, board))] += visits / taken.len() as f64;
            }
        }
        let mut next = [one, fill(t + 2)?];
        hand_on(space, &layer, &after, (Window::ALL_ONE, &slid), &mut next, p4);
        open = next;
        let met = |(&(_, place, visits), &choice): (&(u64, u32, f64), &Choice)| Met {
            place,
            choice,
            visits,
        };
        layers.push(found.iter().zip(&asked).map(met).collect());
        let (done, layers) = (t - FIRST + 1, last - FIRST + 1);
        let states = found.len() as u64;
        (watch.progress)(Progress { pass: Pass::Enumerate, sum: 2 * t, done, layers, states });
        if watch.stop.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
    Ok(layers)
}

/// The states of a layer that games get to and go on from: word, place, probability.
fn met(space: &Space, layer: &Layer, here: &Filled) -> Vec<(u64, u32, f64)> {
    let mut scan = space.scan(layer, &here.states, (0, here.states.len()));
    let (mut words, mut slid) = ([0; BATCH], [0; BATCH]);
    let mut found = Vec::new();
    let mut place = 0;
    loop {
        let count = scan.fill(&mut words);
        let visits = &here.probabilities[place..place + count];
        // Most states are met by nobody's games but those of the player who draws.
        if visits.iter().any(|&visits| visits > 0.0) {
            let mut over = [true; BATCH];
            for mv in 0..4 {
                space.geometry.slide_all(&words, mv, &mut slid);
                (0..count).for_each(|i| over[i] &= slid[i] == words[i]);
            }
            for i in (0..count).filter(|&i| visits[i] > 0.0 && !over[i]) {
                found.push((words[i], (place + i) as u32, visits[i]));
            }
        }
        place += count;
        if count < BATCH {
            return found;
        }
    }
}

/// The moves of a board and where they lead.
fn legal(space: &Space, word: u64) -> Vec<(Move, u64)> {
    let slide = |mv: Move| (mv, space.geometry.slide(word, space.turned_move(mv.index())));
    Move::ALL.into_iter().map(slide).filter(|&(_, board)| board != word).collect()
}

/// How many pieces each thread gets of a layer, so that none waits long for the last.
const PIECES: usize = 4;

fn ask<'c>(
    space: &Space,
    found: &[(u64, u32, f64)],
    threads: usize,
    player: &(dyn Fn() -> Chooser<'c> + Sync),
) -> Vec<Choice> {
    if found.is_empty() {
        return Vec::new();
    }
    let jobs: Vec<_> = found.chunks(found.len().div_ceil(PIECES * threads)).collect();
    share(jobs, threads, |job| ask_one(space, job, &mut player())).concat()
}

fn ask_one(space: &Space, found: &[(u64, u32, f64)], chooser: &mut Chooser<'_>) -> Vec<Choice> {
    let mut choices = Vec::with_capacity(found.len());
    for part in found.chunks(BATCH) {
        let boards: Vec<Board> = part.iter().map(|met| space.grid(met.0).into()).collect();
        let mut some = chooser(&boards);
        some.resize(part.len(), Choice::default());
        choices.append(&mut some);
    }
    choices
}
