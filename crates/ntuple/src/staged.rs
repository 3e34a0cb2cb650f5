//! The weights of a network in stages: which set judges a board, and values that follow.
//!
//! The sets lie behind one another in memory, so a stage is an offset added to all indices of a
//! board.

use std::cell::RefCell;

use maxtile_game::{Afterstate, Board, Grid, SpawnLaw};

use crate::network::Network;
use crate::plan::Octet;
use crate::spec::Judges;
use crate::stages::Stages;
use crate::with_avx2;

impl Network {
    /// How many sets of weights there are.
    pub fn stages(&self) -> usize {
        self.plan.memory / self.plan.stage as usize
    }

    /// The stage of a position in a game that has been in stage `before`.
    pub fn stage(&self, grid: Grid, before: usize) -> usize {
        self.spec().stages.of(self.word(grid), before)
    }

    /// The set that judges a game in this stage. In stages of a game's history each set learns in
    /// its own time: until then the one before it judges.
    pub fn judging(&self, stage: usize) -> usize {
        match self.spec().stages {
            Stages::History(_) => (0..=stage).rev().find(|&s| self.has_learned(s)).unwrap_or(0),
            _ => stage,
        }
    }

    /// Where the weights of a table of a stage lie; the tables of all stages are numbered through.
    pub(crate) fn places(&self, table: usize) -> impl Iterator<Item = u32> {
        assert!(table < self.tables(), "the network has no table {table}");
        let tables = self.spec().tables();
        let offset = self.offset(table / tables);
        self.plan.places(table % tables).map(move |place| offset + place)
    }

    pub(crate) fn offset(&self, stage: usize) -> u32 {
        assert!(stage < self.stages(), "the network has no stage {stage}");
        self.plan.stage * stage as u32
    }

    /// The offset that is in the indices of a board already.
    pub(crate) fn offset_of(&self, octets: &[Octet]) -> u32 {
        let index = octets.first().map_or(0, |octet| octet[0]);
        index - index % self.plan.stage
    }

    /// Moves the indices of a board to a stage.
    #[inline]
    pub(crate) fn shift(octets: &mut [Octet], offset: u32) {
        octets.as_flattened_mut().iter_mut().for_each(|index| *index += offset);
    }

    /// Weight promotion (Jaśkowski 2017): a weight that is exactly 0 becomes that of the stage
    /// before, one level at a time.
    pub(crate) fn promote(&self, octets: &[Octet]) {
        let below = self.plan.stage;
        for &index in self.active_of(octets).iter().filter(|&&index| index >= below) {
            if self.weights.get(index) == 0.0 {
                let before = self.weights.get(index - below);
                if before != 0.0 {
                    self.weights.set(index, before);
                }
            }
        }
    }

    /// The sum of the weights of a board as a reader sees it: a weight to be promoted counts, and
    /// is left where it is.
    pub(crate) fn sum_looking(&self, octets: &[Octet]) -> f32 {
        if !self.spec().promotion {
            return self.sum(octets);
        }
        self.active_of(octets).iter().map(|&index| self.promoted(index)).sum()
    }

    /// A weight, or that of the stage before it where it has not learned.
    fn promoted(&self, index: u32) -> f32 {
        match self.weights.get(index) {
            0.0 if index >= self.plan.stage => self.weights.get(index - self.plan.stage),
            weight => weight,
        }
    }

    /// The weight at a place of a stage as one who only looks sees it.
    pub(crate) fn judging_weight(&self, stage: usize, place: u32) -> f32 {
        let index = self.offset(self.judging(stage)) + place;
        if self.spec().promotion { self.promoted(index) } else { self.weights.get(index) }
    }

    /// The value of a position as set `set` sees it, without learning anything by looking.
    pub(crate) fn value_in(&self, grid: Grid, set: usize) -> f32 {
        self.with_buffer(|octets| {
            self.plan.indices(&[self.word(grid)], octets);
            Network::shift(octets, self.offset(set));
            self.sum_looking(octets)
        })
    }

    /// The value of a position to move for the moves that are legal in it; `None` at the end.
    pub(crate) fn best_move_value(&self, board: Board) -> Option<f32> {
        let values = board.legal_moves().iter().map(|mv| self.value_in(board.grid(), mv.index()));
        values.reduce(f32::max)
    }

    /// What an afterstate is worth by a network that is not asked about single afterstates of one
    /// stage: staged ones by the board alone, those of states and moves by the mean over the
    /// spawns of the ordinary law.
    pub(crate) fn other_value(&self, afterstate: Afterstate) -> f32 {
        match self.spec().judges {
            Judges::Afterstates => {
                let set = self.judging(self.stage(afterstate.grid(), 0));
                self.value_in(afterstate.grid(), set)
            }
            Judges::Duel => self.value_in(afterstate.grid(), 0),
            _ => self.mean_over_spawns(afterstate, SpawnLaw::default()),
        }
    }

    /// The mean over the spawns of what a network of states or of moves says of the position.
    /// Positions without a move never learn: they are worth 0 by definition.
    pub(crate) fn mean_over_spawns(&self, afterstate: Afterstate, law: SpawnLaw) -> f32 {
        let full = afterstate.empty_count() == 1;
        let outcomes = law.outcomes(afterstate);
        let boards =
            outcomes.filter_map(|(spawn, p)| Some((afterstate.spawn(spawn).ok()?, p as f32)));
        let boards = boards.filter(|(board, _)| !(full && board.is_over()));
        if self.spec().judges == Judges::Moves {
            return boards.map(|(board, p)| p * self.best_move_value(board).unwrap_or(0.0)).sum();
        }
        self.with_buffer(|octets| {
            let worth = |(board, share): (Board, f32)| {
                self.plan.indices(&[self.word(board.grid())], octets);
                share * self.sum(octets)
            };
            with_avx2(|| boards.map(worth).sum())
        })
    }

    /// Room for the indices of a board, made once for each thread.
    fn with_buffer<T>(&self, work: impl FnOnce(&mut [Octet]) -> T) -> T {
        thread_local! {
            static OCTETS: RefCell<Vec<Octet>> = const { RefCell::new(Vec::new()) };
        }
        OCTETS.with_borrow_mut(|octets| {
            octets.resize(self.plan.octets(), [0; 8]);
            work(octets)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;
    use maxtile_search::Value;

    /// Two stages split at a 4, one tuple over a 1×2 board.
    fn network(promotion: bool) -> Network {
        let spec = Spec {
            board: "1x2".to_owned(),
            stages: "4".parse().unwrap(),
            promotion,
            ..Spec::classic("test", &[&[0], &[1]], 4, false)
        };
        Network::new(spec).unwrap()
    }

    fn afterstate(text: &str) -> Afterstate {
        text.parse().unwrap()
    }

    #[test]
    fn stages_have_weights_of_their_own() {
        let network = network(false);
        assert_eq!((network.stages(), network.spec().weights()), (2, 16));
        network.set_table(0, &[0.0, 1.0, 2.0, 3.0]).unwrap();
        network.set_table(2, &[0.0, 10.0, 20.0, 30.0]).unwrap();
        assert_eq!(network.table(2), [0.0, 10.0, 20.0, 30.0]);
        assert_eq!(network.value(afterstate("1x2:10")), 1.0);
        assert_eq!(network.value(afterstate("1x2:20")), 20.0);
        assert_eq!(network.value(afterstate("1x2:02")), 0.0);
    }

    #[test]
    fn a_stage_that_has_not_learned_does_not_judge() {
        let network = network(false);
        network.set_table(0, &[0.0, 1.0, 2.0, 3.0]).unwrap();
        assert_eq!(network.judging(1), 0);
        assert_eq!(network.value(afterstate("1x2:20")), 2.0);
        network.set_table(3, &[0.0, 0.0, 5.0, 0.0]).unwrap();
        assert_eq!(network.judging(1), 1);
        assert_eq!(network.value(afterstate("1x2:02")), 5.0);
    }

    #[test]
    fn promotion_takes_over_what_is_exactly_zero() {
        let network = network(true);
        network.set_table(0, &[0.0, 1.0, 2.0, 3.0]).unwrap();
        network.set_table(1, &[4.0, 0.0, 0.0, 0.0]).unwrap();
        network.set_table(2, &[0.0, 0.0, 0.0, 30.0]).unwrap();
        // Looking takes over nothing: u[2] = 2 and w[0] = 4 of stage 0 stand in.
        assert_eq!(network.value(afterstate("1x2:20")), 6.0);
        assert_eq!(network.table(2), [0.0, 0.0, 0.0, 30.0]);
        // Learning does: u[2] and w[0] are read, and only those change.
        let mut octets = vec![[0; 8]; 1];
        network.plan.indices(&[0x02], &mut octets);
        Network::shift(&mut octets, network.offset(1));
        assert_eq!(network.offset_of(&octets), network.offset(1));
        network.promote(&octets);
        assert_eq!(network.table(2), [0.0, 0.0, 2.0, 30.0]);
        assert_eq!(network.table(3), [4.0, 0.0, 0.0, 0.0]);
        // What has learned is left alone.
        network.set_table(0, &[0.0, 1.0, 7.0, 3.0]).unwrap();
        network.promote(&octets);
        assert_eq!(network.table(2), [0.0, 0.0, 2.0, 30.0]);
    }

    #[test]
    fn states_are_worth_the_mean_over_their_spawns() {
        let spec = Spec {
            board: "1x2".to_owned(),
            judges: Judges::States,
            ..Spec::classic("test", &[&[0], &[1]], 4, false)
        };
        let network = Network::new(spec).unwrap();
        network.set_table(1, &[100.0, 10.0, 20.0, 0.0]).unwrap();
        // A 2 with probability 0.9, a 4 with 0.1, both in the right cell; 2 1 is over and worth 0.
        assert!((network.value(afterstate("1x2:10")) - 9.0).abs() < 1e-5);
        assert!((network.value(afterstate("1x2:20")) - 2.0).abs() < 1e-5);
    }
}
