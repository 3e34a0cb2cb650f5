//! Sets of weights that are unpacked when a board of their stage is judged for the first time.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::compact::Compact;
use crate::packed::Piece;

/// What belongs into each set, and which sets have it.
pub(crate) struct Later {
    sets: Vec<(Once, Vec<Piece<'static>>)>,
    /// A bit for each set that has.
    there: AtomicU32,
}

impl Later {
    /// The first set has been filled, the others have not.
    pub(crate) fn new(sets: Vec<Vec<Piece<'static>>>) -> Later {
        let sets = sets.into_iter().map(|pieces| (Once::new(), pieces)).collect();
        Later { sets, there: AtomicU32::new(1) }
    }

    /// Sees to it that the set of a stage is there.
    #[inline]
    pub(crate) fn ask(&self, network: &Compact, stage: usize) {
        if self.there.load(Ordering::Acquire) >> stage & 1 == 0 {
            self.fill(network, stage);
        }
    }

    #[cold]
    fn fill(&self, network: &Compact, stage: usize) {
        let (once, pieces) = &self.sets[stage];
        once.call_once(|| {
            // Only networks inside the program come here, and a test reads them whole.
            let filled = network.fill(pieces);
            debug_assert!(filled.is_ok());
            self.there.fetch_or(1 << stage, Ordering::Release);
        });
    }

    /// Sees to it that all are there.
    pub(crate) fn ask_all(&self, network: &Compact) {
        (0..self.sets.len()).for_each(|stage| self.ask(network, stage));
    }
}
