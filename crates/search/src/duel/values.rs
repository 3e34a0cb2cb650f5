//! What positions of a duel are worth: the points still to come, for both kinds of position.

use std::cell::RefCell;

use maxtile_game::{Afterstate, Board};

use crate::value::Value;

/// Judges positions after a slide, the defender's, and positions after a placement, the attacker's.
/// Both in points still to come.
pub trait DuelValue: Send + Sync {
    /// Positions after a slide.
    fn slid(&self, afterstates: &[Afterstate], out: &mut [f32]);

    /// Positions after a placement; none of them is the end of a game.
    fn placed(&self, boards: &[Board], out: &mut [f32]);

    /// Is a placement judged by the defender's best answer to it? A search then need not look at
    /// the answers itself.
    fn answers(&self) -> bool {
        false
    }

    /// Are positions that differ by symmetry only worth the same?
    fn symmetric(&self) -> bool {
        false
    }
}

/// Two values that were learned apart: each sees the cells of its own kind of position.
#[derive(Clone, Copy, Debug)]
pub struct Pair<D, A> {
    /// Judges after slides.
    pub defender: D,
    /// Judges after placements; it is asked about the cells as if they were an afterstate's.
    pub attacker: A,
}

impl<D: Value, A: Value> DuelValue for Pair<D, A> {
    fn slid(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        self.defender.values(afterstates, out);
    }

    fn placed(&self, boards: &[Board], out: &mut [f32]) {
        thread_local! {
            static CELLS: RefCell<Vec<Afterstate>> = const { RefCell::new(Vec::new()) };
        }
        CELLS.with_borrow_mut(|cells| {
            cells.clear();
            cells.extend(boards.iter().map(|board| Afterstate::from(board.grid())));
            self.attacker.values(cells, out);
        });
    }

    fn symmetric(&self) -> bool {
        self.defender.symmetric() && self.attacker.symmetric()
    }
}

/// One value of afterstates for both: a placement is worth the best answer to it.
#[derive(Clone, Copy, Debug)]
pub struct Answered<V>(pub V);

impl<V: Value> DuelValue for Answered<V> {
    fn slid(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        self.0.values(afterstates, out);
    }

    fn placed(&self, boards: &[Board], out: &mut [f32]) {
        best_answers(boards, out, |afterstates, out| self.0.values(afterstates, out));
    }

    fn answers(&self) -> bool {
        true
    }

    fn symmetric(&self) -> bool {
        self.0.symmetric()
    }
}

/// For each board the best slide, reward and value; 0 where there is none. All slides of all boards
/// are judged at once.
pub(super) fn best_answers(
    boards: &[Board],
    out: &mut [f32],
    judge: impl FnOnce(&[Afterstate], &mut [f32]),
) {
    #[derive(Default)]
    struct Scratch {
        afterstates: Vec<Afterstate>,
        rewards: Vec<f32>,
        values: Vec<f32>,
        ends: Vec<usize>,
    }
    thread_local! {
        static SCRATCH: RefCell<Scratch> = RefCell::default();
    }
    // Taken, not borrowed: a judge may come here again.
    let mut scratch = SCRATCH.with(RefCell::take);
    let Scratch { afterstates, rewards, values, ends } = &mut scratch;
    afterstates.clear();
    rewards.clear();
    ends.clear();
    for board in boards {
        for (_, afterstate, reward) in board.afterstates().iter() {
            afterstates.push(afterstate);
            rewards.push(reward as f32);
        }
        ends.push(afterstates.len());
    }
    values.clear();
    values.resize(afterstates.len(), 0.0);
    judge(afterstates, values);
    let mut from = 0;
    for (best, &end) in out.iter_mut().zip(ends.iter()) {
        let worths = (from..end).map(|i| rewards[i] + values[i]);
        *best = worths.reduce(f32::max).unwrap_or(0.0);
        from = end;
    }
    SCRATCH.with(|place| place.replace(scratch));
}

impl<V: DuelValue + ?Sized> DuelValue for std::sync::Arc<V> {
    fn slid(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        (**self).slid(afterstates, out);
    }

    fn placed(&self, boards: &[Board], out: &mut [f32]) {
        (**self).placed(boards, out);
    }

    fn answers(&self) -> bool {
        (**self).answers()
    }

    fn symmetric(&self) -> bool {
        (**self).symmetric()
    }
}
