//! A distribution of scores: its moments, its quantiles, its bars.

/// The probability of each score, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    scores: Vec<(u32, f64)>,
}

/// A distribution in bars of equal width.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Where the first bar begins.
    pub from: u32,
    /// How many points a bar is wide.
    pub width: u32,
    /// The probability of each bar.
    pub shares: Vec<f64>,
}

impl Distribution {
    /// Of scores in ascending order with their probabilities; `None` where these are none.
    pub fn new(scores: Vec<(u32, f64)>) -> Option<Distribution> {
        let sum: f64 = scores.iter().map(|&(_, p)| p).sum();
        let ascending = scores.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let good = scores.iter().all(|&(_, p)| p >= 0.0) && (sum - 1.0).abs() < 1e-6;
        (ascending && good).then_some(Distribution { scores })
    }

    /// The scores with their probabilities, ascending.
    pub fn scores(&self) -> &[(u32, f64)] {
        &self.scores
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.scores.iter().map(|&(score, p)| p * f64::from(score)).sum()
    }

    /// The standard deviation.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        let square = |&(score, p): &(u32, f64)| p * (f64::from(score) - mean).powi(2);
        self.scores.iter().map(square).sum::<f64>().sqrt()
    }

    /// The smallest score that so large a part of games does not exceed.
    pub fn quantile(&self, part: f64) -> u32 {
        let mut below = 0.0;
        let found = self.scores.iter().find(|&&(_, p)| {
            below += p;
            below >= part
        });
        found.or(self.scores.last()).map_or(0, |&(score, _)| score)
    }

    /// At most `most` bars from the bar of one score to that of another. What lies outside is left out.
    pub fn bars(&self, low: u32, high: u32, most: u32) -> Bars {
        // Scores are multiples of 4.
        let width = (high.saturating_sub(low) / (4 * most.max(1)) + 1) * 4;
        let from = low / width * width;
        let mut shares = vec![0.0; (high.saturating_sub(from) / width) as usize + 1];
        for &(score, p) in self.scores.iter().filter(|score| score.0 >= from) {
            if let Some(bar) = shares.get_mut(((score - from) / width) as usize) {
                *bar += p;
            }
        }
        Bars { from, width, shares }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_quantiles_and_bars() {
        let scores = vec![(0, 0.25), (4, 0.25), (8, 0.25), (40, 0.25)];
        let known = Distribution::new(scores).unwrap();
        assert_eq!(known.mean(), 13.0);
        assert!((known.deviation() - 251f64.sqrt()).abs() < 1e-12);
        let quantiles = [0.0, 0.25, 0.26, 0.5, 0.75, 0.76, 1.0, 2.0].map(|p| known.quantile(p));
        assert_eq!(quantiles, [0, 0, 4, 4, 8, 40, 40, 40]);
        let all = known.bars(0, 40, 100);
        assert_eq!((all.from, all.width, all.shares.len()), (0, 4, 11));
        let few = known.bars(4, 40, 2);
        assert_eq!(few, Bars { from: 0, width: 20, shares: vec![0.75, 0.0, 0.25] });
        assert_eq!(known.bars(8, 8, 100), Bars { from: 8, width: 4, shares: vec![0.25] });
    }

    #[test]
    fn what_is_no_distribution() {
        for scores in [
            vec![],
            vec![(0, 0.5)],
            vec![(4, 0.5), (0, 0.5)],
            vec![(0, 0.5), (0, 0.5)],
            vec![(0, 1.5), (4, -0.5)],
            vec![(0, f64::NAN), (4, 1.0)],
        ] {
            assert_eq!(Distribution::new(scores), None);
        }
    }
}
