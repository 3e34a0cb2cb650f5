//! N-tuple networks: values that learn.
mod downgrade;
mod enumerate;
mod file;
mod named;
mod network;
mod parts;
mod plan;
mod spec;
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
pub use file::{About, FileError, Loaded, about, load};
pub use named::{NAMES, named};
pub use network::{Network, NetworkError};
pub use spec::{MAX_TUPLE, Spec, SpecError};
pub use trainer::{Block, Played, train};
