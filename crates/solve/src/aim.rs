//! What a player of a region may aim at, and who places the tiles.

use std::fmt;
use std::str::FromStr;

use maxtile_game::Variant;

/// An aim, with the one who places the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aim {
    /// The largest expected score against chance.
    Score,
    /// The largest chance of ever seeing the tile with this exponent.
    Reach(u8),
    /// The score when every tile, the first two included, is placed to the player's harm.
    Hostile,
    /// The same, but whether a tile is a 2 or a 4 is drawn: the duel's variant `drawn`.
    HostileDrawn,
    /// The same, but every tile is a 2: the duel's variant `twos`.
    HostileTwos,
    /// The score when every tile, the first two included, is placed to the player's good.
    Friendly,
    /// The exponent of the largest tile that can be had against a hostile one.
    ForcedTile,
    /// The same against one who has only 2s.
    ForcedTileTwos,
}

impl Aim {
    /// The score of the duel.
    pub const fn duel(variant: Variant) -> Aim {
        match variant {
            Variant::Free => Aim::Hostile,
            Variant::Drawn => Aim::HostileDrawn,
            Variant::Twos => Aim::HostileTwos,
        }
    }

    /// The tile that the defender of the duel can force. What is certain whatever is drawn is what
    /// is certain when the enemy chooses.
    pub const fn forced(variant: Variant) -> Aim {
        match variant {
            Variant::Free | Variant::Drawn => Aim::ForcedTile,
            Variant::Twos => Aim::ForcedTileTwos,
        }
    }

    /// The variant of the duel whose score this is.
    pub const fn variant(self) -> Option<Variant> {
        match self {
            Aim::Hostile => Some(Variant::Free),
            Aim::HostileDrawn => Some(Variant::Drawn),
            Aim::HostileTwos => Some(Variant::Twos),
            _ => None,
        }
    }

    /// Is the value in points?
    pub const fn is_score(self) -> bool {
        matches!(self, Aim::Score | Aim::Friendly) || self.variant().is_some()
    }

    /// Is the value the exponent of a tile?
    pub const fn is_tile(self) -> bool {
        matches!(self, Aim::ForcedTile | Aim::ForcedTileTwos)
    }

    /// Does the value depend on how likely a 4 is?
    pub const fn is_chance(self) -> bool {
        matches!(self, Aim::Score | Aim::Reach(_) | Aim::HostileDrawn)
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aim::Score => f.write_str("score"),
            Aim::Reach(exponent) => write!(f, "reach={}", 1u32 << exponent),
            Aim::Hostile => f.write_str("hostile"),
            Aim::HostileDrawn => f.write_str("hostile-drawn"),
            Aim::HostileTwos => f.write_str("hostile-twos"),
            Aim::Friendly => f.write_str("friendly"),
            Aim::ForcedTile => f.write_str("forced-tile"),
            Aim::ForcedTileTwos => f.write_str("forced-tile-twos"),
        }
    }
}

impl FromStr for Aim {
    type Err = AimError;

    fn from_str(text: &str) -> Result<Aim, AimError> {
        if let Some(tile) = text.strip_prefix("reach=") {
            let tile: u32 = tile.parse().map_err(|_| AimError::Tile)?;
            let good = tile.is_power_of_two() && (8..=8192).contains(&tile);
            return if good { Ok(Aim::Reach(tile.ilog2() as u8)) } else { Err(AimError::Tile) };
        }
        match text {
            "score" => Ok(Aim::Score),
            "hostile" => Ok(Aim::Hostile),
            "hostile-drawn" => Ok(Aim::HostileDrawn),
            "hostile-twos" => Ok(Aim::HostileTwos),
            "friendly" => Ok(Aim::Friendly),
            "forced-tile" => Ok(Aim::ForcedTile),
            "forced-tile-twos" => Ok(Aim::ForcedTileTwos),
            _ => Err(AimError::Name),
        }
    }
}

/// Why there is no such aim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AimError {
    /// Not one of the names.
    Name,
    /// Not a tile that a board to be analysed could be played for.
    Tile,
}

impl fmt::Display for AimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AimError::Name => {
                "an objective is score, reach=TILE, hostile, hostile-drawn, hostile-twos, friendly, \
                 forced-tile or forced-tile-twos"
            },
            AimError::Tile => "the tile to reach is 8, 16, 32, … or 8192",
        })
    }
}

impl std::error::Error for AimError {}
