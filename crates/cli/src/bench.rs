//! `maxtile bench`: fixed work, one number. The number is the identity of the build's behaviour.

use std::time::Instant;

use maxtile_game::{Game, GameSeed, Random, Rules, Shape, perft_from_start};
use maxtile_records::to_binary;
use serde::Serialize;

use crate::Verdict;
use crate::args::Bench;
use crate::error::{Stop, error};
use crate::output::Output;

#[derive(Serialize)]
struct Part {
    r#type: &'static str,
    part: &'static str,
    signature: String,
    seconds: f64,
}

#[derive(Serialize)]
struct Summary {
    r#type: &'static str,
    signature: String,
}

/// The work: a name, and what to feed the hash with.
const PARTS: [(&str, fn(&mut Hash)); 2] = [("perft", paths), ("random games", random_games)];

pub(crate) fn run(args: &Bench, out: &mut Output) -> Result<Verdict, Stop> {
    let mut whole = Hash::new();
    for (part, work) in PARTS {
        let clock = Instant::now();
        let mut hash = Hash::new();
        work(&mut hash);
        whole.add(&hash.0.to_le_bytes());
        let (signature, seconds) = (hash.text(), clock.elapsed().as_secs_f64());
        out.text(format!("{part:<14} {signature}"))?;
        out.object(&Part { r#type: "part", part, signature, seconds })?;
    }
    let signature = whole.text();
    out.text(format!("{:<14} {signature}", "signature"))?;
    let verdict = match &args.expect {
        Some(expected) if *expected != signature => {
            out.talk(format!("the signature differs from {expected}: behaviour has changed"));
            Verdict::No
        }
        _ => Verdict::Done,
    };
    out.object(&Summary { r#type: "summary", signature })?;
    Ok(verdict)
}

fn paths(hash: &mut Hash) {
    for shape in Shape::all() {
        let depth = if shape.cells() > 9 { 1 } else { 3 };
        hash.add(&perft_from_start(Rules::of(shape), depth).to_le_bytes());
    }
}

/// Random games on every shape, as the bytes of their records.
fn random_games(hash: &mut Hash) {
    for shape in Shape::all() {
        for index in 0..20 {
            let seed = GameSeed { run: 2048, index };
            let mut game = Game::new(Rules::of(shape), seed);
            let mut random = Random::stream(!seed.run, index);
            loop {
                let legal = game.board().legal_moves();
                let Some(mv) = legal.nth(random.below(legal.len() as u64) as usize) else { break };
                game.play(mv);
            }
            // A game that was just played replays.
            hash.add(&to_binary(game.record()).map_err(error).unwrap_or_default());
        }
    }
}

/// FNV-1a, 64 bits: portable, and strong enough to tell two builds apart.
struct Hash(u64);

impl Hash {
    fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}
