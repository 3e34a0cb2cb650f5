//! What fits where: the largest board and the best place for the numbers in a window.

use maxtile_game::Shape;
use ratatui::layout::Rect;

/// How a cell is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) width: u16,
    pub(crate) height: u16,
    /// With lines between the cells, or a gap only.
    pub(crate) lines: bool,
}

/// Where the numbers stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Panel {
    /// Beside the board, a line each.
    Wide,
    /// Beside the board, label and number on two lines.
    Narrow,
    /// Above the board in running text.
    Above,
}

/// The places of everything in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) cell: Cell,
    pub(crate) panel: Panel,
    pub(crate) board: Rect,
    pub(crate) facts: Rect,
    pub(crate) status: Rect,
    pub(crate) hints: Rect,
}

/// Six large cells and this make eighty columns.
const WIDE: u16 = 22;
/// Six digits and a gain of four.
const NARROW: u16 = 10;
/// Title, an empty line, six facts.
const WIDE_LINES: u16 = 8;
/// Label and number of five facts.
const NARROW_LINES: u16 = 10;
/// Narrower windows have no room for a word on the state of the game.
const LEAST_WIDTH: u16 = 16;

impl Plan {
    /// The best plan for a board in this window; `None` when the window is too small.
    pub(crate) fn of(shape: Shape, area: Rect) -> Option<Plan> {
        let cells = Cell::sizes(shape);
        let panels = [Panel::Wide, Panel::Narrow, Panel::Above];
        let mut plans = cells.iter().flat_map(|&cell| panels.map(|panel| (cell, panel)));
        plans.find_map(|(cell, panel)| Plan::with(shape, cell, panel, area))
    }

    fn with(shape: Shape, cell: Cell, panel: Panel, area: Rect) -> Option<Plan> {
        let (board_width, board_height) = cell.board(shape);
        let (gap, facts_width) = match panel {
            Panel::Wide => (3, WIDE),
            Panel::Narrow => (1, NARROW),
            Panel::Above => (0, 0),
        };
        let width = board_width + gap + facts_width;
        // A board without lines is the last resort, where everything else gives way too.
        let last_resort = panel == Panel::Above && !cell.lines;
        let least_facts = match panel {
            Panel::Wide => WIDE_LINES,
            Panel::Narrow => NARROW_LINES,
            Panel::Above => 2 - u16::from(last_resort),
        };
        let body = match panel {
            Panel::Above => board_height + least_facts,
            Panel::Wide | Panel::Narrow => board_height.max(least_facts),
        };
        // The status needs a line in any case; what the hints say, `?` says too.
        let hints = u16::from(!last_resort || area.height > body + 1);
        let mut spare = area.height.checked_sub(body + 1 + hints)?;
        if area.width < width.max(LEAST_WIDTH) {
            return None;
        }
        let mut take = |wanted: u16| {
            let taken = wanted.min(spare);
            spare -= taken;
            taken
        };
        let more_facts = if panel == Panel::Above { take(3 - least_facts) } else { 0 };
        let more_status = take(1);
        let air = take(1);
        let top = area.y + spare / 2;
        let left = area.x + (area.width - width) / 2;
        let line = |y, height| Rect { x: area.x, y, width: area.width, height };
        let (board_top, facts) = match panel {
            Panel::Above => {
                let facts = line(top, least_facts + more_facts);
                (facts.bottom(), facts)
            }
            Panel::Wide | Panel::Narrow => {
                let x = left + board_width + gap;
                (top, Rect { x, y: top, width: facts_width, height: body })
            }
        };
        let board = Rect { x: left, y: board_top, width: board_width, height: board_height };
        let status = line(top + body + more_facts + air, 1 + more_status);
        let hints = line(status.bottom(), hints);
        Some(Plan { cell, panel, board, facts, status, hints })
    }
}

impl Cell {
    /// The ways to draw a cell of this board, largest first.
    fn sizes(shape: Shape) -> [Cell; 4] {
        // The longest number, or a new tile in its brackets.
        let digits = (1u32 << shape.max_exponent()).ilog10() as u16 + 1;
        let width = digits.max(3);
        [
            Cell { width: width.max(6) + 2, height: 3, lines: true },
            Cell { width: width.max(6), height: 1, lines: true },
            Cell { width, height: 1, lines: true },
            Cell { width, height: 1, lines: false },
        ]
    }

    /// Width and height of a whole board.
    fn board(self, shape: Shape) -> (u16, u16) {
        let (cols, rows) = (shape.cols() as u16, shape.rows() as u16);
        if self.lines {
            (cols * (self.width + 1) + 1, rows * (self.height + 1) + 1)
        } else {
            (cols * (self.width + 1) - 1, rows * self.height)
        }
    }

    /// The place of a cell on a board that is drawn there.
    pub(crate) fn place(self, board: Rect, row: usize, col: usize) -> Rect {
        let line = u16::from(self.lines);
        Rect {
            x: board.x + line + col as u16 * (self.width + 1),
            y: board.y + line + row as u16 * (self.height + line),
            width: self.width,
            height: self.height,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_lies_within_the_window_and_nothing_overlaps() {
        for shape in Shape::all() {
            for (width, height) in (0..90).flat_map(|w| (0..40).map(move |h| (w, h))) {
                let area = Rect { x: 0, y: 0, width, height };
                let Some(plan) = Plan::of(shape, area) else { continue };
                let parts = [plan.board, plan.facts, plan.status, plan.hints];
                for (index, part) in parts.iter().enumerate() {
                    assert_eq!(part.intersection(area), *part, "{shape} {area} {plan:?}");
                    for other in &parts[index + 1..] {
                        assert!(!part.intersects(*other), "{shape} {area} {plan:?}");
                    }
                }
                let last = plan.cell.place(plan.board, shape.rows() - 1, shape.cols() - 1);
                assert_eq!(last.intersection(plan.board), last);
            }
        }
    }

    #[test]
    fn every_board_fits_the_usual_window_with_all_numbers_beside_it() {
        for shape in Shape::all() {
            let plan = Plan::of(shape, Rect::new(0, 0, 80, 24)).expect("a plan");
            assert_eq!(plan.panel, Panel::Wide, "{shape}");
            assert!(plan.cell.lines);
        }
    }

    #[test]
    fn every_board_fits_a_small_window() {
        for shape in Shape::all() {
            assert!(Plan::of(shape, Rect::new(0, 0, 30, 8)).is_some(), "{shape}");
        }
    }
}
