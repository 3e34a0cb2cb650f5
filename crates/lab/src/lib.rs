//! Measuring and comparing players of 2048.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use maxtile_game::Rules;
//! use maxtile_lab::{Agent, Setting, Until, Verdict, Watch, compare, evaluate};
//!
//! // An agent is made of its text; so are its relatives on the command line and in recipes.
//! let rules = Rules::default();
//! let greedy = Agent::parse("greedy(net=empties)", rules)?;
//! let random = Agent::parse("random", rules)?;
//!
//! // A hundred seeded games; the same numbers for any number of threads.
//! let setting = Setting { rules, seed: 1, threads: 2 };
//! let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
//! let result = evaluate(&random, &setting, Until::Games(100), false, &watch);
//! let summary = result.summary.expect("a hundred games");
//! assert!((900.0..1300.0).contains(&summary.scores.mean()));
//!
//! // Both play the same games, and no more than it takes to be sure.
//! let result = compare([&greedy, &random], &setting, 1000, &watch);
//! assert_eq!(result.verdict, Verdict::ABetter);
//! assert!(result.differences.count() < 1000);
//! # Ok::<(), maxtile_lab::AgentError>(())
//! ```
//!
//! This crate does not print, and reads no clock but to say how long something took.
//! docs/measuring.md explains how its numbers are made.

mod agent;
mod agents;
mod arguments;
mod asking;
mod catalog;
mod compare;
mod default_network;
mod distributions;
pub mod duel;
mod error;
mod evaluate;
mod exact;
mod exact_losses;
mod exact_play;
pub mod experiments;
mod figure;
mod files;
mod metrics;
mod nearest;
mod parse;
pub mod players;
mod plot;
pub mod protocol;
mod published;
pub mod review;
mod rounds;
mod seats;
mod sequential;
mod stats;
pub mod training;
mod tuple_figure;
mod tuple_study;
mod value;

pub use agent::{Argument, Call, Term};
pub use agents::AGENTS;
pub use arguments::Arguments;
pub use asking::ask;
pub use catalog::{Agent, AgentKind, Kind, Make, Parameter};
pub use compare::{Comparison, PairJudge, Verdict, compare};
pub use default_network::{DEFAULT_NETWORK, default_about, default_network};
pub use distributions::{normal_bound, normal_cdf, student_bound};
pub use error::{AgentError, AgentProblem};
pub use evaluate::{Evaluation, Until, evaluate};
pub use exact::{Exact, ExactPlayer, judge};
pub use exact_losses::{Corrected, Losses};
pub use exact_play::{Compared, against_exact};
pub use figure::{CurvePoint, Figure, Mark, Series};
pub use metrics::{Metrics, MetricsError, Progressed};
pub use nearest::nearest;
pub use plot::{PlotError, png, svg};
pub use published::{Against, COMPLETE, Complete, Found};
pub use rounds::{Progress, Setting, Watch};
pub use seats::player_random;
pub use sequential::{ALPHA, Design, Look};
pub use stats::{Moments, Played, Summary, TileRate};
pub use tuple_figure::{DrawnTuple, tuple_rows, tuples_svg};
pub use tuple_study::{Judged, Study, Trial};
pub use value::{AnyNetwork, BUILT_IN, BuiltIn, open_network, open_value};
