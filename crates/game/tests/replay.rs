//! Playing, taking back, going on and cutting: a record always tells the same game.

use maxtile_game::{
    Board, Game, GameSeed, Move, Ply, Record, ReplayError, ReplayReason, Rules, Shape, Spawn,
    SpawnReason,
};

const SEED: GameSeed = GameSeed { run: 11, index: 5 };
const OTHER: GameSeed = GameSeed { run: 11, index: 6 };

/// Plays up to `plies` more plies; at ply k the (k mod n)-th of n legal moves.
fn play_on(game: &mut Game, plies: usize) {
    for _ in 0..plies {
        let (k, legal) = (game.record().plies.len(), game.board().legal_moves());
        if legal.is_empty() {
            return;
        }
        game.play(legal.nth(k % legal.len()).expect("one of them")).expect("legal");
    }
}

fn whole_game(shape: Shape) -> Game {
    let mut game = Game::new(Rules::of(shape), SEED);
    play_on(&mut game, usize::MAX);
    assert!(game.board().is_over());
    game
}

#[test]
fn a_record_replays_to_the_same_position_and_score() {
    for shape in Shape::all() {
        let game = whole_game(shape);
        let end = game.record().replay().expect("as it was played");
        assert_eq!((end.board, end.score), (game.board(), game.score()), "{shape}");
        assert_eq!(end.ply, game.record().plies.len(), "{shape}");
        let turns: Result<Vec<_>, _> = game.record().turns().collect();
        let turns = turns.expect("as it was played");
        assert_eq!((turns.len(), turns.last()), (end.ply + 1, Some(&end)), "{shape}");
        assert_eq!(game.record().check_seed(), Ok(()), "{shape}");
    }
}

#[test]
fn an_illegal_move_changes_nothing() {
    let mut game = whole_game(Shape::CLASSIC);
    let before = game.record().clone();
    for mv in Move::ALL {
        assert_eq!(game.play(mv), None);
    }
    assert_eq!(game.record(), &before);
}

#[test]
fn undo_and_the_same_move_bring_the_same_tile() {
    let mut game = Game::new(Rules::default(), SEED);
    play_on(&mut game, 50);
    let (record, board, score) = (game.record().clone(), game.board(), game.score());
    for _ in 0..20 {
        assert!(game.undo());
    }
    for &ply in &record.plies[30..] {
        // A detour over every other move does not matter once it is taken back.
        for mv in Move::ALL {
            if game.play(mv).is_some() {
                assert!(game.undo());
            }
        }
        assert_eq!(game.play(ply.mv), Some(ply));
    }
    assert_eq!((game.record(), game.board(), game.score()), (&record, board, score));
}

#[test]
fn undo_ends_at_the_start() {
    let mut game = whole_game(Shape::CLASSIC);
    let (start, plies) = (game.record().start, game.record().plies.len());
    for _ in 0..plies {
        assert!(game.undo());
    }
    assert!(!game.undo());
    assert_eq!((game.board(), game.score()), (start, 0));
    assert!(game.record().plies.is_empty());
}

#[test]
fn a_resumed_game_goes_on_as_if_uninterrupted() {
    let whole = whole_game(Shape::CLASSIC);
    for stop in [0, 1, 40, whole.record().plies.len()] {
        let part = whole.record().cut(0, stop).expect("legal").expect("within the game");
        let mut game = Game::resume(part, OTHER).expect("legal");
        play_on(&mut game, usize::MAX);
        assert_eq!(game.record(), whole.record(), "stopped at {stop}");
        assert_eq!((game.board(), game.score()), (whole.board(), whole.score()));
        while game.undo() {}
        play_on(&mut game, usize::MAX);
        assert_eq!(game.record(), whole.record(), "taken back after {stop}");
    }
}

#[test]
fn a_game_not_of_its_seed_is_resumed_without_one() {
    let mut game = Game::new(Rules::default(), SEED);
    play_on(&mut game, 30);
    let forged = Record { seed: Some(OTHER), ..game.record().clone() };
    let without = Record { seed: None, ..game.record().clone() };
    let [mut one, mut other] =
        [forged, without].map(|record| Game::resume(record, SEED).expect("legal"));
    play_on(&mut one, usize::MAX);
    play_on(&mut other, usize::MAX);
    assert_eq!(one.record().seed, None);
    assert_eq!(one.record(), other.record());
    assert_eq!(one.record().plies[..30], game.record().plies[..]);
}

#[test]
fn the_seed_is_checked_to_the_last_tile() {
    let game = whole_game(Shape::CLASSIC);
    let record = game.record();
    assert_eq!(record.check_seed(), Ok(()));

    let other_seed = Record { seed: Some(OTHER), ..record.clone() };
    let start = Err(ReplayError { ply: 0, reason: ReplayReason::StartNotOfSeed });
    assert_eq!(other_seed.check_seed(), start);

    for ply in [0, record.plies.len() / 2, record.plies.len() - 1] {
        let mut altered = record.clone();
        let spawn = &mut altered.plies[ply].spawn;
        spawn.exponent = 3 - spawn.exponent;
        let error = Err(ReplayError { ply: ply + 1, reason: ReplayReason::SpawnNotOfSeed });
        assert_eq!(altered.check_seed(), error);
        altered.seed = None;
        assert_eq!(altered.check_seed(), Ok(()));
    }
}

#[test]
fn a_cut_is_the_part_between_two_positions() {
    let game = whole_game(Shape::CLASSIC);
    let record = game.record();
    let turns: Vec<_> = record.turns().map(|turn| turn.expect("legal")).collect();
    let last = record.plies.len();
    for (from, to) in [(0, 0), (0, last), (10, 30), (30, last), (last, last)] {
        let part = record.cut(from, to).expect("legal").expect("within the game");
        assert_eq!(part.start, turns[from].board, "{from} to {to}");
        assert_eq!(part.plies, record.plies[from..to], "{from} to {to}");
        assert_eq!(part.seed.is_some(), from == 0, "{from} to {to}");
        let end = part.replay().expect("legal");
        assert_eq!(end.board, turns[to].board, "{from} to {to}");
        assert_eq!(end.score, turns[to].score - turns[from].score, "{from} to {to}");
    }
    assert_eq!(record.cut(30, 10), Ok(None));
    assert_eq!(record.cut(0, last + 1), Ok(None));
}

#[test]
fn the_first_ply_that_cannot_be_is_named() {
    let start: Board = "1100000000000000".parse().expect("a position");
    let record = |mv: Move, cell: u8, exponent: u8| {
        let ply = Ply { mv, spawn: Spawn { cell, exponent } };
        Record { plies: vec![ply], ..Record::new(Rules::default().law, start) }
    };
    let table = [
        (record(Move::Up, 5, 1), "ply 1: up is not a legal move"),
        (record(Move::Left, 0, 1), "ply 1: cell 0 is not empty"),
        (record(Move::Left, 16, 1), "ply 1: a 4x4 board has no cell 16"),
        (record(Move::Left, 5, 3), "ply 1: a new tile is a 2 or a 4, not exponent 3"),
        (record(Move::Left, 5, 0), "ply 1: a new tile is a 2 or a 4, not exponent 0"),
    ];
    for (record, message) in table {
        let error = record.replay().expect_err(message);
        assert_eq!(error.to_string(), message);
        let turns: Vec<_> = record.turns().collect();
        assert_eq!((turns.len(), turns[1]), (2, Err(error)), "{message}");
        assert!(Game::resume(record, SEED).is_err(), "{message}");
    }
    // The afterstate comes back untouched.
    let (afterstate, _) = start.slide(Move::Left).expect("legal");
    let error = afterstate.spawn(Spawn { cell: 0, exponent: 1 }).expect_err("occupied");
    assert_eq!((error.afterstate, error.reason), (afterstate, SpawnReason::Occupied));
}
