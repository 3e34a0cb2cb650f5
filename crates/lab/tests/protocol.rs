//! The conversation survives everything: every line is answered, and nothing panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use maxtile_game::Random;
use maxtile_lab::Agent;
use maxtile_lab::protocol::{Desk, Helper, Reply};
use serde_json::{Value, json};

const QUERIES: [&str; 8] = [
    r#"{"id":1,"position":"ba98000012340001"}"#,
    r#"{"id":"two","position":"ba98000012340001","limits":{"depth":2},"agent":"expectimax(net=empties)"}"#,
    r#"{"id":3,"start":"1100000000000000","plies":[["left",5,1],["up",15,2]],"turns":[0,2],"agent":"greedy(net=zero)"}"#,
    r#"{"id":4,"rules":{"size":"3x3","p4":0.25},"position":"3x3:120000000","agent":"heuristic"}"#,
    r#"{"id":5,"position":"2 4 8 16/2 4 8 16/0 0 0 0/0 0 0 0","limits":{"nodes":500},"spawns":true,"agent":"heuristic"}"#,
    r#"{"id":6,"position":"gfedcba987654321","limits":{"ms":2},"report_every":0.01,"agent":"heuristic(depth=1)"}"#,
    r#"{"id":7,"position":"1212212112122121","agent":"random"}"#,
    r#"{"id":8,"start":"2x3:110000","plies":[[3,5,1]],"agent":"corner(agent=greedy(net=empties), rho=1.3)"}"#,
];

fn desk() -> Desk {
    Desk::new(Some("expectimax(net=empties, depth=2)"), Duration::from_millis(3))
}

fn ask(line: &str) -> Vec<Value> {
    let desk = desk();
    let mut replies = Vec::new();
    Helper::new(&desk)
        .answer(line.as_bytes(), |reply| replies.push(serde_json::to_value(&reply).unwrap()));
    replies
}

#[test]
fn answers_have_what_was_asked_for() {
    let answers = ask(QUERIES[2]);
    assert_eq!(answers.iter().map(|a| &a["turn"]).collect::<Vec<_>>(), [0, 2]);
    assert_eq!((&answers[1]["id"], &answers[1]["partial"]), (&json!(3), &json!(false)));
    assert_eq!(answers[1]["position"], "2100000000000002");

    let answers = ask(QUERIES[4]);
    let spawns = answers[0]["spawns"].as_array().unwrap();
    let sum: f64 = spawns.iter().map(|spawn| spawn["probability"].as_f64().unwrap()).sum();
    assert!(!spawns.is_empty() && (sum - 1.0).abs() < 1e-9, "{spawns:?}");

    let answers = ask(QUERIES[6]);
    assert_eq!((&answers[0]["best"], &answers[0]["value"]), (&Value::Null, &json!(0.0)));
    assert_eq!((&answers[0]["exact"], &answers[0]["moves"]), (&json!(true), &json!([])));

    let answers = ask(QUERIES[0]);
    let moves = answers[0]["moves"].as_array().unwrap();
    assert_eq!(moves[0]["move"], answers[0]["best"]);
    assert!(moves.is_sorted_by(|a, b| a["value"].as_f64() >= b["value"].as_f64()));
}

/// One helper, several boards: each has its own exact player. No time is the longest time.
#[test]
fn players_are_kept_apart_and_bounded() {
    let desk = desk();
    let mut helper = Helper::new(&desk);
    let mut ask = |line: &str| {
        let mut last = Value::Null;
        helper.answer(line.as_bytes(), |reply| last = serde_json::to_value(&reply).unwrap());
        last
    };
    for position in ["2x2:1100", "2x3:110000", "2x2:1001"] {
        let answer = ask(&format!(r#"{{"id":1,"position":"{position}","agent":"exact"}}"#));
        assert_eq!(answer["exact"], true, "{answer}");
    }
    let clock = std::time::Instant::now();
    let long = r#"{"id":1,"position":"1100000000000000","agent":"expectimax(net=zero, depth=20, time=0)"}"#;
    assert!(ask(long)["depth"].as_u64().unwrap() < 20);
    assert!(clock.elapsed() < Duration::from_secs(20));
}

/// A run that has learned on is asked as it is now, by whoever asked it before as by anybody else.
#[test]
fn what_has_changed_is_opened_again() {
    let opened = Arc::new(AtomicU32::new(0));
    let written = Arc::new(AtomicU32::new(1));
    let (opens, edition) = (Arc::clone(&opened), Arc::clone(&written));
    let desk = desk()
        .opening(Box::new(move |text, rules| {
            let net = if opens.fetch_add(1, Ordering::Relaxed) == 0 { "zero" } else { "empties" };
            let agent = Agent::parse(&format!("greedy(net={net})"), rules);
            agent.map(|agent| agent.renamed(text)).map_err(|cause| cause.to_string())
        }))
        .renewing(Box::new(move |_| edition.load(Ordering::Relaxed).to_string()));
    let (mut one, mut other) = (Helper::new(&desk), Helper::new(&desk));
    let ask = |helper: &mut Helper<'_>| {
        let mut last = Value::Null;
        let line = r#"{"id":1,"position":"1200000000000000","agent":"mine"}"#;
        helper.answer(line.as_bytes(), |reply| last = serde_json::to_value(&reply).unwrap());
        last["value"].as_f64().unwrap()
    };
    assert_eq!((ask(&mut one), ask(&mut other), ask(&mut one)), (0.0, 0.0, 0.0));
    assert_eq!(opened.load(Ordering::Relaxed), 1);
    written.store(2, Ordering::Relaxed);
    assert_eq!((ask(&mut one), ask(&mut other), ask(&mut one)), (1400.0, 1400.0, 1400.0));
    assert_eq!(opened.load(Ordering::Relaxed), 2);
}

#[test]
fn reports_come_before_the_end() {
    let desk = Desk::new(None, Duration::from_millis(200));
    let query = r#"{"id":1,"position":"ba98000012340001","limits":{"depth":3},"report_every":0.0001,"agent":"heuristic"}"#;
    let mut partial = Vec::new();
    Helper::new(&desk).answer(query.as_bytes(), |reply| match reply {
        Reply::Answer(answer) => partial.push((answer.partial, answer.depth)),
        Reply::Refusal(refusal) => panic!("{refusal:?}"),
    });
    assert_eq!(partial, [(Some(true), 1), (Some(true), 2), (Some(false), 3)]);
}

#[test]
fn reports_come_before_the_end_of_a_time() {
    let desk = Desk::new(None, Duration::from_secs(10));
    let query = r#"{"id":1,"position":"ba98000012340001","limits":{"ms":60},"report_every":4,"spawns":true,"agent":"expectimax(net=heuristic)"}"#;
    let mut answers = Vec::new();
    let clock = Instant::now();
    Helper::new(&desk).answer(query.as_bytes(), |reply| match reply {
        Reply::Answer(answer) => answers.push((answer.partial, answer.depth)),
        Reply::Refusal(refusal) => panic!("{refusal:?}"),
    });
    // Generous, as the machine may be busy.
    assert!(clock.elapsed() < Duration::from_secs(2), "{:?}", clock.elapsed());
    let (last, partial) = answers.split_last().unwrap();
    assert!((1..=4).contains(&partial.len()), "{answers:?}");
    assert!(partial.iter().all(|answer| answer.0 == Some(true)) && last.0 == Some(false));
    assert!(last.1 >= 4, "{answers:?}");
}

#[test]
fn errors_name_the_field() {
    let cases = [
        ("", "query"),
        ("[1]", "query"),
        (r#"{"position":"1"}"#, "id"),
        (r#"{"id":[],"position":"1"}"#, "id"),
        (r#"{"id":12345678901234567890123,"position":"1100000000000000"}"#, "id"),
        (r#"{"id":1}"#, "position"),
        (r#"{"id":1,"position":"xyz"}"#, "position"),
        (r#"{"id":1,"position":7}"#, "position"),
        (r#"{"id":1,"position":"1100000000000000","start":"1100000000000000"}"#, "start"),
        (r#"{"id":1,"position":"1100000000000000","plies":[]}"#, "plies"),
        (r#"{"id":1,"start":"1100000000000000","plies":[["left",0,1]]}"#, "plies"),
        (r#"{"id":1,"start":"1100000000000000","plies":[["sideways",5,1]]}"#, "plies"),
        (r#"{"id":1,"position":"1100000000000000","turns":[1]}"#, "turns"),
        (r#"{"id":1,"position":"1100000000000000","turns":[]}"#, "turns"),
        (r#"{"id":1,"position":"1100000000000000","rules":{"size":"3x3"}}"#, "position"),
        (r#"{"id":1,"position":"1100000000000000","rules":{"p4":2}}"#, "rules"),
        (r#"{"id":1,"position":"1100000000000000","agent":"gredy"}"#, "agent"),
        (r#"{"id":1,"position":"1100000000000000","agent":"random"}"#, "agent"),
        (r#"{"id":1,"position":"1100000000000000","limits":{"depth":0}}"#, "limits"),
        (r#"{"id":1,"position":"1100000000000000","limits":{"plies":2}}"#, "limits"),
        (r#"{"id":1,"position":"1100000000000000","limits":{"ms":-1}}"#, "limits"),
        (r#"{"id":1,"position":"1100000000000000","report_every":"often"}"#, "report_every"),
        (r#"{"id":1,"position":"1100000000000000","spawns":1}"#, "spawns"),
    ];
    for (line, field) in cases {
        let answers = ask(line);
        assert_eq!(answers.len(), 1, "{line}");
        assert_eq!(answers[0]["field"], field, "{line}: {}", answers[0]);
        assert!(answers[0]["error"].as_str().is_some_and(|error| !error.is_empty()));
    }
}

#[test]
fn unknown_fields_are_warned_about() {
    let answers = ask(r#"{"id":1,"position":"1100000000000000","limit":{"depth":1},"zz":0}"#);
    let warnings = answers[0]["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2);
    assert_eq!(warnings[0], "unknown field \"limit\", did you mean \"limits\"?");
    let answers = ask(r#"{"id":1,"position":"1100000000000000","rules":{"sise":"4x4","p4":0.1}}"#);
    assert_eq!(answers[0]["warnings"], json!(["unknown field \"sise\", did you mean \"size\"?"]));
}

/// Time is always limited here; still the depth that was asked for is reached, also where the choice is clear or there is none.
#[test]
fn a_depth_that_is_asked_for_is_reached() {
    let desk = Desk::new(None, Duration::from_secs(100));
    let mut helper = Helper::new(&desk);
    let mut ask = |position: &str, fields: &str| {
        let mut answers = Vec::new();
        let line = format!(r#"{{"id":1,"position":"{position}",{fields}}}"#);
        helper.answer(line.as_bytes(), |reply| answers.push(serde_json::to_value(&reply).unwrap()));
        answers
    };
    let deep = r#""agent":"expectimax(net=heuristic)","limits":{"depth":4}"#;
    for position in ["0231000430003430", "1000200010002000"] {
        assert_eq!(ask(position, deep)[0]["depth"], 4, "{position}");
    }
    let own = r#""agent":"expectimax(net=heuristic, depth=4)""#;
    assert_eq!(ask("0231000430003430", own)[0]["depth"], 4);
    // A crowded board gets its ply more in parts, too, and the last answer says what all parts took.
    let crowded = r#""agent":"expectimax(net=heuristic, depth=3, crowded=4)""#;
    let whole = ask("1234123412341230", crowded);
    let parts = ask("1234123412341230", &format!(r#"{crowded},"report_every":0.001"#));
    let (last, partial) = parts.split_last().unwrap();
    assert_eq!((&last["depth"], &last["value"]), (&json!(4), &whole[0]["value"]));
    assert!(!partial.is_empty() && partial.is_sorted_by_key(|a| a["leaves"].as_u64()));
    assert!(partial.iter().all(|a| a["leaves"].as_u64() <= last["leaves"].as_u64()));

    // A search by simulations has no plies to be asked for one by one.
    let softmax = r#""agent":"mcss(net=heuristic, sims=60)","limits":{"depth":2}"#;
    let whole = ask("1234123412341230", softmax);
    let parts = ask("1234123412341230", &format!(r#"{softmax},"report_every":0.001"#));
    assert_eq!((parts.len(), &parts[0]["leaves"]), (1, &whole[0]["leaves"]));
}

/// Bytes changed, put in, left out, doubled and exchanged, and numbers made huge.
fn mutated(line: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() as u64) as usize;
        let other = random.below(bytes.len() as u64) as usize;
        match random.below(7) {
            0 => bytes[at] = random.next_u64() as u8,
            1 => bytes.insert(at, b"\"{}[],:0-9e"[random.below(11) as usize]),
            2 => drop(bytes.remove(at)),
            3 => bytes.swap(at, other),
            4 => bytes.truncate(at.max(1)),
            5 => {
                let part = bytes[at.min(other)..at.max(other)].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let number = [&b"99999999999999999999"[..], b"-1", b"1e308", b"0.5", b"null"];
                let number = number[random.below(5) as usize];
                if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
                    bytes.splice(at + digit..=at + digit, number.iter().copied());
                }
            }
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    bytes
}

#[test]
fn ten_thousand_mutations_are_all_answered() {
    let desk = desk();
    let mut helper = Helper::new(&desk);
    let mut random = Random::new(11);
    let (mut answered, mut refused) = (0, 0);
    for round in 0..10_000 {
        let line = mutated(QUERIES[round % QUERIES.len()], &mut random);
        let mut last = None;
        helper.answer(&line, |reply| last = Some(reply));
        match last.unwrap_or_else(|| panic!("no answer to {}", String::from_utf8_lossy(&line))) {
            Reply::Answer(answer) => {
                answered += 1;
                assert_eq!(answer.partial, Some(false));
            }
            Reply::Refusal(refusal) => {
                refused += 1;
                assert!(
                    !refusal.error.contains("error of ours"),
                    "{}",
                    String::from_utf8_lossy(&line)
                );
            }
        }
    }
    assert!(answered > 400 && refused > 5000, "{answered} answered, {refused} refused");
}
