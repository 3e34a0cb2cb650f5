//! `maxtile play`: the game in the terminal.
//!
//! `keys` says what a key asks for and `state` what becomes of it, `view` (with `layout`, `facts`
//! and `tiles`) draws, `store` (with `folder` and `wish`) finds and keeps the record, `session`
//! runs it all on the `events` that come.

pub(crate) mod events;
mod facts;
mod folder;
mod keys;
pub(crate) mod layout;
mod session;
mod state;
mod store;
pub(crate) mod takeover;
mod tiles;
pub(crate) mod view;
#[cfg(test)]
mod view_tests;
mod wish;

use std::io::{self, IsTerminal};
use std::path::Path;

use maxtile_records::to_json;
use ratatui::crossterm::style::force_color_output;
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Play};
use crate::error::{Stop, error};
use crate::output::{Output, use_color};
use session::Session;
use state::{State, seed_text};
use store::{Left, Opened};
use wish::Wish;

pub(crate) fn run(args: &Play, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(error("maxtile play needs a terminal for input and output")
            .hint("run it without pipes; over ssh, ask for a terminal with ssh -t"));
    }
    let Opened { mut store, game, best, note, warning } =
        store::open(args, &Wish::of(args, common))?;
    if let Some(note) = note.as_ref().filter(|_| warning) {
        out.talk(note);
    }
    let mut state = State::new(game, best, note.map(|note| store.shortened(&note)));
    let color = use_color(common.color, true);
    // The terminal library obeys NO_COLOR by itself, but --color always is meant to win.
    force_color_output(color);
    let played = Session::new(&mut state, &mut store, color).run();
    let left = store.leave(state.record(), state.board().is_over());
    // A window that was closed takes the terminal away: nobody is there to be told, not even
    // about that.
    if !io::stdout().is_terminal() || tell(&state, &left, out).is_err() {
        return Err(Stop::PipeClosed);
    }
    let kept = if left.is_lost() {
        let hint = "the line above is the game: put it into a file ending with .jsonl";
        left.result.map_err(|stop| stop.hint(hint))
    } else {
        left.result
    };
    played.and(kept).map(|()| Verdict::Done)
}

#[derive(Serialize)]
struct Summary {
    r#type: &'static str,
    size: String,
    score: u32,
    max_tile: u32,
    moves: usize,
    over: bool,
    seed: Option<String>,
    file: Option<String>,
}

/// The result, and the game itself where it could not be kept: it is the player's, not ours.
fn tell(state: &State, left: &Left, out: &mut Output) -> Result<(), Stop> {
    if left.is_lost() {
        out.raw(to_json(state.record()).map_err(error)?.as_bytes())?;
    }
    out.text(sentence(state, left.file.as_deref()))?;
    out.object(&Summary {
        r#type: "summary",
        size: state.board().shape().to_string(),
        score: state.score(),
        max_tile: state.board().max_tile(),
        moves: state.moves(),
        over: state.board().is_over(),
        seed: state.record().seed.map(|seed| seed.to_string()),
        file: left.file.as_ref().map(|file| file.display().to_string()),
    })?;
    out.flush()
}

fn sentence(state: &State, file: Option<&Path>) -> String {
    let over = if state.board().is_over() { "game over: " } else { "" };
    let moves = match state.moves() {
        1 => "1 move".to_owned(),
        moves => format!("{moves} moves"),
    };
    let seed = state.record().seed.map_or(String::new(), |s| format!(", seed {}", seed_text(s)));
    let file = file.map_or("not saved".to_owned(), |file| format!("saved in {}", file.display()));
    let (score, tile) = (state.score(), state.board().max_tile());
    format!("{over}score {score}, largest tile {tile}, {moves}{seed}, {file}")
}
