//! Complete analysis of small 2048 boards: every reachable state and its exact value.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use maxtile_solve::{Aim, Analysis, Region, Watch};
//!
//! // Every state of 2×3, up to symmetry.
//! let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
//! let region: Region = "2x3".parse()?;
//! let analysis = Analysis::new(&region, None, true, 1, watch).expect("nobody stops it");
//! assert_eq!(analysis.totals().states, 21_752);
//!
//! // What the best play gets: by chance, and against the worst spawns.
//! let score = analysis.value(Aim::Score, 0.1, watch).expect("nobody stops it");
//! assert_eq!(format!("{score:.6}"), "480.258272");
//! assert_eq!(analysis.value(Aim::Hostile, 0.1, watch), Some(40.0));
//! # Ok::<(), maxtile_solve::RegionError>(())
//! ```
//!
//! [`Analysis`] works in memory, [`build`] into a file that can be continued, [`Table`] answers
//! questions about a solved board. docs/solving.md explains the method. This crate does not print.

mod aim;
mod analysis;
mod backward;
mod bits;
mod build;
mod distribution;
mod error;
mod format;
mod forward;
mod halves;
mod judge;
mod layouts;
mod objective;
mod own_play;
mod published;
mod query;
mod rank;
mod region;
mod slide;
mod space;
mod starts;
mod storage;
mod sweep;
mod table;
mod threads;
mod unsafe_cpu;
mod unsafe_map;
mod visits;

pub use aim::{Aim, AimError};
pub use analysis::{Analysis, ScorePlay, Totals};
pub use build::{Problem, build, part_of};
pub use distribution::{Bars, Distribution};
pub use error::TableError;
pub use format::Header;
pub use judge::{Asked, Choice, Chooser, Decisions, Judgement};
pub use published::LAYERS_4X3;
pub use query::{Answer, MoveAnswer, SpawnAnswer};
pub use region::{Cell, MAX_FREE, Region, RegionError};
pub use sweep::{LayerCount, Pass, Progress, Watch};
pub use table::Table;
pub use visits::{Visited, Visits};
