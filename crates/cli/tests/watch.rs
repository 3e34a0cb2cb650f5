//! `maxtile watch` in a terminal of its own: an agent moves, keys interrupt.
#![cfg(unix)]

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pty_process::blocking as pty;

#[test]
fn an_agent_plays_until_the_watcher_leaves() {
    let (terminal, pts) = pty::open().expect("a terminal");
    terminal.resize(pty_process::Size::new(24, 80)).expect("80 × 24");
    let command = pty::Command::new(env!("CARGO_BIN_EXE_maxtile"))
        .args(["watch", "mcss(net=empties)", "--speed", "50", "--seed", "5"])
        .env("TERM", "xterm-256color");
    let mut child = command.spawn(pts).expect("the program");
    let terminal = Arc::new(terminal);
    let output = Arc::new(Mutex::new(Vec::new()));
    let (from, to) = (Arc::clone(&terminal), Arc::clone(&output));
    let reader = std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = (&*from).read(&mut buffer) {
            to.lock().expect("the output").extend(&buffer[..count]);
        }
    });
    let text = || String::from_utf8_lossy(&output.lock().expect("the output")).into_owned();
    let clock = Instant::now();
    let wait = |what: &str, seen: &dyn Fn(&str) -> bool| {
        while !seen(&text()) {
            assert!(clock.elapsed() < Duration::from_mins(1), "no {what} in {:?}", text());
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait("first screen", &|text| text.contains("leave") && text.contains("mcss(net=empties)"));
    wait("depth of the search", &|text| text.contains("judged"));
    (&*terminal).write_all(b" ").expect("keys");
    wait("pause", &|text| text.contains("paused"));
    (&*terminal).write_all(b"+nq").expect("keys");
    assert!(child.wait().expect("an end").success());
    reader.join().expect("all of the output");
    let text = text();
    let last = text.rsplit("\x1b[?1049l").next().unwrap_or_default();
    assert!(last.contains("mcss(net=empties): score ") && last.contains("seed 5/0"), "{last:?}");
}
