//! A recorded game looked at again: what each move was worth, what it cost, and what luck did.
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::atomic::AtomicBool;
//!
//! use maxtile_game::{Game, GameSeed, Rules};
//! use maxtile_lab::Agent;
//! use maxtile_lab::review::{Judge, Line, Setting, review};
//!
//! // A careless game: always the first legal move.
//! let mut game = Game::new(Rules::default(), GameSeed { run: 7, index: 0 });
//! while let Some(mv) = game.board().legal_moves().nth(0) {
//!     game.play(mv);
//! }
//!
//! // Seen by an agent, line by line while the work goes on.
//! let judge = Judge::agent(&Agent::parse("greedy(net=empties)", Rules::default())?, None);
//! let setting = Setting { threads: 2, stop: &AtomicBool::new(false) };
//! let mut turns = 0;
//! let summary = review(game.record(), "json", &judge, setting, &mut |line| {
//!     turns += usize::from(matches!(line, Line::Turn(_)));
//!     ControlFlow::Continue(())
//! })?;
//! let summary = summary.expect("nobody stopped it");
//! assert_eq!(turns, game.record().plies.len());
//!
//! // Skill and luck make up the score, exactly.
//! let explained = summary.start_value - summary.errors + summary.luck - summary.remaining;
//! assert!((f64::from(summary.score) - explained).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With A(s, a) what the judge says a move is worth, its reward included, and V(s) the largest A of
//! a position, 0 where no move is left: the *error* of a move is V(s) − A(s, played), the *luck* of
//! the tile after it is reward + V(next) − A(s, played). The sum over a game telescopes, so for any
//! judge
//!
//! score = V(start) − Σ errors + Σ luck − V(last),
//!
//! in which V(last) is 0 for a game that was played to its end. docs/review.md says more.

mod drill;
mod grade;
mod graph;
mod judge;
mod line;
mod page;
mod stream;
mod tally;
mod turn;

pub use grade::{Grade, Graded, accuracy, grade};
pub use judge::{Judge, Judged, JudgedMove};
pub use line::{GameLine, Line, MoveLine, ProgressLine, RulesLine, Summary, TurnLine};
pub use page::{Reviewed, page};
pub use stream::{ReviewError, Setting, review};
