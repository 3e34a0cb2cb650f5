//! The conversation with programs: questions about positions, and answers, as JSON objects.
//!
//! `query` reads a question, `answer` says what a search found, `desk` puts the two together. Who
//! carries the lines, standard input or a server, is not known here. docs/protocol.md is the
//! description for those who write the other side.

mod answer;
mod desk;
mod query;

pub use answer::{Answer, MoveAnswer, Refusal, SpawnAnswer, StepAnswer};
pub use desk::{DEFAULT_AGENT, Desk, Edition, Helper, Open, Reply, usual_agent};
pub use query::{BAD_ID, LimitFields, Query, good_id};
