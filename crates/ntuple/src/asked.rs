//! Which weights a player asks for, so that a file can do without the others.

use std::sync::atomic::{AtomicU8, Ordering};

use maxtile_game::Afterstate;
use maxtile_search::Value;

use crate::compact::Compact;
use crate::network::{Network, NetworkError};

/// A network to play with that counts what it is asked for.
pub struct Asked {
    network: Compact,
    /// How often each weight was asked for, up to 255.
    times: Vec<AtomicU8>,
}

impl Asked {
    /// Nothing has been asked yet. It judges in steps, as the packed network will.
    pub fn of(network: &Network, step: f32) -> Result<Asked, NetworkError> {
        let network = Compact::of(network, step)?;
        let times = (0..network.plan.memory).map(|_| AtomicU8::new(0)).collect();
        Ok(Asked { network, times })
    }

    /// How often the weight at a place of a stage was asked for.
    pub(crate) fn times(&self, stage: usize, place: u32) -> u8 {
        self.times[(self.network.offset(stage) + place) as usize].load(Ordering::Relaxed)
    }

    fn count(&self, index: u32) {
        let times = &self.times[index as usize];
        let before = times.load(Ordering::Relaxed);
        // A count that two threads raise at once may be raised by one of them only.
        if before < u8::MAX {
            times.store(before + 1, Ordering::Relaxed);
        }
    }
}

impl Value for Asked {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        for &afterstate in afterstates {
            self.network.each_index(afterstate, |index| self.count(index));
        }
        self.network.values(afterstates, out);
    }

    fn symmetric(&self) -> bool {
        self.network.symmetric()
    }
}
