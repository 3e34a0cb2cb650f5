//! The family of temporal-difference rules, each from two small parts.
//!
//! A [`Step`] says how an error changes the active weights ([`Td`], [`Tc`], [`Autostep`]). A
//! [`Credit`] says which afterstate gets which error, and when ([`OneStep`], [`Delayed`],
//! [`Backward`], [`Forward`]). The trainer's loop knows neither: it tells the credit rule what was chosen and when the game is over.
//!
//! All error terms are for values of afterstates: with s' an afterstate, r the reward of the next
//! move and s'₊ the afterstate it leads to, the one-step error is r + V(s'₊) − V(s'), and 0 − V(s')
//! at the end of the game.

mod autostep;
mod backward;
mod delayed;
mod forward;
mod one_step;
mod rate;
mod tc;
mod td0;

pub use autostep::{Autostep, StepSizes};
pub use backward::Backward;
pub use delayed::Delayed;
pub use forward::Forward;
pub use one_step::OneStep;
pub use rate::{Rate, Schedule};
pub use tc::{Coherence, Tc};
pub use td0::Td;

use crate::network::Network;
use crate::plan::Octet;
use crate::unsafe_memory::Memory;

/// How an error changes the weights.
pub trait Step: Sync {
    /// Moves the active weights, given by their places, of an afterstate whose value was off by
    /// `error`. Only the network's own plan makes such places; they are not checked.
    fn learn(&self, network: &Network, active: &[u32], error: f32);

    /// Asks for what [`Step::learn`] will need besides the weights.
    fn prefetch(&self, _active: &[u32]) {}
}

/// What a step rule remembers of every weight, so that a file can hold it.
pub trait PerWeight: Sync {
    /// What its numbers are called.
    fn names(&self) -> &'static [&'static str];

    /// The numbers of all weights, those of one weight side by side.
    #[doc(hidden)]
    fn memory(&self) -> &Memory;

    /// One of the numbers of every weight of a table, in natural order.
    fn numbers(&self, network: &Network, table: usize, part: usize) -> Vec<f32> {
        let parts = self.names().len();
        assert!(part < parts, "there is no number {part}");
        assert_eq!(self.memory().len(), parts * network.plan.memory, "another network");
        let number = |place| self.memory().get(parts as u32 * place + part as u32);
        network.places(table).map(number).collect()
    }
}

/// An afterstate that the player chose.
pub struct Chosen<'a> {
    /// Its cells as the network reads them.
    pub word: u64,
    /// The reward of the move that led to it.
    pub reward: f32,
    /// Its value when it was chosen.
    pub value: f32,
    /// The places of its active weights.
    pub(crate) octets: &'a [Octet],
}

/// Which afterstate gets which error.
pub trait Credit: Sync {
    /// What is remembered during a game.
    type Trace: Default + Send;

    /// The player chose an afterstate.
    fn chosen<S: Step>(
        &self,
        trace: &mut Self::Trace,
        network: &Network,
        step: &S,
        chosen: Chosen<'_>,
    );

    /// The game is over; the trace is left empty for the next one.
    fn over<S: Step>(&self, trace: &mut Self::Trace, network: &Network, step: &S);
}

#[cfg(test)]
mod tests;
