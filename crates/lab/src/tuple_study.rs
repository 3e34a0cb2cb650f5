//! Which tuples are good: Oka & Matsuzaki's study (2016) by random subsets.
//!
//! Many networks, each of a few tuples drawn from a pool, learn and play. A tuple is judged in two
//! ways: by the mean score of the networks it was in, and by its mean part in the values of the
//! afterstates they chose. The paper does not say what its number is; its scale, a tenth of the
//! networks' values for ten tuples, is that of the second.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use maxtile_game::{Random, Rules, Shape};
use maxtile_ntuple::td::{OneStep, Rate, Td};
use maxtile_ntuple::{Block, Network, NetworkError, Spec, train};
use maxtile_search::{Greedy, Policy, Query};
use serde::{Deserialize, Serialize};

use crate::stats::Moments;

/// What is studied, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// The tuples to draw from.
    pub pool: Vec<Vec<u8>>,
    /// How many networks learn.
    pub networks: u64,
    /// How many tuples each has.
    pub choose: usize,
    /// How many games each learns from.
    pub games: u64,
    /// How many games each is judged by.
    pub eval_games: u64,
    /// The learning rate of TD(0), shared by the active weights.
    pub rate: f64,
    /// The seed of the draws and of the games.
    pub seed: u64,
}

/// How one network did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Which network, from 0.
    pub network: u64,
    /// Its tuples, by their place in the pool.
    pub tuples: Vec<usize>,
    /// How many games it learned from.
    pub games: u64,
    /// How many games it was judged by.
    pub eval_games: u64,
    /// The rate it learned with.
    pub rate: f64,
    /// Its mean score.
    pub score: f64,
    /// The mean part of each of its tuples in the values of the afterstates it chose.
    pub parts: Vec<f64>,
}

/// What the trials say about a tuple.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The tuple, by its place in the pool.
    pub tuple: usize,
    /// How many networks had it.
    pub networks: u64,
    /// The mean score of those networks.
    pub score: f64,
    /// Half the width of its 95 % interval.
    pub ci95: Option<f64>,
    /// The tuple's mean part in the value.
    pub part: f64,
}

impl Study {
    /// Lets the networks learn that are not among the `done` ones, on several threads; `report` is
    /// told of each when it is ready, and ends the study by `false`.
    pub fn run(
        &self,
        done: &[Trial],
        threads: usize,
        stop: &AtomicBool,
        report: &mut (dyn FnMut(Trial) -> bool + Send),
    ) -> Result<(), NetworkError> {
        let missing: Vec<u64> =
            (0..self.networks).filter(|n| done.iter().all(|trial| trial.network != *n)).collect();
        let (next, report) = (AtomicU64::new(0), Mutex::new((report, false)));
        let failed = Mutex::new(None);
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let taken = next.fetch_add(1, Ordering::Relaxed) as usize;
                let Some(&network) = missing.get(taken) else { break };
                match self.trial(network) {
                    Ok(trial) => {
                        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
                        if report.1 || !(report.0)(trial) {
                            report.1 = true;
                            break;
                        }
                    }
                    Err(cause) => {
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(cause);
                        break;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.max(1) {
                scope.spawn(work);
            }
            work();
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// The tuples of a network: the first of a shuffle of the pool.
    pub fn draw(&self, network: u64) -> Vec<usize> {
        let mut random = Random::stream(self.seed, network);
        let mut places: Vec<usize> = (0..self.pool.len()).collect();
        let count = self.choose.min(places.len());
        for place in 0..count {
            let other = place + random.below((places.len() - place) as u64) as usize;
            places.swap(place, other);
        }
        places.truncate(count);
        places.sort_unstable();
        places
    }

    /// Is this a trial of this study?
    pub fn owns(&self, trial: &Trial) -> bool {
        trial.network < self.networks
            && (trial.games, trial.eval_games, trial.rate)
                == (self.games, self.eval_games, self.rate)
            && trial.tuples == self.draw(trial.network)
    }

    fn trial(&self, network: u64) -> Result<Trial, NetworkError> {
        let chosen = self.draw(network);
        let tuples = chosen.iter().map(|&place| self.pool[place].clone()).collect();
        let spec = Spec { tuples, ..Spec::classic("study", &[], 16, true) };
        let learner = Network::new(spec)?;
        let rules = Rules::of(Shape::CLASSIC);
        let step = Td::new(Rate::Distributed(self.rate as f32), &learner);
        // Each network has games of its own, or luck with them would be part of every trial.
        let seed = Random::stream(self.seed, network).next_u64();
        let block = Block { rules, seed, first: 0, games: self.games, threads: 1, restart: None };
        train(&learner, &step, &OneStep, &block);
        let (score, parts) = judge(&learner, rules, !seed, self.eval_games);
        let &Study { games, eval_games, rate, .. } = self;
        Ok(Trial { network, tuples: chosen, games, eval_games, rate, score, parts })
    }

    /// What the trials say about each tuple that was in one, the best first.
    pub fn rank(&self, trials: &[Trial]) -> Vec<Judged> {
        let mut judged: Vec<Judged> = (0..self.pool.len())
            .filter_map(|tuple| {
                let place = |trial: &Trial| trial.tuples.iter().position(|t| *t == tuple);
                let of = trials.iter().filter_map(|trial| Some((trial, place(trial)?)));
                let scores: Moments = of.clone().map(|(trial, _)| trial.score as i64).collect();
                let parts: f64 = of.map(|(trial, place)| trial.parts[place]).sum();
                (scores.count() > 0).then(|| Judged {
                    tuple,
                    networks: scores.count(),
                    score: scores.mean(),
                    ci95: scores.half_width(),
                    part: parts / scores.count() as f64,
                })
            })
            .collect();
        judged.sort_by(|a, b| b.score.total_cmp(&a.score));
        judged
    }

    /// The tuples as the trials rank them; those that were in none come last.
    pub fn best_first(&self, trials: &[Trial]) -> Vec<Vec<u8>> {
        let mut places: Vec<usize> = self.rank(trials).iter().map(|judged| judged.tuple).collect();
        places.extend(
            (0..self.pool.len()).filter(|place| !places.contains(place)).collect::<Vec<_>>(),
        );
        places.into_iter().map(|place| self.pool[place].clone()).collect()
    }
}

/// Mean score of greedy games, and the mean part of each tuple in the values along them.
fn judge(network: &Network, rules: Rules, seed: u64, games: u64) -> (f64, Vec<f64>) {
    let mut sums = vec![0.0; network.spec().tuples.len()];
    let (mut moves, mut score) = (0u64, 0u64);
    let mut policy = Greedy::new(network);
    for game in 0..games {
        let mut random = Random::stream(seed, game);
        let mut query = Query::new(rules.start(&mut random), Random::new(0));
        loop {
            policy.choose(std::slice::from_mut(&mut query));
            let Some((afterstate, reward)) = query.answer.and_then(|mv| query.board.slide(mv))
            else {
                break;
            };
            for (sum, part) in sums.iter_mut().zip(network.parts(afterstate)) {
                *sum += f64::from(part);
            }
            (moves, score) = (moves + 1, score + u64::from(reward));
            query.board = rules.law.spawn(afterstate, &mut random);
        }
    }
    let parts = sums.into_iter().map(|sum| sum / moves.max(1) as f64);
    (score as f64 / games.max(1) as f64, parts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study() -> Study {
        let pool = vec![vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![0, 1, 4, 5], vec![0], vec![5]];
        Study { pool, networks: 6, choose: 2, games: 200, eval_games: 20, rate: 0.1, seed: 3 }
    }

    fn trials(threads: usize, done: &[Trial]) -> Vec<Trial> {
        let mut trials = done.to_vec();
        let mut report = |trial| {
            trials.push(trial);
            true
        };
        study().run(done, threads, &AtomicBool::new(false), &mut report).unwrap();
        trials.sort_by_key(|trial| trial.network);
        trials
    }

    #[test]
    fn the_same_whatever_the_threads_and_however_often_it_was_stopped() {
        let whole = trials(1, &[]);
        assert_eq!(whole.len(), 6);
        assert_eq!(trials(2, &[]), whole);
        assert_eq!(trials(2, &whole[2..5]), whole);
    }

    #[test]
    fn draws_are_without_repetition_and_reach_all() {
        let mut seen = [0; 5];
        for network in 0..500 {
            let drawn = study().draw(network);
            assert!(drawn.len() == 2 && drawn[0] < drawn[1]);
            for tuple in drawn {
                seen[tuple] += 1;
            }
        }
        assert!(seen.iter().all(|&count| (150..250).contains(&count)), "{seen:?}");
    }

    #[test]
    fn ranks_by_hand() {
        let trial = |network, tuples: [usize; 2], score, parts: [f64; 2]| Trial {
            network,
            tuples: tuples.to_vec(),
            games: 200,
            eval_games: 20,
            rate: 0.1,
            score,
            parts: parts.to_vec(),
        };
        let trials = [
            trial(0, [0, 1], 100.0, [60.0, 10.0]),
            trial(1, [1, 2], 40.0, [20.0, 6.0]),
            trial(2, [0, 2], 80.0, [50.0, 8.0]),
        ];
        let ranked = study().rank(&trials);
        let short: Vec<_> = ranked.iter().map(|j| (j.tuple, j.networks, j.score, j.part)).collect();
        assert_eq!(short, [(0, 2, 90.0, 55.0), (1, 2, 70.0, 15.0), (2, 2, 60.0, 7.0)]);
        let best = study().best_first(&trials);
        assert_eq!((best.len(), &best[1], &best[3]), (5, &vec![4, 5, 6, 7], &vec![0]));
        // Two scores, 80 and 100: deviation √200, over √2, times Student's 12.706.
        assert!((ranked[0].ci95.unwrap() - 127.062).abs() < 0.01);
    }
}
