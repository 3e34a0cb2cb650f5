//! How much of the tree below a chance node is searched: so many plies, or all that is not too improbable.

use maxtile_game::SpawnLaw;

/// How much of the tree below a chance node is searched. The table's entries have 5 and 6 bits
/// for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Moves still to be looked ahead; [`OPEN`] for as many as are probable enough.
    pub(crate) plies: u8,
    /// Branches less probable than this are not looked into (2 to the minus this); [`NO_CUT`] for all.
    pub(crate) bits: u8,
}

/// The largest depth of a search.
pub const MAX_DEPTH: u8 = 31;
/// Plies are not counted. (The root of the deepest counted search has one less to look ahead.)
const OPEN: u8 = 31;
/// No branch is too improbable.
const NO_CUT: u8 = 63;
/// The smallest probability there is.
pub(crate) const LEAST: u8 = NO_CUT - 1;

impl Effort {
    /// The afterstate is judged as it is.
    pub(crate) const NONE: Effort = Effort { plies: 0, bits: NO_CUT };

    /// So many plies, all branches.
    pub(crate) fn plies(plies: u8) -> Effort {
        Effort { plies, bits: NO_CUT }
    }

    /// As many plies as are probable enough.
    pub(crate) fn open(bits: u8) -> Effort {
        Effort { plies: OPEN, bits: bits.min(LEAST) }
    }

    pub(crate) fn is_open(self) -> bool {
        self.plies == OPEN
    }

    /// How many plies that is, from the move on, on a line of 2s with always so many cells empty.
    pub(crate) fn depth(self, empties: usize, law: SpawnLaw) -> u8 {
        if !self.is_open() {
            return self.plies + 1;
        }
        let two = (1.0 - law.p4()).max(law.p4());
        2 + self.bits / cost(empties, two)
    }

    /// A number that falls on the way down, for the memory of each level.
    pub(crate) fn level(self) -> usize {
        usize::from(if self.is_open() { self.bits } else { self.plies })
    }

    /// More of the tree than another one of the same search.
    pub(crate) fn rank(self) -> u8 {
        if self.is_open() { MAX_DEPTH + self.bits } else { self.plies }
    }
}

/// Where the tree is thinner than full width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeShape {
    /// How tiles appear.
    pub law: SpawnLaw,
    /// How many plies less a spawned 4 is looked into, where at least three cells are empty; the
    /// answers to it are judged in any case. Not where plies are not counted.
    pub fours: u8,
    /// Branches less probable than 2 to the minus this are not looked into; 0 for none.
    pub cut: u8,
}

/// Empty cells from which on a 4 is looked into less: where there are fewer, it may decide.
const ROOM: usize = 3;

impl TreeShape {
    /// The effort for chance nodes from which on so many plies are looked ahead.
    pub(crate) fn effort(&self, plies: u8) -> Effort {
        let bits = if self.cut == 0 { NO_CUT } else { self.cut.min(LEAST) };
        Effort { plies, bits }
    }

    /// The effort for the children behind a spawned 2 and a spawned 4.
    #[inline]
    pub(crate) fn below(&self, effort: Effort, empties: usize) -> [Effort; 2] {
        let plies = if effort.is_open() { OPEN } else { effort.plies.saturating_sub(1) };
        let thin = empties >= ROOM && !effort.is_open();
        let fours = if thin { plies.saturating_sub(self.fours) } else { plies };
        let with = |plies: u8, probability: f64| {
            if plies == 0 {
                return Effort::NONE;
            }
            if effort.bits == NO_CUT {
                return Effort::plies(plies);
            }
            match effort.bits.checked_sub(cost(empties, probability)) {
                Some(bits) => Effort { plies, bits },
                None => Effort::NONE,
            }
        };
        [with(plies, 1.0 - self.law.p4()), with(fours, self.law.p4())]
    }
}

/// What a tile in one of so many cells takes of the probability. Whole bits, so that different orders of the same tiles come to the same
/// effort (finer ones were tried: with as many leaves they choose worse moves); at least one, so that every tree ends.
fn cost(empties: usize, probability: f64) -> u8 {
    // The logarithm, rounded up, read off the number's exponent. What never happens takes more than there is.
    let bits = (empties as f64 / probability).clamp(2.0, 1e30).to_bits();
    ((bits >> 52) - 1023 + u64::from(bits << 12 != 0)) as u8
}
