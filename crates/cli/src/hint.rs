//! `maxtile hint`: what the moves of a position are worth.

use maxtile_game::Rules;
use maxtile_lab::protocol::{Answer, MoveAnswer, usual_agent};
use serde::Serialize;

use crate::Verdict;
use crate::args::Hint;
use crate::error::{Stop, error};
use crate::eval::{agent, grouped};
use crate::output::Output;

#[derive(Serialize)]
struct Line<'a> {
    r#type: &'static str,
    agent: &'a str,
    #[serde(flatten)]
    answer: &'a Answer,
}

pub(crate) fn run(args: &Hint, out: &mut Output) -> Result<Verdict, Stop> {
    let board = args.position;
    let rules = Rules { shape: board.shape(), law: args.p4 };
    let agent = agent(args.agent.as_deref().unwrap_or(usual_agent(rules.shape)), rules)?;
    let answer = if board.is_over() {
        Answer::over(board)
    } else {
        let report = agent.policy().explain(board, None);
        let report =
            report.ok_or_else(|| error(format!("{} does not weigh moves", agent.text())))?;
        Answer::of(&report)
    };
    out.text(board.drawn())?;
    if answer.moves.is_empty() {
        out.text("no move is left")?;
    } else {
        out.text(format!("{:<6} {:>10} {:>8} {:>9}  line", "move", "value", "reward", "spread"))?;
    }
    for entry in &answer.moves {
        out.text(row(entry))?;
    }
    let kind = if answer.exact { "exact" } else { "estimates" };
    out.text(format!(
        "{kind} by {}: {} plies, {} positions judged in {} ms",
        agent.text(),
        answer.depth,
        grouped(answer.leaves as f64),
        grouped(answer.ms)
    ))?;
    out.object(&Line { r#type: "hint", agent: agent.text(), answer: &answer })?;
    Ok(Verdict::Done)
}

fn row(entry: &MoveAnswer) -> String {
    let spread = entry.spread.map_or("-".to_owned(), |spread| grouped(spread.round()));
    let steps: Vec<String> = entry
        .line
        .iter()
        .map(|step| match step.spawn {
            Some([cell, exponent]) => format!("{} {}@{cell}", step.r#move, 1u32 << exponent),
            None => step.r#move.to_owned(),
        })
        .collect();
    let (name, value) = (entry.r#move, grouped(entry.value.round()));
    format!(
        "{name:<6} {value:>10} {:>8} {spread:>9}  {}",
        grouped(entry.reward.into()),
        steps.join(" ")
    )
}
