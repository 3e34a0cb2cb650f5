//! Experiments: a paper's runs as data, what came of them, and the page that says so.
//!
//! An experiment is a TOML file: arms (recipes), scales (how long, how many seeds), published
//! numbers, and claims (which arm is better than which). Every arm runs with every seed; what is
//! done is kept as lines of JSON beside the page, so that only what is missing runs and a page can
//! be written again without running anything.

mod corner_tables;
mod curves;
mod describe;
mod estimates;
mod judge;
mod page;
mod ranking;
mod results;
mod runner;
mod tile_table;

pub use curves::figures;
pub use describe::{
    Arm, Claim, ClaimKind, Experiment, ExperimentError, NAMED_EXPERIMENTS, Optimum, Published,
    Scale, Utility,
};
pub use judge::{Row, Verdict, rows};
pub use page::{page, page_name};
pub use ranking::{StudyScale, ranking_section, ranking_svg, read_trials, run_study};
pub use results::{Point, Results, RunResult};
pub use runner::{RunProgress, Runner};
