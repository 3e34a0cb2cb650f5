//! Decisions over any value function.
//!
//! A [`Value`] says what afterstates are worth; a [`Policy`] chooses moves, most of them by asking a
//! value. Both are asked about many positions at once: whoever plays several games side by side
//! hides the memory's latency and fills the machine's vectors.
//!
//! ```
//! use maxtile_game::{Afterstate, Random, Rules};
//! use maxtile_search::{Greedy, Policy, Query, Value};
//!
//! /// Likes empty cells.
//! struct Empties;
//! impl Value for Empties {
//!     fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
//!         for (afterstate, value) in afterstates.iter().zip(out) {
//!             *value = 100.0 * afterstate.empty_count() as f32;
//!         }
//!     }
//! }
//!
//! let rules = Rules::default();
//! let mut policy = Greedy::new(&Empties);
//! let mut random = Random::stream(1, 0);
//! let mut query = Query::new(rules.start(&mut random), Random::stream(1, 1));
//! let mut score = 0;
//! loop {
//!     policy.choose(std::slice::from_mut(&mut query));
//!     let Some(mv) = query.answer else { break };
//!     let (afterstate, reward) = query.board.slide(mv).expect("a policy answers legally");
//!     score += reward;
//!     query.board = rules.law.spawn(afterstate, &mut random);
//! }
//! assert!(score > 500);
//! ```

mod analysis;
mod clock;
mod corner;
mod deepening;
mod duel;
mod effort;
mod ensemble;
mod expansion;
mod expectimax;
mod greedy;
mod heuristic;
mod limits;
mod mcss;
mod parallel;
mod policy;
mod report;
mod table;
mod tree;
mod uniform;
mod unsafe_buckets;
mod value;

pub use clock::Clock;
pub use corner::{Corner, CornerRatio, likely_score, max_in_corner};
pub use duel::{
    Answered, Chance, Choice, Dial, DuelSearch, DuelSettings, DuelValue, Duelist, Judging,
    LeafRule, LeafRuleError, MAX_DUEL_DEPTH, Pair, WHOLE_GAME,
};
pub use effort::{MAX_DEPTH, TreeShape};
pub use ensemble::Ensemble;
pub use expectimax::{Expectimax, Found, Settings};
pub use greedy::Greedy;
pub use heuristic::{Heuristic, WEIGHTS, Weights};
pub use limits::Limits;
pub use mcss::{
    AtRoot, Decide, MOST as MOST_POSITIONS, Mcss, McssSettings, Rule, Seen, Select, Spawns,
};
pub use policy::{Policy, Query, Searched, Worths, best, weighed};
pub use report::{MoveReport, Report, Step};
pub use table::Table;
pub use tree::Counts;
pub use uniform::Uniform;
pub use value::Value;
