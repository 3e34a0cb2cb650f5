//! The file of a solved board.
//!
//! ```text
//! 0      "maxtile" and the version, 8 bytes
//! 8      CRC-32 of the header, its length: 4 bytes each
//! 16     the header: JSON
//! 4096   the table of layers: 80 bytes each
//! …      for each layer its states: the bitmap
//!        for each layer its afterstates: 64 bits of the bitmap and how many came before, 8 bytes each
//!        for each layer its values: one f64 for each afterstate, in the order of the bitmap
//! ```
//!
//! Everything is little-endian, every section begins at a multiple of 64. Where the sets lie follows
//! from the board alone; where the values lie from the counts. So a half-finished file can be
//! continued, and the finished one does not tell how often it was.

use std::io;

use serde::{Deserialize, Serialize};

use crate::space::Space;
use crate::sweep::{FIRST, LayerCount};

pub(crate) const MAGIC: [u8; 8] = *b"maxtile\x01";
/// Where the table of layers begins.
pub(crate) const TABLE: u64 = 4096;
pub(crate) const RECORD: usize = 80;

/// What a file says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// What it is: "maxtile solved board".
    pub what: String,
    /// The board: `3x3`, or its cells.
    pub board: String,
    /// The tile at which the game ends, if it does.
    pub goal: Option<u32>,
    /// What is played for.
    pub objective: String,
    /// Probability of a 4.
    pub p4: f64,
    /// Are the values of afterstates kept?
    pub values: bool,
    /// Is the file finished?
    pub complete: bool,
    /// States up to symmetry.
    pub states: u64,
    /// Afterstates up to symmetry.
    pub afterstates: u64,
    /// States without a move.
    pub terminal: u64,
    /// The value of the game.
    pub value: Option<f64>,
    /// Standard deviation of the score, where it was computed (boards of at most nine cells).
    pub std: Option<f64>,
    /// Expected number of moves, likewise.
    pub moves: Option<f64>,
    /// Chances of tiles when playing for the score, likewise.
    pub tiles: Vec<(u32, f64)>,
    /// CRC-32 of the table of layers.
    pub layers_crc: u32,
}

impl Header {
    /// Does it solve the same, however far?
    pub(crate) fn is_of(&self, other: &Header) -> bool {
        (&self.board, self.goal, &self.objective, self.p4, self.values)
            == (&other.board, other.goal, &other.objective, other.p4, other.values)
    }
}

/// How far a layer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    #[default]
    Nothing,
    Sets,
    Values,
}

/// A layer's line in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) stage: Stage,
    pub(crate) count: LayerCount,
    pub(crate) states_at: u64,
    pub(crate) afterstates_at: u64,
    pub(crate) values_at: u64,
    pub(crate) afterstates_section_crc: u32,
    pub(crate) values_crc: u32,
}

impl Record {
    pub(crate) fn bytes(&self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        let count = &self.count;
        put(&mut bytes, 0, &count.sum.to_le_bytes());
        put(&mut bytes, 4, &(self.stage as u32).to_le_bytes());
        let wide = [count.states, count.afterstates, count.terminal];
        let places = [self.states_at, self.afterstates_at, self.values_at];
        for (i, number) in wide.into_iter().chain(places).enumerate() {
            put(&mut bytes, 8 + 8 * i, &number.to_le_bytes());
        }
        let crcs = [
            count.states_crc,
            count.afterstates_crc,
            self.afterstates_section_crc,
            self.values_crc,
        ];
        for (i, crc) in crcs.into_iter().enumerate() {
            put(&mut bytes, 56 + 4 * i, &crc.to_le_bytes());
        }
        let own = crc32fast::hash(&bytes[..72]);
        put(&mut bytes, 72, &own.to_le_bytes());
        bytes
    }

    /// The record of these bytes, unless they are damaged. Zeros are a layer not begun.
    pub(crate) fn read(bytes: &[u8]) -> Option<Record> {
        let narrow = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let wide = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        if bytes.iter().all(|&byte| byte == 0) {
            return Some(Record::default());
        }
        if narrow(72)? != crc32fast::hash(bytes.get(..72)?) {
            return None;
        }
        let stage = match narrow(4)? {
            0 => Stage::Nothing,
            1 => Stage::Sets,
            2 => Stage::Values,
            _ => return None,
        };
        let count = LayerCount {
            sum: narrow(0)?,
            states: wide(8)?,
            afterstates: wide(16)?,
            terminal: wide(24)?,
            states_crc: narrow(56)?,
            afterstates_crc: narrow(60)?,
        };
        Some(Record {
            stage,
            count,
            states_at: wide(32)?,
            afterstates_at: wide(40)?,
            values_at: wide(48)?,
            afterstates_section_crc: narrow(64)?,
            values_crc: narrow(68)?,
        })
    }
}

fn put(bytes: &mut [u8], at: usize, what: &[u8]) {
    bytes[at..at + what.len()].copy_from_slice(what);
}

/// Where the sets of each layer lie.
pub(crate) struct Plan {
    pub(crate) states_at: Vec<u64>,
    pub(crate) afterstates_at: Vec<u64>,
    pub(crate) values_from: u64,
}

impl Plan {
    pub(crate) fn new(space: &Space) -> Plan {
        let words: Vec<u64> =
            (FIRST..=space.last()).map(|t| space.layer(t).words() as u64).collect();
        let mut at = aligned(TABLE + (words.len() * RECORD) as u64);
        let mut lay = |size: u64| {
            let place = |&words: &u64| {
                let here = at;
                at = aligned(at + words * size);
                here
            };
            words.iter().map(place).collect::<Vec<u64>>()
        };
        let states_at = lay(8);
        let afterstates_at = lay(16);
        Plan { states_at, afterstates_at, values_from: at }
    }
}

pub(crate) fn aligned(at: u64) -> u64 {
    at.next_multiple_of(64)
}

/// The bytes before the table of layers.
pub(crate) fn header_bytes(header: &Header) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(header)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(crc32fast::hash(&json).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(&json);
    bytes.resize(TABLE as usize, b' ');
    Ok(bytes)
}

/// The header of these bytes, or why there is none.
pub(crate) fn read_header(bytes: &[u8]) -> Result<Header, &'static str> {
    if bytes.get(..8) != Some(&MAGIC) {
        return Err("this is not a solved board");
    }
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let damaged = "the header is damaged";
    let (crc, length) = (number(8).ok_or(damaged)?, number(12).ok_or(damaged)?);
    let json = bytes.get(16..16 + length as usize).ok_or(damaged)?;
    if crc32fast::hash(json) != crc {
        return Err(damaged);
    }
    serde_json::from_slice(json).map_err(|_| damaged)
}
