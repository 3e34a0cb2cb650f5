//! A recipe: everything that decides a training run, in one struct.
//!
//! Each field is a key of the TOML file, a flag of `maxtile train` and a line of the documentation,
//! all made from the one definition below.

use std::fmt;

use maxtile_game::{Rules, SpawnLaw};
use maxtile_ntuple::td::{Rate, Schedule};
use maxtile_ntuple::{NAMES, Spec, named};
use serde::{Deserialize, Serialize};

use crate::nearest::nearest;

/// A field of a recipe, for flags and documentation.
pub struct Field {
    /// Its key.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// Is it written without quotes: a number?
    pub number: bool,
}

macro_rules! recipe {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ident = $default:expr,)+) => {
        /// Everything that decides a training run.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct Recipe {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        impl Default for Recipe {
            fn default() -> Recipe {
                Recipe { $($name: $default,)+ }
            }
        }

        /// The fields of a recipe in order.
        pub const FIELDS: &[Field] = &[$(Field {
            name: stringify!($name),
            help: concat!($($doc),+),
            number: matches!(stringify!($type).as_bytes(), b"u64" | b"f64"),
        },)+];
    };
}

recipe! {
    /// A name for the run
    name: String = "custom".to_owned(),
    /// The network: a named one (maxtile net list) or a JSON file that describes it
    network: String = "wu-4x6".to_owned(),
    /// Probability that a new tile is a 4
    p4: f64 = 0.1,
    /// How an error changes the weights: td (one rate for all) or tc (temporal coherence)
    step: StepRule = StepRule::Tc,
    /// Which error an afterstate learns from: one-step, delayed (needs lambda) or backward
    credit: CreditRule = CreditRule::OneStep,
    /// How far errors reach back, 0 to 1; for delayed and backward credit
    lambda: f64 = 0.5,
    /// The learning rate
    rate: f64 = 1.0,
    /// What the rate means: distributed (shared by the active weights) or per-weight
    rate_kind: RateKind = RateKind::Distributed,
    /// The game at which the rate reaches its last value; 0 keeps it constant
    rate_until: u64 = 0,
    /// What the rate is multiplied by in the end
    rate_factor: f64 = 1.0,
    /// Does the rate fall in one step at that game (drop) or evenly until it (linear)?
    rate_fall: RateFall = RateFall::Drop,
    /// What every board is worth at the start; above 0 is optimistic
    initial_value: f64 = 0.0,
    /// After a game of at least this many moves, play on from its middle; 0 never does
    restart: u64 = 0,
    /// How many games to learn from
    games: u64 = 100_000,
    /// How many games between two lines of metrics
    block: u64 = 1_000,
    /// How many games between two evaluations; 0 evaluates at the end only
    eval_every: u64 = 10_000,
    /// How many greedy games an evaluation plays
    eval_games: u64 = 1_000,
    /// How many games between two checkpoints; 0 saves at the end and when stopped
    save_every: u64 = 10_000,
    /// The seed of the run
    seed: u64 = 1,
    /// How many threads learn; one gives the same result every time, more race for the weights
    threads: u64 = 1,
}

/// How an error changes the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepRule {
    /// One rate for all.
    Td,
    /// Temporal coherence.
    Tc,
}

/// Which error an afterstate learns from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CreditRule {
    /// The next one.
    OneStep,
    /// The next few, learned at once.
    Delayed,
    /// All, from the end of the game.
    Backward,
}

/// What the rate means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateKind {
    /// Shared by the active weights.
    Distributed,
    /// For each active weight.
    PerWeight,
}

/// How the rate falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RateFall {
    /// In one step.
    Drop,
    /// Evenly.
    Linear,
}

impl Recipe {
    /// Reads a recipe; `changes` are fields set by flags, as `(name, text)`.
    pub fn parse(text: &str, changes: &[(String, String)]) -> Result<Recipe, RecipeError> {
        let mut table: toml::Table =
            text.parse().map_err(|e: toml::de::Error| RecipeError(e.message().to_owned()))?;
        for key in table.keys() {
            let known = FIELDS.iter().map(Field::key);
            if !known.clone().any(|name| name == *key) {
                let names: Vec<String> = known.collect();
                let near = nearest(key, names.iter().map(String::as_str));
                let near = near.map_or(String::new(), |n| format!(", did you mean {n:?}?"));
                return Err(RecipeError(format!("a recipe has no field {key:?}{near}")));
            }
        }
        for (name, value) in changes {
            let field = FIELDS.iter().find(|f| f.name == name || f.key() == *name);
            let number = field.is_some_and(|f| f.number);
            let value = match value.parse::<toml::Value>() {
                Ok(parsed) if number => parsed,
                _ => toml::Value::String(value.clone()),
            };
            table.insert(field.map_or_else(|| name.clone(), Field::key), value);
        }
        let recipe: Recipe = table
            .try_into()
            .map_err(|e: toml::de::Error| RecipeError(e.to_string().trim().replace('\n', ", ")))?;
        recipe.check()?;
        Ok(recipe)
    }

    /// The recipe as a file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    fn check(&self) -> Result<(), RecipeError> {
        let bad = |what: &str| Err(RecipeError(what.to_owned()));
        if !(self.rate > 0.0 && self.rate.is_finite() && self.rate <= 10.0) {
            return bad("rate lies above 0 and not above 10");
        }
        if !(0.0..=1.0).contains(&self.lambda) {
            return bad("lambda lies between 0 and 1");
        }
        if self.credit == CreditRule::Delayed && self.lambda >= 1.0 {
            return bad("delayed credit needs a lambda below 1");
        }
        if self.games == 0 || self.block == 0 || self.block > 10_000_000 {
            return bad("games and block are at least 1, block at most 10,000,000");
        }
        if self.restart > u64::from(u32::MAX) || !(1..=1024).contains(&self.threads) {
            return bad("threads lie between 1 and 1024, restart below 4,294,967,296");
        }
        if !(self.rate_factor >= 0.0 && self.rate_factor <= 1.0) {
            return bad("rate-factor lies between 0 and 1");
        }
        if !self.initial_value.is_finite() {
            return bad("initial-value is a number");
        }
        SpawnLaw::new(self.p4).map_err(|e| RecipeError(e.to_string()))?;
        self.spec().map(|_| ())
    }

    /// The description of the network.
    pub fn spec(&self) -> Result<Spec, RecipeError> {
        let name = &self.network;
        if let Some(spec) = named(name) {
            return Ok(spec);
        }
        let text = std::fs::read_to_string(name).map_err(|_| {
            let near = nearest(name, NAMES.iter().map(|(name, _)| *name));
            let near = near.map_or(String::new(), |n| format!(", did you mean {n:?}?"));
            RecipeError(format!("there is no network {name:?}, by name or as a file{near}"))
        })?;
        let spec: Spec =
            serde_json::from_str(&text).map_err(|e| RecipeError(format!("{name}: {e}")))?;
        spec.check().map_err(|e| RecipeError(format!("{name}: {e}")))?;
        Ok(spec)
    }

    /// Board and spawns.
    pub fn rules(&self, spec: &Spec) -> Rules {
        let shape = spec.board.parse().unwrap_or(maxtile_game::Shape::CLASSIC);
        Rules { shape, law: SpawnLaw::new(self.p4).unwrap_or_default() }
    }

    /// The learning rate of a game.
    pub fn rate_at(&self, game: u64) -> Rate {
        let (at, factor) = (self.rate_until, self.rate_factor as f32);
        let schedule = match self.rate_fall {
            _ if at == 0 => Schedule::Constant,
            RateFall::Drop => Schedule::Drop { at, factor },
            RateFall::Linear => Schedule::Linear { at, factor },
        };
        let rate = match self.rate_kind {
            RateKind::Distributed => Rate::Distributed(self.rate as f32),
            RateKind::PerWeight => Rate::PerWeight(self.rate as f32),
        };
        rate.times(schedule.factor(game))
    }
}

impl Field {
    /// The key in the file and the name of the flag.
    pub fn key(&self) -> String {
        self.name.replace('_', "-")
    }
}

/// What is wrong with a recipe, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeError(pub String);

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RecipeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recipe_survives_its_file() {
        let recipe = Recipe { rate: 0.25, seed: 9, step: StepRule::Td, ..Recipe::default() };
        assert_eq!(Recipe::parse(&recipe.to_toml(), &[]), Ok(recipe));
    }

    #[test]
    fn flags_change_fields() {
        let change = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let changes = [change("rate", "1"), change("step", "td"), change("eval-every", "5")];
        let recipe = Recipe::parse("rate = 0.5\nname = \"x\"", &changes).unwrap();
        assert_eq!((recipe.rate, recipe.step, recipe.eval_every), (1.0, StepRule::Td, 5));
        assert_eq!(recipe.name, "x");
    }

    #[test]
    fn bad_recipes_are_explained() {
        let error = |text: &str| Recipe::parse(text, &[]).unwrap_err().0;
        assert_eq!(
            error("lamda = 0.5"),
            "a recipe has no field \"lamda\", did you mean \"lambda\"?"
        );
        assert_eq!(error("rate = 0.0"), "rate lies above 0 and not above 10");
        assert!(error("step = \"sgd\"").contains("td"), "{}", error("step = \"sgd\""));
        assert!(error("rate = \"fast\"").contains("rate"), "{}", error("rate = \"fast\""));
        assert_eq!(
            error("network = \"wu-4x7\""),
            "there is no network \"wu-4x7\", by name or as a file, did you mean \"wu-4x6\"?"
        );
    }
}
