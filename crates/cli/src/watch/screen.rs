//! What the watcher sees: the board, and the numbers beside it.

use maxtile_game::Board;
use maxtile_search::Searched;
use ratatui::Frame;
use ratatui::layout::Alignment;
use ratatui::style::Modifier;
use ratatui::widgets::{Paragraph, Widget, Wrap};

use super::Show;
use crate::play::layout::Plan;
use crate::play::view::draw_tiles;

/// The keys in one line, longest first; the first that fits is shown.
const HINTS: [&str; 3] = [
    "space pause   N next move   + - speed   G next game   Q leave",
    "space pause  N step  + -  G game  Q leave",
    "Q leave",
];

/// What is not part of the game itself.
pub(super) struct Scene {
    pub(super) paused: bool,
    /// Moves a second, 0 for as many as possible.
    pub(super) speed: u32,
    pub(super) color: bool,
}

pub(super) fn draw(frame: &mut Frame, show: &Show, scene: &Scene) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    let board: Board = show.game.board();
    let Some(plan) = Plan::of(board.shape(), area) else {
        let words = Paragraph::new("the window is too small").wrap(Wrap { trim: true });
        words.alignment(Alignment::Center).render(area, buffer);
        return;
    };
    let plies = &show.game.record().plies;
    let newest = plies.last().map(|ply| ply.spawn.cell as usize);
    draw_tiles(board, newest, plan, scene.color, buffer);
    Paragraph::new(facts(show).join("\n")).wrap(Wrap { trim: true }).render(plan.facts, buffer);
    let status = Paragraph::new(status(show, scene)).alignment(Alignment::Center);
    status.style(Modifier::BOLD).render(plan.status, buffer);
    let hint = HINTS.iter().find(|hint| hint.len() <= plan.hints.width as usize);
    Paragraph::new(*hint.unwrap_or(&"")).alignment(Alignment::Center).render(plan.hints, buffer);
}

fn facts(show: &Show) -> Vec<String> {
    let game = &show.game;
    let mut facts = vec![
        format!("score {}", game.score()),
        format!("moves {}", game.record().plies.len()),
        format!("largest {}", game.board().max_tile()),
        format!("seed {}", show.seed),
    ];
    if show.over > 0 {
        facts.push(format!("games {}, best {}", show.over, show.best));
    }
    facts.push(show.name.clone());
    if let Some(Searched { depth, leaves }) = show.searched {
        facts.push(format!("depth {depth}, {leaves} judged"));
    }
    facts
}

fn status(show: &Show, scene: &Scene) -> String {
    match (show.game.board().is_over(), scene.paused, scene.speed) {
        (true, ..) => "game over".to_owned(),
        (_, true, _) => "paused".to_owned(),
        (_, _, 0) => "as fast as it can".to_owned(),
        (_, _, speed) => format!("{speed} moves a second"),
    }
}
