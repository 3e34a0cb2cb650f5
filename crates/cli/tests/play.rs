//! `maxtile play` in a terminal of its own: keys go in, the record is read from the files.
#![cfg(unix)]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use maxtile_game::{Game, GameSeed, Move, Record, Rules};
use maxtile_records::read;
use pty_process::blocking as pty;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_maxtile");
const LEAVE_SCREEN: &str = "\x1b[?1049l";

fn start(data: &Path, args: &[&str]) -> (pty::Pty, Child) {
    let (pty, pts) = pty::open().expect("a terminal");
    pty.resize(pty_process::Size::new(24, 80)).expect("80 × 24");
    let command = pty::Command::new(BINARY).arg("play").args(args);
    let command = command.env("MAXTILE_DATA", data).env("TERM", "xterm-256color");
    (pty, command.spawn(pts).expect("the program"))
}

/// A terminal with the program in it; everything it writes is collected.
struct Window {
    pty: Arc<pty::Pty>,
    child: Child,
    output: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Window {
    fn open(data: &Path, args: &[&str]) -> Window {
        let (pty, child) = start(data, args);
        let (pty, output) = (Arc::new(pty), Arc::new(Mutex::new(Vec::new())));
        let (from, to) = (Arc::clone(&pty), Arc::clone(&output));
        let reader = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = (&*from).read(&mut buffer) {
                to.lock().expect("the output").extend(&buffer[..count]);
            }
        });
        Window { pty, child, output, reader: Some(reader) }
    }

    /// Opens and waits for the last line of the first screen.
    fn playing(data: &Path, args: &[&str]) -> Window {
        let window = Window::open(data, args);
        wait_until("the first screen", || window.text().contains("leave"));
        window
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().expect("the output")).into_owned()
    }

    fn keys(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).expect("keys");
    }

    /// Waits for the program: its exit code and what it printed after the screen.
    fn end(mut self) -> (Option<i32>, String) {
        let code = wait_for(&mut self.child);
        // Reading ends when the last one who can write has gone.
        self.reader.take().expect("a reader").join().expect("all of the output");
        let text = self.text().replace("\r\n", "\n");
        let after = text.rsplit(LEAVE_SCREEN).next().unwrap_or(&text);
        (code, after.trim_start_matches("\x1b[?25h").to_owned())
    }

    /// Waits until the screen is at rest.
    fn settle(&self) {
        let mut seen = 0;
        while seen != self.text().len() {
            seen = self.text().len();
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh").success());
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(20), "waited for {what} in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn wait_for(child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a status") {
            return status.code();
        }
        assert!(start.elapsed() < Duration::from_secs(20), "the program does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn records(path: &Path) -> Vec<Record> {
    let bytes = std::fs::read(path).unwrap_or_default();
    read(&bytes).collect::<Result<_, _>>().expect("good records")
}

/// The game that these keys play; illegal moves change nothing here and there.
fn expected(size: &str, run: u64, keys: &str) -> Game {
    let rules = Rules::of(size.parse().expect("a size"));
    let mut game = Game::new(rules, GameSeed { run, index: 0 });
    game.set_player("human");
    for key in keys.chars() {
        let index = "kljh".find(key).expect("a key that moves");
        game.play(Move::from_index(index));
    }
    game
}

#[test]
fn plays_leaves_and_goes_on() {
    let data = folder();
    let file = data.path().join("play-4x4.mtg");
    let window = Window::playing(data.path(), &["--seed", "7"]);
    // Vi's keys, arrows, WASD; undo and the same again; keys with Alt do nothing.
    window.keys("hjkl\x1b[D\x1b[Awd\x1bh\x1bjuuwd");
    window.keys("q");
    let (code, text) = window.end();
    let game = expected("4x4", 7, "hjklhkkl");
    let moves = game.record().plies.len();
    let line = format!(
        "score {}, largest tile {}, {moves} moves, seed 7, saved in {}\n",
        game.score(),
        game.board().max_tile(),
        file.display()
    );
    assert_eq!((code, text), (Some(0), line));
    assert_eq!(records(&file), [game.record().clone()]);

    let window = Window::playing(data.path(), &[]);
    window.keys("hhjjq");
    assert_eq!(window.end().0, Some(0));
    assert_eq!(records(&file), [expected("4x4", 7, "hjklhkklhhjj").record().clone()]);
}

#[test]
fn a_killed_game_loses_half_a_second_at_most() {
    let data = folder();
    let mut window = Window::playing(data.path(), &["--seed", "7"]);
    window.keys("hjkl");
    window.keys("hjkl");
    std::thread::sleep(Duration::from_millis(1500));
    window.keys("h");
    window.child.kill().expect("kill -9");
    wait_for(&mut window.child);
    let game = expected("4x4", 7, "hjklhjkl");
    let saved = &records(&data.path().join("play-4x4.mtg"))[0];
    assert_eq!(saved.plies[..game.record().plies.len()], game.record().plies);
}

#[test]
fn signals_save_and_restore() {
    for signal in ["TERM", "HUP", "INT"] {
        let data = folder();
        let window = Window::playing(data.path(), &["--seed", "7", "--json"]);
        window.keys("hjkl");
        wait_until("the moves", || window.text().contains("[2]"));
        window.settle();
        window.signal(signal);
        let (code, text) = window.end();
        assert_eq!(code, Some(0), "{signal}: {text}");
        assert!(text.starts_with("{\"type\":\"summary\""), "{signal}: {text}");
        let file = data.path().join("play-4x4.mtg");
        assert_eq!(records(&file), [expected("4x4", 7, "hjkl").record().clone()]);
    }
}

#[test]
fn a_closed_window_saves() {
    let data = folder();
    let file = data.path().join("play-4x4.mtg");
    let (mut pty, mut child) = start(data.path(), &["--seed", "7"]);
    let mut output = Vec::new();
    while !String::from_utf8_lossy(&output).contains("leave") {
        let mut buffer = [0; 4096];
        let count = pty.read(&mut buffer).expect("output");
        output.extend(&buffer[..count]);
    }
    pty.write_all(b"hjkl").expect("keys");
    std::thread::sleep(Duration::from_millis(300));
    drop(pty);
    assert_eq!(wait_for(&mut child), Some(0));
    assert_eq!(records(&file), [expected("4x4", 7, "hjkl").record().clone()]);
}

#[test]
fn ended_games_are_collected() {
    let data = folder();
    let games = data.path().join("games.mtg");
    // Over: it can be looked at until the player leaves, then it is collected.
    let window = Window::playing(data.path(), &["--size", "2x2", "--seed", "7"]);
    let keys = "kljh".repeat(10);
    let over = expected("2x2", 7, &keys);
    assert!(over.board().is_over());
    window.keys(&keys);
    window.keys("q");
    let (code, text) = window.end();
    assert_eq!(code, Some(0));
    assert!(text.starts_with("game over: ") && text.contains("games.mtg"), "{text}");
    assert_eq!(records(&games), [over.record().clone()]);
    assert!(!data.path().join("play-2x2.mtg").exists());

    // Given up by a flag, then by a key.
    let window = Window::playing(data.path(), &["--seed", "1"]);
    window.keys("hjklq");
    window.end();
    let window = Window::playing(data.path(), &["--seed", "2"]);
    window.keys("hjklhjklhjklhjkl");
    window.keys("ry");
    window.keys("q");
    window.end();
    let given_up = [expected("4x4", 1, "hjkl"), expected("4x4", 2, "hjklhjklhjklhjkl")]
        .map(|g| g.record().clone());
    assert_eq!(records(&games)[1..], given_up);
    let unfinished = &records(&data.path().join("play-4x4.mtg"))[0];
    assert!(unfinished.plies.is_empty());
}

#[test]
fn a_file_of_ones_own() {
    let data = folder();
    let file = data.path().join("mine.jsonl");
    let name = file.to_str().expect("a plain name");
    for _ in 0..2 {
        let window = Window::playing(&data.path().join("unused"), &["--seed", "7", "--save", name]);
        window.keys("hjklq");
        assert_eq!(window.end().0, Some(0));
    }
    assert_eq!(records(&file), [expected("4x4", 7, "hjklhjkl").record().clone()]);
    assert!(!data.path().join("unused").exists());
    for (flags, flag) in [(["--new", "--quiet"], "already"), (["--seed", "8"], "--seed")] {
        let flags = [&flags[..], &["--save", name]].concat();
        let (code, text) = Window::open(data.path(), &flags).end();
        assert_eq!(code, Some(2));
        assert!(text.contains(flag) && text.contains("hint:"), "{text}");
    }
    // The next game does not replace the last one.
    let window = Window::playing(data.path(), &["--save", name]);
    window.keys("hhrq");
    window.end();
    assert_eq!(records(&file).len(), 1);
    assert_eq!(records(&data.path().join("mine-2.jsonl")).len(), 1);
}

#[test]
fn keeping_nothing_touches_nothing() {
    let data = folder().path().join("unused");
    let window = Window::playing(&data, &["--no-save", "--position", "3x3:120000000"]);
    window.keys("ljq");
    let (code, text) = window.end();
    assert_eq!(code, Some(0));
    assert!(text.contains("2 moves, not saved"), "{text}");
    assert!(!data.exists());
}

#[test]
fn a_broken_saved_game_is_moved_aside() {
    let data = folder();
    std::fs::write(data.path().join("play-4x4.mtg"), b"not a game").expect("a file");
    let window = Window::playing(data.path(), &["--seed", "7"]);
    window.keys("hjq");
    assert_eq!(window.end().0, Some(0));
    let aside = std::fs::read(data.path().join("play-4x4.mtg.broken")).expect("the old file");
    assert_eq!(aside, b"not a game");
    assert_eq!(records(&data.path().join("play-4x4.mtg"))[0].plies.len(), 2);
}

#[test]
fn one_game_in_one_window() {
    let data = folder();
    let _first = Window::playing(data.path(), &[]);
    let (code, text) = Window::open(data.path(), &[]).end();
    assert_eq!(code, Some(2));
    assert!(text.contains("the 4x4 game is open in another window"), "{text}");
}

#[test]
fn without_a_terminal_it_says_so() {
    let data = folder().path().join("unused");
    let mut command = Command::new(BINARY);
    command.arg("play").env("MAXTILE_DATA", &data).stdin(Stdio::null());
    let output = command.output().expect("the program");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && !data.exists());
    let talk = String::from_utf8(output.stderr).expect("text");
    assert!(talk.contains("needs a terminal") && talk.contains("hint:"), "{talk}");
}

#[test]
fn an_unusable_folder_is_told_before_the_game() {
    let data = folder();
    let file = data.path().join("file");
    std::fs::write(&file, b"").expect("a file");
    let window = Window::open(&file.join("folder"), &[]);
    let (code, text) = window.end();
    assert_eq!(code, Some(2));
    assert!(text.contains("cannot make the folder") && text.contains("--no-save"), "{text}");
    assert!(!text.contains("\x1b[?1049h"));
}

#[test]
fn what_cannot_be_saved_is_printed() {
    let base = folder();
    let data: PathBuf = base.path().join("data");
    let window = Window::playing(&data, &["--seed", "7"]);
    std::fs::remove_dir_all(&data).expect("no folder");
    std::fs::write(&data, b"").expect("a file in its place");
    window.keys("hjkl");
    wait_until("the sentence", || window.text().contains("saved:"));
    window.keys("hjklq");
    let (code, text) = window.end();
    assert_eq!(code, Some(2));
    let line = text.lines().next().expect("a line");
    let game = read(line.as_bytes()).next().expect("a record").expect("a good one");
    assert_eq!(&game, expected("4x4", 7, "hjklhjkl").record());
    assert!(text.contains("cannot write") && text.contains("the line above"), "{text}");
}
