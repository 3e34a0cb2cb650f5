//! N-tuple networks: values that learn.
pub mod course;
mod downgrade;
mod enumerate;
mod features;
mod file;
mod named;
mod network;
mod parts;
mod plan;
mod spec;
mod staged;
mod stages;
mod state_learning;
pub mod td;
pub mod tdl;
mod trainer;
#[cfg(target_arch = "x86_64")]
mod unsafe_avx2;
#[cfg(target_arch = "x86_64")]
mod unsafe_gather;
mod unsafe_map;
mod unsafe_memory;

pub use downgrade::downgraded;
pub use enumerate::{canonical, enumerate};
pub use features::Feature;
pub use file::{About, FileError, Loaded, about, load};
pub use named::{NAMES, named};
pub use network::{Network, NetworkError};
pub use spec::{Judges, MAX_TUPLE, Spec, SpecError};
pub use stages::{MAX_STAGES, Stages, StagesError};
pub use state_learning::learn_states;
pub use trainer::{Block, Played, train};
