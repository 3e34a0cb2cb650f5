//! How bad an error is: a word, a percentage.

use serde::Serialize;

/// How good a move was, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Nothing better was there.
    Best,
    /// As good as the best for all practical purposes.
    Good,
    /// Something was better.
    Inaccuracy,
    /// Something was clearly better.
    Mistake,
    /// It cost a good part of what was at stake.
    Blunder,
}

impl Grade {
    /// All of them, best first.
    pub const ALL: [Grade; 5] =
        [Grade::Best, Grade::Good, Grade::Inaccuracy, Grade::Mistake, Grade::Blunder];

    /// Its name in JSON and on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Best => "best",
            Grade::Good => "good",
            Grade::Inaccuracy => "inaccuracy",
            Grade::Mistake => "mistake",
            Grade::Blunder => "blunder",
        }
    }
}

/// The largest loss of each grade but the last.
const BOUNDS: [(Grade, f64); 4] =
    [(Grade::Best, 1e-6), (Grade::Good, 0.01), (Grade::Inaccuracy, 0.03), (Grade::Mistake, 0.10)];
/// The part of the points already made that is at stake beside those to come.
const MADE: f64 = 0.1;
/// A loss of 1/STEEPNESS has an accuracy of 1/e.
const STEEPNESS: f64 = 20.0;

/// An error seen in proportion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Graded {
    /// The error as a share of what was at stake, from 0 to 1.
    pub loss: f64,
    /// In a word.
    pub grade: Grade,
    /// In percent.
    pub accuracy: f64,
}

/// Grades an error of so many points where so many were to be expected, after so many were made.
///
/// At stake are the points to come, and a tenth of those made: near its end a good game has little
/// to lose, and a slip there is not a blunder.
pub fn grade(error: f64, value: f64, score: u32) -> Graded {
    let stake = value.max(error) + MADE * f64::from(score);
    let loss = if error > 0.0 && stake > 0.0 { (error / stake).min(1.0) } else { 0.0 };
    let found = BOUNDS.iter().find(|(_, most)| loss <= *most);
    let grade = found.map_or(Grade::Blunder, |(grade, _)| *grade);
    Graded { loss, grade, accuracy: 100.0 * (-STEEPNESS * loss).exp() }
}

/// The accuracy of a game, from those of its moves: halfway between their mean, which one blunder in
/// a thousand moves does not change, and their harmonic mean, which it does.
pub fn accuracy(moves: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut count, mut sum, mut inverse) = (0.0, 0.0, 0.0);
    for accuracy in moves {
        count += 1.0;
        sum += accuracy;
        // No move is worse than one percent, or a single one would decide the whole.
        inverse += 1.0 / accuracy.max(1.0);
    }
    (count > 0.0).then(|| f64::midpoint(sum / count, count / inverse))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grades_go_by_the_share_that_was_lost() {
        let word = |error: f64, value: f64, score: u32| grade(error, value, score).grade;
        let losses = [0.0, 9.0, 29.0, 99.0, 101.0];
        assert_eq!(losses.map(|error| word(error, 1000.0, 0)), Grade::ALL);
        // The same points cost less where more is at stake: to come, or made already.
        assert_eq!(word(101.0, 5000.0, 0), Grade::Inaccuracy);
        assert_eq!(word(101.0, 1000.0, 100_000), Grade::Good);
        // Nothing at stake, nothing lost; and no more than everything.
        assert_eq!(grade(0.0, 0.0, 0), Graded { loss: 0.0, grade: Grade::Best, accuracy: 100.0 });
        assert_eq!(grade(50.0, -20.0, 0).loss, 1.0);
        for (worse, better) in [(11.0, 10.0), (500.0, 400.0), (1000.0, 999.0)] {
            assert!(grade(worse, 1000.0, 0).accuracy < grade(better, 1000.0, 0).accuracy);
        }
    }

    #[test]
    fn one_blunder_among_many_good_moves_is_felt() {
        assert_eq!(accuracy([].into_iter()), None);
        assert_eq!(accuracy([100.0; 5].into_iter()), Some(100.0));
        let blunder = accuracy((0..100).map(|turn| if turn == 50 { 10.0 } else { 100.0 }));
        // The mean alone says 99.1, the harmonic mean 91.7.
        assert!((blunder.unwrap() - 95.42).abs() < 0.01, "{blunder:?}");
    }
}
