//! The duel searched to the end of every game against the duel solved by layers: two programs that
//! share nothing but the rules.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use maxtile_game::{Afterstate, Board, Random, Rules, Shape, Variant};
use maxtile_search::{Answered, DuelSearch, DuelSettings, Heuristic, Limits, WHOLE_GAME};
use maxtile_solve::{Aim, Problem, Table, Watch};

fn solved(board: &str, variant: Variant) -> Table {
    let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
    let problem = Problem { aim: Aim::duel(variant), ..Problem::score(board.parse().unwrap()) };
    Table::in_memory(&problem, 2, watch).unwrap()
}

fn search(variant: Variant, table: usize) -> DuelSearch<Answered<Heuristic>> {
    let limits = Limits { depth: WHOLE_GAME, ..Limits::depth(1) };
    let settings = DuelSettings { variant, table, ..DuelSettings::new(limits) };
    DuelSearch::new(Answered(Heuristic::default()), settings).unwrap()
}

/// Compares a position, and each of its slides.
fn compare(search: &mut DuelSearch<Answered<Heuristic>>, table: &Table, board: Board) {
    let exact = table.query(board).unwrap();
    let ours = search.defend(board, true);
    assert_eq!(ours.is_none(), exact.moves.is_empty(), "{board}");
    let Some(ours) = ours else { return };
    // Draws are rounded to units of 2^-20, once for each that a game has.
    let variant = search.settings().variant;
    let tolerance = if variant == Variant::Drawn { 5e-4 } else { 0.0 };
    let close = |a: f64, b: f64| assert!((a - b).abs() <= tolerance, "{board} {variant}: {a} {b}");
    assert!(ours.exact);
    close(ours.value, exact.value);
    for (mv, worth) in ours.worths {
        close(worth, exact.moves.iter().find(|found| found.mv == mv).unwrap().value);
    }
}

/// Every state that a game on 2×3 can get to, up to symmetry.
fn states(shape: Shape) -> HashSet<Board> {
    let mut seen: HashSet<Board> =
        Rules::of(shape).starts().into_iter().map(Board::canonical).collect();
    let mut open: Vec<Board> = seen.iter().copied().collect();
    while let Some(board) = open.pop() {
        let next = |afterstate: Afterstate| -> Vec<Board> {
            afterstate.spawns().map(|s| afterstate.spawn(s).unwrap().canonical()).collect()
        };
        for (_, afterstate, _) in board.afterstates().iter() {
            open.extend(next(afterstate).into_iter().filter(|&board| seen.insert(board)));
        }
    }
    seen
}

#[test]
fn every_state_of_2x3() {
    let states = states("2x3".parse().unwrap());
    assert_eq!(states.len(), 21_752);
    for variant in Variant::ALL {
        let table = solved("2x3", variant);
        let mut search = search(variant, 1 << 24);
        for &board in &states {
            compare(&mut search, &table, board);
        }
    }
}

/// Positions of random games, some early.
fn random_positions(shape: Shape, count: usize) -> Vec<Board> {
    let rules = Rules::of(shape);
    let position = |game: u64| {
        let mut random = Random::stream(8, game);
        let mut board = rules.start(&mut random);
        for _ in 0..random.below(60) {
            let legal = board.legal_moves();
            let Some(mv) = legal.nth(random.below(legal.len().max(1) as u64) as usize) else {
                break;
            };
            let (afterstate, _) = board.slide(mv).unwrap();
            board = rules.law.spawn(afterstate, &mut random);
        }
        board
    };
    (0..).map(position).filter(|board| !board.is_over()).take(count).collect()
}

#[test]
#[ignore = "a minute or more"]
fn a_thousand_states_of_2x4() {
    let positions = random_positions("2x4".parse().unwrap(), 1_000);
    for variant in Variant::ALL {
        let table = solved("2x4", variant);
        let mut search = search(variant, 256 << 20);
        for &board in &positions {
            compare(&mut search, &table, board);
        }
    }
}
