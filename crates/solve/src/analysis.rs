//! A complete analysis in memory: all sets, and one sweep for each question.

use std::io;

use maxtile_game::{Board, Random};

use crate::aim::Aim;
use crate::bits::{Bits, Directory};
use crate::objective::{
    Drawn, Duel, FOLLOWED, Follow, Followed, Objective, Reach, Score, movable, potential,
};
use crate::region::Region;
use crate::space::Space;
use crate::starts::{Start, starts, value_of_game};
use crate::sweep::{
    FIRST, LayerCount, Run, Sets, Swept, Watch, enumerate, nothing_above, number, sweep,
};

/// All states of a region.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use maxtile_solve::{Aim, Analysis, Region, Watch};
///
/// let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
/// let region: Region = "2x2".parse()?;
/// let analysis = Analysis::new(&region, None, true, 1, watch).expect("not stopped");
/// assert_eq!(analysis.totals().states, 110);
/// let score = analysis.value(Aim::Score, 0.1, watch).expect("not stopped");
/// assert!((score - 66.964149).abs() < 1e-6);
/// # Ok::<(), maxtile_solve::RegionError>(())
/// ```
pub struct Analysis {
    pub(crate) space: Space,
    sets: Memory,
    layers: Vec<LayerCount>,
    threads: usize,
}

/// Bitmaps in memory, by layer.
#[derive(Default)]
struct Memory {
    states: Vec<Box<[u64]>>,
    afterstates: Vec<Box<[u64]>>,
}

impl Sets for Memory {
    fn states(&self, t: u32) -> io::Result<Directory> {
        Ok(Directory::new(self.states[(t - FIRST) as usize].iter().copied()))
    }

    fn afterstates(&self, t: u32) -> io::Result<Directory> {
        Ok(Directory::new(self.afterstates[(t - FIRST) as usize].iter().copied()))
    }
}

/// Counts of all layers together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// States up to symmetry.
    pub states: u64,
    /// Afterstates up to symmetry.
    pub afterstates: u64,
    /// States without a move.
    pub terminal: u64,
    /// The tile sum of the last layer that is not empty.
    pub last_sum: u32,
}

impl Totals {
    /// The totals of these layers.
    pub fn of(layers: &[LayerCount]) -> Totals {
        let mut totals = Totals::default();
        for layer in layers.iter().filter(|layer| layer.states > 0) {
            totals.states += layer.states;
            totals.afterstates += layer.afterstates;
            totals.terminal += layer.terminal;
            totals.last_sum = layer.sum;
        }
        totals
    }
}

/// What comes with playing for the score.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorePlay {
    /// The expected score.
    pub mean: f64,
    /// Its variance.
    pub variance: f64,
    /// The expected number of moves.
    pub moves: f64,
    /// The chances of tiles, by exponent. Where moves are equally good the one with the smaller
    /// number of its afterstate is played.
    pub reach: Vec<(u8, f64)>,
}

impl Analysis {
    /// Counts the states of a region; with a goal (an exponent) only those before it stands, and
    /// with `symmetric` only one of those that differ by symmetry. `None` when it was stopped, or
    /// the goal is out of reach.
    pub fn new(
        region: &Region,
        goal: Option<u8>,
        symmetric: bool,
        threads: usize,
        watch: Watch<'_>,
    ) -> Option<Analysis> {
        let space = Space::new(region, goal, symmetric)?;
        let mut sets = Memory::default();
        let mut layers = Vec::new();
        let keep = |count, states: &Bits, afterstates: &Bits| {
            layers.push(count);
            sets.states.push(states.words().collect());
            sets.afterstates.push(afterstates.words().collect());
            Ok(())
        };
        enumerate(Run { space: &space, threads, watch }, FIRST, Vec::new(), keep).ok()?;
        Some(Analysis { space, sets, layers, threads })
    }

    /// The layers, from the first on.
    pub fn layers(&self) -> &[LayerCount] {
        &self.layers
    }

    /// All layers together.
    pub fn totals(&self) -> Totals {
        Totals::of(&self.layers)
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    pub(crate) fn sets(&self) -> &impl Sets {
        &self.sets
    }

    /// The value of the game for an aim; `None` when it was stopped.
    pub fn value(&self, aim: Aim, p4: f64, watch: Watch<'_>) -> Option<f64> {
        let swept = match aim {
            Aim::Score => self.starts_swept(&Score { p4 }, p4, watch),
            Aim::Reach(goal) => self.starts_swept(&Reach { p4, goal }, p4, watch),
            Aim::Hostile => self.starts_swept(&Duel::HOSTILE, p4, watch),
            Aim::Friendly => self.starts_swept(&Duel::FRIENDLY, p4, watch),
            Aim::ForcedTile => self.starts_swept(&Duel::FORCED, p4, watch),
            Aim::HostileDrawn => self.starts_swept(&Drawn { p4 }, p4, watch),
            Aim::HostileTwos => self.starts_swept(&Duel::TWOS, p4, watch),
            Aim::ForcedTileTwos => self.starts_swept(&Duel::FORCED_TWOS, p4, watch),
        };
        Some(value_of_game(aim, &swept?, p4))
    }

    /// Moments, length and tile chances of the best play for the score; `None` when it was stopped.
    pub fn score_play(&self, p4: f64, watch: Watch<'_>) -> Option<ScorePlay> {
        let run = Run { space: &self.space, threads: self.threads, watch };
        score_play(run, &self.sets, p4).ok()
    }

    /// States drawn from all layers between two tile sums, `each` from every layer, with their values
    /// for an aim: for checks by other means. `None` when it was stopped.
    pub fn sample(
        &self,
        aim: Aim,
        sums: std::ops::RangeInclusive<u32>,
        each: u64,
        random: &mut Random,
        watch: Watch<'_>,
    ) -> Option<Vec<(Board, f64)>> {
        let mut found = Vec::new();
        let space = &self.space;
        let take = |swept: Swept<'_, f64>| {
            let count = swept.states.count() as u64;
            if sums.contains(&(2 * swept.layer.t)) && count > 0 {
                for _ in 0..each {
                    let place = random.below(count) as usize;
                    let word = space.board(swept.layer, swept.states.rank(place));
                    let value = swept.state_values[place];
                    let free = space.geometry.free;
                    let own = if aim.is_score() { potential(movable(word, free)) } else { 0.0 };
                    found.push((space.grid(word).into(), value - own));
                }
            }
            Ok(())
        };
        let run = Run { space, threads: self.threads, watch };
        let last = space.last();
        let above = nothing_above(space);
        match aim {
            Aim::Hostile => sweep(run, &Duel::HOSTILE, &self.sets, last, above, take),
            Aim::Friendly => sweep(run, &Duel::FRIENDLY, &self.sets, last, above, take),
            Aim::ForcedTile => sweep(run, &Duel::FORCED, &self.sets, last, above, take),
            Aim::HostileDrawn => sweep(run, &Drawn { p4: 0.1 }, &self.sets, last, above, take),
            Aim::HostileTwos => sweep(run, &Duel::TWOS, &self.sets, last, above, take),
            Aim::ForcedTileTwos => sweep(run, &Duel::FORCED_TWOS, &self.sets, last, above, take),
            Aim::Score => sweep(run, &Score { p4: 0.1 }, &self.sets, last, above, take),
            Aim::Reach(goal) => sweep(run, &Reach { p4: 0.1, goal }, &self.sets, last, above, take),
        }
        .ok()?;
        Some(found)
    }

    fn starts_swept<O: Objective>(
        &self,
        objective: &O,
        p4: f64,
        watch: Watch<'_>,
    ) -> Option<Vec<(Start, O::Value)>> {
        let run = Run { space: &self.space, threads: self.threads, watch };
        starts_swept(run, &self.sets, objective, p4).ok()
    }
}

/// The values of the starts.
fn starts_swept<O: Objective>(
    run: Run<'_>,
    sets: &impl Sets,
    objective: &O,
    p4: f64,
) -> io::Result<Vec<(Start, O::Value)>> {
    let mut found = Vec::new();
    let each = |swept: Swept<'_, O::Value>| {
        found.extend(start_values(run.space, &swept, p4));
        Ok(())
    };
    sweep(run, objective, sets, run.space.last(), nothing_above(run.space), each)?;
    Ok(found)
}

/// What comes with the best play for the score, wherever the sets are.
pub(crate) fn score_play(run: Run<'_>, sets: &impl Sets, p4: f64) -> io::Result<ScorePlay> {
    let most = run.space.region().max_exponent();
    let first = most.saturating_sub(FOLLOWED as u8 - 1).max(2);
    let swept = starts_swept(run, sets, &Follow { p4, first }, p4)?;
    let mut play = ScorePlay { mean: 0.0, variance: 0.0, moves: 0.0, reach: Vec::new() };
    let mut chances = [0.0; FOLLOWED];
    let score = |start: &Start, value: &Followed| value.w - potential(start.grid.nibbles());
    for (start, value) in &swept {
        play.mean += start.probability * score(start, value);
        play.moves += start.probability * value.moves;
        for (all, one) in chances.iter_mut().zip(value.reach) {
            *all += start.probability * one;
        }
    }
    for (start, value) in &swept {
        let off = score(start, value) - play.mean;
        play.variance += start.probability * (value.variance + off * off);
    }
    play.reach = (first..=most).zip(chances.map(|chance| chance.min(1.0))).collect();
    Ok(play)
}

/// The starts of a layer with their values.
pub(crate) fn start_values<V: Copy>(
    space: &Space,
    swept: &Swept<'_, V>,
    p4: f64,
) -> Vec<(Start, V)> {
    if !(FIRST..=FIRST + 2).contains(&swept.layer.t) {
        return Vec::new();
    }
    let all = starts(&space.outer_region(), p4).into_iter();
    let value = |start: Start| {
        let word = space.word(start.grid);
        (space.sum(word) == swept.layer.t).then(|| {
            let rank = number(space, swept.layer, word);
            (start, swept.state_values[swept.states.index(rank)])
        })
    };
    all.filter_map(value).collect()
}
