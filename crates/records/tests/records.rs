//! Both forms of a record: round trips, and every way of breaking a file.

use maxtile_game::{Board, Game, GameSeed, Random, Record, Rules, Shape, SpawnLaw};
use maxtile_records::{Form, Problem, read, to_binary, to_json, write};
use proptest::prelude::*;

fn random_game(shape: Shape, p4: f64, run: u64, most: usize) -> Record {
    let rules = Rules { shape, law: SpawnLaw::new(p4).unwrap() };
    let mut game = Game::new(rules, GameSeed { run, index: 3 });
    let mut random = Random::new(run);
    while game.record().plies.len() < most {
        let legal = game.board().legal_moves();
        let Some(mv) = legal.nth(random.below(legal.len() as u64) as usize) else { break };
        game.play(mv);
    }
    game.set_player("random");
    game.record().clone()
}

fn read_one(bytes: &[u8]) -> Result<Record, Problem> {
    let records: Vec<_> = read(bytes).collect();
    assert_eq!(records.len(), 1);
    records.into_iter().next().unwrap().map_err(|e| e.problem)
}

/// A flipped byte is noticed, or the game is the same to the last ply.
fn flip_every_byte(form: Form) {
    let record = random_game(Shape::CLASSIC, 0.1, 11, 400);
    let file = write(&record, form).unwrap();
    let mut refused = 0;
    for at in 0..file.len() {
        for flip in [0x01, 0x02, 0x10, 0x20, 0x80, 0xff] {
            let mut altered = file.clone();
            altered[at] ^= flip;
            for result in read(&altered) {
                match result {
                    Ok(found) => assert_eq!(found, record, "byte {at} ^ {flip:#x}"),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(refused > file.len() * 5, "{refused} of {} refused", file.len() * 6);
}

#[test]
fn every_flipped_byte_of_the_binary_form_is_noticed() {
    flip_every_byte(Form::Binary);
}

#[test]
fn every_flipped_byte_of_the_json_form_is_noticed() {
    flip_every_byte(Form::Json);
}

#[test]
fn every_truncation_is_refused_and_names_the_ply() {
    let record = random_game(Shape::CLASSIC, 0.1, 5, 100);
    for form in [Form::Binary, Form::Json] {
        let file = write(&record, form).unwrap();
        let body = file.len() - usize::from(form == Form::Json);
        for length in 1..body {
            let text = read_one(&file[..length]).unwrap_err().to_string();
            assert!(!text.is_empty());
        }
    }
    let file = to_binary(&record).unwrap();
    let head = file.len() - 8 - 100;
    for plies in 0..100 {
        let problem = read_one(&file[..head + plies]).unwrap_err();
        assert_eq!(problem, Problem::Truncated { ply: plies + 1, of: 100 });
    }
    let json = to_json(&record).unwrap();
    let seventh = json.match_indices('[').nth(7).unwrap().0;
    let text = read_one(&json.as_bytes()[..seventh + 2]).unwrap_err().to_string();
    assert!(text.contains("at ply 7)"), "{text}");
}

#[test]
fn an_altered_ply_is_found_where_it_stands() {
    let record = random_game(Shape::CLASSIC, 0.1, 5, 100);
    let file = to_binary(&record).unwrap();
    let head = file.len() - 8 - 100;
    for ply in 1..=100 {
        for bit in 0..8 {
            let mut altered = file.clone();
            altered[head + ply - 1] ^= 1 << bit;
            assert_eq!(read_one(&altered), Err(Problem::Altered { ply }));
        }
    }
}

#[test]
fn a_ply_costs_one_byte() {
    let record = random_game(Shape::CLASSIC, 0.1, 2, usize::MAX);
    let file = to_binary(&record).unwrap();
    assert!(record.plies.len() > 60);
    assert_eq!(file.len(), record.plies.len() + 4 + 3 + 8 + 16 + 16 + 7 + 4 + 4 + 4);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for form in [Form::Binary, Form::Json] {
        let bytes = || write(&random_game(Shape::CLASSIC, 0.1, 77, usize::MAX), form).unwrap();
        assert_eq!(bytes(), bytes());
    }
}

#[test]
fn records_follow_one_another_and_reading_stops_at_the_first_bad_one() {
    let games: Vec<Record> = (0..5).map(|i| random_game(Shape::CLASSIC, 0.1, i, 20)).collect();
    for form in [Form::Binary, Form::Json] {
        let files: Vec<Vec<u8>> = games.iter().map(|g| write(g, form).unwrap()).collect();
        let all = files.concat();
        let found: Result<Vec<_>, _> = read(&all).collect();
        assert_eq!(found.unwrap(), games);

        let mut broken = all.clone();
        let third = files[0].len() + files[1].len() + files[2].len() / 2;
        broken[third] ^= 1;
        let found: Vec<_> = read(&broken).collect();
        assert_eq!(found.len(), 3);
        assert_eq!(found[2].as_ref().unwrap_err().record, 3);
    }
    assert_eq!(read(b"").count(), 0);
    assert_eq!(read(b" \n\n").count(), 0);
}

/// The bytes themselves are a promise: a change here is a change of format.
#[test]
fn golden_bytes() {
    let record = random_game("2x2".parse().unwrap(), 0.25, 1, 3);
    let hex: String = to_binary(&record).unwrap().iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(hex, include_str!("golden/2x2.hex").trim());
    assert_eq!(to_json(&record).unwrap(), include_str!("golden/2x2.jsonl"));
}

#[test]
fn json_of_other_programs_may_leave_out_what_can_be_computed() {
    let line = r#"{"type":"game","version":1,"p4":0.1,"start":"2x2:1100","plies":[[3,1,1]]}"#;
    let record = read_one(line.as_bytes()).unwrap();
    assert_eq!(record.start, "2x2:1100".parse::<Board>().unwrap());
    assert_eq!(record.replay().unwrap().score, 4);
}

#[test]
fn bad_lines_say_what_is_wrong() {
    let line = |change: fn(&str) -> String| {
        let good = r#"{"type":"game","version":1,"p4":0.1,"start":"2x2:1100","plies":[[3,1,1]],"score":4}"#;
        read_one(change(good).as_bytes()).unwrap_err().to_string()
    };
    type Change = fn(&str) -> String;
    let cases: [(Change, &str); 9] = [
        (|l| l.replace("\"version\":1", "\"version\":2"), "version 2 is not known here"),
        (|l| l.replace("0.1", "1.5"), "p4: the probability of a 4 lies between 0 and 1"),
        (|l| l.replace("1100", "110"), "start: a 2x2 position has 4 cells, this text has 3"),
        (|l| l.replace("[3,1,1]", "[3,0,1]"), "ply 1: cell 0 is not empty"),
        (|l| l.replace("[3,1,1]", "[0,1,1]"), "ply 1: up is not a legal move"),
        (|l| l.replace("[3,1,1]", "[4,1,1]"), "plies: ply 1: there is no move number 4"),
        (|l| l.replace("[3,1,1]", "[3,1,3]"), "ply 1: a new tile is a 2 or a 4, not exponent 3"),
        (|l| l.replace("\"score\":4", "\"score\":8"), "after ply 1 the score is not the one"),
        (|l| format!("x{l}"), "these bytes are no game record"),
    ];
    for (change, expected) in cases {
        let text = line(change);
        assert!(text.starts_with(expected), "{text}");
    }
}

fn any_record() -> impl Strategy<Value = Record> {
    let shapes: Vec<Shape> = Shape::all().collect();
    let names = proptest::option::of("\\PC{0,40}");
    (proptest::sample::select(shapes), 0.0..=1.0, any::<u64>(), 0usize..300, names).prop_map(
        |(shape, p4, run, most, name)| {
            let mut record = random_game(shape, p4, run, most);
            record.player.clone_from(&name);
            record.attacker = name;
            if run % 3 == 0 {
                record.seed = None;
            }
            record
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_forms_round_trip(record in any_record()) {
        for form in [Form::Binary, Form::Json] {
            let file = write(&record, form).unwrap();
            prop_assert_eq!(read_one(&file), Ok(record.clone()));
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes).for_each(drop);
        let mut headed = b"mtg1\x00\x04\x04".to_vec();
        headed.extend(&bytes);
        read(&headed).for_each(drop);
    }

    #[test]
    fn arbitrary_text_never_panics(text in "\\{\"type\":\"game\",\\PC{0,300}") {
        read(text.as_bytes()).for_each(drop);
    }
}
