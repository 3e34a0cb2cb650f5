//! The numbers beside the board: score, best, moves, largest tile, seed.

use maxtile_game::SpawnLaw;
use ratatui::buffer::Buffer;
use ratatui::style::Stylize;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Widget};

use super::layout::{Panel, Plan};
use super::state::{State, seed_text};

/// Width of the longest label and a space.
const LABEL: usize = 9;

pub(super) fn draw(state: &State, plan: Plan, buffer: &mut Buffer) {
    let facts = facts(state);
    let text = match plan.panel {
        Panel::Wide => beside(state, &facts, plan.facts.width as usize),
        Panel::Narrow => facts.iter().take(5).flat_map(|(l, v)| [plain(l), bold(v)]).collect(),
        Panel::Above => above(&facts, plan.facts.width as usize),
    };
    Paragraph::new(text).render(plan.facts, buffer);
}

/// Label and number, the most wanted first.
fn facts(state: &State) -> Vec<(&'static str, String)> {
    let gain = match state.gain() {
        0 => String::new(),
        gain => format!(" +{gain}"),
    };
    let record = state.record();
    let mut facts = vec![
        ("score", format!("{}{gain}", state.score())),
        ("best", state.best().to_string()),
        ("moves", state.moves().to_string()),
        ("largest", state.board().max_tile().to_string()),
        ("seed", record.seed.map_or("none".to_owned(), seed_text)),
    ];
    if record.law != SpawnLaw::default() {
        facts.push(("4s", format!("{} %", record.law.p4() * 100.0)));
    }
    facts
}

fn beside<'a>(state: &State, facts: &'a [(&'a str, String)], width: usize) -> Text<'a> {
    let mut lines = vec![bold(&format!("Maxtile {}", state.board().shape())), Line::default()];
    for (label, value) in facts {
        let label = format!("{label:<LABEL$}");
        if LABEL + value.len() > width {
            // Only a seed of one's own is ever that long.
            lines.push(Line::raw(label));
            lines.push(bold(value));
        } else {
            lines.push(Line::from(vec![Span::raw(label), value.clone().bold()]));
        }
    }
    lines.into()
}

/// Running text, broken between facts only.
fn above(facts: &[(&str, String)], width: usize) -> Text<'static> {
    let mut lines = vec![String::new()];
    for (label, value) in facts {
        let fact = format!("{label} {value}");
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if line.is_empty() {
            *line = fact;
        } else if line.len() + 2 + fact.len() <= width {
            line.push_str("  ");
            line.push_str(&fact);
        } else {
            lines.push(fact);
        }
    }
    lines.into_iter().map(|line| Line::raw(line).centered()).collect()
}

fn plain(text: &str) -> Line<'static> {
    Line::raw(text.to_owned())
}

fn bold(text: &str) -> Line<'static> {
    plain(text).bold()
}
