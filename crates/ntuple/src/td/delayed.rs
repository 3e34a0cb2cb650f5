//! Delayed TD(λ) and TC(λ) (Jaśkowski 2017): an afterstate learns once, from the next few errors.
//!
//! The error of each move is put into a queue of h = max(1, ⌈ln 0.1 / ln λ⌉) places together
//! with its afterstate. When the queue is full, the oldest afterstate learns
//! D = d₀ + λ d₁ + λ² d₂ + …, the errors being those computed when they arose. At the end of the
//! game the rest is learned with the shorter sums.

use std::collections::VecDeque;

use super::{Chosen, Credit, Step};
use crate::network::Network;

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
    entries: VecDeque<(Vec<u32>, f32)>,
    // The vectors of popped entries, to be used again.
    spare: Vec<Vec<u32>>,
    waiting: Vec<u32>,
}

impl Delayed {
    /// The afterstate that waited learns of its target.
    fn push<S: Step>(&self, queue: &mut Queue, network: &Network, step: &S, target: f32) {
        if queue.waiting.is_empty() {
            return;
        }
        let error = target - network.sum_active(&queue.waiting);
        let mut active = queue.spare.pop().unwrap_or_default();
        active.clone_from(&queue.waiting);
        queue.entries.push_back((active, error));
        if queue.entries.len() == self.length {
            self.pop(queue, network, step);
        }
    }

    fn pop<S: Step>(&self, queue: &mut Queue, network: &Network, step: &S) {
        // Horner's rule from the newest error to the oldest.
        let sum = queue.entries.iter().rev().fold(0.0, |sum, (_, d)| sum * self.lambda + d);
        if let Some((active, _)) = queue.entries.pop_front() {
            step.learn(network, &active, sum);
            queue.spare.push(active);
        }
    }
}

impl Credit for Delayed {
    type Trace = Queue;

    fn chosen<S: Step>(&self, queue: &mut Queue, network: &Network, step: &S, chosen: &Chosen<'_>) {
        self.push(queue, network, step, chosen.reward + chosen.value);
        chosen.list_active(&mut queue.waiting);
        if let Some((active, _)) = queue.entries.front() {
            step.prefetch(active);
        }
    }

    fn over<S: Step>(&self, queue: &mut Queue, network: &Network, step: &S) {
        self.push(queue, network, step, 0.0);
        queue.waiting.clear();
        while !queue.entries.is_empty() {
            self.pop(queue, network, step);
        }
    }
}
