//! What a player of a region may aim at, and who places the tiles.

use std::fmt;
use std::str::FromStr;

/// An aim, with the one who places the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aim {
    /// The largest expected score against chance.
    Score,
    /// The largest chance of ever seeing the tile with this exponent.
    Reach(u8),
    /// The score when every tile, the first two included, is placed to the player's harm.
    Hostile,
    /// The score when every tile, the first two included, is placed to the player's good.
    Friendly,
    /// The exponent of the largest tile that can be had against a hostile one.
    ForcedTile,
}

impl Aim {
    /// Is the value in points?
    pub const fn is_score(self) -> bool {
        matches!(self, Aim::Score | Aim::Hostile | Aim::Friendly)
    }

    /// Does chance place the tiles?
    pub const fn is_chance(self) -> bool {
        matches!(self, Aim::Score | Aim::Reach(_))
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aim::Score => f.write_str("score"),
            Aim::Reach(exponent) => write!(f, "reach={}", 1u32 << exponent),
            Aim::Hostile => f.write_str("hostile"),
            Aim::Friendly => f.write_str("friendly"),
            Aim::ForcedTile => f.write_str("forced-tile"),
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
            "friendly" => Ok(Aim::Friendly),
            "forced-tile" => Ok(Aim::ForcedTile),
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
            AimError::Name => "an objective is score, reach=TILE, hostile, friendly or forced-tile",
            AimError::Tile => "the tile to reach is 8, 16, 32, … or 8192",
        })
    }
}

impl std::error::Error for AimError {}
