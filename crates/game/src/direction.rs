//! The four moves, and sets of them.

use std::fmt;
use std::str::FromStr;

/// A move: the side everything slides to. The numbers are the original game's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Move {
    /// Towards the first row.
    Up = 0,
    /// Towards the last column.
    Right = 1,
    /// Towards the last row.
    Down = 2,
    /// Towards the first column.
    Left = 3,
}

impl Move {
    /// All moves in the order of their numbers.
    pub const ALL: [Move; 4] = [Move::Up, Move::Right, Move::Down, Move::Left];

    /// The move with number `index & 3`.
    #[inline]
    pub const fn from_index(index: usize) -> Move {
        Move::ALL[index & 3]
    }

    /// The move's number, 0 to 3.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The move's name in lower case.
    pub const fn name(self) -> &'static str {
        ["up", "right", "down", "left"][self as usize]
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        Move::ALL.into_iter().find(|m| m.name() == text).ok_or(ParseMoveError)
    }
}

/// The text names no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseMoveError;

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a move is up, right, down or left")
    }
}

impl std::error::Error for ParseMoveError {}

/// A set of moves.
///
/// ```
/// use maxtile_game::{Move, MoveSet};
///
/// let set = MoveSet::from_iter([Move::Left, Move::Up]);
/// assert_eq!(set.iter().collect::<Vec<_>>(), [Move::Up, Move::Left]);
/// assert_eq!(set.nth(1), Some(Move::Left));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct MoveSet(u8);

impl MoveSet {
    /// The set whose bit `i` says whether move number `i` is in it; higher bits are ignored.
    #[inline]
    pub const fn from_bits(bits: u8) -> MoveSet {
        MoveSet(bits & 0xf)
    }

    /// Bit `i` says whether move number `i` is in the set.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Is there no move in the set?
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many moves there are.
    #[inline]
    pub const fn len(self) -> usize {
        // Four bits in a word: cheaper than counting where there is no instruction for it.
        (0x4332_3221_3221_2110_u64 >> (4 * self.0) & 15) as usize
    }

    /// Is this move in the set?
    #[inline]
    pub const fn contains(self, mv: Move) -> bool {
        self.0 >> mv as u8 & 1 != 0
    }

    /// The move with `n` smaller-numbered ones before it in the set.
    #[inline]
    pub const fn nth(self, n: usize) -> Option<Move> {
        if n < 4 { NTH[self.0 as usize & 15][n] } else { None }
    }

    /// The moves of the set in the order of their numbers.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Move> {
        Move::ALL.into_iter().filter(move |m| self.contains(*m))
    }
}

/// `NTH[set][n]`: the n-th move of the set. A random player draws by it, so it must
/// not cost a branch that depends on luck.
static NTH: [[Option<Move>; 4]; 16] = {
    let mut table = [[None; 4]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut n, mut mv) = (0, 0);
        while mv < 4 {
            if set >> mv & 1 != 0 {
                table[set][n] = Some(Move::from_index(mv));
                n += 1;
            }
            mv += 1;
        }
        set += 1;
    }
    table
};

impl FromIterator<Move> for MoveSet {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> MoveSet {
        MoveSet(moves.into_iter().fold(0, |bits, m| bits | 1 << m as u8))
    }
}

impl fmt::Debug for MoveSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
