//! A human on one side of a duel, line by line: it works in every terminal and in pipes.

use std::fmt::Write as _;
use std::io::BufRead;

use maxtile_game::{Duel, Grid, Move, Phase, Random, Spawn, Tiles};
use maxtile_lab::duel::{DuelAgent, DuelSetting, opening};

use crate::Verdict;
use crate::error::{Stop, error, reason};
use crate::output::Output;

/// What was typed.
enum Typed {
    Ply(Wish),
    Undo,
    Quit,
    Nonsense,
}

#[derive(Clone, Copy)]
enum Wish {
    Slide(Move),
    Place(Spawn),
}

pub(super) fn play(
    agent: &DuelAgent,
    attacks: bool,
    setting: &DuelSetting,
    out: &mut Output,
) -> Result<Verdict, Stop> {
    let mut player = agent.player();
    let mut random = Random::stream(setting.seed, u64::MAX);
    let mut duel = opening(setting, 0);
    let begun = duel.plies().len();
    out.text(if attacks {
        "you attack: a cell by column and row like b3, then 2 or 4; u takes back, q leaves"
    } else {
        "you defend: u, d, l, r or up, down, left, right; back takes back, q leaves"
    })?;
    loop {
        let yours = match duel.phase() {
            Phase::Attack(afterstate, tiles) if !attacks => {
                let spawn = player.place(afterstate, tiles, &mut random);
                let placed = spawn.is_some_and(|spawn| duel.place(spawn).is_ok());
                if !placed {
                    return Err(error(format!("{} has no placement", agent.text())));
                }
                false
            }
            Phase::Defend(board) if attacks => {
                let mv = player.slide(board, &mut random);
                let Some(mv) = mv.filter(|mv| duel.slide(*mv).is_some()) else {
                    return Err(error(format!("{} has no slide", agent.text())));
                };
                out.text(format!("{} slides {mv}", agent.text()))?;
                false
            }
            Phase::Over(board) => {
                show(board.grid(), &duel, out)?;
                let (score, tile) = (duel.score(), board.max_tile());
                out.text(format!("over: {score} points, largest tile {tile}"))?;
                return Ok(Verdict::Done);
            }
            _ => true,
        };
        if yours && !turn(&mut duel, begun, attacks, out)? {
            return Ok(Verdict::Done);
        }
    }
}

/// The human's turn; `false` when he leaves.
fn turn(duel: &mut Duel, begun: usize, attacks: bool, out: &mut Output) -> Result<bool, Stop> {
    let (grid, tiles) = match duel.phase() {
        Phase::Attack(afterstate, tiles) => (afterstate.grid(), Some(tiles)),
        Phase::Defend(board) | Phase::Over(board) => (board.grid(), None),
    };
    show(grid, duel, out)?;
    loop {
        match read(grid, tiles, out)? {
            Typed::Quit => return Ok(false),
            Typed::Undo => {
                // Back to one's own turn before this one.
                let before = duel.plies().len();
                for _ in 0..2 {
                    if duel.plies().len() > begun {
                        duel.undo();
                    }
                }
                if duel.plies().len() < before {
                    return Ok(true);
                }
                out.talk("this is where the duel begins");
            }
            Typed::Ply(Wish::Slide(mv)) if !attacks => {
                if duel.slide(mv).is_some() {
                    return Ok(true);
                }
                out.talk(format!("{mv} changes nothing"));
            }
            Typed::Ply(Wish::Place(spawn)) if attacks => match duel.place(spawn) {
                Ok(()) => return Ok(true),
                Err(cause) => out.talk(cause),
            },
            _ => out.talk(if attacks { "a cell like b3, and 2 or 4" } else { "u, d, l or r" }),
        }
    }
}

fn read(grid: Grid, tiles: Option<Tiles>, out: &mut Output) -> Result<Typed, Stop> {
    out.flush()?;
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    let bytes = read.map_err(|cause| error(format!("the input: {}", reason(&cause))))?;
    // The end of the input is a way to leave.
    Ok(if bytes == 0 { Typed::Quit } else { typed(line.trim(), grid, tiles) })
}

fn typed(text: &str, grid: Grid, tiles: Option<Tiles>) -> Typed {
    match (text, tiles) {
        ("q" | "quit", _) => return Typed::Quit,
        ("back", _) | ("u", Some(_)) => return Typed::Undo,
        ("u", None) => return Typed::Ply(Wish::Slide(Move::Up)),
        ("d", None) => return Typed::Ply(Wish::Slide(Move::Down)),
        ("l", None) => return Typed::Ply(Wish::Slide(Move::Left)),
        ("r", None) => return Typed::Ply(Wish::Slide(Move::Right)),
        (name, None) => {
            return name.parse().map_or(Typed::Nonsense, |mv| Typed::Ply(Wish::Slide(mv)));
        }
        _ => {}
    }
    let mut words = text.split_whitespace();
    let cell = words.next().and_then(|word| cell_of(word, grid));
    let exponent = match (words.next(), tiles) {
        // Where there is no choice nothing need be said.
        (Some("2"), _) | (None, Some(Tiles::Two)) => Some(1),
        (Some("4"), _) | (None, Some(Tiles::Four)) => Some(2),
        _ => None,
    };
    match (cell, exponent, words.next()) {
        (Some(cell), Some(exponent), None) => Typed::Ply(Wish::Place(Spawn { cell, exponent })),
        _ => Typed::Nonsense,
    }
}

/// a1 is the upper left corner: a column's letter and a row's number.
fn cell_of(word: &str, grid: Grid) -> Option<u8> {
    let mut chars = word.chars();
    let column = (chars.next()?.to_ascii_lowercase() as usize).checked_sub('a' as usize)?;
    let row: usize = chars.as_str().parse().ok()?;
    let shape = grid.shape();
    let inside = column < shape.cols() && (1..=shape.rows()).contains(&row);
    inside.then(|| ((row - 1) * shape.cols() + column) as u8)
}

/// The board with names for its cells.
fn show(grid: Grid, duel: &Duel, out: &mut Output) -> Result<(), Stop> {
    let shape = grid.shape();
    let letters: String =
        (0..shape.cols()).map(|column| format!("{:>7}", char::from(b'a' + column as u8))).collect();
    out.text(format!("\n  {letters}"))?;
    for row in 0..shape.rows() {
        let mut line = format!("{:>2}", row + 1);
        for column in 0..shape.cols() {
            let tile = grid.tile(row * shape.cols() + column);
            let text = if tile == 0 { ".".to_owned() } else { tile.to_string() };
            let _ = write!(line, "{text:>7}");
        }
        out.text(line)?;
    }
    let turn = match duel.phase() {
        Phase::Attack(_, Tiles::Any) => ", a 2 or a 4 to be placed",
        Phase::Attack(_, Tiles::Two) => ", a 2 to be placed",
        Phase::Attack(_, Tiles::Four) => ", a 4 to be placed",
        Phase::Defend(_) | Phase::Over(_) => "",
    };
    out.text(format!("score {}{turn}", duel.score()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_by_letter_and_number() {
        let grid = Grid::empty("2x3".parse().unwrap());
        let cell = |word| cell_of(word, grid);
        assert_eq!([cell("a1"), cell("c1"), cell("A2"), cell("c2")], [0, 2, 3, 5].map(Some));
        assert_eq!([cell("d1"), cell("a3"), cell("a0"), cell(""), cell("é1")], [None; 5]);
    }

    #[test]
    fn what_is_typed() {
        let grid = Grid::empty("4x4".parse().unwrap());
        let place = |text, tiles| match typed(text, grid, Some(tiles)) {
            Typed::Ply(Wish::Place(Spawn { cell, exponent })) => Some((cell, exponent)),
            _ => None,
        };
        assert_eq!(place("b3 4", Tiles::Any), Some((9, 2)));
        assert_eq!(place("b3", Tiles::Any), None);
        assert_eq!(place("b3", Tiles::Four), Some((9, 2)));
        assert_eq!(place("b3 8", Tiles::Any), None);
        assert!(matches!(typed("left", grid, None), Typed::Ply(Wish::Slide(Move::Left))));
        assert!(matches!(typed("u", grid, Some(Tiles::Any)), Typed::Undo));
        assert!(matches!(typed("sideways", grid, None), Typed::Nonsense));
    }
}
