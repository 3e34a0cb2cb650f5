//! The screen: a function of the state and the window.

use maxtile_game::Board;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph, Widget, Wrap};

use super::facts;
use super::keys::{KEYS, Mode};
use super::layout::{Cell, Plan};
use super::state::State;
use super::tiles;

/// The keys in one line, longest first; the first that fits is shown.
const HINTS: [&str; 4] = [
    "arrows WASD hjkl move   U undo   R new game   ? help   Q leave",
    "arrows move  U undo  R new  ? help  Q leave",
    "U undo  R new  ? help  Q leave",
    "? help",
];

pub(super) fn draw(frame: &mut Frame, state: &State, color: bool) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    let Some(plan) = Plan::of(state.board().shape(), area) else {
        let words = Paragraph::new("the window is too small").wrap(Wrap { trim: true });
        words.alignment(Alignment::Center).render(area, buffer);
        return;
    };
    draw_tiles(state.board(), state.newest(), plan, color, buffer);
    facts::draw(state, plan, buffer);
    let status = Paragraph::new(state.status()).wrap(Wrap { trim: true });
    let status = status.alignment(Alignment::Center).style(Modifier::BOLD);
    status.render(plan.status, buffer);
    let hint = HINTS.iter().find(|hint| hint.len() <= plan.hints.width as usize);
    let hint = Paragraph::new(*hint.unwrap_or(&"")).alignment(Alignment::Center);
    hint.render(plan.hints, buffer);
    if state.mode() == Mode::Help {
        draw_help(area, buffer);
    }
}

/// The board; the newest tile is marked.
pub(crate) fn draw_tiles(
    board: Board,
    newest: Option<usize>,
    plan: Plan,
    color: bool,
    buffer: &mut Buffer,
) {
    let shape = board.shape();
    if plan.cell.lines {
        draw_lines(plan.board, plan.cell, buffer);
    }
    for cell in 0..shape.cells() {
        let place = plan.cell.place(plan.board, cell / shape.cols(), cell % shape.cols());
        let text = match board.tile(cell) {
            0 if plan.cell.lines => String::new(),
            0 => "·".to_owned(),
            // Brackets, not a colour: they are seen in every terminal and by everyone.
            tile if newest == Some(cell) => format!("[{tile}]"),
            tile => tile.to_string(),
        };
        let style = match board.exponent(cell) {
            0 => Style::new(),
            exponent if color => tiles::style(exponent).add_modifier(Modifier::BOLD),
            _ => Style::new().add_modifier(Modifier::BOLD),
        };
        buffer.set_style(place, style);
        // A little to the right where there is no middle: so do most games.
        let x = place.x + (place.width + 1).saturating_sub(text.chars().count() as u16) / 2;
        buffer.set_string(x, place.y + place.height / 2, text, style);
    }
}

/// The lines between the cells.
fn draw_lines(board: Rect, cell: Cell, buffer: &mut Buffer) {
    for y in 0..board.height {
        for x in 0..board.width {
            let across = y % (cell.height + 1) == 0;
            let down = x % (cell.width + 1) == 0;
            let end = |at: u16, length: u16| usize::from(at > 0) + usize::from(at == length - 1);
            let symbol = match (across, down) {
                (true, true) => {
                    let row = end(y, board.height);
                    ["┌┬┐", "├┼┤", "└┴┘"][row].chars().nth(end(x, board.width)).unwrap_or('┼')
                }
                (true, false) => '─',
                (false, true) => '│',
                (false, false) => continue,
            };
            buffer[(board.x + x, board.y + y)]
                .set_char(symbol)
                .set_style(Style::new().add_modifier(Modifier::DIM));
        }
    }
}

fn draw_help(area: Rect, buffer: &mut Buffer) {
    let lines: Vec<Line> =
        KEYS.iter().map(|(keys, what)| Line::raw(format!(" {keys:<17}{what} "))).collect();
    let width = lines.iter().map(Line::width).max().unwrap_or(0) as u16 + 2;
    let height = lines.len() as u16 + 2;
    let x = area.x + area.width.saturating_sub(width) / 2;
    let y = area.y + area.height.saturating_sub(height) / 2;
    let place = Rect { x, y, width, height }.intersection(area);
    Clear.render(place, buffer);
    Paragraph::new(lines).block(Block::bordered().title(" keys ")).render(place, buffer);
}
