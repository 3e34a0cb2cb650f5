//! N-tuple networks: values that learn.
mod downgrade;
mod file;
mod named;
mod network;
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

#[cfg(target_arch = "x86_64")]
pub(crate) use unsafe_avx2::with_avx2;

/// Other processors have nothing to ask for.
#[cfg(not(target_arch = "x86_64"))]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

pub use downgrade::downgraded;
pub use file::{About, FileError, Loaded, about, load};
pub use named::{NAMES, named};
pub use network::{Network, NetworkError};
pub use spec::{MAX_TUPLE, Spec, SpecError};
pub use trainer::{Block, Played, train};
