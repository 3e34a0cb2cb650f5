//! Reviews as a page that needs nothing else: no script, no style sheet, no picture from elsewhere.

use std::fmt::Write as _;

use maxtile_game::Board;

use super::grade::Grade;
use super::graph::graph;
use super::line::{GameLine, Summary, TurnLine};

/// A game that was reviewed.
#[derive(Clone, Debug, PartialEq)]
pub struct Reviewed {
    /// What it is called.
    pub name: String,
    /// The game.
    pub game: GameLine,
    /// Its turns.
    pub turns: Vec<TurnLine>,
    /// All of them together.
    pub summary: Summary,
}

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#222;--pale:#ddd;--paper:#fff;--score:#0072b2;--expected:#009e73;\
--inaccuracy:#b58900;--mistake:#d55e00;--blunder:#b0003a}
@media (prefers-color-scheme:dark){:root{--ink:#eee;--pale:#444;--paper:#181818;--score:#56b4e9;\
--expected:#4bd0a0;--inaccuracy:#f0c040;--mistake:#ff9050;--blunder:#ff6080}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:62rem;\
margin:0 auto;padding:1rem}
table{border-collapse:collapse}
th,td{padding:.15rem .6rem;text-align:right;border-bottom:1px solid var(--pale)}
th:first-child,td.word{text-align:left}
svg{width:100%;height:auto}
svg text{fill:var(--ink);font-size:12px}
polyline{fill:none;stroke-width:1.5}
.grid{stroke:var(--pale)}.phase{stroke:var(--pale);stroke-dasharray:3 3}
polyline.score{stroke:var(--score)}polyline.expected{stroke:var(--expected)}
circle.mistake{fill:var(--mistake)}circle.blunder{fill:var(--blunder)}
.key-score{color:var(--score)}.key-expected{color:var(--expected)}
td.inaccuracy{color:var(--inaccuracy)}td.mistake{color:var(--mistake)}td.blunder{color:var(--blunder)}
.cards{display:flex;flex-wrap:wrap;gap:1rem}.card{border:1px solid var(--pale);padding:.6rem}
.board td{border:1px solid var(--pale);width:2.6rem;height:2rem;text-align:center;padding:0;\
font-size:.8rem}
.wide{overflow-x:auto}";

/// The page. Its bytes depend on the reviews alone.
pub fn page(reviews: &[Reviewed]) -> String {
    let mut html = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Maxtile: review</title>\n<style>\n",
    );
    html.push_str(STYLE);
    html.push_str("\n</style>\n</head>\n<body>\n<h1>Review</h1>\n");
    for review in reviews {
        section(review, &mut html);
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn section(review: &Reviewed, html: &mut String) {
    let Reviewed { name, game, turns, summary } = review;
    let by = game.player.as_ref().map_or(String::new(), |who| format!(" by {}", escaped(who)));
    let end = if summary.over { "played to its end" } else { "not finished" };
    let kind = if summary.exact { "exact values" } else { "estimates" };
    let _ = writeln!(
        html,
        "<section>\n<h2>{}{by}</h2>\n<p>{} board, {} moves, score {}, largest tile {}, {end}. \
         Judged by {}: {kind}.</p>",
        escaped(name),
        game.rules.size,
        summary.moves,
        summary.score,
        summary.max_tile,
        escaped(&summary.agent),
    );
    totals(summary, html);
    html.push_str(
        "<p><span class=\"key-score\">score</span> · <span class=\"key-expected\">score to be \
         expected</span> · dots: mistakes and blunders · dashed: a new largest tile</p>\n",
    );
    html.push_str(&graph(turns, summary));
    worst(turns, summary, html);
    let _ = writeln!(html, "<details>\n<summary>All {} moves</summary>", summary.moves);
    table(turns, html);
    html.push_str("</details>\n</section>\n");
}

fn totals(summary: &Summary, html: &mut String) {
    let accuracy = summary.accuracy.map_or("–".to_owned(), |share| format!("{share:.1} %"));
    html.push_str("<div class=\"wide\"><table>\n<tr><th>accuracy");
    for grade in Grade::ALL {
        let _ = write!(html, "<th>{}", grade.name());
    }
    let _ = write!(html, "<th>forced</tr>\n<tr><td class=\"word\">{accuracy}");
    for grade in Grade::ALL {
        let count = summary.grades.get(&grade).copied().unwrap_or(0);
        let _ = write!(html, "<td>{count}");
    }
    let _ = writeln!(html, "<td>{}</tr>\n</table></div>", summary.forced);
    let rest = if summary.over {
        String::new()
    } else {
        format!(" − {:.1} still to come", summary.remaining)
    };
    // The noise of thousands of estimates adds up: only the truth can be asked this.
    let worth = if summary.exact {
        format!(" At average luck this play is worth {:.1}.", summary.without_luck)
    } else {
        String::new()
    };
    let _ = writeln!(
        html,
        "<p>{} points = {:.1} to be expected at the start − {:.1} lost by errors {} {:.1} by \
         luck{rest}.{worth}</p>",
        summary.score,
        summary.start_value,
        summary.errors,
        if summary.luck < 0.0 { '−' } else { '+' },
        summary.luck.abs(),
    );
}

fn worst(turns: &[TurnLine], summary: &Summary, html: &mut String) {
    if summary.worst.is_empty() {
        html.push_str("<p>Every move was the best.</p>\n");
        return;
    }
    html.push_str("<h3>The worst moves</h3>\n<div class=\"cards\">\n");
    for turn in summary.worst.iter().filter_map(|&turn| turns.get(turn)) {
        html.push_str("<div class=\"card\">");
        board(&turn.position, html);
        let _ = writeln!(
            html,
            "<p>move {}: <b>{}</b>, a {}<br>better: <b>{}</b><br>cost {:.1} points</p></div>",
            turn.turn + 1,
            turn.played,
            turn.grade.name(),
            turn.accepted.join(" or "),
            turn.error,
        );
    }
    html.push_str("</div>\n");
}

fn board(position: &str, html: &mut String) {
    let Ok(board) = position.parse::<Board>() else { return };
    let shape = board.shape();
    html.push_str("<table class=\"board\">");
    for row in 0..shape.rows() {
        html.push_str("<tr>");
        for col in 0..shape.cols() {
            let _ = match board.tile(row * shape.cols() + col) {
                0 => write!(html, "<td>"),
                tile => write!(html, "<td>{tile}"),
            };
        }
    }
    html.push_str("</table>");
}

fn table(turns: &[TurnLine], html: &mut String) {
    html.push_str(
        "<div class=\"wide\"><table>\n<tr><th>move<th>position<th>score<th>value<th>played\
         <th>best<th>error<th>luck<th>grade</tr>\n",
    );
    for turn in turns {
        let _ = writeln!(
            html,
            "<tr><td>{}<td class=\"word\"><code>{}</code><td>{}<td>{:.1}<td class=\"word\">{}\
             <td class=\"word\">{}<td>{:.1}<td>{:.1}<td class=\"word {}\">{}",
            turn.turn + 1,
            turn.position,
            turn.score,
            turn.value,
            turn.played,
            turn.best,
            turn.error,
            turn.luck,
            turn.grade.name(),
            if turn.forced { "forced" } else { turn.grade.name() },
        );
    }
    html.push_str("</table></div>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
