//! Which of two agents plays better: the same games for both, and no more of them than needed.

use std::fmt;

use crate::catalog::Agent;
use crate::rounds::{Judge, Plan, Progress, Setting, Watch, play};
use crate::sequential::Design;
use crate::stats::{Moments, Played};

/// What a match says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first agent has the larger mean score.
    ABetter,
    /// The second agent has the larger mean score.
    BBetter,
    /// The pairs played do not tell.
    Undecided,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::ABetter => "A better",
            Verdict::BBetter => "B better",
            Verdict::Undecided => "undecided",
        })
    }
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Score of A minus score of B in each pair.
    pub differences: Moments,
    /// Half the width of the 95 % interval of the mean difference, valid although the match could
    /// end early; `None` of fewer than two pairs.
    pub half_width: Option<f64>,
    /// Which agent is better.
    pub verdict: Verdict,
    /// The scores of A and of B.
    pub scores: [Moments; 2],
    /// The moves of all games.
    pub moves: u64,
    /// How long they took.
    pub seconds: f64,
    /// Was the play stopped before there was a verdict?
    pub interrupted: bool,
    /// The design of the match.
    pub design: Design,
}

/// Lets both agents play games 0, 1, 2, … of the same run, until one is better or `most` pairs
/// have been played. Both have the same spawn streams and the same random numbers of their own, so
/// that an agent ties with itself exactly.
///
/// [`Design`] says when the match ends and what can be relied upon. The result is the same for any
/// number of threads.
pub fn compare(agents: [&Agent; 2], setting: &Setting, most: u64, watch: &Watch<'_>) -> Comparison {
    let mut judge = PairJudge::new(most);
    let plan = Plan { agents: &agents, setting: *setting, most, keep_records: false };
    let rounds = play(&plan, &mut judge, watch);
    let of = |agent: usize| {
        let games = rounds.games.iter().skip(agent).step_by(2);
        games.map(|game| i64::from(game.score)).collect()
    };
    Comparison {
        half_width: judge.half_width(),
        differences: judge.differences,
        verdict: judge.verdict,
        scores: [of(0), of(1)],
        moves: rounds.games.iter().map(|game| u64::from(game.moves)).sum(),
        seconds: rounds.seconds,
        interrupted: rounds.interrupted,
        design: judge.design,
    }
}

/// Follows the differences and compares them with the boundaries of the design.
pub struct PairJudge {
    design: Design,
    differences: Moments,
    verdict: Verdict,
}

impl PairJudge {
    /// A match of at most this many pairs.
    pub fn new(most: u64) -> PairJudge {
        PairJudge::by(Design::new(most))
    }

    /// A match by this design.
    pub fn by(design: Design) -> PairJudge {
        PairJudge { design, differences: Moments::default(), verdict: Verdict::Undecided }
    }

    /// Takes the difference of the next pair; `true` when the match is over.
    pub fn pair(&mut self, difference: i64) -> bool {
        self.differences.add(difference);
        let pairs = self.differences.count();
        let looks = self.design.looks();
        let Some(look) = looks.iter().find(|look| look.pairs == pairs) else { return false };
        let (mean, error) = (self.differences.mean(), self.differences.error());
        // Pairs that all differ by the same are as clear as can be, except when they do not.
        if error.is_some_and(|error| mean.abs() > look.boundary * error) {
            self.verdict = if mean > 0.0 { Verdict::ABetter } else { Verdict::BBetter };
        }
        self.verdict != Verdict::Undecided || look.pairs == looks[looks.len() - 1].pairs
    }

    /// What the pairs say so far.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The differences so far.
    pub fn differences(&self) -> Moments {
        self.differences
    }

    /// Half the width of the repeated confidence interval.
    pub fn half_width(&self) -> Option<f64> {
        let boundary = self.design.boundary(self.differences.count());
        Some(self.differences.error()? * boundary)
    }
}

impl Judge for PairJudge {
    fn enough(&mut self, round: &[Played]) -> bool {
        let [a, b] = round else { return true };
        self.pair(i64::from(a.score) - i64::from(b.score))
    }

    fn progress(&self) -> Progress {
        Progress {
            games: self.differences.count(),
            most: self.design.looks()[self.design.looks().len() - 1].pairs,
            mean: self.differences.mean(),
            half_width: self.half_width(),
        }
    }
}
