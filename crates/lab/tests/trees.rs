//! Runs that learn from trees: ended by positions, stopped at any block, they come to the same end; estimates are
//! in their metrics.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use maxtile_game::Rules;
use maxtile_lab::Agent;
use maxtile_lab::training::{Event, Origin, Recipe, Session};
use serde_json::Value;

const SMALL: &str = "network = \"lines-2x3\"\nlearner = \"tree\"\nsims = 5\nblock = 5\ngames = 1000000\n\
                     positions = 60000\neval-positions = 14000\neval-games = 10\nestimates = \"on\"\n\
                     save-every = 20\nstep = \"td\"\nrate = 0.1\n";

/// Runs to the end, or until so many blocks have been learned.
fn run(session: &mut Session, blocks: u64) {
    let stop = AtomicBool::new(false);
    let mut left = blocks;
    let mut watch = |event: Event<'_>| {
        if let Event::Learned(_) = event {
            left -= 1;
            stop.store(left == 0, Ordering::Relaxed);
        }
    };
    session.run(&mut watch, &stop).unwrap();
}

/// The lines of the metrics without times.
fn metrics(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        for time in ["seconds", "games_per_s", "moves_per_s"] {
            line.as_object_mut().unwrap().remove(time);
        }
        line
    };
    text.lines().map(line).collect()
}

#[test]
fn stopped_runs_come_to_the_same_end() {
    let folder = tempfile::tempdir().unwrap();
    for (name, more) in [
        ("plain", "tree-targets = \"plain\""),
        ("double", "tree-targets = \"double\""),
        ("double-tc", "tree-targets = \"double\"\nstep = \"tc\"\nrate = 1.0"),
        ("anchored", "tree-targets = \"anchored\""),
        ("afterstate", "learner = \"afterstate\"\nsims = 25\nblock = 50"),
    ] {
        let keys: Vec<&str> = more.lines().filter_map(|line| line.split(' ').next()).collect();
        let kept = SMALL.lines().filter(|l| !keys.contains(&l.split(' ').next().unwrap_or("")));
        let text = kept.chain(more.lines()).collect::<Vec<_>>().join("\n");
        let recipe = Recipe::parse(&text, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
        let [whole, stopped] = ["whole", "stopped"].map(|kind| folder.path().join(name).join(kind));
        let begin = |path: &Path| Session::begin(recipe.clone(), path, &Origin::default()).unwrap();
        let mut session = begin(&whole);
        run(&mut session, u64::MAX);
        assert!(session.finished() && session.counters().positions >= 60_000, "{name}");
        let mut again = begin(&stopped);
        while !again.finished() {
            run(&mut again, 7);
            drop(again);
            again = Session::resume(&stopped).unwrap().0;
        }
        // A stop after the last block has left out the last test games.
        run(&mut again, u64::MAX);
        let bits = |session: &Session| -> Vec<u32> {
            let network = session.network().unwrap();
            (0..network.tables()).flat_map(|t| network.table(t)).map(f32::to_bits).collect()
        };
        assert!(bits(&session) == bits(&again), "{name}: the weights differ");
        let lines = metrics(&whole);
        assert_eq!(lines, metrics(&stopped), "{name}");
        let evals: Vec<&Value> = lines.iter().filter(|line| line["type"] == "eval").collect();
        assert!((4..=5).contains(&evals.len()), "{name}: {} evaluations", evals.len());
        for line in evals {
            let estimates = &line["estimates"];
            assert!(estimates["realised"].as_f64().unwrap() > 10.0, "{name}: {line}");
            assert!(estimates["exact"]["rms"].as_f64().unwrap() > 0.0, "{name}: {line}");
        }
        let second = std::fs::read_dir(&stopped).unwrap().flatten();
        let second = second.filter(|entry| entry.path().join("second.safetensors").exists());
        assert_eq!(second.count() > 0, name.starts_with("double"), "{name}");
    }
    // What was learned is a network like any other.
    let rules = Rules { shape: "2x3".parse().unwrap(), ..Rules::default() };
    let text = format!("greedy(net={:?})", folder.path().join("double/whole"));
    assert!(Agent::parse(&text, rules).is_ok());
}

/// A checkpoint whose second network is damaged is passed over.
#[test]
fn a_damaged_second_network_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{SMALL}tree-targets = \"double\"\n");
    let recipe = Recipe::parse(&text, &[]).unwrap();
    let path = folder.path().join("run");
    let mut session = Session::begin(recipe, &path, &Origin::default()).unwrap();
    run(&mut session, 8);
    let games = session.counters().games;
    let second = path.join(format!("checkpoint-{games:012}/second.safetensors"));
    let mut bytes = std::fs::read(&second).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&second, bytes).unwrap();
    let (session, remarks) = Session::resume(&path).unwrap();
    assert!(session.counters().games < games);
    assert!(remarks[0].contains("second network does not match"), "{remarks:?}");
}
