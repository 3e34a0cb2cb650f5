//! Duels: what plies are worth, what agents play, how solved boards end.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use maxtile_game::{Duel, DuelRules, Phase, Random, Spawn, Tiles, Variant};
use serde_json::{Value, json};

use crate::client::{Server, request};

fn rules(size: &str, variant: &str) -> Value {
    json!({"size": size, "variant": variant})
}

#[test]
fn solved_boards_have_a_verdict() {
    let server = Server::start();
    // The table of docs/duel.md.
    for (size, variant, score, tile) in [
        ("2x2", "free", "8.0000", 8),
        ("2x2", "drawn", "63.7296", 8),
        ("2x2", "twos", "68.0000", 16),
        ("2x3", "free", "40.0000", 16),
        ("2x3", "drawn", "418.1365", 16),
        ("2x3", "twos", "516.0000", 64),
    ] {
        let known = server.get(&format!("/api/duel/{size}/{variant}")).json();
        assert_eq!((&known["state"], &known["tile"]), (&"ready".into(), &tile.into()), "{known}");
        assert_eq!(format!("{:.4}", known["score"].as_f64().unwrap()), score);
        assert_eq!(known["default_agent"], "exact");
        // The first of two tiles says the same.
        let empty = format!("{size}:{}", "0".repeat(if size == "2x2" { 4 } else { 6 }));
        let ask = |tile: Option<u8>| {
            let body = json!({"rules": rules(size, variant), "position": empty,
                "turn": "attacker", "tile": tile});
            let answer = server.post("/api/duel/analyse", &body.to_string()).json();
            assert_eq!((&answer["exact"], &answer["agent"]), (&true.into(), &"exact".into()));
            assert_eq!(answer["value"], answer["placements"][0]["value"], "{answer}");
            answer["value"].as_f64().unwrap()
        };
        let value =
            if variant == "drawn" { 0.9 * ask(Some(2)) + 0.1 * ask(Some(4)) } else { ask(None) };
        assert_eq!(format!("{value:.4}"), score, "{size} {variant}");
    }
    let open = server.get("/api/duel/2x4/free").json();
    assert_eq!((&open["state"], &open["score"]), (&"buildable".into(), &Value::Null));
    let never = server.get("/api/duel/4x4/free").json();
    assert_eq!(
        (&never["state"], &never["default_agent"]),
        (&"none".into(), &"alphabeta(depth=5)".into())
    );
    assert_eq!(server.get("/api/duel/9x9/free").refused().0, 404);
    assert_eq!(server.get("/api/duel/2x2/wild").refused().0, 404);
    assert_eq!(server.post("/api/duel/4x4/free/build", "").refused().0, 404);
    assert_eq!(server.post("/api/duel/2x2/wild/build", "").refused().0, 404);
    let lines = server.post("/api/duel/2x3/twos/build", "").lines();
    assert_eq!(lines.last().unwrap()["type"], "done");
}

#[test]
fn best_play_by_both_ends_as_the_verdict_says() {
    let server = Server::start();
    for (variant, name, score) in [(Variant::Free, "free", 40), (Variant::Twos, "twos", 516)] {
        let board = DuelRules { shape: "2x3".parse().unwrap(), variant, ..DuelRules::default() };
        let mut duel = Duel::new(board, Random::new(1));
        loop {
            let (position, turn) = match duel.phase() {
                Phase::Attack(afterstate, _) => (afterstate.grid().to_string(), "attacker"),
                Phase::Defend(board) => (board.to_string(), "defender"),
                Phase::Over(_) => break,
            };
            let body = json!({"rules": rules("2x3", name), "position": position, "turn": turn,
                "seed": "1", "ply": duel.plies().len()});
            let played = server.post("/api/duel/play", &body.to_string()).json();
            assert_eq!((&played["turn"], &played["by"]), (&turn.into(), &"agent".into()));
            if turn == "attacker" {
                let number = |field: &str| played[field].as_u64().unwrap() as u8;
                let spawn = Spawn { cell: number("cell"), exponent: number("exponent") };
                duel.place(spawn).unwrap();
            } else {
                duel.slide(played["move"].as_str().unwrap().parse().unwrap()).unwrap();
            }
        }
        assert_eq!(duel.score(), score, "{name}");
    }
}

#[test]
fn both_sides_are_weighed_by_a_search() {
    let server = Server::start();
    let ask = |body: Value| server.post("/api/duel/analyse", &body.to_string()).json();
    let slides = ask(json!({"position": "1123000000000000", "turn": "defender"}));
    assert_eq!((&slides["agent"], &slides["exact"]), (&"alphabeta(depth=5)".into(), &false.into()));
    assert_eq!(slides["value"], slides["moves"][0]["value"]);
    assert_eq!(slides["moves"].as_array().unwrap().len(), 3, "{slides}");
    let left = slides["moves"].as_array().unwrap().iter().find(|m| m["move"] == "left").unwrap();
    assert_eq!(left["reward"], 4);
    let placements = ask(json!({"position": "2230000000000000", "turn": "attacker",
        "agent": "alphabeta(net=heuristic, depth=2)"}));
    let all = placements["placements"].as_array().unwrap();
    assert_eq!(all.len(), 26, "a 2 and a 4 on each of thirteen cells");
    let values = all.iter().map(|p| p["value"].as_f64().unwrap()).collect::<Vec<_>>();
    assert!(values.is_sorted(), "the worst for the defender comes first: {values:?}");
    // Every agent that weighs moves can be asked; one of the ordinary game too.
    let greedy = ask(json!({"position": "2230000000000000", "turn": "attacker",
        "agent": "greedy(net=empties)", "rules": {"variant": "twos"}}));
    assert_eq!(greedy["placements"].as_array().unwrap().len(), 13);
    let over = ask(json!({"position": "1212212112122121", "turn": "defender"}));
    assert_eq!((&over["value"], &over["moves"]), (&0.0.into(), &json!([])));
}

#[test]
fn the_dial_leaves_tiles_to_chance() {
    let server = Server::start();
    let play = |ply: u32, hostility: f64, agent: &str| {
        let body = json!({"position": "2x3:120000", "turn": "attacker", "seed": "7", "ply": ply,
            "hostility": hostility, "agent": agent});
        let played = server.post("/api/duel/play", &body.to_string()).json();
        (played["cell"].clone(), played["exponent"].clone(), played["by"].clone())
    };
    let by = |hostility| {
        let plies = (0..100).map(|ply| play(ply, hostility, "exact"));
        plies.filter(|(_, _, by)| by == "agent").count()
    };
    assert_eq!([by(0.0), by(1.0)], [0, 100]);
    assert!((20..=80).contains(&by(0.5)), "{}", by(0.5));
    // The same question has the same answer, and another ply draws other numbers.
    let cells = (0..20).map(|ply| play(ply, 0.0, "exact").0.to_string());
    let different: std::collections::BTreeSet<String> = cells.collect();
    assert!(different.len() > 2, "{different:?}");
    assert_eq!(play(3, 0.0, "exact"), play(3, 0.0, "exact"));
    assert_eq!(play(3, 1.0, "random"), play(3, 1.0, "random"));
    // What is drawn is placed, whoever places it.
    for (tile, tiles) in [(2, Tiles::Two), (4, Tiles::Four)] {
        for hostility in [0.0, 1.0] {
            let body = json!({"position": "2x3:120000", "turn": "attacker", "tile": tile,
                "rules": {"variant": "drawn"}, "hostility": hostility, "seed": "1"});
            let played = server.post("/api/duel/play", &body.to_string()).json();
            assert_eq!(played["exponent"], tiles.exponents()[0], "{played}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_duel_is_named() {
    let server = Server::start();
    for path in ["/api/duel/analyse", "/api/duel/play"] {
        let ask = |body: &str| server.post(path, body).refused();
        let with =
            |rest: &str| ask(&format!(r#"{{"position":"2x2:1200","turn":"attacker",{rest}}}"#));
        assert_eq!(ask("{}"), (400, "position".into()));
        assert_eq!(ask(r#"{"position":"2x2:1200"}"#), (400, "turn".into()));
        assert_eq!(ask(r#"{"position":"2x2:1200","turn":"me"}"#), (400, "turn".into()));
        assert_eq!(ask(r#"{"position":"2x2:12","turn":"attacker"}"#), (400, "position".into()));
        assert_eq!(ask(r#"{"position":"2x2:1212","turn":"attacker"}"#), (400, "position".into()));
        let tile = r#"{"position":"2x2:1200","turn":"defender","tile":2}"#;
        assert_eq!(ask(tile), (400, "tile".into()));
        assert_eq!(with(r#""tile":2"#), (400, "tile".into()));
        assert_eq!(with(r#""rules":{"variant":"drawn"}"#), (400, "tile".into()));
        assert_eq!(with(r#""rules":{"variant":"drawn"},"tile":8"#), (400, "tile".into()));
        assert_eq!(with(r#""rules":{"variant":"twos"},"tile":4"#), (400, "tile".into()));
        assert_eq!(with(r#""rules":{"variant":"wild"}"#), (400, "rules".into()));
        assert_eq!(with(r#""rules":{"variant":7}"#), (400, "rules".into()));
        assert_eq!(with(r#""rules":{"size":"3x3"}"#), (400, "position".into()));
        assert_eq!(with(r#""rules":{"p4":2}"#), (400, "rules".into()));
        assert_eq!(with(r#""rules":7"#), (400, "rules".into()));
        assert_eq!(with(r#""limits":{"ms":-1}"#), (400, "limits".into()));
        assert_eq!(with(r#""agent":"nosuch""#), (400, "agent".into()));
        assert_eq!(with(r#""agent":7"#), (400, "agent".into()));
        assert_eq!(with(r#""agent":"alphabeta(net=/etc/passwd)""#), (400, "agent".into()));
        assert_eq!(with(r#""agent":"exact(table=x.mts)""#), (400, "agent".into()));
        assert_eq!(with(r#""agent":"alphabeta(table=100000)""#), (400, "agent".into()));
        assert_eq!(with(r#""agent":"alphabeta(time=1h)""#), (400, "agent".into()));
        assert_eq!(with(r#""plies":[]"#), (400, "plies".into()));
        let exact = r#"{"position":"1200000000000000","turn":"defender","agent":"exact"}"#;
        assert_eq!(ask(exact), (409, "agent".into()));
        // Nobody gets a 16 onto a board of four cells by a first move.
        let odd = r#"{"position":"2x2:5555","turn":"defender","agent":"exact"}"#;
        let reply = server.post(path, odd);
        assert!(matches!(reply.status, 200 | 400), "{reply:?}");
        let full = format!(r#"{{"position":"{}","turn":"attacker"}}"#, "h".repeat(16));
        assert_eq!(ask(&full).0, 400);
    }
    let play = |rest: &str| {
        let body = format!(r#"{{"position":"2x2:1200","turn":"attacker",{rest}}}"#);
        server.post("/api/duel/play", &body).refused()
    };
    assert_eq!(play(r#""hostility":1.5"#), (400, "hostility".into()));
    assert_eq!(play(r#""hostility":"much""#), (400, "hostility".into()));
    assert_eq!(play(r#""seed":7"#), (400, "seed".into()));
    assert_eq!(play(r#""seed":"-1""#), (400, "seed".into()));
    assert_eq!(play(r#""ply":-1"#), (400, "ply".into()));
    let over = r#"{"position":"2x2:1221","turn":"defender"}"#;
    assert_eq!(server.post("/api/duel/play", over).refused(), (400, "position".into()));
    let random = r#"{"position":"2x2:1200","turn":"defender","agent":"random"}"#;
    assert_eq!(server.post("/api/duel/analyse", random).refused(), (400, "agent".into()));
    let seeded = r#"{"position":"2x2:1200","turn":"defender","seed":"1"}"#;
    assert_eq!(server.post("/api/duel/analyse", seeded).refused(), (400, "seed".into()));
}

#[test]
fn a_search_of_the_duel_is_bounded_and_ends_with_its_client() {
    let server = Server::with(&["--max-ms", "300", "--threads", "1"]);
    let deep = |agent: &str| {
        json!({"position": "1230000000000000", "turn": "attacker", "agent": agent}).to_string()
    };
    for agent in [
        "alphabeta(net=heuristic, depth=63)",
        "alphabeta(net=empties, depth=40)",
        "expectimax(net=heuristic, depth=12)",
    ] {
        for path in ["/api/duel/analyse", "/api/duel/play"] {
            let clock = Instant::now();
            let reply = server.post(path, &deep(agent));
            assert_eq!(reply.status, 200, "{agent}: {reply:?}");
            assert!(clock.elapsed() < Duration::from_secs(10), "{agent}: {:?}", clock.elapsed());
        }
    }
    // Ten seconds for one who goes away: the only thread is soon free for the next.
    let server = Server::with(&["--threads", "1"]);
    let body = deep("alphabeta(net=heuristic, depth=63)");
    let json = "Content-Type: application/json\r\n";
    let asked = request(&server.address, "POST", "/api/duel/analyse", json, body.as_bytes());
    server.post("/api/duel/analyse", &deep("alphabeta(net=heuristic, depth=1)"));
    let mut stream = server.connect();
    stream.write_all(&asked).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    stream.set_nonblocking(true).unwrap();
    assert!(stream.read(&mut [0]).is_err(), "no answer yet");
    drop(stream);
    let clock = Instant::now();
    let next = server.post("/api/duel/analyse", &deep("alphabeta(net=heuristic, depth=1)"));
    assert_eq!(next.status, 200);
    assert!(clock.elapsed() < Duration::from_secs(5), "{:?}", clock.elapsed());
}
