//! What a list of games says: mean with interval, median, range, tile rates.
//!
//! All sums are of whole numbers and exact, so no result depends on the order of the games or on
//! the number of threads that played them.

use maxtile_game::Shape;

use crate::distributions::{normal_bound, student_bound};

/// One game that was played to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// The final score.
    pub score: u32,
    /// How many moves were made.
    pub moves: u32,
    /// The exponent of the largest tile.
    pub max_exponent: u8,
}

/// Count, sum and sum of squares of whole numbers, exact up to 4·10⁹ numbers of 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    count: u64,
    sum: i128,
    squares: u128,
}

impl Moments {
    /// One number more.
    pub fn add(&mut self, number: i64) {
        self.count += 1;
        self.sum += i128::from(number);
        self.squares += u128::from(number.unsigned_abs()).pow(2);
    }

    /// How many numbers.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; 0 of no numbers.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    /// The standard deviation of the numbers' source, estimated without bias of its square;
    /// `None` of fewer than two numbers.
    pub fn deviation(&self) -> Option<f64> {
        let pairs = u128::from(self.count) * u128::from(self.count.checked_sub(1)?);
        if pairs == 0 {
            return None;
        }
        // The Cauchy–Schwarz inequality: this is never negative.
        let spread = u128::from(self.count) * self.squares - self.sum.unsigned_abs().pow(2);
        Some((spread as f64 / pairs as f64).sqrt())
    }

    /// The standard error of the mean.
    pub fn error(&self) -> Option<f64> {
        Some(self.deviation()? / (self.count as f64).sqrt())
    }

    /// Half the width of the 95 % interval of the mean, by Student's t.
    pub fn half_width(&self) -> Option<f64> {
        Some(self.error()? * student_bound(0.05, self.count - 1))
    }

    /// How many numbers of this kind would bring the 95 % interval down to `relative` times the
    /// mean on either side.
    pub fn needed(&self, relative: f64) -> Option<u64> {
        let ratio = normal_bound(0.05) * self.deviation()? / (relative * self.mean().abs());
        ratio.is_finite().then(|| (ratio * ratio).ceil() as u64)
    }
}

impl FromIterator<i64> for Moments {
    fn from_iter<I: IntoIterator<Item = i64>>(numbers: I) -> Moments {
        let mut moments = Moments::default();
        numbers.into_iter().for_each(|number| moments.add(number));
        moments
    }
}

/// How many games reached at least a tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileRate {
    /// The tile.
    pub tile: u32,
    /// The share of the games that reached it or a larger one.
    pub share: f64,
}

/// What a list of games says.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Mean, deviation and interval of the scores.
    pub scores: Moments,
    /// The median score.
    pub median: f64,
    /// The smallest score.
    pub min: u32,
    /// The largest score.
    pub max: u32,
    /// The moves of all games.
    pub moves: u64,
    /// From the largest tile that all games reached to the largest that any reached, and 2048 in
    /// any case where the board has room for it.
    pub tiles: Vec<TileRate>,
}

impl Summary {
    /// The summary of games on this board; `None` of no games.
    pub fn of(games: &[Played], shape: Shape) -> Option<Summary> {
        let mut scores: Vec<u32> = games.iter().map(|game| game.score).collect();
        scores.sort_unstable();
        let (&min, &max) = (scores.first()?, scores.last()?);
        let middle = |index: usize| f64::from(scores[index]);
        Some(Summary {
            scores: scores.iter().map(|&score| i64::from(score)).collect(),
            median: 0.5 * (middle((scores.len() - 1) / 2) + middle(scores.len() / 2)),
            min,
            max,
            moves: games.iter().map(|game| u64::from(game.moves)).sum(),
            tiles: tile_rates(games, shape),
        })
    }
}

fn tile_rates(games: &[Played], shape: Shape) -> Vec<TileRate> {
    let largest = games.iter().map(|game| game.max_exponent);
    let (low, high) = (largest.clone().min(), largest.clone().max());
    let (mut low, mut high) = (low.unwrap_or(1), high.unwrap_or(1));
    if shape.max_exponent() >= 11 {
        (low, high) = (low.min(11), high.max(11));
    }
    let rate = |exponent| {
        let reached = largest.clone().filter(|&largest| largest >= exponent).count();
        TileRate { tile: 1 << exponent, share: reached as f64 / games.len().max(1) as f64 }
    };
    (low..=high).map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn games(list: &[(u32, u8)]) -> Vec<Played> {
        list.iter().map(|&(score, max_exponent)| Played { score, moves: 2, max_exponent }).collect()
    }

    #[test]
    fn by_hand() {
        let games = games(&[(2, 3), (4, 3), (4, 3), (4, 4), (5, 4), (5, 3), (7, 3), (9, 6)]);
        let summary = Summary::of(&games, "3x3".parse().unwrap()).unwrap();
        let moments = summary.scores;
        assert_eq!((moments.count(), moments.mean(), summary.median), (8, 5.0, 4.5));
        assert_eq!((summary.min, summary.max, summary.moves), (2, 9, 16));
        // The squares of the differences from 5 sum to 32.
        let deviation = (32f64 / 7.0).sqrt();
        assert!((moments.deviation().unwrap() - deviation).abs() < 1e-12);
        let half = 2.364624251592784 * deviation / 8f64.sqrt();
        assert!((moments.half_width().unwrap() - half).abs() < 1e-9);
        let rates: Vec<_> = summary.tiles.iter().map(|rate| (rate.tile, rate.share)).collect();
        assert_eq!(rates, [(8, 1.0), (16, 0.375), (32, 0.125), (64, 0.125)]);
        let needed = (1.959963984540054 * deviation / 0.05).powi(2).ceil() as u64;
        assert_eq!(moments.needed(0.01), Some(needed));
    }

    #[test]
    fn few_and_no_games() {
        assert_eq!(Summary::of(&[], Shape::CLASSIC), None);
        let one = Summary::of(&games(&[(100, 6)]), Shape::CLASSIC).unwrap();
        assert_eq!((one.scores.mean(), one.scores.half_width(), one.median), (100.0, None, 100.0));
        let rates: Vec<u32> = one.tiles.iter().map(|rate| rate.tile).collect();
        assert_eq!(rates, [64, 128, 256, 512, 1024, 2048]);
        let equal = Summary::of(&games(&[(0, 1), (0, 1)]), "1x1".parse().unwrap()).unwrap();
        assert_eq!((equal.scores.half_width(), equal.scores.needed(0.01)), (Some(0.0), None));
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let moments: Moments = [i64::from(u32::MAX), -i64::from(u32::MAX)].into_iter().collect();
        assert_eq!((moments.mean(), moments.count()), (0.0, 2));
        assert!((moments.deviation().unwrap() / 6074000998.0 - 1.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn the_order_does_not_matter(mut numbers in prop::collection::vec(any::<i32>(), 2..50)) {
            let moments = |numbers: &[i32]| -> Moments { numbers.iter().map(|&n| i64::from(n)).collect() };
            let before = moments(&numbers);
            numbers.sort_unstable();
            prop_assert_eq!(moments(&numbers), before);
        }
    }
}
