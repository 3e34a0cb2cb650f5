//! `maxtile bench`: fixed work, one number. The number is the identity of the build's behaviour.

use std::time::Instant;

use maxtile_game::{Game, GameSeed, Random, Rules, Shape, perft_from_start};
use maxtile_ntuple::td::{Backward, Coherence, Delayed, OneStep, Rate, Tc, Td};
use maxtile_ntuple::{Block, Network, Spec, train};
use maxtile_records::to_binary;
use maxtile_search::{Expectimax, Limits, Settings, TreeShape};
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
const PARTS: [(&str, fn(&mut Hash)); 4] = [
    ("perft", paths),
    ("random games", random_games),
    ("learning", learning),
    ("search", searching),
];

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

/// A small network that learns by every rule in turn, as the bits of its weights.
fn learning(hash: &mut Hash) {
    let tuples: [&[u8]; 3] = [&[0, 1, 2, 3], &[4, 5, 6, 7], &[0, 1, 4, 5]];
    let Ok(network) = Network::new(Spec::classic("bench", &tuples, 16, true)) else { return };
    let Ok(sums) = Coherence::new(&network) else { return };
    let td = Td::new(Rate::Distributed(0.1), &network);
    let tc = Tc::new(Rate::Distributed(1.0), &network, &sums);
    let rules = Rules::default();
    let block = |first| Block { rules, seed: 2048, first, games: 40, threads: 1, restart: None };
    let restart = Block { restart: Some(10), ..block(120) };
    train(&network, &td, &OneStep, &block(0));
    train(&network, &tc, &OneStep, &block(40));
    train(&network, &tc, &Delayed::new(0.5), &block(80));
    let played = train(&network, &tc, &Backward::new(0.5), &restart);
    for game in played {
        hash.add(&game.score.to_le_bytes());
    }
    for table in 0..tuples.len() {
        for weight in network.table(table) {
            hash.add(&weight.to_bits().to_le_bytes());
        }
    }
}

/// Searches of every kind over a small network, along a game: values, and how much work they were.
fn searching(hash: &mut Hash) {
    let tuples: [&[u8]; 2] = [&[0, 1, 2, 3], &[4, 5, 8, 9]];
    let Ok(network) = Network::new(Spec::classic("bench", &tuples, 16, true)) else { return };
    let rules = Rules::default();
    let block = Block { rules, seed: 2048, first: 0, games: 100, threads: 1, restart: None };
    train(&network, &Td::new(Rate::Distributed(0.1), &network), &OneStep, &block);
    let wide = Settings::new(Limits::depth(3));
    let shape = |fours, cut| TreeShape { fours, cut, ..wide.shape };
    let kinds = [
        Settings::new(Limits::depth(1)),
        Settings::new(Limits::depth(2)),
        wide,
        Settings { table: 1 << 12, threads: 2, ..wide },
        Settings { shape: shape(1, 0), ..wide },
        Settings { shape: shape(0, 6), limits: Limits { crowded: 4, ..wide.limits }, ..wide },
        Settings::new(Limits::nodes(5000)),
    ];
    for (index, settings) in kinds.into_iter().enumerate() {
        let Ok(mut search) = Expectimax::new(&network, settings) else { return };
        let mut game = Game::new(rules, GameSeed { run: 2048, index: index as u64 });
        for _ in 0..40 {
            let Some(found) = search.search(game.board()) else { break };
            let worth = found.worths[found.best.index()].unwrap_or(0.0);
            hash.add(&[found.best as u8, found.depth]);
            hash.add(&worth.to_bits().to_le_bytes());
            // Threads race for the table, so only their result is the same every time.
            if settings.threads == 1 {
                hash.add(&found.counts.leaves.to_le_bytes());
                hash.add(&found.counts.hits.to_le_bytes());
            }
            game.play(found.best);
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
