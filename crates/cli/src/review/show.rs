//! A review for people: the sums, and the worst moves.

use maxtile_lab::review::{Grade, Reviewed, Summary};

use crate::error::Stop;
use crate::eval::grouped;
use crate::output::Output;

pub(super) fn show(review: &Reviewed, out: &mut Output) -> Result<(), Stop> {
    let Reviewed { name, game, summary, .. } = review;
    let by = game.player.as_ref().map_or(String::new(), |who| format!(", player {who:?}"));
    out.text(format!(
        "{name}: {}{by}, {} moves, score {}, largest tile {}{}",
        game.rules.size,
        grouped(summary.moves as f64),
        grouped(summary.score.into()),
        summary.max_tile,
        if summary.over { ", over" } else { ", not over" },
    ))?;
    let kind = if summary.exact { "exact" } else { "estimates" };
    out.text(format!("  judged by {} ({kind})", summary.agent))?;
    let accuracy = summary.accuracy.map_or("-".to_owned(), |share| format!("{share:.1} %"));
    out.text(format!("  accuracy          {accuracy:>12}"))?;
    sums(summary, out)?;
    let count = |grade: &Grade| summary.grades.get(grade).copied().unwrap_or(0);
    let words = Grade::ALL.iter().map(|grade| format!("{} {}", grade.name(), count(grade)));
    let words: Vec<String> = words.collect();
    out.text(format!("  {}, forced {}", words.join(", "), summary.forced))?;
    worst(review, out)
}

/// The identity, as a sum that can be checked by hand.
fn sums(summary: &Summary, out: &mut Output) -> Result<(), Stop> {
    let mut rows = vec![
        ("value at the start", summary.start_value),
        ("- errors", -summary.errors),
        ("+ luck", summary.luck),
    ];
    if !summary.over {
        rows.push(("- still to come", -summary.remaining));
    }
    rows.push(("= score", f64::from(summary.score)));
    if summary.exact {
        // The noise of thousands of estimates adds up: only the truth can be asked this.
        rows.push(("at average luck", summary.without_luck));
    }
    for (name, points) in rows {
        // Adding 0 makes a negative zero positive.
        out.text(format!("  {name:<18}{:>12}", grouped((points * 10.0).round() / 10.0 + 0.0)))?;
    }
    Ok(())
}

fn worst(review: &Reviewed, out: &mut Output) -> Result<(), Stop> {
    let Reviewed { turns, summary, .. } = review;
    if summary.worst.is_empty() {
        return out.text("  every move was the best");
    }
    let width = turns.iter().map(|turn| turn.position.len()).max().unwrap_or(0).max(8);
    out.text(format!(
        "  {:>6} {:<width$} {:<6} {:<6} {:>9} {:>7}  grade",
        "move", "position", "played", "best", "error", "loss"
    ))?;
    for turn in summary.worst.iter().filter_map(|&turn| turns.get(turn)) {
        out.text(format!(
            "  {:>6} {:<width$} {:<6} {:<6} {:>9} {:>5.1} %  {}",
            turn.turn + 1,
            turn.position,
            turn.played,
            turn.best,
            grouped((turn.error * 10.0).round() / 10.0),
            100.0 * turn.loss,
            turn.grade.name(),
        ))?;
    }
    Ok(())
}
