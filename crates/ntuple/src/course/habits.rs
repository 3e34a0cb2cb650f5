//! Human habits (Kanazawa 2018), measured on a player: how often each holds, by game phase.
//!
//! *Base*: the four largest tiles fill one edge. *Array*: that edge is sorted, all tiles different.
//! *Maximum in corner*: a largest tile stands in a corner. They are looked for on the afterstates
//! of the player's moves; the phase is the largest tile.

use maxtile_game::{Afterstate, Shape};
use maxtile_search::max_in_corner;

/// How often each habit held while the largest tile was the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habit {
    /// Afterstates looked at.
    pub moves: u64,
    /// With the base habit.
    pub base: u64,
    /// With the array habit.
    pub array: u64,
    /// With a largest tile in a corner.
    pub corner: u64,
}

/// The habits by the exponent of the largest tile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    phases: [Habit; 18],
}

impl Habits {
    /// Looks at the afterstate of a move.
    pub fn see(&mut self, afterstate: Afterstate) {
        let phase = &mut self.phases[afterstate.max_exponent() as usize];
        let (base, array) = base_and_array(afterstate);
        phase.moves += 1;
        phase.base += u64::from(base);
        phase.array += u64::from(array);
        phase.corner += u64::from(max_in_corner(afterstate));
    }

    /// Adds what another has seen.
    pub fn add(&mut self, other: &Habits) {
        for (mine, theirs) in self.phases.iter_mut().zip(&other.phases) {
            mine.moves += theirs.moves;
            mine.base += theirs.base;
            mine.array += theirs.array;
            mine.corner += theirs.corner;
        }
    }

    /// Each phase that was seen: the largest tile, and how often each habit held.
    pub fn phases(&self) -> impl Iterator<Item = (u32, Habit)> {
        let tiles = self.phases.iter().enumerate().map(|(exponent, &habit)| (1 << exponent, habit));
        tiles.filter(|(_, habit)| habit.moves > 0)
    }
}

fn base_and_array(afterstate: Afterstate) -> (bool, bool) {
    if afterstate.shape() != Shape::CLASSIC {
        return (false, false);
    }
    let mut all: Vec<u8> = afterstate.exponents().collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    let (mut base, mut array) = (false, false);
    for edge in [[0, 1, 2, 3], [12, 13, 14, 15], [0, 4, 8, 12], [3, 7, 11, 15]] {
        let line = edge.map(|cell| afterstate.exponent(cell));
        let mut sorted = line;
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        if sorted[..] == all[..4] && sorted[3] > 0 {
            base = true;
            array |= line.is_sorted_by(|a, b| a > b) || line.is_sorted_by(|a, b| a < b);
        }
    }
    (base, array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_by_hand() {
        let of = |text: &str| base_and_array(text.parse().unwrap());
        assert_eq!(of("9876100000000000"), (true, true));
        assert_eq!(of("6789500000000000"), (true, true));
        assert_eq!(of("9786100000000000"), (true, false), "the edge is not sorted");
        assert_eq!(of("9876700000000000"), (false, false), "a larger tile is elsewhere");
        assert_eq!(of("9776100000000000"), (true, false), "two tiles are the same");
        assert_eq!(of("9000800070006100"), (true, true), "a column is an edge");
        assert_eq!(of("0000987600000000"), (false, false), "the second row is none");
        assert_eq!(of("9800000000000000"), (false, false), "half an edge is none");

        let mut habits = Habits::default();
        habits.see("9876100000000000".parse().unwrap());
        habits.see("0900876100000000".parse().unwrap());
        let mut twice = habits.clone();
        twice.add(&habits);
        let phases: Vec<_> = twice.phases().collect();
        assert_eq!(phases, [(512, Habit { moves: 4, base: 2, array: 2, corner: 2 })]);
    }
}
