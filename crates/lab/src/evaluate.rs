//! How well an agent plays: seeded games, as many as asked for or as the interval needs.

use maxtile_game::Record;

use crate::catalog::Agent;
use crate::rounds::{Judge, Plan, Progress, Setting, Watch, play};
use crate::stats::{Moments, Played, Summary};

/// When an evaluation has enough games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Until {
    /// After this many games.
    Games(u64),
    /// When half the width of the 95 % interval is at most `half_width` times the mean score.
    ///
    /// Looked at only after `at_least` games, then each time an eighth more have been played, in
    /// the order of their numbers: the number of threads does not change when that is.
    Relative {
        /// Half the width of the interval, as a share of the mean.
        half_width: f64,
        /// The games before the first look: few games know their own spread badly.
        at_least: u64,
        /// The games after which the evaluation ends in any case.
        at_most: u64,
    },
}

/// The games of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The games, by their number in the run.
    pub games: Vec<Played>,
    /// Their records, if they were to be kept.
    pub records: Vec<Record>,
    /// What they say; `None` when not even one game was finished.
    pub summary: Option<Summary>,
    /// How long they took.
    pub seconds: f64,
    /// Was the play stopped before there was enough? The games are complete without gaps anyway.
    pub interrupted: bool,
}

/// Lets the agent play games 0, 1, 2, … of the run with the setting's seed.
///
/// Game i has its spawns from `Random::stream(seed, i)` and the player's own random numbers from
/// [`crate::player_random`]. The result is the same for any number of threads.
pub fn evaluate(
    agent: &Agent,
    setting: &Setting,
    until: Until,
    keep_records: bool,
    watch: &Watch<'_>,
) -> Evaluation {
    let mut judge = EnoughGames::new(until);
    let plan = Plan { agents: &[agent], setting: *setting, most: judge.most, keep_records };
    let rounds = play(&plan, &mut judge, watch);
    Evaluation {
        summary: Summary::of(&rounds.games, setting.rules.shape),
        games: rounds.games,
        records: rounds.records,
        seconds: rounds.seconds,
        interrupted: rounds.interrupted,
    }
}

/// Looks at the interval when it is time to.
struct EnoughGames {
    scores: Moments,
    half_width: f64,
    next_look: u64,
    most: u64,
}

impl EnoughGames {
    fn new(until: Until) -> EnoughGames {
        let (half_width, next_look, most) = match until {
            Until::Games(games) => (0.0, games, games),
            Until::Relative { half_width, at_least, at_most } => {
                (half_width, at_least.max(2).min(at_most), at_most)
            }
        };
        EnoughGames { scores: Moments::default(), half_width, next_look, most }
    }
}

impl Judge for EnoughGames {
    fn enough(&mut self, round: &[Played]) -> bool {
        for game in round {
            self.scores.add(i64::from(game.score));
        }
        let games = self.scores.count();
        if games < self.next_look {
            return false;
        }
        self.next_look = (games + games.div_ceil(8)).min(self.most);
        let wanted = self.half_width * self.scores.mean();
        games >= self.most || self.scores.half_width().is_some_and(|half| half <= wanted)
    }

    fn progress(&self) -> Progress {
        Progress {
            games: self.scores.count(),
            most: self.most,
            mean: self.scores.mean(),
            half_width: self.scores.half_width(),
        }
    }
}
