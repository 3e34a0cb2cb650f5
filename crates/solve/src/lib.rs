//! Complete analysis of small boards.
mod aim;
mod analysis;
mod backward;
mod bits;
mod forward;
mod halves;
mod objective;
mod rank;
mod region;
mod slide;
mod space;
mod starts;
mod sweep;
mod threads;
mod unsafe_cpu;

pub use aim::{Aim, AimError};
pub use analysis::{Analysis, ScorePlay, Totals};
pub use region::{Cell, MAX_FREE, Region, RegionError};
pub use sweep::{LayerCount, Pass, Progress, Watch};
