//! Duels: agents on both sides, paired openings, squares of results that can be continued.

mod agent;
mod alphabeta;
mod contest;
mod exact;
mod oda;
mod results;

pub use agent::{DuelAgent, MakeDuelist};
pub(crate) use alphabeta::ALPHABETA;
pub use contest::{DuelGame, DuelJob, DuelSetting, opening, play_duel, play_jobs};
pub use exact::{ExactDuelist, exact_verdict};
pub use oda::{DuelExperiment, DuelRow, DuelScale, duel_figure, duel_rows};
pub use results::{Cell, DuelResults, ResultsError, role_difference};
