//! The tree that is learned from: as that of the softmax search, with up to two judges.
//!
//! A tree of its own, because every position in it has a value of each judge and the backup may look at
//! both; the search that plays has one value, threads and batches instead. Moves are drawn by `lmax`, spawns
//! by their probability. An afterstate is worth the mean over its spawns; those not yet looked at count with
//! what the judge says of the afterstate itself.

use maxtile_game::{Afterstate, Board, Random, Spawn, SpawnLaw};
use maxtile_search::{Rule, Seen, Select, Value};

const NONE: u32 = u32::MAX;

/// How moves are drawn on the way down: the published rule.
const SELECT: Select = Select::Softmax(Rule::LMax);

/// Beyond this a value counts as infinite: sums of weights stay numbers whatever is learned.
pub(super) const INFINITE: f32 = 1e12;

/// What a position is worth by its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backup {
    /// As the best of them.
    Best,
    /// By each judge, as the move that the other one holds for the best.
    Crossed,
    /// As their mean by visits; the first visit is one of the best move.
    Visits,
}

/// A position to move.
#[derive(Clone, Copy, Debug)]
struct State {
    values: [f32; 2],
    visits: u32,
    first: u32,
    moves: u8,
    /// The best of its moves as the driving judge saw it at first.
    greedy: u8,
    /// The afterstate before it, the spawn between, and the next one with another spawn.
    parent: u32,
    spawn: Spawn,
    probability: f64,
    sibling: u32,
}

/// A move and the afterstate it leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    pub(super) afterstate: Afterstate,
    pub(super) reward: u32,
    pub(super) visits: u32,
    /// What the judges say.
    pub(super) judged: [f32; 2],
    parent: u32,
    child: u32,
    /// The probability of all spawns looked at, and the values behind them times their probabilities.
    mass: f64,
    sums: [f64; 2],
}

impl Chance {
    pub(super) fn value(&self, judge: usize) -> f32 {
        (self.sums[judge] + (1.0 - self.mass) * f64::from(self.judged[judge])) as f32
    }

    pub(super) fn worth(&self, judge: usize) -> f32 {
        self.reward as f32 + self.value(judge)
    }

    /// Have all spawns been looked at?
    pub(super) fn complete(&self) -> bool {
        self.mass > 1.0 - 1e-9
    }
}

/// A tree, and who judges in it.
pub(super) struct Tree<'a, V> {
    /// One judge or two.
    judges: &'a [V],
    backup: Backup,
    law: SpawnLaw,
    /// The judge whose values moves are drawn by.
    pub(super) driver: usize,
    states: Vec<State>,
    chances: Vec<Chance>,
    /// Afterstates judged since the beginning, counted for each judge.
    pub(super) judged: u64,
}

impl<'a, V: Value> Tree<'a, V> {
    pub(super) fn new(judges: &'a [V], backup: Backup, law: SpawnLaw) -> Tree<'a, V> {
        let (states, chances) = (Vec::new(), Vec::new());
        Tree { judges, backup, law, driver: 0, states, chances, judged: 0 }
    }

    /// Forgets the tree and grows another one by so many simulations.
    pub(super) fn grow(&mut self, board: Board, simulations: u64, random: &mut Random) {
        self.states.clear();
        self.chances.clear();
        let spawn = Spawn { cell: 0, exponent: 1 };
        self.add(board, NONE, spawn, 1.0);
        self.climb(0);
        for _ in 0..simulations {
            self.simulate(random);
        }
    }

    /// The moves of the root.
    pub(super) fn root(&self) -> &[Chance] {
        self.moves(0)
    }

    /// All afterstates.
    pub(super) fn chances(&self) -> &[Chance] {
        &self.chances
    }

    fn moves(&self, state: u32) -> &[Chance] {
        let State { first, moves, .. } = self.states[state as usize];
        &self.chances[first as usize..][..moves as usize]
    }

    fn simulate(&mut self, random: &mut Random) {
        let mut at = 0;
        loop {
            let state = self.states[at as usize];
            if state.moves == 0 {
                return self.climb(at);
            }
            let mut seen = [Seen::default(); 4];
            let moves = self.moves(at);
            for (seen, chance) in seen.iter_mut().zip(moves) {
                *seen = Seen { worth: chance.worth(self.driver), visits: chance.visits };
            }
            let draw = || random.unit();
            let index = SELECT.choose(&seen[..moves.len()], state.visits, draw);
            let chance = state.first + index as u32;
            let afterstate = self.chances[chance as usize].afterstate;
            let spawn = self.law.draw(afterstate, random);
            match self.behind(chance, spawn) {
                Some(next) => at = next,
                None => {
                    let leaf = self.open(chance, spawn);
                    return self.climb(leaf);
                }
            }
        }
    }

    /// The position behind a spawn, if it was looked at.
    fn behind(&self, chance: u32, spawn: Spawn) -> Option<u32> {
        let mut at = self.chances[chance as usize].child;
        while at != NONE && self.states[at as usize].spawn != spawn {
            at = self.states[at as usize].sibling;
        }
        (at != NONE).then_some(at)
    }

    /// Adds the position behind a spawn.
    pub(super) fn open(&mut self, chance: u32, spawn: Spawn) -> u32 {
        let afterstate = self.chances[chance as usize].afterstate;
        let four = spawn.exponent == 2;
        let share = if four { self.law.p4() } else { 1.0 - self.law.p4() };
        let probability = share / afterstate.empty_count() as f64;
        let board = afterstate.spawn(spawn).expect("a spawn is on an empty cell");
        self.add(board, chance, spawn, probability)
    }

    fn add(&mut self, board: Board, parent: u32, spawn: Spawn, probability: f64) -> u32 {
        let number = self.states.len() as u32;
        let first = self.chances.len() as u32;
        let mut afterstates = [Afterstate::empty(board.grid().shape()); 4];
        let mut moves = 0;
        for (_, afterstate, reward) in board.afterstates().iter() {
            afterstates[moves] = afterstate;
            moves += 1;
            self.chances.push(Chance {
                afterstate,
                reward,
                visits: 0,
                judged: [0.0; 2],
                parent: number,
                child: NONE,
                mass: 0.0,
                sums: [0.0; 2],
            });
        }
        for (judge, value) in self.judges.iter().enumerate() {
            let mut out = [0.0; 4];
            value.values(&afterstates[..moves], &mut out[..moves]);
            for (chance, value) in self.chances[first as usize..].iter_mut().zip(out) {
                chance.judged[judge] = value.clamp(-INFINITE, INFINITE);
            }
            self.judged += moves as u64;
        }
        let sibling = match parent {
            NONE => NONE,
            parent => std::mem::replace(&mut self.chances[parent as usize].child, number),
        };
        self.states.push(State {
            values: [0.0; 2],
            visits: 0,
            first,
            moves: moves as u8,
            greedy: 0,
            parent,
            spawn,
            probability,
            sibling,
        });
        self.states[number as usize].greedy = self.best(number, self.driver) as u8;
        number
    }

    /// Is an afterstate reached by best moves alone, whatever spawns?
    pub(super) fn would_play(&self, chance: u32) -> bool {
        let mut at = chance;
        loop {
            let state = self.chances[at as usize].parent;
            let first = self.states[state as usize].first;
            if first + self.best(state, self.driver) as u32 != at {
                return false;
            }
            at = self.states[state as usize].parent;
            if at == NONE {
                return true;
            }
        }
    }

    /// The best move of a position by a judge; of equal ones the first.
    pub(super) fn best(&self, state: u32, judge: usize) -> usize {
        let mut best = (f32::NEG_INFINITY, 0);
        for (index, chance) in self.moves(state).iter().enumerate() {
            if chance.worth(judge) > best.0 {
                best = (chance.worth(judge), index);
            }
        }
        best.1
    }

    /// Goes up from a position that has just been visited.
    pub(super) fn climb(&mut self, leaf: u32) {
        let mut at = leaf;
        loop {
            let values = self.backed_up(at);
            let state = &mut self.states[at as usize];
            let old = std::mem::replace(&mut state.values, values);
            let first_visit = state.visits == 0;
            state.visits += 1;
            let State { parent, probability, .. } = *state;
            if parent == NONE {
                return;
            }
            let chance = &mut self.chances[parent as usize];
            if first_visit {
                chance.mass += probability;
            }
            for judge in 0..2 {
                let before = if first_visit { 0.0 } else { f64::from(old[judge]) };
                chance.sums[judge] += probability * (f64::from(values[judge]) - before);
            }
            chance.visits += 1;
            at = chance.parent;
        }
    }

    /// What a position is worth by its moves; nothing where there are none.
    fn backed_up(&self, state: u32) -> [f32; 2] {
        let moves = self.moves(state);
        if moves.is_empty() {
            return [0.0; 2];
        }
        match self.backup {
            Backup::Best => [0, 1].map(|judge| moves[self.best(state, judge)].worth(judge)),
            Backup::Crossed => [0, 1].map(|judge| moves[self.best(state, 1 - judge)].worth(judge)),
            Backup::Visits => {
                let greedy = usize::from(self.states[state as usize].greedy);
                let weight = |(index, chance): (usize, &Chance)| {
                    chance.visits as f32 + if index == greedy { 1.0 } else { 0.0 }
                };
                let all: f32 = moves.iter().enumerate().map(weight).sum();
                [0, 1].map(|judge| {
                    let part = |(index, chance): (usize, &Chance)| {
                        weight((index, chance)) * chance.worth(judge)
                    };
                    moves.iter().enumerate().map(part).sum::<f32>() / all
                })
            }
        }
    }
}
