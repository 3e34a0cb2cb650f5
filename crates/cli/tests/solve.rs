//! Solving into files with the real program: killed, damaged, asked.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

fn maxtile(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_maxtile"));
    command.args(args).env("MAXTILE_DATA", folder).current_dir(folder);
    command
}

fn run(folder: &Path, args: &[&str]) -> Output {
    maxtile(folder, args).output().unwrap()
}

fn words(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Killed at ten moments, the solve goes on to the same bytes.
#[test]
fn killed_and_continued() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(run(folder, &["solve", "2x4", "--out", "whole.mts", "--quiet"]).status.success());
    let whole = fs::read(folder.join("whole.mts")).unwrap();
    // Moments drawn by the clock: any will do.
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let mut random = maxtile_game::Random::new(clock.as_nanos() as u64);
    let mut killed = 0;
    while killed < 10 {
        let name = format!("{killed}.mts");
        let args = ["solve", "2x4", "--out", &name, "--quiet"];
        let mut child = maxtile(folder, &args).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 + random.below(1200)));
        child.kill().unwrap();
        child.wait().unwrap();
        let part = folder.join(format!("{name}.part"));
        if !part.exists() {
            // It was faster, or had not begun.
            let _ = fs::remove_file(folder.join(&name));
            continue;
        }
        killed += 1;
        let done = run(folder, &args);
        assert!(done.status.success(), "{:?}", words(&done));
        assert!(fs::read(folder.join(&name)).unwrap() == whole, "other bytes after kill {killed}");
        assert!(!part.exists());
        fs::remove_file(folder.join(&name)).unwrap();
    }
}

/// A flipped bit is found by --verify wherever it is, and refused where it would be read.
#[test]
fn flipped_bits() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(run(folder, &["solve", "2x4", "--quiet"]).status.success());
    let path = folder.join("solved").join("2x4-score.mts");
    let good = fs::read(&path).unwrap();
    assert_eq!(run(folder, &["solve", "2x4", "--verify"]).status.code(), Some(0));
    let query = ["query", "2x4:11000000"];
    assert_eq!(run(folder, &query).status.code(), Some(0));

    let size = good.len();
    // In the header, in the table of layers, and all through the sets and values.
    let places = [20, 5_000, 90_000, size / 7, size / 5, size / 3, size / 2, size - size / 4];
    for place in places {
        let mut bad = good.clone();
        bad[place] ^= 4;
        fs::write(&path, &bad).unwrap();
        let verified = run(folder, &["solve", "2x4", "--verify"]);
        assert_eq!(verified.status.code(), Some(1), "byte {place}: {:?}", words(&verified));
    }
    // The first layers are read by this question: the states of tile sum 4 are the first section.
    let layers = 1020 / 2 - 4 / 2 + 1;
    let first_section = (4096 + layers * 80usize).next_multiple_of(64);
    for place in [20, 4096, first_section] {
        let mut bad = good.clone();
        bad[place] ^= 1;
        fs::write(&path, &bad).unwrap();
        let (code, text) = words(&run(folder, &query));
        assert_eq!(code, Some(2), "byte {place}: {text}");
        assert!(text.contains("damaged"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("error:")).count(), 1);
    }
    // Where nothing is read nothing is refused.
    let mut bad = good.clone();
    bad[size - 9] ^= 1;
    fs::write(&path, &bad).unwrap();
    assert_eq!(run(folder, &query).status.code(), Some(0));
    // A file that was cut.
    fs::write(&path, &good[..size / 2]).unwrap();
    assert_eq!(run(folder, &["solve", "2x4", "--verify"]).status.code(), Some(1));
}
