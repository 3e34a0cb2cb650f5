//! Screens of fixed games in windows of several sizes, kept as golden files.

use insta::assert_snapshot;
use maxtile_game::{GameSeed, Move, Rules, Shape, SpawnLaw};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;

use super::keys::Action;
use super::state::{State, game_from, new_game};
use super::view::draw;

/// Twenty plies of the game with seed 7, or as many as the board allows.
fn played(size: &str) -> State {
    let shape: Shape = size.parse().expect("a shape");
    let seed = GameSeed { run: 7, index: 0 };
    let mut state = State::new(new_game(Rules::of(shape), seed), 1234, None);
    for turn in 0..20 {
        let mv = state.board().legal_moves().nth(turn % 2).or(state.board().legal_moves().nth(0));
        if let Some(mv) = mv {
            state.apply(Action::Move(mv));
        }
    }
    state
}

fn window(state: &State, width: u16, height: u16, color: bool) -> TestBackend {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test terminal");
    terminal.draw(|frame| draw(frame, state, color)).expect("a screen");
    terminal.backend().clone()
}

fn screen(state: &State, width: u16, height: u16) -> String {
    window(state, width, height, false).to_string()
}

#[test]
fn usual_window() {
    assert_snapshot!(screen(&played("4x4"), 80, 24));
}

#[test]
fn small_window() {
    assert_snapshot!(screen(&played("4x4"), 40, 12));
}

#[test]
fn tiny_window() {
    assert_snapshot!(screen(&played("4x4"), 30, 8));
}

#[test]
fn least_window() {
    assert_snapshot!(screen(&played("4x4"), 27, 6));
}

#[test]
fn window_too_small() {
    assert_snapshot!(screen(&played("4x4"), 26, 6));
}

#[test]
fn long_boards() {
    assert_snapshot!("6x2", screen(&played("6x2"), 80, 24));
    assert_snapshot!("2x6", screen(&played("2x6"), 80, 24));
    assert_snapshot!("6x2_small", screen(&played("6x2"), 40, 12));
}

#[test]
fn smallest_board_is_over_at_once() {
    assert_snapshot!(screen(&played("1x1"), 80, 24));
}

#[test]
fn help() {
    let mut state = played("4x4");
    state.apply(Action::Help);
    assert_snapshot!("help", screen(&state, 80, 24));
    assert_snapshot!("help_tiny", screen(&state, 30, 8));
}

#[test]
fn question() {
    let mut state = played("4x4");
    state.apply(Action::Restart);
    assert_snapshot!(screen(&state, 40, 12));
}

#[test]
fn failure_that_needs_two_lines() {
    let mut state = played("4x4");
    let failure = "not saved: cannot write play-4x4.mtg: no space left on device";
    state.set_failure(Some(failure.to_owned()));
    assert_snapshot!(screen(&state, 50, 24));
}

#[test]
fn own_position_long_numbers_other_law() {
    let start = "hfed100000000000".parse().expect("a position");
    let rules = Rules { law: SpawnLaw::new(0.25).expect("a law"), ..Rules::default() };
    let seed = GameSeed { run: u64::MAX, index: 0 };
    let mut state = State::new(game_from(rules, start, seed), 3_932_100, None);
    state.apply(Action::Move(Move::Right));
    assert_snapshot!("own_position", screen(&state, 80, 24));
    let long_seed = State::new(new_game(rules, seed), 3_932_100, None);
    assert_snapshot!("long_seed", screen(&long_seed, 80, 24));
}

#[test]
fn without_colour_there_is_none_and_with_it_tiles_have_theirs() {
    let state = played("4x4");
    let colors = |color| {
        let backend = window(&state, 80, 24, color);
        let mut colors: Vec<_> = backend.buffer().content.iter().map(|cell| cell.bg).collect();
        colors.extend(backend.buffer().content.iter().map(|cell| cell.fg));
        colors.dedup();
        colors
    };
    assert_eq!(colors(false), [Color::Reset]);
    let tiles = state.board().distinct_tiles();
    let indexed = colors(true).into_iter().filter(|color| matches!(color, Color::Indexed(_)));
    assert!(indexed.count() >= tiles);
}

#[test]
fn no_window_is_too_strange() {
    for shape in Shape::all() {
        let mut state = played(&shape.to_string());
        state.set_failure(Some("not saved: ".repeat(20)));
        for (width, height) in (0..60).flat_map(|w| (0..24).map(move |h| (w, h))) {
            window(&state, width, height, true);
        }
        state.apply(Action::Help);
        for (width, height) in (0..40).flat_map(|w| (0..12).map(move |h| (w, h))) {
            window(&state, width, height, true);
        }
    }
}
