//! Convolutional networks that judge positions of 2048: as data, as files, and run on the CPU.
//!
//! ```
//! use maxtile_neural::{Network, NetworkValue, Precision, Weights, named};
//! use maxtile_search::Value;
//!
//! let weights = Weights::new(named("cnn-tiny").unwrap(), 1).unwrap();
//! let value = NetworkValue::new(Network::new(&weights, Precision::Full)).unwrap();
//! let afterstate = "1200000000000000".parse().unwrap();
//! assert!(value.value(afterstate).is_finite());
//! ```
//!
//! [`Weights`] are a network's numbers in the order of its file, for whoever trains, saves or loads;
//! a [`Network`] is packed for play and runs boards in batches, in a [`Context`] of each thread and
//! without asking for memory; a [`NetworkValue`] is one that every search can be given; a
//! [`NetworkPolicy`] plays what a network prefers by itself; [`DuelNetworks`] are two, one for each side of a
//! duel.

mod cells;
mod duel;
mod file;
mod first;
mod geometry;
mod half;
mod kernels;
mod matrix;
mod named;
mod network;
mod patches;
mod policy;
mod portable;
mod spec;
#[cfg(target_arch = "x86_64")]
mod unsafe_avx2;
#[cfg(target_arch = "x86_64")]
mod unsafe_avx512;
mod value;
mod weights;

pub use cells::lit_planes;
pub use duel::{DuelNetworks, NotAPair};
pub use file::{About, Extra, FileError, about};
pub use kernels::Kernels;
pub use matrix::Precision;
pub use named::{NAMES, named};
pub use network::{Context, Network};
pub use policy::{NetworkPolicy, NoPreference};
pub use spec::{
    Extent, Head, Judges, Layer, MAX_OUTPUTS, NORM_EPSILON, Spec, SpecError, TensorKind, TensorSpec,
};
pub use value::{NetworkValue, NotAValue};
pub use weights::{Tensor, Weights};
