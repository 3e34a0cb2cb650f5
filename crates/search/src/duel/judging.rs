//! A player of the ordinary game in a duel.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use maxtile_game::{Afterstate, Board, Move, Random, Spawn, Tiles};

use super::player::{Chance, Duelist};
use super::search::Choice;
use crate::limits::Limits;
use crate::policy::{Policy, Query};
use crate::report::Report;
use crate::tree::Counts;

/// Defends as the policy plays, and attacks where its own best answer would be worth least. One that
/// does not weigh moves places by chance.
#[derive(Clone, Debug)]
pub struct Judging<P> {
    policy: P,
    /// For a ply, where they are not the policy's own.
    limits: Option<Limits>,
}

impl<P: Policy> Judging<P> {
    /// This policy in a duel.
    pub fn new(policy: P) -> Judging<P> {
        Judging { policy, limits: None }
    }

    /// What each placement leaves, in the order of the placements. Nothing from a policy that does
    /// not weigh moves.
    fn judged(&mut self, afterstate: Afterstate, tiles: Tiles) -> Option<Vec<(Spawn, f32)>> {
        let count = tiles.placements(afterstate).count().max(1);
        // The time is for all of them.
        let share = self.limits.map(|all| Limits {
            time: all.time.map(|time| time / count as u32),
            nodes: all.nodes.map(|nodes| (nodes / count as u64).max(1)),
            ..all
        });
        let mut judged = Vec::with_capacity(count);
        for spawn in tiles.placements(afterstate) {
            let Ok(board) = afterstate.spawn(spawn) else { continue };
            // A position without moves is worth nothing more.
            let value = match share {
                Some(_) => self.policy.explain(board, share)?.value(),
                None => {
                    self.policy.worths(board)?.into_iter().flatten().reduce(f32::max).unwrap_or(0.0)
                }
            };
            judged.push((spawn, value));
        }
        Some(judged)
    }
}

impl<P: Policy> Duelist for Judging<P> {
    fn slide(&mut self, board: Board, random: &mut Random) -> Option<Move> {
        if self.limits.is_some()
            && let Some(report) = self.policy.explain(board, self.limits)
        {
            return report.best();
        }
        let mut query = Query::new(board, random.clone());
        self.policy.choose(std::slice::from_mut(&mut query));
        *random = query.random;
        query.answer
    }

    fn place(
        &mut self,
        afterstate: Afterstate,
        tiles: Tiles,
        random: &mut Random,
    ) -> Option<Spawn> {
        let Some(judged) = self.judged(afterstate, tiles) else {
            return Chance::default().place(afterstate, tiles, random);
        };
        let less = |a: (Spawn, f32), b: (Spawn, f32)| if b.1 < a.1 { b } else { a };
        judged.into_iter().reduce(less).map(|(spawn, _)| spawn)
    }

    fn weigh_slides(&mut self, board: Board) -> Option<Choice<Move>> {
        let Report { moves, depth, counts, time, .. } = self.policy.explain(board, self.limits)?;
        let worths: Vec<(Move, f64)> =
            moves.iter().map(|found| (found.mv, f64::from(found.value))).collect();
        let (best, value) = *worths.first()?;
        Some(Choice { best, value, worths, depth, exact: false, counts, time })
    }

    fn weigh_placements(&mut self, afterstate: Afterstate, tiles: Tiles) -> Option<Choice<Spawn>> {
        let clock = Instant::now();
        let judged = self.judged(afterstate, tiles)?;
        let mut worths: Vec<(Spawn, f64)> =
            judged.into_iter().map(|(spawn, value)| (spawn, f64::from(value))).collect();
        worths.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (best, value) = *worths.first()?;
        let counts = Counts { leaves: worths.len() as u64, ..Counts::default() };
        Some(Choice { best, value, worths, depth: 1, exact: false, counts, time: clock.elapsed() })
    }

    fn limits(&self) -> Option<Limits> {
        self.limits.or_else(|| self.policy.limits())
    }

    fn set_limits(&mut self, limits: Limits) {
        // To one who does not search they mean nothing.
        self.limits = self.policy.limits().map(|_| limits);
    }

    fn stop_by(&mut self, stop: Arc<AtomicBool>) {
        self.policy.stop_by(stop);
    }
}
