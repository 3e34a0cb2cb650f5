//! Autostep (Mahmood et al. 2012; Jaśkowski 2017): each weight has its own rate, which follows the
//! correlation of its errors.
//!
//! With rate α, a trace h of the weight's recent changes and a running maximum v of |error · h|,
//! meta-rate μ and time constant τ:
//!
//! ```text
//! x = |d h| ;  v = max(x, v + τ α (x − v)) ;  α = α exp(μ d h / v)   where v ≠ 0
//! M = Σ α over the active weights ;  α = α / M for all of them       where M > 1
//! w = w + α d ;  h = h (1 − α) + α d
//! ```
//!
//! All numbers of a lesson are read before any is written: of a weight that is active twice on a
//! symmetric board the last copy stays, while the weight itself takes both changes.

use std::cell::RefCell;
use std::io;

use super::{PerWeight, Rate, Step};
use crate::network::Network;
use crate::unsafe_memory::Memory;

/// The time constant of the paper.
const TAU: f32 = 1e-4;

/// Rate, trace and maximum of every weight of a network, side by side.
pub struct StepSizes {
    numbers: Memory,
}

impl StepSizes {
    /// All rates at their start, all traces 0.
    pub fn new(network: &Network) -> io::Result<StepSizes> {
        let length = 3 * network.plan.memory;
        if u32::try_from(length).is_err() {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        Ok(StepSizes { numbers: Memory::zeroed(length)? })
    }

    fn read(&self, index: u32) -> [f32; 3] {
        [0, 1, 2].map(|part| self.numbers.get(3 * index + part))
    }

    fn write(&self, index: u32, numbers: [f32; 3]) {
        for (part, number) in (0..).zip(numbers) {
            self.numbers.set(3 * index + part, number);
        }
    }
}

impl PerWeight for StepSizes {
    fn names(&self) -> &'static [&'static str] {
        &StepSizes::NAMES
    }

    fn memory(&self) -> &Memory {
        &self.numbers
    }
}

impl StepSizes {
    /// What its numbers are called in files.
    pub const NAMES: [&'static str; 3] = ["autostep.rate", "autostep.trace", "autostep.maximum"];
}

/// The Autostep step.
pub struct Autostep<'a> {
    /// The rate of a weight that has not learned yet.
    start: f32,
    meta: f32,
    sizes: &'a StepSizes,
}

impl<'a> Autostep<'a> {
    /// With this rate at the start (the paper's is 1, distributed) and this meta-rate μ.
    pub fn new(rate: Rate, meta: f64, network: &Network, sizes: &'a StepSizes) -> Autostep<'a> {
        assert_eq!(sizes.numbers.len(), 3 * network.plan.memory, "rates of another network");
        Autostep { start: rate.per_weight(network.active()), meta: meta as f32, sizes }
    }
}

impl Step for Autostep<'_> {
    fn learn(&self, network: &Network, active: &[u32], error: f32) {
        thread_local! {
            static LESSON: RefCell<Vec<(u32, [f32; 3])>> = const { RefCell::new(Vec::new()) };
        }
        LESSON.with_borrow_mut(|lesson| {
            lesson.clear();
            let mut sum = 0.0;
            for &index in active {
                let [mut rate, trace, mut maximum] = self.sizes.read(index);
                // Rates are positive; zeroed memory is one that has not been used.
                if rate == 0.0 {
                    rate = self.start;
                }
                let now = error * trace;
                maximum = now.abs().max(maximum + TAU * rate * (now.abs() - maximum));
                if maximum != 0.0 {
                    rate = (rate * (self.meta * now / maximum).exp()).max(f32::MIN_POSITIVE);
                }
                sum += rate;
                lesson.push((index, [rate, trace, maximum]));
            }
            let share = if sum > 1.0 { sum.recip() } else { 1.0 };
            for &(index, [rate, trace, maximum]) in &*lesson {
                let rate = rate * share;
                network.weights.set(index, network.weights.get(index) + rate * error);
                let trace = trace * (1.0 - rate) + rate * error;
                self.sizes.write(index, [rate, trace, maximum]);
            }
        });
    }

    #[inline]
    fn prefetch(&self, active: &[u32]) {
        for &index in active {
            self.sizes.numbers.prefetch(3 * index);
        }
    }
}
