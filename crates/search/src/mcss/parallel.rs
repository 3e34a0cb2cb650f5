//! Several threads in one tree: it is locked on the way down and on the way up, not while a position is
//! judged. That pays where judging is what takes the time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use maxtile_game::{Afterstate, Random};

use super::tree::{End, Tree};
use super::{Budget, LOOK, Mcss};
use crate::value::Value;

impl<V: Value> Mcss<V> {
    pub(super) fn search_on_threads(&mut self, budget: &mut Budget, random: &mut Random) {
        let growth = self.settings.growth();
        let (threads, batch) = (self.settings.threads, self.settings.batch);
        let tree = Mutex::new(std::mem::take(&mut self.tree));
        let (left, over) = (AtomicU64::new(budget.left), AtomicBool::new(false));
        let (leaves, nodes) = (AtomicU64::new(0), AtomicU64::new(0));
        let seeds: Vec<u64> = (0..threads).map(|_| random.next_u64()).collect();
        let locked = || tree.lock().unwrap_or_else(PoisonError::into_inner);
        let (value, stop, deadline) = (&self.value, &self.stop, budget.deadline);
        let work = |seed: u64| {
            let mut random = Random::new(seed);
            let mut found: Vec<u32> = Vec::with_capacity(batch);
            let mut afterstates: Vec<Afterstate> = Vec::with_capacity(4 * batch);
            let mut values = Vec::with_capacity(4 * batch);
            let mut until_look = LOOK;
            while !over.load(Relaxed) {
                if until_look == 0 {
                    until_look = LOOK;
                    let stopped = stop.as_ref().is_some_and(|stop| stop.load(Relaxed));
                    if stopped || deadline.is_some_and(|deadline| deadline.is_past()) {
                        break;
                    }
                }
                found.clear();
                afterstates.clear();
                {
                    let mut tree = locked();
                    for _ in 0..batch {
                        if left.load(Relaxed) == 0 || !tree.has_room() {
                            over.store(true, Relaxed);
                            break;
                        }
                        match tree.descend(&growth, None, &mut random) {
                            End::New(leaf) => found.push(leaf),
                            End::Over => {}
                            End::Taken => break,
                        }
                        // Only with the lock, so nobody else takes the last one.
                        left.fetch_sub(1, Relaxed);
                        until_look = until_look.saturating_sub(1);
                    }
                    for &leaf in &found {
                        afterstates.extend(tree.afterstates(leaf));
                    }
                }
                if found.is_empty() {
                    until_look = until_look.saturating_sub(1);
                    std::thread::yield_now();
                    continue;
                }
                values.resize(afterstates.len(), 0.0);
                value.values(&afterstates, &mut values);
                leaves.fetch_add(afterstates.len() as u64, Relaxed);
                nodes.fetch_add(found.len() as u64, Relaxed);
                let mut tree = locked();
                let mut rest = values.as_slice();
                for &leaf in &found {
                    let (own, others) = rest.split_at(tree.moves(leaf).len());
                    rest = others;
                    tree.judge(leaf, own, growth.backup);
                }
            }
        };
        let work = &work;
        std::thread::scope(|scope| {
            for seed in seeds {
                scope.spawn(move || work(seed));
            }
        });
        self.counts.leaves += leaves.load(Relaxed);
        self.counts.nodes += nodes.load(Relaxed);
        let tree: Tree = tree.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.tree = tree;
    }
}
