//! Why training cannot go on.

use std::fmt;

/// Why training cannot begin or go on.
#[derive(Clone, Debug, PartialEq)]
pub enum TrainError {
    /// The program has no code for this device.
    NotBuiltFor(&'static str),
    /// The network lacks a head that the method needs.
    NoHead(&'static str),
    /// The device failed, or there is none.
    Device(String),
    /// Numbers of the network are none any more.
    NotFinite(String),
    /// Something is not a number any more, or larger than it can honestly be.
    Exploded {
        /// What.
        what: &'static str,
        /// Its size.
        size: f64,
        /// After so many steps of the optimiser.
        steps: u64,
    },
    /// What a checkpoint holds does not belong to this network.
    Checkpoint(String),
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrainError::NotBuiltFor(device) => {
                write!(f, "this program was built without the device {device}")
            }
            TrainError::NoHead(head) => write!(f, "the network has no {head}"),
            TrainError::Device(why) => write!(f, "the device failed: {why}"),
            TrainError::Exploded { what, size, steps } => write!(
                f,
                "learning has exploded: {what} is {size:.3e} after {steps} steps; checkpoints from before are \
                 kept, try a smaller rate or a larger value-scale"
            ),
            TrainError::NotFinite(why) | TrainError::Checkpoint(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for TrainError {}
