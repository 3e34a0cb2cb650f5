//! Test games without learning, for networks that a plain greedy player cannot play: stages that
//! remember the game, the corner rule, another reward.
//!
//! Game i draws its spawns from stream (seed, i), as in every evaluation.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use maxtile_game::{Move, Random, Rules};

use super::corner::Corner;
use super::fallacy::{Fallacy, Judging};
use super::habits::Habits;
use super::{Reward, best, has_history, words};
use crate::network::Network;
use crate::plan::Octet;
use crate::spec::Judges;
use crate::trainer::Played;

/// How test games are played.
#[derive(Clone, Copy, Debug)]
pub struct Exam<'a> {
    /// Board and spawns.
    pub rules: Rules,
    /// The seed of the games.
    pub seed: u64,
    /// How many.
    pub games: u64,
    /// On how many threads; the result does not depend on it.
    pub threads: usize,
    /// What the network's values count.
    pub reward: Reward,
    /// The corner rule of these games.
    pub corner: Option<&'a Corner>,
}

/// What test games showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examined {
    /// The games in their order.
    pub played: Vec<Played>,
    /// The habits of the player.
    pub habits: Habits,
    /// What the corner rule did, where there is one.
    pub fallacy: Fallacy,
}

/// Plays the games; `None` when it was stopped.
pub fn examine(network: &Network, exam: &Exam<'_>, stop: &AtomicBool) -> Option<Examined> {
    let next = AtomicU64::new(0);
    let all = Mutex::new(Examined::default());
    let work = || {
        let mut mine = Examined::default();
        let mut octets = vec![[0; 8]; 4 * network.plan.octets()];
        while !stop.load(Ordering::Relaxed) {
            let game = next.fetch_add(1, Ordering::Relaxed);
            if game >= exam.games {
                break;
            }
            let played = play(network, exam, game, &mut octets, &mut mine);
            mine.played.push(played);
        }
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        all.played.extend(mine.played);
        all.habits.add(&mine.habits);
        all.fallacy.add(mine.fallacy);
    };
    std::thread::scope(|scope| {
        for _ in 1..exam.threads {
            scope.spawn(work);
        }
        work();
    });
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.played.sort_unstable_by_key(|played| played.game);
    (all.played.len() as u64 == exam.games).then_some(all)
}

fn play(
    network: &Network,
    exam: &Exam<'_>,
    game: u64,
    octets: &mut [Octet],
    seen: &mut Examined,
) -> Played {
    let mut spawns = Random::stream(exam.seed, game);
    let mut board = exam.rules.start(&mut spawns);
    let mut stage = network.stage(board.grid(), 0);
    let mut result = Played { game, ..Played::default() };
    loop {
        let slides = board.afterstates();
        let mut values = [0.0; 4];
        match network.spec().judges {
            Judges::Afterstates | Judges::Duel => {
                let words = words(network, &slides);
                network.plan.indices(&words, octets);
                for mv in slides.legal().iter().map(Move::index) {
                    let set = network.judging(network.spec().stages.of(words[mv], stage));
                    let length = network.plan.octets();
                    let octets = &mut octets[mv * length..][..length];
                    Network::shift(octets, network.offset(set));
                    values[mv] = network.sum_looking(octets);
                }
            }
            Judges::Moves => {
                for mv in slides.legal().iter().map(Move::index) {
                    values[mv] = network.value_in(board.grid(), mv);
                }
            }
            Judges::States => {
                for (mv, afterstate, _) in slides.iter() {
                    values[mv.index()] = network.mean_over_spawns(afterstate, exam.rules.law);
                }
            }
        }
        let worth = |mv: Move| {
            let points = slides.rewards()[mv.index()];
            // A network of moves has the reward in its values.
            let reward = match network.spec().judges {
                Judges::Moves => 0.0,
                _ => exam.reward.of(points),
            };
            reward + values[mv.index()]
        };
        let chosen = match exam.corner {
            Some(corner) => corner.choose(&slides, worth, result.score, board),
            None => best(&slides, worth),
        };
        let Some((afterstate, points)) = chosen.and_then(|mv| slides.get(mv)) else { break };
        seen.habits.see(afterstate);
        let greedy = exam.corner.and_then(|_| slides.get(best(&slides, worth)?));
        if let Some(greedy) = greedy {
            let judging = Judging { law: exam.rules.law, reward: exam.reward, stage };
            seen.fallacy.see(network, judging, (afterstate, points), greedy);
        }
        if has_history(network) {
            stage = network.stage(afterstate.grid(), stage);
        }
        result.score += points;
        result.moves += 1;
        board = exam.rules.law.spawn(afterstate, &mut spawns);
    }
    result.all_moves = u64::from(result.moves);
    result.largest = board.max_exponent();
    result
}
