//! The duel searched: alpha-beta over a pair of values, one for positions after a slide and one for
//! positions after a placement.

mod judging;
mod leaf_rule;
mod memory;
mod player;
mod plies;
mod points;
mod search;
mod tree;
mod values;

pub use judging::Judging;
pub use leaf_rule::{LeafRule, LeafRuleError};
pub use player::{Chance, Dial, Duelist};
pub use search::{Choice, DuelSearch, DuelSettings};
pub use tree::{MAX_DUEL_DEPTH, WHOLE_GAME};
pub use values::{Answered, DuelValue, Pair};
