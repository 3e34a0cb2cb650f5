//! N-tuple networks: values that learn.
mod downgrade;
mod named;
mod plan;
mod spec;
#[cfg(target_arch = "x86_64")]
mod unsafe_avx2;
mod unsafe_memory;

pub use downgrade::downgraded;
pub use named::{NAMES, named};
pub use spec::{MAX_TUPLE, Spec, SpecError};
