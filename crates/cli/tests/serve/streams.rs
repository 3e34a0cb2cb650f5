//! Answers that take their time: games, reviews, and what happens when somebody leaves.

use std::io::{BufRead, BufReader, Read, Write};
use std::time::{Duration, Instant};

use maxtile_game::{Board, GameSeed, Rules};
use serde_json::{Value, json};

use crate::client::{Server, request};

const JSON: &str = "Content-Type: application/json\r\n";

#[test]
fn a_game_is_the_one_of_its_seed() {
    let server = Server::start();
    let body = r#"{"seed":"7","agent":"greedy(net=default)","rules":{"size":"4x4","p4":0.1}}"#;
    let lines = server.post("/api/play", body).lines();
    let seed = GameSeed { run: 7, index: 0 };
    let (mut random, rules) = (seed.random(), Rules::default());
    let mut board = rules.start(&mut random);
    assert_eq!(lines[0]["position"], board.to_string());
    let mut score = 0;
    for line in &lines[1..lines.len() - 1] {
        let mv = line["move"].as_str().unwrap().parse().unwrap();
        let (afterstate, reward) = board.slide(mv).unwrap();
        let spawn = rules.law.draw(afterstate, &mut random);
        assert_eq!(
            (&line["cell"], &line["exponent"]),
            (&spawn.cell.into(), &spawn.exponent.into())
        );
        board = afterstate.spawn(spawn).unwrap();
        score += reward;
        assert_eq!(line["score"], score);
        assert!(line["value"].is_number());
    }
    let over = lines.last().unwrap();
    assert!(board.is_over());
    assert_eq!(
        over,
        &json!({"type": "over", "score": score, "max_tile": board.max_tile(), "moves": lines.len() - 2})
    );

    // Handed over in the middle, it goes on with the spawns it would have had.
    let half = lines.len() / 2;
    let mut at: Board = lines[0]["position"].as_str().unwrap().parse().unwrap();
    for line in &lines[1..half] {
        let (afterstate, _) = at.slide(line["move"].as_str().unwrap().parse().unwrap()).unwrap();
        let number = |field: &str| line[field].as_u64().unwrap() as u8;
        let spawn = maxtile_game::Spawn { cell: number("cell"), exponent: number("exponent") };
        at = afterstate.spawn(spawn).unwrap();
    }
    let body = json!({"seed": "7", "agent": "greedy(net=default)", "position": at.to_string(),
        "score": lines[half - 1]["score"], "draws": 2 + half - 1});
    let rest = server.post("/api/play", &body.to_string()).lines();
    let bare = |line: &Value| (line["move"].clone(), line["cell"].clone(), line["score"].clone());
    let (rest, whole): (Vec<_>, Vec<_>) =
        (rest[1..].iter().map(bare).collect(), lines[half..].iter().map(bare).collect());
    assert_eq!(rest, whole);
}

#[test]
fn malice_does_harm() {
    let server = Server::start();
    let score = |hostility: f64| -> f64 {
        let games = (0..12).map(|seed| {
            let body = json!({"seed": seed.to_string(), "rules": {"size": "2x3"}, "agent": "exact", "hostility": hostility});
            server.post("/api/play", &body.to_string()).lines().last().unwrap()["score"].as_f64().unwrap()
        });
        games.sum()
    };
    let (chance, malice) = (score(0.0), score(1.0));
    assert!(malice < chance / 2.0, "{malice} and {chance}");
}

#[test]
fn a_review_adds_up() {
    let server = Server::start();
    let played = server.post("/api/play", r#"{"seed":"3","agent":"random"}"#).lines();
    let names = ["up", "right", "down", "left"];
    let plies: Vec<Value> = played[1..played.len() - 1]
        .iter()
        .map(|line| {
            let mv = names.iter().position(|name| line["move"] == **name).unwrap();
            json!([mv, line["cell"], line["exponent"]])
        })
        .collect();
    let record = json!({"type": "game", "version": 1, "p4": 0.1, "start": played[0]["position"], "plies": plies});
    let body = json!({"record": record.to_string(), "agent": "greedy(net=default)"}).to_string();
    let lines = server.post("/api/review", &body).lines();
    assert_eq!((&lines[0]["type"], &lines[0]["format"]), (&"game".into(), &"json".into()));
    let turns = lines.iter().filter(|line| line["type"] == "turn").count();
    assert_eq!(turns, plies.len());
    let summary = lines.last().unwrap();
    let number = |field: &str| summary[field].as_f64().unwrap();
    let sum = number("start_value") - number("errors") + number("luck");
    assert!((sum - number("score")).abs() <= 1e-6 * number("score"), "{summary}");
    let bad = json!({"record": record.to_string(), "agent": "random"}).to_string();
    assert_eq!(server.post("/api/review", &bad).refused(), (400, "agent".into()));
}

/// Sends a request and does not wait.
fn begin(server: &Server, path: &str, body: &str) -> std::net::TcpStream {
    let mut stream = server.connect();
    stream.write_all(&request(&server.address, "POST", path, JSON, body.as_bytes())).unwrap();
    stream
}

#[test]
fn who_leaves_frees_a_place() {
    // One thread searches; a search that nobody waits for must not keep it.
    let server = Server::with(&["--threads", "1", "--max-ms", "50000"]);
    // Two moves that are worth the same: no search stops early because one is clearly the best.
    let long = r#"{"position":"9753753153103100","limits":{"ms":50000}}"#;
    for _ in 0..3 {
        let mut stream = begin(&server, "/api/analyse", long);
        stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        // Under way: no answer yet.
        assert!(stream.read(&mut [0; 1]).is_err());
        drop(stream);
    }
    let clock = Instant::now();
    let quick =
        server.post("/api/analyse", r#"{"position":"1100000000000000","limits":{"depth":1}}"#);
    assert_eq!(quick.status, 200);
    assert!(clock.elapsed() < Duration::from_secs(20), "{:?}", clock.elapsed());
}

#[test]
fn streams_have_an_end_and_a_number() {
    let server = Server::start();
    // Slow games, and nobody who reads them.
    let game = r#"{"agent":"random","pace_ms":60000}"#;
    let mut streams: Vec<_> = (0..64).map(|_| begin(&server, "/api/play", game)).collect();
    for stream in &mut streams {
        // Each has begun.
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        assert!(line.contains("200"), "{line}");
    }
    let more = server.post("/api/play", game);
    assert_eq!((more.refused().0, more.header("retry-after")), (503, Some("1")));
    // Hints are not held up by it.
    assert_eq!(server.post("/api/analyse", r#"{"position":"1100000000000000"}"#).status, 200);
    // Who leaves makes room, even in the middle of a pause.
    drop(streams);
    let short = r#"{"agent":"random","rules":{"size":"2x2"}}"#;
    let clock = Instant::now();
    while server.post("/api/play", short).status != 200 {
        assert!(clock.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_queue_that_is_full_says_so() {
    let server = Server::with(&["--threads", "1", "--max-ms", "50000"]);
    // Two moves that are worth the same: no search stops early because one is clearly the best.
    let long = r#"{"position":"9753753153103100","limits":{"ms":50000}}"#;
    // One is searched, 512 wait, and the rest is told to come again.
    let streams: Vec<_> = (0..600).map(|_| begin(&server, "/api/analyse", long)).collect();
    let clock = Instant::now();
    let told = |mut stream: &std::net::TcpStream| {
        stream.set_nonblocking(true).unwrap();
        let mut head = [0; 2000];
        let length = stream.read(&mut head).ok()?;
        Some(String::from_utf8_lossy(&head[..length]).to_lowercase())
    };
    let mut refused = 0;
    while refused < 600 - 513 {
        for head in streams.iter().filter_map(told).filter(|head| !head.is_empty()) {
            assert!(head.starts_with("http/1.1 503") && head.contains("retry-after: 1"), "{head}");
            refused += 1;
        }
        assert!(clock.elapsed() < Duration::from_secs(40), "{refused} were refused");
        std::thread::sleep(Duration::from_millis(50));
    }
    // What needs no search is served.
    assert_eq!(server.get("/api/about").status, 200);
    // All leave, and soon there is room again.
    drop(streams);
    let clock = Instant::now();
    let quick = r#"{"position":"1100000000000000","limits":{"depth":1}}"#;
    while server.post("/api/analyse", quick).status != 200 {
        assert!(clock.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_end_is_clean_with_streams_open() {
    let mut server = Server::start();
    let made = server
        .post("/api/runs", r#"{"preset":"whole-2x2","name":"mine","set":{"games":1000000000}}"#);
    assert_eq!(made.status, 200, "{made:?}");
    let mut live = server.connect();
    live.write_all(&request(&server.address, "GET", "/api/runs/mine/live", "", b"")).unwrap();
    let mut reader = BufReader::new(live);
    let mut seen = String::new();
    while !seen.contains("event: metrics") {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).unwrap() > 0, "{seen}");
        seen += &line;
    }
    assert!(seen.to_lowercase().contains("content-type: text/event-stream"), "{seen}");
    let game = begin(&server, "/api/play", r#"{"agent":"random","pace_ms":60000}"#);
    let search =
        begin(&server, "/api/analyse", r#"{"position":"0123456789ab0000","limits":{"ms":9000}}"#);
    let clock = Instant::now();
    server.interrupt();
    let status = server.child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(clock.elapsed() < Duration::from_secs(8), "{:?}", clock.elapsed());
    drop((game, search));
    // The run saves and ends by itself once nobody reads it.
    let folder = server.data.path().join("runs/mine");
    let saved = || {
        std::fs::read_dir(&folder)
            .unwrap()
            .any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with("checkpoint-"))
    };
    while !saved() {
        assert!(clock.elapsed() < Duration::from_mins(1), "no checkpoint");
        std::thread::sleep(Duration::from_millis(100));
    }
}
