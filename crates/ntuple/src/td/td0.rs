//! Gradient step with one rate for all weights: w += rate · error.

use super::{Rate, Step};
use crate::network::Network;

/// The plain TD step.
#[derive(Clone, Copy, Debug)]
pub struct Td {
    per_weight: f32,
}

impl Td {
    /// With this rate on this network.
    pub fn new(rate: Rate, network: &Network) -> Td {
        Td { per_weight: rate.per_weight(network.active()) }
    }
}

impl Step for Td {
    #[inline]
    fn learn(&self, network: &Network, active: &[u32], error: f32) {
        let change = self.per_weight * error;
        for &index in active {
            network.weights.set(index, network.weights.get(index) + change);
        }
    }
}
