//! Temporal coherence (Beal & Smith; Jaśkowski 2017): each weight has its own rate, the share of
//! its errors that agreed in sign.
//!
//! With E the sum of a weight's errors and A the sum of their magnitudes:
//! w += rate · (|E| / A, or 1 while A = 0) · error; E += error; A += |error|.
//! A weight that is active twice on a symmetric board is updated twice, one after the other.

use std::io;

use super::{PerWeight, Rate, Step};
use crate::network::Network;
use crate::unsafe_memory::Memory;

/// The two sums of every weight of a network, side by side.
pub struct Coherence {
    pub(crate) sums: Memory,
}

impl Coherence {
    /// All sums 0.
    pub fn new(network: &Network) -> io::Result<Coherence> {
        Ok(Coherence { sums: Memory::zeroed(2 * network.plan.memory)? })
    }

    /// The sums of a tuple in natural order: signed, then absolute.
    pub fn table(&self, network: &Network, table: usize) -> (Vec<f32>, Vec<f32>) {
        let places = network.places(table);
        places.map(|place| (self.sums.get(2 * place), self.sums.get(2 * place + 1))).unzip()
    }

    /// Sets the sums of a tuple from natural order.
    pub fn set_table(&self, network: &Network, table: usize, signed: &[f32], absolute: &[f32]) {
        let places = network.places(table);
        for ((place, &signed), &absolute) in places.zip(signed).zip(absolute) {
            self.sums.set(2 * place, signed);
            self.sums.set(2 * place + 1, absolute);
        }
    }
}

impl Coherence {
    /// What its numbers are called in files.
    pub const NAMES: [&'static str; 2] = ["coherence.signed", "coherence.absolute"];
}

impl PerWeight for Coherence {
    fn names(&self) -> &'static [&'static str] {
        &Coherence::NAMES
    }

    fn memory(&self) -> &Memory {
        &self.sums
    }
}

/// The TC step.
pub struct Tc<'a> {
    per_weight: f32,
    coherence: &'a Coherence,
}

impl<'a> Tc<'a> {
    /// With this rate (β in the paper) on this network.
    pub fn new(rate: Rate, network: &Network, coherence: &'a Coherence) -> Tc<'a> {
        assert_eq!(coherence.sums.len(), 2 * network.plan.memory, "sums of another network");
        Tc { per_weight: rate.per_weight(network.active()), coherence }
    }
}

impl Step for Tc<'_> {
    #[inline]
    fn learn(&self, network: &Network, active: &[u32], error: f32) {
        let change = self.per_weight * error;
        let sums = &self.coherence.sums;
        for &index in active {
            let (signed, absolute) = (sums.get(2 * index), sums.get(2 * index + 1));
            let agreement = if absolute > 0.0 { signed.abs() / absolute } else { 1.0 };
            network.weights.set(index, network.weights.get(index) + agreement * change);
            sums.set(2 * index, signed + error);
            sums.set(2 * index + 1, absolute + error.abs());
        }
    }

    #[inline]
    fn prefetch(&self, active: &[u32]) {
        for &index in active {
            self.coherence.sums.prefetch(2 * index);
        }
    }
}
