//! The compact form: a head, one byte a ply, score and checksum.

use maxtile_game::{Board, GameSeed, Move, Ply, Record, Shape, Spawn, SpawnLaw, Turn};

use crate::error::{Problem, WriteError};

/// "mtg" and the version.
pub(crate) const MAGIC: [u8; 4] = *b"mtg1";

const HAS_SEED: u8 = 1;
const HAS_PLAYER: u8 = 2;
const HAS_ATTACKER: u8 = 4;

/// The record in its compact form.
pub fn to_binary(record: &Record) -> Result<Vec<u8>, WriteError> {
    let end = record.replay().map_err(WriteError::Replay)?;
    encode(record, end)
}

/// The record, of which `end` is known to be the last turn.
pub(crate) fn encode(record: &Record, end: Turn) -> Result<Vec<u8>, WriteError> {
    let names = [(&record.player, HAS_PLAYER), (&record.attacker, HAS_ATTACKER)];
    let mut flags = if record.seed.is_some() { HAS_SEED } else { 0 };
    for (name, flag) in &names {
        flags |= if name.is_some() { *flag } else { 0 };
    }
    let shape = record.start.shape();
    let mut out = MAGIC.to_vec();
    out.extend([flags, shape.rows() as u8, shape.cols() as u8]);
    out.extend(record.law.p4().to_le_bytes());
    out.extend(record.start.exponents());
    if let Some(seed) = record.seed {
        out.extend(seed.run.to_le_bytes());
        out.extend(seed.index.to_le_bytes());
    }
    for (name, _) in names {
        if let Some(name) = name {
            out.push(u8::try_from(name.len()).map_err(|_| WriteError::NameTooLong)?);
            out.extend(name.as_bytes());
        }
    }
    let plies = u32::try_from(record.plies.len()).map_err(|_| WriteError::TooLong)?;
    out.extend(plies.to_le_bytes());
    out.extend(record.plies.iter().map(ply_to_byte));
    out.extend(end.score.to_le_bytes());
    out.extend(crc32fast::hash(&out).to_le_bytes());
    Ok(out)
}

/// Move in bits 0 and 1, cell in bits 2 to 5, bit 6 for a 4, bit 7 so that the number of set
/// bits is even: an altered byte is mostly found where it stands.
fn ply_to_byte(ply: &Ply) -> u8 {
    let byte = ply.mv as u8 | ply.spawn.cell << 2 | (ply.spawn.exponent - 1) << 6;
    byte | ((byte.count_ones() & 1) as u8) << 7
}

fn ply_from_byte(byte: u8) -> Option<Ply> {
    let spawn = Spawn { cell: byte >> 2 & 15, exponent: 1 + (byte >> 6 & 1) };
    let ply = Ply { mv: Move::from_index(byte as usize & 3), spawn };
    byte.count_ones().is_multiple_of(2).then_some(ply)
}

/// The first record of the bytes, and what stands behind it; `None` when there are no bytes.
pub(crate) fn split_record(bytes: &[u8]) -> Option<(Result<Record, Problem>, &[u8])> {
    if bytes.is_empty() {
        return None;
    }
    let mut rest = bytes;
    let record = take_record(bytes, &mut rest);
    Some((record, rest))
}

fn take_record(whole: &[u8], rest: &mut &[u8]) -> Result<Record, Problem> {
    let magic: [u8; 4] = take(rest)?;
    if magic[..3] != MAGIC[..3] {
        return Err(Problem::NotARecord);
    }
    if magic != MAGIC {
        return Err(Problem::Version(u32::from(magic[3].wrapping_sub(b'0'))));
    }
    let [flags, rows, cols] = take(rest)?;
    if flags & !(HAS_SEED | HAS_PLAYER | HAS_ATTACKER) != 0 {
        return Err(field("flags", "unknown bits are set"));
    }
    let shape = Shape::new(rows as usize, cols as usize).map_err(|e| field("shape", e))?;
    let law = SpawnLaw::new(f64::from_le_bytes(take(rest)?)).map_err(|e| field("p4", e))?;
    let start = rest.split_off(..shape.cells()).ok_or(Problem::HeadCut)?;
    let start = Board::from_exponents(shape, start).map_err(|e| field("start", e))?;
    let mut seed = None;
    if flags & HAS_SEED != 0 {
        let (run, index) = (u64::from_le_bytes(take(rest)?), u64::from_le_bytes(take(rest)?));
        seed = Some(GameSeed { run, index });
    }
    let mut name = |flag: u8, label: &'static str| -> Result<Option<String>, Problem> {
        if flags & flag == 0 {
            return Ok(None);
        }
        let [length] = take(rest)?;
        let bytes = rest.split_off(..length as usize).ok_or(Problem::HeadCut)?;
        let name = std::str::from_utf8(bytes).map_err(|e| field(label, e))?;
        Ok(Some(name.to_owned()))
    };
    let player = name(HAS_PLAYER, "player")?;
    let attacker = name(HAS_ATTACKER, "attacker")?;

    let count = u32::from_le_bytes(take(rest)?) as usize;
    let mut turn = Turn { ply: 0, board: start, score: 0 };
    // Grown as plies are read: a count alone must not make anyone allocate.
    let mut plies = Vec::with_capacity(count.min(rest.len()));
    while plies.len() < count {
        let ply = plies.len() + 1;
        let [byte] = take(rest).map_err(|_| Problem::Truncated { ply, of: count })?;
        let played = ply_from_byte(byte).ok_or(Problem::Altered { ply })?;
        turn = turn.play(played)?;
        plies.push(played);
    }
    let tail = |_| Problem::TailCut { plies: count };
    let score = u32::from_le_bytes(take(rest).map_err(tail)?);
    let checked = &whole[..whole.len() - rest.len()];
    let crc = u32::from_le_bytes(take(rest).map_err(tail)?);
    if crc != crc32fast::hash(checked) {
        return Err(Problem::Checksum { plies: count });
    }
    if score != turn.score {
        return Err(Problem::End { plies: count, what: "score" });
    }
    Ok(Record { law, start, plies, seed, player, attacker })
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Problem> {
    let (head, tail) = rest.split_first_chunk().ok_or(Problem::HeadCut)?;
    *rest = tail;
    Ok(*head)
}

fn field(name: &'static str, why: impl std::fmt::Display) -> Problem {
    Problem::Field { name, why: why.to_string() }
}
