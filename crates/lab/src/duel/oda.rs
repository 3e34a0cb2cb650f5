//! The experiment of Oda & Matsuzaki 2022: a square of depths, its published means, and what the
//! paper concludes from them, each conclusion judged by our own duels.

use std::collections::BTreeMap;

use maxtile_game::DuelRules;
use serde::Deserialize;

use super::contest::{DuelJob, DuelSetting};
use super::results::DuelResults;
use crate::figure::{CurvePoint, Figure, Mark, Series};
use crate::stats::Moments;

const TEXT: &str = include_str!("../../../../experiments/oda-2022.toml");

/// Table 2 of the paper: attacker's depth, defender's depth, mean score of 100 duels.
const PUBLISHED: [(u8, u8, u32); 16] = [
    (1, 1, 4051),
    (1, 3, 7031),
    (1, 5, 10588),
    (1, 7, 11244),
    (3, 1, 1611),
    (3, 3, 3367),
    (3, 5, 5200),
    (3, 7, 7381),
    (5, 1, 1270),
    (5, 3, 1767),
    (5, 5, 3167),
    (5, 7, 4673),
    (7, 1, 1157),
    (7, 3, 1471),
    (7, 5, 2005),
    (7, 7, 3020),
];

/// The experiment as its file has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuelExperiment {
    /// What it is.
    pub title: String,
    opening: u32,
    seed: u64,
    scale: BTreeMap<String, DuelScale>,
}

/// How large it is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DuelScale {
    /// How the networks are trained.
    pub recipe: String,
    /// For how many games.
    pub games_learned: u64,
    /// Odd depths, and how many duels for each pair of them.
    pub odd: Vec<u8>,
    /// See above.
    pub games: u64,
    /// Even depths, and how many duels for each pair with one of them.
    pub even: Vec<u8>,
    /// See above.
    pub even_games: u64,
    /// What judges, in words.
    #[serde(default = "tuples")]
    pub values: String,
    /// The name of its files, where they are not the experiment's own.
    #[serde(default)]
    pub page: Option<String>,
}

fn tuples() -> String {
    "n-tuple values".to_owned()
}

impl DuelExperiment {
    /// The experiment that comes with the program.
    pub fn oda_2022() -> Result<DuelExperiment, String> {
        toml::from_str(TEXT).map_err(|cause| cause.to_string())
    }

    /// Its scales.
    pub fn scales(&self) -> impl Iterator<Item = &str> {
        self.scale.keys().map(String::as_str)
    }

    /// One of them.
    pub fn scale(&self, name: &str) -> Option<&DuelScale> {
        self.scale.get(name)
    }

    /// What all its duels share.
    pub fn setting(&self) -> DuelSetting {
        DuelSetting { rules: DuelRules::default(), seed: self.seed, opening: self.opening }
    }
}

impl DuelScale {
    /// All depths in order: the places of the agents in jobs and results.
    pub fn depths(&self) -> Vec<u8> {
        let mut depths: Vec<u8> = self.odd.iter().chain(&self.even).copied().collect();
        depths.sort_unstable();
        depths
    }

    /// How many duels a pair of depths plays.
    pub fn games_of(&self, attacker: u8, defender: u8) -> u64 {
        let odd = self.odd.contains(&attacker) && self.odd.contains(&defender);
        if odd { self.games } else { self.even_games }
    }

    /// All duels, opening by opening, so that what is there when it is stopped is even.
    pub fn jobs(&self) -> Vec<DuelJob> {
        let depths = self.depths();
        let mut jobs = Vec::new();
        for game in 0..self.games.max(self.even_games) {
            for (attacker, &a) in depths.iter().enumerate() {
                for (defender, &d) in depths.iter().enumerate() {
                    if game < self.games_of(a, d) {
                        jobs.push(DuelJob { attacker, defender, game });
                    }
                }
            }
        }
        jobs
    }
}

/// A line of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct DuelRow {
    /// What is compared.
    pub what: String,
    /// What the paper says.
    pub paper: String,
    /// Our mean, or mean difference, with half the width of its interval.
    pub ours: Option<(f64, Option<f64>)>,
    /// Does ours agree? `None` where it does not tell, or where nothing is claimed.
    pub agrees: Option<bool>,
    /// Is something claimed that ours can agree with?
    pub claim: bool,
}

impl DuelRow {
    /// In a word.
    pub fn verdict(&self) -> &'static str {
        match (self.claim, self.agrees) {
            (false, _) => "other values",
            (true, Some(true)) => "agrees",
            (true, Some(false)) => "differs",
            (true, None) => "undecided",
        }
    }
}

/// The means beside the published ones, then the paper's conclusions.
pub fn duel_rows(scale: &DuelScale, results: &DuelResults) -> Vec<DuelRow> {
    let depths = scale.depths();
    let at = |depth: u8| depths.iter().position(|&d| d == depth);
    let mut rows = Vec::new();
    for (a, d, mean) in PUBLISHED {
        let (Some(attacker), Some(defender)) = (at(a), at(d)) else { continue };
        let cell = results.cell(attacker, defender, scale.games);
        let ours =
            (cell.scores.count() > 0).then(|| (cell.scores.mean(), cell.scores.half_width()));
        let what = format!("atk{a} against def{d}");
        rows.push(DuelRow { what, paper: mean.to_string(), ours, agrees: None, claim: false });
    }
    let mut claim = |what: String, paper: &str, difference: Moments| {
        let half = difference.half_width();
        let agrees =
            half.filter(|half| difference.mean().abs() > *half).map(|_| difference.mean() > 0.0);
        let ours = (difference.count() > 0).then(|| (difference.mean(), half));
        rows.push(DuelRow { what, paper: paper.to_owned(), ours, agrees, claim: true });
    };
    let score = |a: usize, d: usize, game: u64| {
        let duel = results.get(&DuelJob { attacker: a, defender: d, game })?;
        Some(i64::from(duel.score))
    };
    for pair in scale.odd.windows(2) {
        let [Some(low), Some(high)] = [at(pair[0]), at(pair[1])] else { continue };
        for &other in &scale.odd {
            let Some(o) = at(other) else { continue };
            let games = 0..scale.games;
            let more = games.clone().filter_map(|g| Some(score(o, high, g)? - score(o, low, g)?));
            let what = format!("def{} − def{} against atk{other}", pair[1], pair[0]);
            claim(what, "deeper is better", more.collect());
            let less = games.filter_map(|g| Some(score(low, o, g)? - score(high, o, g)?));
            let what = format!("atk{} − atk{} against def{other}", pair[0], pair[1]);
            claim(what, "deeper is better", less.collect());
        }
        let equal =
            (0..scale.games).filter_map(|g| Some(score(low, low, g)? - score(high, high, g)?));
        let what = format!("depth {} on both sides − depth {}", pair[0], pair[1]);
        claim(what, "falls with depth", equal.collect());
    }
    for &even in &scale.even {
        let [Some(below), Some(here), Some(above)] = [at(even - 1), at(even), at(even + 1)] else {
            continue;
        };
        let (mut defends, mut attacks) = (Moments::default(), Moments::default());
        for other in scale.odd.iter().filter_map(|&depth| at(depth)) {
            for g in 0..scale.even_games {
                // Twice the distance from the mean of the neighbours, in whole points.
                let twice = |a, b, c| Some(score_sum(a, b)? - 2 * c?);
                let d =
                    twice(score(other, below, g), score(other, above, g), score(other, here, g));
                if let Some(d) = d {
                    defends.add(d);
                }
                let a =
                    twice(score(below, other, g), score(above, other, g), score(here, other, g));
                if let Some(a) = a {
                    attacks.add(a);
                }
            }
        }
        let what = format!("2 · (neighbours of def{even} − def{even})");
        claim(what, "even defends worse", defends);
        let what = format!("2 · (neighbours of atk{even} − atk{even})");
        claim(what, "even attacks better", attacks);
    }
    rows
}

fn score_sum(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    Some(a? + b?)
}

/// Mean scores over the defender's depth, a curve for each attacker; the paper's as marks.
pub fn duel_figure(scale: &DuelScale, results: &DuelResults) -> Figure {
    let depths = scale.depths();
    let mut figure = Figure {
        title: "Two-player 2048, mean score".to_owned(),
        x_label: "depth of the defender".to_owned(),
        y_label: "score".to_owned(),
        ..Figure::default()
    };
    for (attacker, &a) in depths.iter().enumerate() {
        let mut series = Series { label: format!("atk{a}"), points: Vec::new() };
        for (defender, &d) in depths.iter().enumerate() {
            let scores = results.cell(attacker, defender, scale.games_of(a, d)).scores;
            if scores.count() > 0 {
                let (mean, half) = (scores.mean(), scores.half_width().unwrap_or(0.0));
                let (low, high) = (mean - half, mean + half);
                series.points.push(CurvePoint { x: f64::from(d), mean, low, high });
            }
        }
        figure.series.push(series);
    }
    for (a, d, mean) in PUBLISHED {
        if depths.contains(&a) && depths.contains(&d) {
            let label = format!("atk{a}, paper");
            figure.marks.push(Mark { x: f64::from(d), y: f64::from(mean), label });
        }
    }
    figure.thousands();
    figure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duel::DuelGame;

    /// Scores as the paper has them, with a little spread: every conclusion follows.
    #[test]
    fn the_papers_own_numbers_agree_with_its_conclusions() {
        let experiment = DuelExperiment::oda_2022().unwrap();
        let scale = DuelScale { even: Vec::new(), ..experiment.scale("full").unwrap().clone() };
        let depths = scale.depths();
        let mut results = DuelResults::default();
        for job in scale.jobs() {
            let (a, d) = (depths[job.attacker], depths[job.defender]);
            let mean = PUBLISHED.iter().find(|row| (row.0, row.1) == (a, d)).unwrap().2;
            let score = mean + (job.game % 5) as u32;
            results.add(job, DuelGame { score, largest: 8, slides: 100 });
        }
        let rows = duel_rows(&scale, &results);
        assert_eq!(rows.iter().filter(|row| !row.claim).count(), 16);
        // Three steps of depth: four opponents on each side, and the diagonal.
        assert_eq!(rows.iter().filter(|row| row.claim).count(), 3 * 9);
        let wrong: Vec<&DuelRow> =
            rows.iter().filter(|row| row.claim && row.agrees != Some(true)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(duel_figure(&scale, &results).series.len(), 4);
    }

    /// An even depth that defends worse and attacks better than its neighbours.
    #[test]
    fn even_depths_are_compared_with_their_neighbours() {
        let experiment = DuelExperiment::oda_2022().unwrap();
        let scale = experiment.scale("tiny").unwrap();
        let depths = scale.depths();
        assert_eq!(depths, [1, 2, 3]);
        let mut results = DuelResults::default();
        for job in scale.jobs() {
            let (a, d) = (depths[job.attacker], depths[job.defender]);
            let base = 5000 + 1000 * u32::from(d) - 1000 * u32::from(a);
            let even = |depth: u8| if depth == 2 { 700 } else { 0 };
            let score = base - even(d) - even(a) + job.game as u32;
            results.add(job, DuelGame { score, largest: 8, slides: 100 });
        }
        let rows = duel_rows(scale, &results);
        let even: Vec<&DuelRow> = rows.iter().filter(|row| row.what.starts_with('2')).collect();
        assert_eq!(even.len(), 2);
        assert!(even.iter().all(|row| row.ours.is_some_and(|ours| ours.0 == 1400.0)), "{even:?}");
    }

    #[test]
    fn every_scale_names_a_recipe() {
        let experiment = DuelExperiment::oda_2022().unwrap();
        assert!(experiment.scales().any(|name| name == "small"));
        for name in experiment.scales() {
            let recipe = &experiment.scale(name).unwrap().recipe;
            assert!(crate::training::named_recipe(recipe, &[]).unwrap().is_ok(), "{recipe}");
        }
    }
}
