//! An experiment as its file describes it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::ranking::StudyScale;
use crate::nearest::nearest;
use crate::training::Recipe;

/// Name and text of the experiments that come with the program.
pub const NAMED_EXPERIMENTS: &[(&str, &str)] = &[
    ("szubert-2014", include_str!("../../../../experiments/szubert-2014.toml")),
    ("wu-2014", include_str!("../../../../experiments/wu-2014.toml")),
    ("oka-2016", include_str!("../../../../experiments/oka-2016.toml")),
    ("yeh-2016", include_str!("../../../../experiments/yeh-2016.toml")),
    ("jaskowski-2017", include_str!("../../../../experiments/jaskowski-2017.toml")),
    ("matsuzaki-2017", include_str!("../../../../experiments/matsuzaki-2017.toml")),
    ("kanazawa-2018", include_str!("../../../../experiments/kanazawa-2018.toml")),
    ("guei-2021", include_str!("../../../../experiments/guei-2021.toml")),
    ("matsuzaki-2021", include_str!("../../../../experiments/matsuzaki-2021.toml")),
    ("yamashita-2021", include_str!("../../../../experiments/yamashita-2021.toml")),
    ("networks-3x3", include_str!("../../../../experiments/networks-3x3.toml")),
    ("learners-3x3", include_str!("../../../../experiments/learners-3x3.toml")),
    ("default-choices", include_str!("../../../../experiments/default-choices.toml")),
    ("mcss-learning", include_str!("../../../../experiments/mcss-learning.toml")),
];

/// An experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// Its name; that of its file.
    pub name: String,
    /// A title for its page.
    pub title: String,
    /// What it is about, for its page.
    pub about: String,
    /// Fields of all recipes.
    #[serde(default)]
    pub recipe: toml::Table,
    /// How long, and how many seeds: `full` is the paper's.
    pub scale: BTreeMap<String, Scale>,
    /// The study of tuples by random subsets, where there is one.
    #[serde(default)]
    pub study: BTreeMap<String, StudyScale>,
    /// What is compared.
    pub arm: Vec<Arm>,
    /// What the paper says.
    #[serde(default)]
    pub published: Vec<Published>,
    /// The best that can be, where it is known exactly.
    pub optimum: Option<Optimum>,
    /// What the paper's own study of tuples came to.
    #[serde(default)]
    pub utility: Vec<Utility>,
    /// What must show.
    #[serde(default)]
    pub claim: Vec<Claim>,
    /// Does the page say how often each tile was the largest?
    #[serde(default)]
    pub tiles: bool,
}

/// How long, and how many seeds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scale {
    /// How many seeds, from 1.
    pub seeds: u64,
    /// What differs from the paper, for the page.
    #[serde(default)]
    pub note: String,
    /// What came of it in words, for the page.
    #[serde(default)]
    pub remark: String,
    /// Fields of all recipes at this scale.
    #[serde(default)]
    pub recipe: toml::Table,
}

/// One of the things compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// It runs at this scale only.
    pub only: Option<String>,
    /// The arms it is drawn with: a board, where an experiment has several.
    pub group: Option<String>,
    /// Its network is so many of the best tuples of the experiment's study.
    pub best: Option<usize>,
    /// How many seeds at a scale, where it is not the number of the scale: some questions need more runs.
    #[serde(default)]
    pub seeds: BTreeMap<String, u64>,
    /// Fields of its recipe.
    #[serde(default)]
    pub recipe: toml::Table,
    /// Fields of its recipe at a scale.
    #[serde(default)]
    pub at: BTreeMap<String, toml::Table>,
    /// Agents to evaluate when it has learned; `RUN` stands for its folder.
    #[serde(default)]
    pub measure: Vec<Measure>,
}

/// An agent to evaluate.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Measure {
    /// Its name on the page.
    pub name: String,
    /// Its text.
    pub agent: String,
    /// How many games.
    pub games: u64,
    /// The one scale at which it is evaluated.
    pub only: Option<String>,
}

impl Arm {
    /// What is evaluated at the end of its runs at a scale.
    pub fn measures(&self, scale: &str) -> impl Iterator<Item = &Measure> {
        let here = move |measure: &&Measure| measure.only.as_ref().is_none_or(|only| only == scale);
        self.measure.iter().filter(here)
    }
}

/// A number of the paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Published {
    /// The arm it is about.
    pub arm: String,
    /// The measure of that arm; its greedy evaluation without.
    pub measure: Option<String>,
    /// After how many games.
    pub games: Option<u64>,
    /// Ours is read at this many moves instead of at the end.
    pub moves: Option<u64>,
    /// The mean score.
    pub mean: f64,
    /// Half the width of its interval.
    #[serde(default)]
    pub ci95: f64,
    /// Where it stands.
    pub source: String,
    /// It is about what runs at this scale only: at others the board is another one.
    pub only: Option<String>,
}

/// The exact optimum that all arms are held against.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Optimum {
    /// Its mean score.
    pub mean: f64,
    /// Ours is read at this many moves, by scale.
    pub moves: BTreeMap<String, u64>,
}

/// Published numbers of single tuples, from the best and to the worst.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Utility {
    /// How many cells the tuples have.
    pub cells: usize,
    /// The best, the very best first.
    pub best: Vec<f64>,
    /// The worst, the very worst last.
    pub worst: Vec<f64>,
}

/// Something that must show, usually that one arm is better than another.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// In words.
    pub text: String,
    /// The arm with the larger mean.
    pub better: String,
    /// The other one.
    pub worse: String,
    /// The measure that is compared; the greedy evaluation without.
    pub measure: Option<String>,
    /// The mean over all evaluations of the run instead of the last one: who learns faster.
    #[serde(default)]
    pub over_the_run: bool,
    /// What is said of the two.
    #[serde(default)]
    pub kind: ClaimKind,
    /// It is said of runs of at least so many games.
    pub games: Option<u64>,
}

/// What is said of two arms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// The first is better.
    #[default]
    Better,
    /// There is no difference.
    Equal,
    /// Nothing is said; we want to know.
    Open,
}

impl Experiment {
    /// The experiment with this name.
    pub fn named(name: &str) -> Result<Experiment, ExperimentError> {
        let Some((_, text)) = NAMED_EXPERIMENTS.iter().find(|(known, _)| *known == name) else {
            let names = NAMED_EXPERIMENTS.iter().map(|(name, _)| *name);
            let near = nearest(name, names.clone())
                .map_or_else(|| names.collect::<Vec<_>>().join(", "), str::to_owned);
            return Err(ExperimentError(format!("there is no experiment {name:?}, try {near}")));
        };
        Experiment::parse(text)
    }

    /// Reads an experiment and checks all it says.
    pub fn parse(text: &str) -> Result<Experiment, ExperimentError> {
        let experiment: Experiment =
            toml::from_str(text).map_err(|e| ExperimentError(e.message().to_owned()))?;
        let name = &experiment.name;
        let bad = |what: String| Err(ExperimentError(format!("{name}: {what}")));
        for (index, arm) in experiment.arm.iter().enumerate() {
            if experiment.arm[..index].iter().any(|other| other.name == arm.name) {
                return bad(format!("two arms are called {:?}", arm.name));
            }
            if arm.best.is_some() && experiment.study.is_empty() {
                return bad(format!("arm {:?} wants the best tuples of no study", arm.name));
            }
            let mut scales = arm.at.keys().chain(arm.seeds.keys()).chain(&arm.only);
            if let Some(scale) = scales.find(|scale| !experiment.scale.contains_key(*scale)) {
                return bad(format!("arm {:?} knows a scale {scale:?}", arm.name));
            }
        }
        let claimed = experiment
            .claim
            .iter()
            .flat_map(|claim| [(&claim.better, &claim.measure), (&claim.worse, &claim.measure)]);
        let published = experiment.published.iter().map(|known| (&known.arm, &known.measure));
        if let Some(optimum) = &experiment.optimum
            && !experiment.scale.keys().eq(optimum.moves.keys())
        {
            return bad("the optimum names other scales".to_owned());
        }
        for (arm, measure) in claimed.chain(published) {
            let Some(found) = experiment.arm.iter().find(|found| found.name == *arm) else {
                return bad(format!("there is no arm {arm:?}"));
            };
            if let Some(measure) = measure
                && found.measure.iter().all(|known| known.name != *measure)
            {
                return bad(format!("arm {arm:?} has no measure {measure:?}"));
            }
        }
        for scale in experiment.scale.keys() {
            for arm in &experiment.arm {
                experiment.recipe(arm, scale, 1)?;
            }
        }
        Ok(experiment)
    }

    /// Gives the arms that ask for them the best tuples of the study, the very best being first.
    pub fn choose_best(&mut self, ranked: &[Vec<u8>]) {
        let word =
            |tuple: &Vec<u8>| tuple.iter().map(|cell| format!("{cell:x}")).collect::<String>();
        for arm in &mut self.arm {
            if let Some(count) = arm.best {
                let words: Vec<String> = ranked.iter().take(count).map(word).collect();
                arm.recipe.insert("network".to_owned(), words.join(" ").into());
            }
        }
    }

    /// The groups of arms that are drawn together, in the order of the arms.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        for group in self.arm.iter().filter_map(|arm| arm.group.as_deref()) {
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups
    }

    /// The arms that run at a scale.
    pub fn arms(&self, scale: &str) -> impl Iterator<Item = &Arm> {
        self.arm.iter().filter(move |arm| arm.only.as_deref().is_none_or(|only| only == scale))
    }

    /// The scale with this name.
    pub fn scale(&self, scale: &str) -> Result<&Scale, ExperimentError> {
        self.scale.get(scale).ok_or_else(|| {
            let names: Vec<&str> = self.scale.keys().map(String::as_str).collect();
            let (name, names) = (&self.name, names.join(", "));
            ExperimentError(format!("{name} has no scale {scale:?}, only {names}"))
        })
    }

    /// How many seeds an arm has at a scale.
    pub fn seeds(&self, arm: &Arm, scale: &str) -> Result<u64, ExperimentError> {
        Ok(arm.seeds.get(scale).copied().unwrap_or(self.scale(scale)?.seeds))
    }

    /// The recipe of an arm: later fields take the place of earlier ones.
    pub fn recipe(&self, arm: &Arm, scale: &str, seed: u64) -> Result<Recipe, ExperimentError> {
        let mut table = self.recipe.clone();
        table.insert("name".to_owned(), format!("{}-{}", self.name, arm.name).into());
        let special = arm.at.get(scale);
        for fields in [Some(&arm.recipe), Some(&self.scale(scale)?.recipe), special] {
            table.extend(fields.into_iter().flatten().map(|(k, v)| (k.clone(), v.clone())));
        }
        table.insert("seed".to_owned(), toml::Value::Integer(seed as i64));
        let text = toml::to_string(&table).map_err(|e| ExperimentError(e.to_string()))?;
        Recipe::parse(&text, &[])
            .map_err(|e| ExperimentError(format!("{}, arm {:?}: {e}", self.name, arm.name)))
    }
}

/// What is wrong with an experiment, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentError(pub String);

impl fmt::Display for ExperimentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ExperimentError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_is_sound_and_named_as_its_file() {
        for (name, text) in NAMED_EXPERIMENTS {
            let experiment = Experiment::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(experiment.name, *name);
            for scale in ["full", "small"] {
                assert!(experiment.scale(scale).is_ok(), "{name}");
            }
        }
    }

    const TEXT: &str = r#"
        name = "test"
        title = "A test"
        about = "Nothing."
        recipe = { step = "td", rate = 0.5 }
        scale.full = { seeds = 3, recipe = { games = 1000 } }
        scale.small = { seeds = 2, recipe = { games = 100 } }
        [[arm]]
        name = "a"
        recipe = { rate = 0.25 }
        [[arm]]
        name = "b"
        at.small = { games = 50 }
    "#;

    #[test]
    fn later_fields_win() {
        let experiment = Experiment::parse(TEXT).unwrap();
        let of = |arm: usize, scale| {
            let recipe = experiment.recipe(&experiment.arm[arm], scale, 7).unwrap();
            (recipe.rate, recipe.games, recipe.seed)
        };
        assert_eq!(of(0, "full"), (0.25, 1000, 7));
        assert_eq!(of(1, "full"), (0.5, 1000, 7));
        assert_eq!(of(1, "small"), (0.5, 50, 7));
    }

    #[test]
    fn an_arm_may_have_seeds_of_its_own() {
        let more = "[[arm]]\nname = \"c\"\nseeds.small = 12";
        let experiment = Experiment::parse(&format!("{TEXT}\n{more}")).unwrap();
        let seeds = |scale| {
            let of = |arm| experiment.seeds(arm, scale).unwrap();
            experiment.arm.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(seeds("full"), [3, 3, 3]);
        assert_eq!(seeds("small"), [2, 2, 12]);
        let typo = Experiment::parse(&format!("{TEXT}\n{}", more.replace("small", "smal")));
        assert_eq!(typo.unwrap_err().0, "test: arm \"c\" knows a scale \"smal\"");
    }

    #[test]
    fn the_best_tuples_make_a_network() {
        let study = "[study.full]\ncells = 3\nnetworks = 4\nchoose = 2\ngames = 20\neval-games = 5\n\
                     rate = 0.1\n[[arm]]\nname = \"c\"\nbest = 2";
        let mut experiment = Experiment::parse(&format!("{TEXT}\n{study}")).unwrap();
        experiment.choose_best(&[vec![1, 5, 10], vec![0, 1, 2], vec![12, 13, 14]]);
        let network =
            |arm: usize| experiment.recipe(&experiment.arm[arm], "full", 1).unwrap().network;
        assert_eq!(network(2), "15a 012");
        assert_ne!(network(0), "15a 012");
    }

    #[test]
    fn bad_experiments_are_explained() {
        let error = |more: &str| Experiment::parse(&format!("{TEXT}\n{more}")).unwrap_err().0;
        let claim = "[[claim]]\ntext = \"\"\nbetter = \"a\"\nworse = \"c\"";
        assert_eq!(error(claim), "test: there is no arm \"c\"");
        assert_eq!(error("[[arm]]\nname = \"a\""), "test: two arms are called \"a\"");
        let best = "[[arm]]\nname = \"c\"\nbest = 2";
        assert_eq!(error(best), "test: arm \"c\" wants the best tuples of no study");
        let recipe = "[[arm]]\nname = \"c\"\nrecipe = { lamda = 1 }";
        assert!(error(recipe).starts_with("test, arm \"c\": a recipe has no field"));
        assert_eq!(
            Experiment::named("szubert-2015").unwrap_err().0,
            "there is no experiment \"szubert-2015\", try szubert-2014"
        );
        let experiment = Experiment::parse(TEXT).unwrap();
        assert_eq!(
            experiment.scale("tiny").unwrap_err().0,
            "test has no scale \"tiny\", only full, small"
        );
    }
}
