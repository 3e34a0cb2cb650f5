//! N-tuple networks: values that learn.
mod compact;
mod downgrade;
mod file;
mod named;
mod network;
mod packed;
mod plan;
mod spec;
pub mod td;
pub mod tdl;
mod trainer;
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

pub use compact::Compact;
pub use downgrade::downgraded;
pub use file::{About, FileError, Loaded, about, load};
pub use named::{NAMES, named};
pub use network::{Network, NetworkError};
pub use packed::{MAGIC, about_packed, is_packed, pack, packed_about};
pub use spec::{MAX_TUPLE, Spec, SpecError};
pub use trainer::{Block, Played, train};
