//! Training runs survive what happens to programs: kill -9, damaged files, full disks.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A small network that learns thousands of games a second, saved every few milliseconds.
const RECIPE: &str = r#"
name = "small"
network = "small.json"
step = "tc"
rate = 1.0
credit = "delayed"
games = 2400
block = 60
eval-every = 600
eval-games = 50
save-every = 120
"#;
const NETWORK: &str =
    r#"{"name":"small","board":"4x4","tuples":[[0,1,2,3],[4,5,6,7]],"values":16,"symmetric":true}"#;

fn maxtile(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_maxtile"));
    command.current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

fn workshop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("small.toml"), RECIPE).unwrap();
    fs::write(folder.path().join("small.json"), NETWORK).unwrap();
    folder
}

/// Runs to the end and gives what was said.
fn finish(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

fn checkpoint(run: &Path, games: u64) -> std::path::PathBuf {
    run.join(format!("checkpoint-{games:012}"))
}

fn network(run: &Path, games: u64) -> Vec<u8> {
    fs::read(checkpoint(run, games).join("network.safetensors")).unwrap()
}

/// The metrics without what a clock measured.
fn metrics(run: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let strip = |line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        for key in ["seconds", "games_per_s", "moves_per_s"] {
            value.as_object_mut().unwrap().remove(key).unwrap();
        }
        value
    };
    text.lines().map(strip).collect()
}

#[test]
fn killed_at_any_moment_a_run_comes_to_the_same_end() {
    let folder = workshop();
    let at = folder.path();
    finish(maxtile(at).args(["train", "small.toml", "--out", "whole"]));
    let expected = network(&at.join("whole"), 2400);

    let mut random = maxtile_game::Random::new(17);
    let (mut kills, mut first) = (0, true);
    while kills < 20 {
        let mut command = maxtile(at);
        if first {
            command.args(["train", "small.toml", "--out", "killed"]);
        } else {
            command.args(["train", "--resume", "killed"]);
        }
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Long enough to begin the run, so that there is something to resume.
        std::thread::sleep(Duration::from_millis(20 + random.below(60)));
        let running = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        if running {
            kills += 1;
        } else {
            // It came to its end before: compared, and another one begun.
            assert!(network(&at.join("killed"), 2400) == expected, "the networks differ");
            fs::remove_dir_all(at.join("killed")).unwrap();
        }
        first = !at.join("killed/recipe.toml").exists();
    }
    finish(maxtile(at).args(["train", "--resume", "killed"]));
    assert!(network(&at.join("killed"), 2400) == expected, "the networks differ");
    assert_eq!(metrics(&at.join("killed")), metrics(&at.join("whole")));
}

#[test]
fn a_damaged_checkpoint_is_passed_over() {
    let folder = workshop();
    let at = folder.path();
    finish(maxtile(at).args(["train", "small.toml", "--out", "run"]));
    let run = at.join("run");
    let expected = network(&run, 2400);
    let names: Vec<_> = fs::read_dir(&run).unwrap().map(|e| e.unwrap().file_name()).collect();
    let kept = names.iter().filter(|n| n.to_string_lossy().starts_with("checkpoint-")).count();
    assert_eq!(kept, 2, "{names:?}");

    let mut bytes = expected.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(checkpoint(&run, 2400).join("network.safetensors"), bytes).unwrap();
    let said = finish(maxtile(at).args(["train", "--resume", "run"]));
    assert!(said.contains("checkpoint-000000002400 is damaged"), "{said}");
    assert!(said.contains("going on from game 2280"), "{said}");
    assert!(network(&run, 2400) == expected, "the networks differ");

    // A counter that was changed is as bad as a weight.
    let state = checkpoint(&run, 2400).join("state.json");
    let text = fs::read_to_string(&state).unwrap();
    let digit = text.find("\"moves\": ").unwrap() + "\"moves\": ".len();
    let mut bytes = text.into_bytes();
    bytes[digit] = if bytes[digit] == b'9' { b'8' } else { bytes[digit] + 1 };
    fs::write(&state, bytes).unwrap();
    let said = finish(maxtile(at).args(["train", "--resume", "run"]));
    assert!(said.contains("the checksum of state.json does not match"), "{said}");
    assert!(network(&run, 2400) == expected, "the networks differ");

    // With both damaged there is nothing to go on from, and nothing is overwritten.
    for games in [2280, 2400] {
        fs::write(checkpoint(&run, games).join("state.json"), "{").unwrap();
    }
    let output = maxtile(at).args(["train", "--resume", "run"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("holds no good checkpoint"));
}

/// A limit on the size of files stands for a disk without room.
#[test]
fn a_full_disk_loses_no_earlier_checkpoint() {
    let folder = workshop();
    let at = folder.path();
    finish(maxtile(at).args(["train", "small.toml", "--out", "run", "--games", "600"]));
    let run = at.join("run");
    let before = network(&run, 600);
    let resume = "trap '' XFSZ; ulimit -f 200; exec \"$0\" train --resume run --games 2400";
    let output = Command::new("sh")
        .args(["-c", resume, env!("CARGO_BIN_EXE_maxtile")])
        .current_dir(at)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no checkpoint: run"), "{said}");
    assert!(network(&run, 600) == before, "the earlier checkpoint is there");
    assert!(!run.join("checkpoint.tmp").exists());

    finish(maxtile(at).args(["train", "--resume", "run", "--games", "2400"]));
    finish(maxtile(at).args(["train", "small.toml", "--out", "whole"]));
    assert!(network(&run, 2400)[1000..] == network(&at.join("whole"), 2400)[1000..]);
}

#[test]
fn ctrl_c_saves_and_says_how_to_go_on() {
    let folder = workshop();
    let at = folder.path();
    let child = maxtile(at)
        .args(["train", "small.toml", "--out", "run", "--games", "1000000", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("go on with: maxtile train --resume run"), "{said}");
    let last = String::from_utf8_lossy(&output.stdout).lines().last().unwrap().to_owned();
    let summary: serde_json::Value = serde_json::from_str(&last).unwrap();
    assert_eq!(summary["type"], "summary");
    assert_eq!(summary["finished"], false);
    let games = summary["games"].as_u64().unwrap();
    assert!(checkpoint(&at.join("run"), games).join("state.json").exists());
}

#[test]
fn with_nothing_left_to_learn_the_last_evaluation_is_told() {
    let folder = workshop();
    let at = folder.path();
    let summary = |args: &[&str]| -> serde_json::Value {
        let output = maxtile(at).args(args).arg("--json").output().unwrap();
        assert!(output.status.success());
        let last = String::from_utf8_lossy(&output.stdout).lines().last().unwrap().to_owned();
        serde_json::from_str(&last).unwrap()
    };
    let first = summary(&["train", "small.toml", "--out", "run", "--games", "600"]);
    let again = summary(&["train", "--resume", "run", "--games", "300"]);
    assert!(first["mean"].as_f64().unwrap() > 100.0);
    assert_eq!((&again["games"], &again["mean"]), (&first["games"], &first["mean"]));
    assert_eq!((&again["ci95"], &again["tiles"]), (&first["ci95"], &first["tiles"]));
}

/// What games ask for most stays when a file must be small.
#[test]
fn packed_networks_fit_where_they_must() {
    let folder = workshop();
    let at = folder.path();
    finish(maxtile(at).args(["train", "small.toml", "--out", "run"]));
    let size = |file: &str| fs::metadata(at.join(file)).unwrap().len();
    let pack = |file: &str, more: &[&str]| {
        let mut command = maxtile(at);
        command.args(["net", "pack", "run", file, "--games", "3", "--seed", "1"]).args(more);
        command
    };
    finish(&mut pack("all.mtx", &[]));
    let most = size("all.mtx") * 3 / 4;
    let megabytes = (most as f64 / 1e6).to_string();
    let said = finish(&mut pack("small.mtx", &["--within", &megabytes]));
    assert!(
        said.contains("MB is too much") && said.contains("asked for 2 times or more"),
        "{said}"
    );
    assert!(size("small.mtx") <= most && size("small.mtx") > most / 2);
    // The least count that fits: what one less leaves is too large.
    let info = maxtile(at).args(["net", "info", "small.mtx"]).output().unwrap().stdout;
    let info = String::from_utf8(info).unwrap();
    let times = info.split("asked for at least ").nth(1).unwrap().split(' ').next().unwrap();
    let times: u8 = times.parse().unwrap();
    let fewer = (times - 1).to_string();
    finish(&mut pack("fewer.mtx", &["--least", &fewer]));
    assert!(size("fewer.mtx") > most, "{times}: {} {most}", size("fewer.mtx"));

    let refused = pack("none.mtx", &["--within", "0.0001"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("what was asked for most does not fit either"), "{said}");
    assert!(!at.join("none.mtx").exists());
    for more in [
        &["--within", "1"][..],
        &["--within", "1", "--games", "0"],
        &["--games", "1", "--within", "nan"],
    ] {
        let refused = maxtile(at).args(["net", "pack", "run", "none.mtx"]).args(more).output();
        assert_eq!(refused.unwrap().status.code(), Some(2), "{more:?}");
        assert!(!at.join("none.mtx").exists());
    }
}
