//! The tree: positions to move and afterstates in turns, in three lists that are only ever extended.
//!
//! A simulation goes down from the root until it comes to a spawn that was not looked at, adds the
//! position behind it with the afterstates of its moves, lets these be judged, and goes up again. An
//! afterstate is worth the mean over its spawns; those not yet looked at count with what the value
//! function says of the afterstate itself.

use maxtile_game::{Afterstate, Board, Move, Random, Spawn, SpawnLaw};

use super::Spawns;
use super::rules::{Rule, Seen, Select};

const NONE: u32 = u32::MAX;

/// A position to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) board: Board,
    /// As its parent knows it: 0 where the game is over.
    pub(super) value: f32,
    pub(super) visits: u32,
    /// Simulations that have passed and not come back.
    pending: u32,
    /// Its moves.
    first: u32,
    moves: u8,
    /// Have the afterstates of its moves been judged?
    judged: bool,
    pub(super) depth: u16,
    /// The afterstate before it, and the probability of the spawn between.
    parent: u32,
    probability: f32,
}

/// A move and the afterstate it leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    pub(super) afterstate: Afterstate,
    pub(super) mv: Move,
    empties: u8,
    pub(super) reward: u32,
    /// What the value function says.
    judged: f32,
    /// Reward and value.
    pub(super) worth: f32,
    pub(super) visits: u32,
    pending: u32,
    /// Visits and pending simulations through a 4.
    fours: u32,
    parent: u32,
    /// Where its spawns are: first a 2 in each empty cell, then a 4.
    spawns: u32,
    /// The probability of all spawns looked at, and their values times their probabilities.
    mass: f64,
    sum: f64,
}

impl Chance {
    /// Spawns not looked at count with what the value function says of the afterstate.
    #[inline]
    fn weigh(&mut self) {
        let value = (self.sum + (1.0 - self.mass) * f64::from(self.judged)) as f32;
        self.worth = self.reward as f32 + value;
    }
}

/// How a tree grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Growth {
    pub(super) select: Select,
    pub(super) backup: Rule,
    pub(super) spawns: Spawns,
    pub(super) law: SpawnLaw,
}

/// Where a simulation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At a new position whose afterstates are to be judged.
    New(u32),
    /// At the end of a game: nothing is to be judged, and all is done.
    Over,
    /// At a position that another simulation is about to judge: nothing was done.
    Taken,
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    states: Vec<State>,
    chances: Vec<Chance>,
    /// The positions behind the spawns of the afterstates that were visited; `NONE` where not looked at.
    slots: Vec<u32>,
    pub(super) deepest: u16,
    /// Positions it may have.
    pub(super) most: usize,
}

impl Tree {
    /// Makes room for so many simulations more.
    pub(super) fn reserve(&mut self, simulations: usize) {
        self.states.reserve(simulations + 1);
        self.chances.reserve(4 * (simulations + 1));
        // At most one afterstate is opened in each, with two spawns for each empty cell.
        self.slots.reserve(30 * (simulations + 1));
    }

    /// May there be a simulation more, and without asking for memory?
    pub(super) fn has_room(&self) -> bool {
        let room = |capacity: usize, len: usize, need: usize| capacity - len >= need;
        self.states.len() < self.most
            && room(self.states.capacity(), self.states.len(), 1)
            && room(self.chances.capacity(), self.chances.len(), 4)
            && room(self.slots.capacity(), self.slots.len(), 32)
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.chances.clear();
        self.slots.clear();
        self.deepest = 0;
    }

    /// A tree of nothing but this position, whose afterstates are to be judged: its number.
    pub(super) fn plant(&mut self, board: Board) -> u32 {
        self.clear();
        self.add(board, NONE, 1.0, 0)
    }

    pub(super) fn root(&self) -> Option<&State> {
        self.states.first()
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The moves of a position.
    pub(super) fn moves(&self, state: u32) -> &[Chance] {
        let State { first, moves, .. } = self.states[state as usize];
        &self.chances[first as usize..][..moves as usize]
    }

    pub(super) fn state(&self, state: u32) -> &State {
        &self.states[state as usize]
    }

    fn add(&mut self, board: Board, parent: u32, probability: f32, depth: u16) -> u32 {
        let number = self.states.len() as u32;
        let first = self.chances.len() as u32;
        for (mv, afterstate, reward) in board.afterstates().iter() {
            self.chances.push(Chance {
                afterstate,
                mv,
                empties: afterstate.empty_count() as u8,
                reward,
                judged: 0.0,
                worth: reward as f32,
                visits: 0,
                pending: 0,
                fours: 0,
                parent: number,
                spawns: NONE,
                mass: 0.0,
                sum: 0.0,
            });
        }
        let moves = (self.chances.len() as u32 - first) as u8;
        self.states.push(State {
            board,
            value: 0.0,
            visits: 0,
            pending: 0,
            first,
            moves,
            judged: moves == 0,
            depth,
            parent,
            probability,
        });
        self.deepest = self.deepest.max(depth);
        number
    }

    /// Goes down. `forced` is the move to be taken at the root, if it is not to be chosen.
    pub(super) fn descend(
        &mut self,
        growth: &Growth,
        forced: Option<usize>,
        random: &mut Random,
    ) -> End {
        let mut at = 0;
        loop {
            let state = self.states[at as usize];
            if !state.judged {
                self.give_up(at);
                return End::Taken;
            }
            if state.moves == 0 {
                self.climb(at, growth.backup);
                return End::Over;
            }
            self.states[at as usize].pending += 1;
            let index = match forced {
                Some(index) if at == 0 => index,
                _ => self.choose(&state, growth.select, random),
            };
            let chance = state.first + index as u32;
            let slot = self.spawn(chance, growth, random);
            let next = self.slots[slot as usize];
            if next == NONE {
                let leaf = self.open(chance, slot, growth.law, state.depth + 1);
                if self.states[leaf as usize].moves == 0 {
                    self.climb(leaf, growth.backup);
                    return End::Over;
                }
                return End::New(leaf);
            }
            at = next;
        }
    }

    /// Chooses a move. Simulations that are on their way count as having found nothing, or something worse still
    /// where that is less, so that others go elsewhere.
    #[inline]
    fn choose(&self, state: &State, select: Select, random: &mut Random) -> usize {
        let mut seen = [Seen::default(); 4];
        let moves = &self.chances[state.first as usize..][..state.moves as usize];
        for (seen, chance) in seen.iter_mut().zip(moves) {
            let (visits, pending) = (chance.visits, chance.pending);
            let mut worth = chance.worth;
            if pending > 0 {
                let share = (visits + 1) as f32 / (visits + 1 + pending) as f32;
                worth = if worth > 0.0 { worth * share } else { worth / share };
            }
            *seen = Seen { worth, visits: visits + pending };
        }
        select.choose(&seen[..moves.len()], state.visits + state.pending, || random.unit())
    }

    /// Chooses a spawn of an afterstate and counts it.
    #[inline]
    fn spawn(&mut self, number: u32, growth: &Growth, random: &mut Random) -> u32 {
        let chance = &mut self.chances[number as usize];
        let empties = u32::from(chance.empties);
        if chance.spawns == NONE {
            chance.spawns = self.slots.len() as u32;
            self.slots.extend(std::iter::repeat_n(NONE, 2 * empties as usize));
        }
        let p4 = growth.law.p4();
        let (four, cell) = match growth.spawns {
            Spawns::Drawn => {
                let cell = random.below(u64::from(empties)) as u32;
                (random.unit() < p4, cell)
            }
            Spawns::Least => {
                // Spawns of one tile are equally likely, so that they are due in turns.
                let (twos, fours) = (chance.visits + chance.pending - chance.fours, chance.fours);
                let (twos_each, fours_each) = (twos / empties, fours / empties);
                let due = |probability: f64, other: u32| probability * f64::from(other + 1);
                // A share of what is due may be lost in rounding; of equals it is the 2.
                if due(p4, twos_each) > due(1.0 - p4, fours_each) * (1.0 + 1e-12) {
                    (true, fours - fours_each * empties)
                } else {
                    (false, twos - twos_each * empties)
                }
            }
        };
        chance.pending += 1;
        chance.fours += u32::from(four);
        chance.spawns + cell + if four { empties } else { 0 }
    }

    /// Adds the position behind a spawn.
    fn open(&mut self, number: u32, slot: u32, law: SpawnLaw, depth: u16) -> u32 {
        let chance = &self.chances[number as usize];
        let empties = u32::from(chance.empties);
        let index = slot - chance.spawns;
        let four = index >= empties;
        let place = (index % empties) as usize;
        let cell = chance.afterstate.empty_cells().nth(place).unwrap_or(0) as u8;
        let spawn = Spawn { cell, exponent: if four { 2 } else { 1 } };
        let board = chance.afterstate.spawn(spawn).expect("the cell is empty");
        let share = if four { law.p4() } else { 1.0 - law.p4() };
        let probability = (share / f64::from(empties)) as f32;
        let leaf = self.add(board, number, probability, depth);
        self.slots[slot as usize] = leaf;
        leaf
    }

    /// The afterstates of a position's moves, to be judged.
    pub(super) fn afterstates(&self, state: u32) -> impl Iterator<Item = Afterstate> {
        self.moves(state).iter().map(|chance| chance.afterstate)
    }

    /// Takes what the value function says of a new position's afterstates, and goes up.
    pub(super) fn judge(&mut self, leaf: u32, values: &[f32], backup: Rule) {
        let State { first, moves, .. } = self.states[leaf as usize];
        for (chance, &value) in
            self.chances[first as usize..][..moves as usize].iter_mut().zip(values)
        {
            // A value that is not a number must not spoil the tree.
            chance.judged = if value.is_finite() { value } else { 0.0 };
            chance.weigh();
        }
        self.states[leaf as usize].judged = true;
        self.climb(leaf, backup);
    }

    /// Goes up from a position that has just been visited.
    fn climb(&mut self, leaf: u32, backup: Rule) {
        let mut at = leaf as usize;
        // The leaf itself was not passed: nothing of it is pending.
        let mut passed = 0;
        loop {
            let state = self.states[at];
            let old = state.value;
            let first_visit = state.visits == 0;
            let mut worths = [0.0; 4];
            let moves = &self.chances[state.first as usize..][..state.moves as usize];
            for (worth, chance) in worths.iter_mut().zip(moves) {
                *worth = chance.worth;
            }
            let visits = state.visits + 1;
            let value = match moves.len() {
                0 => 0.0,
                n => backup.mean(&worths[..n], visits),
            };
            let state = &mut self.states[at];
            state.value = value;
            state.visits = visits;
            state.pending -= passed;
            let (parent, probability) = (state.parent, f64::from(state.probability));
            if parent == NONE {
                return;
            }
            let chance = &mut self.chances[parent as usize];
            if first_visit {
                chance.mass += probability;
                chance.sum += probability * f64::from(value);
            } else {
                chance.sum += probability * (f64::from(value) - f64::from(old));
            }
            chance.weigh();
            chance.visits += 1;
            chance.pending -= 1;
            at = chance.parent as usize;
            passed = 1;
        }
    }

    /// Takes back a simulation that came to this position, which is not judged yet.
    fn give_up(&mut self, at: u32) {
        let mut state = at;
        loop {
            let parent = self.states[state as usize].parent;
            if parent == NONE {
                return;
            }
            let chance = &mut self.chances[parent as usize];
            chance.pending -= 1;
            let fours = (chance.spawns + u32::from(chance.empties)) as usize;
            let slots = &self.slots[fours..fours + usize::from(chance.empties)];
            // It was the last to choose here, so that the spawn is the next one due again.
            chance.fours -= u32::from(slots.contains(&state));
            state = chance.parent;
            self.states[state as usize].pending -= 1;
        }
    }

    /// The positions behind those spawns of an afterstate that were looked at.
    fn behind(&self, chance: &Chance) -> impl DoubleEndedIterator<Item = u32> {
        let slots = match chance.spawns {
            NONE => &[],
            first => &self.slots[first as usize..][..2 * usize::from(chance.empties)],
        };
        slots.iter().copied().filter(|&state| state != NONE)
    }

    /// The position behind the likeliest spawn of an afterstate that was looked at: the one visited most.
    pub(super) fn most_visited(&self, chance: &Chance) -> Option<u32> {
        // Of equal ones the first.
        self.behind(chance).rev().max_by_key(|&state| self.state(state).visits)
    }

    /// The standard deviation of an afterstate's value over the spawns looked at; `None` before two of them.
    pub(super) fn spread(&self, chance: &Chance) -> Option<f32> {
        let seen = || self.behind(chance).map(|state| self.state(state));
        if seen().count() < 2 || chance.mass <= 0.0 {
            return None;
        }
        let mean = chance.sum / chance.mass;
        let square = |s: &State| f64::from(s.probability) * (f64::from(s.value) - mean).powi(2);
        Some((seen().map(square).sum::<f64>() / chance.mass).sqrt() as f32)
    }

    /// Makes the tree below a position two plies on a tree of its own, in `other`, which is overwritten.
    /// `false` when the position is not in the tree.
    pub(super) fn follow(&self, board: Board, other: &mut Tree, old: &mut Vec<u32>) -> bool {
        let Some(from) = self.grandchild(board) else { return false };
        other.clear();
        old.clear();
        other.states.push(State { parent: NONE, ..self.states[from as usize] });
        old.push(from);
        let base = self.states[from as usize].depth;
        let mut at = 0;
        while at < other.states.len() {
            let source = self.states[old[at] as usize];
            let first = other.chances.len() as u32;
            let depth = source.depth - base;
            other.deepest = other.deepest.max(depth);
            other.states[at].first = first;
            other.states[at].depth = depth;
            for chance in &self.chances[source.first as usize..][..source.moves as usize] {
                let number = other.chances.len() as u32;
                let mut copy = Chance { parent: at as u32, ..*chance };
                if chance.spawns != NONE {
                    copy.spawns = other.slots.len() as u32;
                    let count = 2 * usize::from(chance.empties);
                    for &state in &self.slots[chance.spawns as usize..][..count] {
                        if state == NONE {
                            other.slots.push(NONE);
                            continue;
                        }
                        other.slots.push(other.states.len() as u32);
                        old.push(state);
                        other.states.push(State { parent: number, ..self.states[state as usize] });
                    }
                }
                other.chances.push(copy);
            }
            at += 1;
        }
        true
    }

    fn grandchild(&self, board: Board) -> Option<u32> {
        self.root()?;
        let behind = |chance| self.behind(chance);
        self.moves(0).iter().flat_map(behind).find(|&state| self.state(state).board == board)
    }
}

#[cfg(test)]
impl Tree {
    /// Everything that must hold when no simulation is on its way.
    pub(super) fn check(&self, backup: Rule) {
        for (number, state) in self.states.iter().enumerate() {
            assert!(state.judged && state.pending == 0);
            let moves = self.moves(number as u32);
            let passed: u32 = moves.iter().map(|chance| chance.visits).sum();
            if moves.is_empty() {
                assert!(state.board.is_over() && state.value == 0.0);
            } else {
                assert_eq!(state.visits, passed + 1);
                let worths: Vec<f32> = moves.iter().map(|chance| chance.worth).collect();
                let value = backup.mean(&worths, state.visits);
                assert!((state.value - value).abs() <= 1e-4 * value.abs().max(1.0));
            }
            for chance in moves {
                assert_eq!((chance.parent, chance.pending), (number as u32, 0));
                let count = if chance.spawns == NONE { 0 } else { 2 * usize::from(chance.empties) };
                let (mut mass, mut sum, mut visits, mut fours) = (0.0, 0.0, 0, 0);
                for place in 0..count {
                    let state_behind = self.slots[chance.spawns as usize + place];
                    if state_behind == NONE {
                        continue;
                    }
                    let child = self.state(state_behind);
                    assert_eq!(&self.chances[child.parent as usize].afterstate, &chance.afterstate);
                    assert_eq!(child.depth, state.depth + 1);
                    visits += child.visits;
                    fours += if 2 * place >= count { child.visits } else { 0 };
                    mass += f64::from(child.probability);
                    sum += f64::from(child.probability) * f64::from(child.value);
                }
                assert_eq!((visits, fours), (chance.visits, chance.fours));
                assert!((mass - chance.mass).abs() < 1e-9 && mass < 1.0 + 1e-6);
                assert!((sum - chance.sum).abs() <= 1e-6 * sum.abs().max(1.0));
            }
        }
    }

    /// Were the spawns of every afterstate visited as they were most due, argmax P/(N+1), of equal ones the first?
    pub(super) fn check_least(&self, p4: f64) {
        for chance in self.chances.iter().filter(|chance| chance.spawns != NONE) {
            let empties = usize::from(chance.empties);
            let mut visits = vec![0; 2 * empties];
            for _ in 0..chance.visits {
                let due = |place: usize| {
                    let tile = if place < empties { 1.0 - p4 } else { p4 };
                    tile / f64::from(visits[place] + 1)
                };
                let most = (0..2 * empties).map(due).fold(0.0, f64::max);
                let first = (0..2 * empties).find(|&place| due(place) * (1.0 + 1e-12) >= most);
                visits[first.unwrap()] += 1;
            }
            let slots = &self.slots[chance.spawns as usize..][..2 * empties];
            let seen = |&state: &u32| if state == NONE { 0 } else { self.state(state).visits };
            assert_eq!(visits, slots.iter().map(seen).collect::<Vec<_>>(), "{}", chance.afterstate);
        }
    }
}
