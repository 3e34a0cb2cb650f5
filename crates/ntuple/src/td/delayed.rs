//! Delayed TD(λ) and TC(λ) (Jaśkowski 2017): an afterstate learns once, from the next few errors.
//!
//! The error of each move is put into a queue of h = max(1, ⌈ln 0.1 / ln λ⌉) places together
//! with its afterstate. When the queue is full, the oldest afterstate learns
//! D = d₀ + λ d₁ + λ² d₂ + …, the errors being those computed when they arose. At the end of the
//! game the rest is learned with the shorter sums.

use std::collections::VecDeque;

use super::{Chosen, Credit, Step};
use crate::network::Network;
use crate::plan::Octet;

/// Delayed learning with this λ.
#[derive(Clone, Copy, Debug)]
pub struct Delayed {
    lambda: f32,
    length: usize,
}

impl Delayed {
    /// With λ between 0 and 1 (exclusive); λ = 0 is one-step learning.
    pub fn new(lambda: f64) -> Delayed {
        // The queue ends where a term weighs less than a tenth.
        let length = (0.1f64.ln() / lambda.ln()).ceil();
        Delayed { lambda: lambda as f32, length: (length as usize).clamp(1, 1000) }
    }

    /// How many errors an afterstate learns from.
    pub fn length(&self) -> usize {
        self.length
    }
}

/// Afterstates whose errors are known or awaited.
#[derive(Default)]
pub struct Queue {
    /// Afterstates with their errors, oldest first; the newest one's error is still awaited.
    entries: VecDeque<(Vec<Octet>, f32)>,
    // What was popped, to be used again.
    spare: Vec<Vec<Octet>>,
}

impl Delayed {
    /// The newest afterstate hears of its target; the oldest learns when the queue is full.
    fn answer<S: Step>(&self, queue: &mut Queue, network: &Network, step: &S, target: f32) {
        if let Some((octets, error)) = queue.entries.back_mut() {
            *error = target - network.sum(octets);
            if queue.entries.len() == self.length {
                self.pop(queue, network, step);
            }
        }
    }

    fn pop<S: Step>(&self, queue: &mut Queue, network: &Network, step: &S) {
        // Horner's rule from the newest error to the oldest.
        let sum = queue.entries.iter().rev().fold(0.0, |sum, (_, d)| sum * self.lambda + d);
        if let Some((octets, _)) = queue.entries.pop_front() {
            step.learn(network, network.active_of(&octets), sum);
            queue.spare.push(octets);
        }
    }
}

impl Credit for Delayed {
    type Trace = Queue;

    fn chosen<S: Step>(&self, queue: &mut Queue, network: &Network, step: &S, chosen: Chosen<'_>) {
        self.answer(queue, network, step, chosen.reward + chosen.value);
        let mut octets = queue.spare.pop().unwrap_or_default();
        octets.clear();
        octets.extend_from_slice(chosen.octets);
        queue.entries.push_back((octets, 0.0));
        if let Some((oldest, _)) = queue.entries.front() {
            step.prefetch(network.active_of(oldest));
        }
    }

    fn over<S: Step>(&self, queue: &mut Queue, network: &Network, step: &S) {
        self.answer(queue, network, step, 0.0);
        while !queue.entries.is_empty() {
            self.pop(queue, network, step);
        }
    }
}
