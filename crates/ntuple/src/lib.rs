//! N-tuple networks: values that learn.
mod asked;
mod compact;
pub mod course;
mod downgrade;
mod duel;
mod enumerate;
mod features;
mod file;
mod later;
mod named;
mod network;
mod packed;
mod parts;
mod plan;
mod side_by_side;
mod spec;
mod splits;
mod staged;
mod stages;
mod state_learning;
mod statistics;
pub mod td;
pub mod tdl;
mod trainer;
mod tree_learning;
#[cfg(target_arch = "x86_64")]
mod unsafe_avx2;
#[cfg(target_arch = "x86_64")]
mod unsafe_gather;
#[cfg(target_arch = "x86_64")]
mod unsafe_gather16;
mod unsafe_map;
mod unsafe_memory;
mod unsafe_shorts;
#[cfg(target_arch = "x86_64")]
mod unsafe_sum512;

#[cfg(target_arch = "x86_64")]
pub(crate) use unsafe_avx2::with_avx2;

/// Other processors have nothing to ask for.
#[cfg(not(target_arch = "x86_64"))]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

pub use asked::Asked;
pub use compact::Compact;
pub use downgrade::downgraded;
pub use duel::{DuelBlock, DuelNetwork, Learns, learn_duels};
pub use enumerate::{canonical, enumerate};
pub use features::Feature;
pub use file::{About, FileError, Loaded, about, load};
pub use named::{NAMES, named};
pub use network::{Network, NetworkError};
pub use packed::{MAGIC, Packing, about_packed, is_packed, pack, packed_about};
pub use spec::{Judges, MAX_TUPLE, Spec, SpecError};
pub use stages::{MAX_STAGES, Stages, StagesError};
pub use state_learning::learn_states;
pub use statistics::{Learned, TableStatistics, statistics, statistics_of};
pub use trainer::{Block, Played, train};
pub use tree_learning::{TreeCourse, TreeGame, TreeTargets, learn_trees};
