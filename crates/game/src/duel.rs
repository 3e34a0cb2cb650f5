//! The duel: 2048 for two. The attacker places the tiles and wants a small score, the defender
//! slides and wants a large one.
//!
//! The attacker places two tiles on the empty board, then defender and attacker alternate until
//! the defender cannot move. What the attacker may place is the [`Variant`].

use std::fmt;
use std::str::FromStr;

use crate::board::{Afterstate, Board, Spawn, SpawnError};
use crate::direction::Move;
use crate::random::Random;
use crate::record::{Ply, Record};
use crate::rules::SpawnLaw;
use crate::shape::Shape;

/// Which tiles the attacker may place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// A 2 or a 4, as he likes: no chance in the game (Oda & Matsuzaki 2022).
    #[default]
    Free,
    /// The tile is drawn as in the ordinary game, he chooses the cell (Yokoyama & Matsuzaki 2021).
    Drawn,
    /// Always a 2 (Terada 2015).
    Twos,
}

impl Variant {
    /// All of them.
    pub const ALL: [Variant; 3] = [Variant::Free, Variant::Drawn, Variant::Twos];

    /// What may be placed; in `Drawn` a number is drawn from `random` to decide it.
    pub fn tiles(self, law: SpawnLaw, random: &mut Random) -> Tiles {
        match self {
            Variant::Free => Tiles::Any,
            Variant::Drawn if random.unit() < law.p4() => Tiles::Four,
            Variant::Drawn | Variant::Twos => Tiles::Two,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Variant::Free => "free",
            Variant::Drawn => "drawn",
            Variant::Twos => "twos",
        })
    }
}

impl FromStr for Variant {
    type Err = VariantError;

    fn from_str(text: &str) -> Result<Variant, VariantError> {
        let named = |variant: &Variant| variant.to_string() == text;
        Variant::ALL.into_iter().find(named).ok_or(VariantError)
    }
}

/// Not the name of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantError;

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a variant of the duel is free, drawn or twos")
    }
}

impl std::error::Error for VariantError {}

/// The tiles that may be placed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tiles {
    /// A 2 or a 4.
    Any,
    /// A 2.
    Two,
    /// A 4.
    Four,
}

impl Tiles {
    /// The exponents.
    pub const fn exponents(self) -> &'static [u8] {
        match self {
            Tiles::Any => &[1, 2],
            Tiles::Two => &[1],
            Tiles::Four => &[2],
        }
    }

    /// Every placement: all cells with a 2, then all with a 4.
    pub fn placements(self, afterstate: Afterstate) -> impl Iterator<Item = Spawn> {
        self.exponents().iter().flat_map(move |&exponent| {
            afterstate.empty_cells().map(move |cell| Spawn { cell: cell as u8, exponent })
        })
    }
}

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Places tiles.
    Attacker,
    /// Slides.
    Defender,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Attacker => "attacker",
            Side::Defender => "defender",
        })
    }
}

/// Board, variant, and the law by which tiles are drawn where they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelRules {
    /// The shape of the board.
    pub shape: Shape,
    /// What the attacker may place.
    pub variant: Variant,
    /// Says how often a drawn tile is a 4; the other variants draw none.
    pub law: SpawnLaw,
}

impl Default for DuelRules {
    /// The duel of the literature: 4×4, free.
    fn default() -> DuelRules {
        let (variant, law) = (Variant::Free, SpawnLaw::default());
        DuelRules { shape: Shape::CLASSIC, variant, law }
    }
}

/// Whose turn it is, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The attacker is to place one of these tiles.
    Attack(Afterstate, Tiles),
    /// The defender is to slide.
    Defend(Board),
    /// The defender cannot slide: the score counts.
    Over(Board),
}

impl Phase {
    /// Who is to play; nobody when it is over.
    pub const fn side(self) -> Option<Side> {
        match self {
            Phase::Attack(..) => Some(Side::Attacker),
            Phase::Defend(_) => Some(Side::Defender),
            Phase::Over(_) => None,
        }
    }

    fn of(board: Board) -> Phase {
        if board.is_over() { Phase::Over(board) } else { Phase::Defend(board) }
    }
}

/// A duel in progress.
///
/// ```
/// use maxtile_game::{Duel, DuelRules, Move, Phase, Random, Spawn};
///
/// let mut duel = Duel::new(DuelRules::default(), Random::new(1));
/// duel.place(Spawn { cell: 0, exponent: 1 })?;
/// duel.place(Spawn { cell: 3, exponent: 1 })?;
/// assert_eq!(duel.slide(Move::Left), Some(4));
/// duel.place(Spawn { cell: 1, exponent: 2 })?;
/// let Phase::Defend(board) = duel.phase() else { panic!("the defender's turn") };
/// assert_eq!((board.to_string().as_str(), duel.score()), ("2200000000000000", 4));
/// # Ok::<(), maxtile_game::PlaceError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Duel {
    rules: DuelRules,
    plies: Vec<DuelPly>,
    // One for the beginning and one after each ply, so that undo finds what was.
    moments: Vec<Moment>,
    start: Option<Board>,
}

#[derive(Clone, Debug)]
struct Moment {
    phase: Phase,
    score: u32,
    random: Random,
}

/// What one of the players did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DuelPly {
    /// The attacker placed a tile.
    Place(Spawn),
    /// The defender slid.
    Slide(Move),
}

impl Duel {
    /// A duel from the empty board. Drawn tiles come from `random`, one number for each.
    pub fn new(rules: DuelRules, mut random: Random) -> Duel {
        let tiles = rules.variant.tiles(rules.law, &mut random);
        let phase = Phase::Attack(Afterstate::empty(rules.shape), tiles);
        Duel::begun(rules, phase, random, None)
    }

    /// A duel from a position with the defender to move; it says the shape.
    pub fn from_board(rules: DuelRules, board: Board, random: Random) -> Duel {
        let rules = DuelRules { shape: board.shape(), ..rules };
        Duel::begun(rules, Phase::of(board), random, Some(board))
    }

    fn begun(rules: DuelRules, phase: Phase, random: Random, start: Option<Board>) -> Duel {
        let moments = vec![Moment { phase, score: 0, random }];
        Duel { rules, plies: Vec::new(), moments, start }
    }

    /// The rules.
    pub fn rules(&self) -> DuelRules {
        self.rules
    }

    /// Whose turn it is.
    pub fn phase(&self) -> Phase {
        self.now().phase
    }

    /// The points so far.
    pub fn score(&self) -> u32 {
        self.now().score
    }

    /// What was played.
    pub fn plies(&self) -> &[DuelPly] {
        &self.plies
    }

    /// The attacker places a tile; nothing changes when he may not.
    pub fn place(&mut self, spawn: Spawn) -> Result<(), PlaceError> {
        let Phase::Attack(afterstate, tiles) = self.phase() else {
            return Err(PlaceError::NotHisTurn);
        };
        let board = afterstate.spawn(spawn).map_err(PlaceError::Spawn)?;
        if !tiles.exponents().contains(&spawn.exponent) {
            return Err(PlaceError::OtherTile(tiles));
        }
        let mut random = self.now().random.clone();
        // Two tiles to begin with, one where there is no room for more.
        let opening = self.start.is_none() && self.plies.is_empty() && board.empty_count() > 0;
        let phase = if opening {
            Phase::Attack(
                board.grid().into(),
                self.rules.variant.tiles(self.rules.law, &mut random),
            )
        } else {
            Phase::of(board)
        };
        let score = self.score();
        self.push(DuelPly::Place(spawn), Moment { phase, score, random });
        Ok(())
    }

    /// The defender slides and gets so many points; `None` and no change when he may not.
    pub fn slide(&mut self, mv: Move) -> Option<u32> {
        let Phase::Defend(board) = self.phase() else { return None };
        let (afterstate, reward) = board.slide(mv)?;
        let mut random = self.now().random.clone();
        let tiles = self.rules.variant.tiles(self.rules.law, &mut random);
        let (phase, score) = (Phase::Attack(afterstate, tiles), self.score() + reward);
        self.push(DuelPly::Slide(mv), Moment { phase, score, random });
        Some(reward)
    }

    /// Takes the last ply back; `false` at the beginning.
    pub fn undo(&mut self) -> bool {
        let undone = self.plies.pop().is_some();
        if undone {
            self.moments.pop();
        }
        undone
    }

    /// The duel as a recorded game, the attacker's tiles as spawns; `None` during the opening. A
    /// slide that the attacker has not answered yet is left out.
    pub fn record(&self, defender: &str, attacker: &str) -> Option<Record> {
        let mut places = self.plies.iter().filter_map(|ply| match ply {
            DuelPly::Place(spawn) => Some(*spawn),
            DuelPly::Slide(_) => None,
        });
        let start = match self.start {
            Some(start) => start,
            None => {
                let mut half = Afterstate::empty(self.rules.shape);
                let mut board = half.spawn(places.next()?).ok()?;
                if board.empty_count() > 0 {
                    half = board.grid().into();
                    board = half.spawn(places.next()?).ok()?;
                }
                board
            }
        };
        let slides = self.plies.iter().filter_map(|ply| match ply {
            DuelPly::Slide(mv) => Some(*mv),
            DuelPly::Place(_) => None,
        });
        let law = match self.rules.variant {
            Variant::Twos => SpawnLaw::new(0.0).unwrap_or_default(),
            Variant::Free | Variant::Drawn => self.rules.law,
        };
        let plies = slides.zip(places).map(|(mv, spawn)| Ply { mv, spawn }).collect();
        let (player, attacker) = (Some(defender.to_owned()), Some(attacker.to_owned()));
        Some(Record { plies, player, attacker, ..Record::new(law, start) })
    }

    fn now(&self) -> &Moment {
        // There is always the beginning.
        &self.moments[self.moments.len() - 1]
    }

    fn push(&mut self, ply: DuelPly, moment: Moment) {
        self.plies.push(ply);
        self.moments.push(moment);
    }
}

/// Why a tile cannot be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceError {
    /// The defender is to move, or the duel is over.
    NotHisTurn,
    /// Another tile was drawn, or the variant has no such tile.
    OtherTile(Tiles),
    /// The cell does not allow it.
    Spawn(SpawnError),
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::NotHisTurn => f.write_str("it is not the attacker's turn"),
            PlaceError::OtherTile(Tiles::Two) => f.write_str("the tile to be placed is a 2"),
            PlaceError::OtherTile(Tiles::Four) => f.write_str("the tile to be placed is a 4"),
            PlaceError::OtherTile(Tiles::Any) => f.write_str("the tile to be placed is a 2 or a 4"),
            PlaceError::Spawn(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PlaceError {}
