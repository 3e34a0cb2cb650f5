//! The readable form: one line of JSON a record.

use maxtile_game::{Board, GameSeed, Move, Ply, Record, Spawn, SpawnLaw};
use serde::{Deserialize, Serialize};

use crate::binary;
use crate::error::{Problem, WriteError};

const VERSION: u32 = 1;

/// The fields of a line in the order they are written. `score`, `final` and `crc32` may be
/// missing in lines that other programs wrote; when they are there, they must be right.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(rename = "type")]
    kind: Kind,
    version: u32,
    p4: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    player: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attacker: Option<String>,
    start: String,
    /// Move number, cell, exponent.
    plies: Vec<(u8, u8, u8)>,
    #[serde(default)]
    score: Option<u32>,
    #[serde(default)]
    r#final: Option<String>,
    /// The checksum of the compact form of the same record, as eight hexadecimal digits.
    #[serde(default)]
    crc32: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Game,
}

/// The record as a line of JSON, line break included.
pub fn to_json(record: &Record) -> Result<String, WriteError> {
    let end = record.replay().map_err(WriteError::Replay)?;
    let line = Line {
        kind: Kind::Game,
        version: VERSION,
        p4: record.law.p4(),
        seed: record.seed.map(|seed| seed.to_string()),
        player: record.player.clone(),
        attacker: record.attacker.clone(),
        start: record.start.to_string(),
        plies: record.plies.iter().map(ply_to_numbers).collect(),
        score: Some(end.score),
        r#final: Some(end.board.to_string()),
        crc32: Some(checksum(&binary::encode(record, end)?)),
    };
    // Strings and finite numbers only: there is nothing to fail.
    let mut text = serde_json::to_string(&line).unwrap_or_default();
    text.push('\n');
    Ok(text)
}

/// The checksum at the end of the compact form.
fn checksum(binary: &[u8]) -> String {
    let crc = binary.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    format!("{crc:08x}")
}

fn ply_to_numbers(ply: &Ply) -> (u8, u8, u8) {
    (ply.mv as u8, ply.spawn.cell, ply.spawn.exponent)
}

/// The record in the first line that is not blank, and what follows; `None` at the end.
pub(crate) fn split_record(bytes: &[u8]) -> Option<(Result<Record, Problem>, &[u8])> {
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace())?;
    let bytes = &bytes[start..];
    let end = bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len());
    let (line, rest) = bytes.split_at(end);
    Some((read_line(line), rest))
}

fn read_line(line: &[u8]) -> Result<Record, Problem> {
    if line[0] != b'{' {
        return Err(Problem::NotARecord);
    }
    let line: Line = serde_json::from_slice(line).map_err(|error| explain(line, &error))?;
    if line.version != VERSION {
        return Err(Problem::Version(line.version));
    }
    let field = |name: &'static str, why: String| Problem::Field { name, why };
    let law = SpawnLaw::new(line.p4).map_err(|e| field("p4", e.to_string()))?;
    let start: Board = line.start.parse().map_err(|e| field("start", format!("{e}")))?;
    let seed = line.seed.as_deref().map(parse_seed).transpose()?;
    let mut record = Record::new(law, start);
    record.seed = seed;
    record.player = line.player;
    record.attacker = line.attacker;
    for (index, &(mv, cell, exponent)) in line.plies.iter().enumerate() {
        if mv > 3 {
            let why = format!("ply {}: there is no move number {mv}", index + 1);
            return Err(field("plies", why));
        }
        let mv = Move::from_index(mv as usize);
        record.plies.push(Ply { mv, spawn: Spawn { cell, exponent } });
    }
    let plies = record.plies.len();
    let end = record.replay()?;
    if line.score.is_some_and(|score| score != end.score) {
        return Err(Problem::End { plies, what: "score" });
    }
    if line.r#final.is_some_and(|text| text != end.board.to_string()) {
        return Err(Problem::End { plies, what: "final position" });
    }
    let binary = binary::encode(&record, end).map_err(|e| field("player", e.to_string()))?;
    if line.crc32.is_some_and(|crc| crc != checksum(&binary)) {
        return Err(Problem::Checksum { plies });
    }
    Ok(record)
}

/// The parser's words, with the ply where the text broke off or went wrong.
fn explain(line: &[u8], error: &serde_json::Error) -> Problem {
    let at = error.column().min(line.len());
    let before = String::from_utf8_lossy(&line[..at]);
    let ply = before.split_once("\"plies\":[").map(|(_, plies)| plies.matches('[').count());
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    // The parser repeats names from the text, which may be long or hold the end of a line.
    let tame = |c: char| if c.is_control() { ' ' } else { c };
    let what: String = what.chars().take(300).map(tame).collect();
    let place = ply.map_or(String::new(), |ply| format!(", at ply {ply}"));
    Problem::Json(format!("{what} (column {}{place})", error.column()))
}

fn parse_seed(text: &str) -> Result<GameSeed, Problem> {
    let number = |digits: &str| {
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        if plain { digits.parse().ok() } else { None }
    };
    let seed = text.split_once('/').and_then(|(run, index)| Some((number(run)?, number(index)?)));
    let (run, index) = seed.ok_or_else(|| Problem::Field {
        name: "seed",
        why: format!("{text:?} is not RUN/INDEX, two numbers"),
    })?;
    Ok(GameSeed { run, index })
}
