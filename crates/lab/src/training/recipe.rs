//! A recipe: everything that decides a training run, in one struct.
//!
//! Each field is a key of the TOML file, a flag of `maxtile train` and a line of the documentation,
//! all made from the one definition below.

use std::fmt;

use maxtile_game::{DuelRules, Rules, SpawnLaw, Variant, VariantError};
use maxtile_ntuple::course::{Corner, CornerChange};
use maxtile_ntuple::td::{Rate, Schedule};
use maxtile_ntuple::{Judges, NAMES, Spec, Stages, named};
use serde::{Deserialize, Serialize};

use super::neural_recipe::{DeviceRule, ImageRule, LossRule, StartRule};
use super::phases::phases;
use super::tree_recipe::TreeRule;
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
    /// The network: a named one (maxtile net list), tuples as words of hexadecimal cells like
    /// "012456 456789", or a file of such words or of JSON. Fields from batch on, and of the others
    /// those that say so, are for neural networks
    network: String = "wu-4x6".to_owned(),
    /// Probability that a new tile is a 4
    p4: f64 = 0.1,
    /// What is judged: afterstate, state (the mean over all spawns), q (moves, a network each) or
    /// duel (both sides of one); tree learns afterstates from the tree of a search, ppo a policy (neural
    /// networks)
    learner: Learner = Learner::Afterstate,
    /// What the attacker of a duel may place: free, drawn or twos
    variant: String = "free".to_owned(),
    /// Who learns in a duel for how many games, like "chance:20000 attacker:10000 defender:20000":
    /// the defender in the ordinary game (chance), one side against the other, or both; empty for
    /// both at once
    phases: String = String::new(),
    /// How many of the attacker's first placements are random, at most
    opening: u64 = 20,
    /// tree: what is learned: plain, double, visits, complete, returns, anchored or line (docs/learning/trees.md)
    tree_targets: TreeRule = TreeRule::Plain,
    /// tree: how many simulations for a move
    sims: u64 = 25,
    /// tree: how many of the most visited afterstates of a tree learn
    samples: u64 = 5,
    /// How an error changes the weights: td (one rate for all), tc (temporal coherence) or autostep
    step: StepRule = StepRule::Tc,
    /// Which error an afterstate learns from: one-step, delayed, backward, forward or n-step
    credit: CreditRule = CreditRule::OneStep,
    /// How far errors reach back, 0 to 1; for delayed, backward and forward credit, for trees and for ppo
    lambda: f64 = 0.5,
    /// The game from which on lambda-later stands for lambda; 0 never
    lambda_until: u64 = 0,
    /// How far errors reach back from then on
    lambda_later: f64 = 0.5,
    /// How many steps forward and n-step credit look ahead
    steps: u64 = 5,
    /// The meta-rate of autostep
    meta_rate: f64 = 0.1,
    /// The game at which td gives way to tc with fresh sums; 0 never
    tc_at: u64 = 0,
    /// The learning rate of tc from then on
    tc_rate: f64 = 1.0,
    /// The probability of a random move in learning games
    explore: f64 = 0.0,
    /// What moves are rewarded with: score, or step (one a move)
    reward: RewardRule = RewardRule::Score,
    /// Sets of weights: one, wu, yeh-1 to yeh-4, tiles-BITS, tiles-BITS@TILE, or split times like
    /// "2048 2048+1024"
    stages: String = "one".to_owned(),
    /// Does a weight that is 0 take over that of the stage before (on, off)?
    promotion: Switch = Switch::Off,
    /// Where learning games start: none (as usual), sequence (stage after stage from stored boards),
    /// together (all stages at once, each on a thread) or carousel (a block from each stage in turn)
    shaping: Shaping = Shaping::None,
    /// The games of each stage of a sequence, or of stages together, like "60000 20000 20000"
    stage_games: String = String::new(),
    /// The last part of each of them, 0 to 1, that learns at the rate times rate-factor
    stage_rest: f64 = 0.0,
    /// The game from which a sequence goes on as a carousel, and stages together have one beside
    /// them, when every stage has learned; 0: never
    carousel_at: u64 = 0,
    /// The first stage of a carousel; sets before it stay as they are, or learn on together
    carousel_first: u64 = 0,
    /// How many start boards are stored for each stage: the first of a sequence, the last of stages
    /// together
    start_boards: u64 = 100_000,
    /// Games under the max-in-corner rule: off, learn, test or both
    corner: CornerUse = CornerUse::Off,
    /// The corner ratio
    corner_ratio: f64 = 1.2,
    /// The corner ratio later in the game
    corner_later: f64 = 1.1,
    /// The score at which it changes; 0 never
    corner_score: u64 = 0,
    /// The largest tile at which it changes; 0 never
    corner_tile: u64 = 0,
    /// Does the run look for the corner ratio itself (on, off)?
    corner_search: Switch = Switch::Off,
    /// Do evaluations count the player's habits (on, off)?
    habits: Switch = Switch::Off,
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
    /// Learning ends with the block that has judged so many positions, too; 0 looks at games alone
    positions: u64 = 0,
    /// How many games between two lines of metrics
    block: u64 = 1_000,
    /// How many games between two evaluations; 0 evaluates at the end only
    eval_every: u64 = 10_000,
    /// How many judged positions between two evaluations, in place of games; 0 goes by eval-every
    eval_positions: u64 = 0,
    /// Do evaluations hold values against what was really made, and on boards of up to nine cells against
    /// the exact ones (on, off)?
    estimates: Switch = Switch::Off,
    /// How many greedy games an evaluation plays
    eval_games: u64 = 1_000,
    /// How many games between two checkpoints; 0 saves at the end and when stopped
    save_every: u64 = 10_000,
    /// The seed of the run
    seed: u64 = 1,
    /// How many threads learn; one gives the same result every time, more race for the weights
    /// (not those of neural networks)
    threads: u64 = 1,
    /// How many positions a step of the optimiser learns from; 0 for all of a game, or of an update of ppo
    batch: u64 = 0,
    /// How many games are played side by side by the same weights
    seats: u64 = 16,
    /// What the value of what follows is multiplied by, 0 to 1
    discount: f64 = 1.0,
    /// How many points (or moves) one unit of the network's value means; 1 learns raw points
    value_scale: f64 = 1.0,
    /// What is made small: squared, or huber (straight beyond one unit)
    loss: LossRule = LossRule::Squared,
    /// Which symmetric images of a position are learned: own, random (one by chance) or all
    images: ImageRule = ImageRule::Own,
    /// Where learning games start: usual, s-jump or l-jump (one to two large tiles in four games of five)
    starts: StartRule = StartRule::Usual,
    /// ppo: how many times an update goes over its moves
    epochs: u64 = 30,
    /// ppo: how many moves an update needs at least
    update_moves: u64 = 4_000,
    /// ppo: how many games an update needs at least
    update_games: u64 = 10,
    /// ppo: how far the chance of a move may leave what it was
    clip: f64 = 0.2,
    /// ppo: are illegal moves left out of the softmax in learning, too (on, off)?
    mask: Switch = Switch::On,
    /// ppo: how much of its direction the optimiser keeps
    momentum: f64 = 0.9,
    /// ppo: how much weights are drawn towards 0
    weight_decay: f64 = 0.0001,
    /// ppo: what the entropy of the policy is worth; 0 nothing
    entropy: f64 = 0.0,
    /// ppo: an update ends when the policy is this far from the one that played; 0 never
    kl_stop: f64 = 0.0,
    /// Where a neural network learns: best (of what the program was built for), cpu, wgpu or cuda
    device: DeviceRule = DeviceRule::Best,
}

/// How an error changes the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepRule {
    /// One rate for all.
    Td,
    /// Temporal coherence.
    Tc,
    /// Autostep.
    Autostep,
}

/// What is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Learner {
    /// Positions after the slide.
    Afterstate,
    /// Positions to move, by the mean over all spawns.
    State,
    /// Moves, by Q-learning.
    Q,
    /// Positions after the slide, by the tree of a search.
    Tree,
    /// A policy, by PPO.
    Ppo,
    /// Both kinds of position of a duel.
    Duel,
}

/// What moves are rewarded with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RewardRule {
    /// Points.
    Score,
    /// One a move.
    Step,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// Yes.
    On,
    /// No.
    Off,
}

/// Where learning games start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shaping {
    /// As usual.
    None,
    /// Stage after stage, from boards stored in the stage before.
    Sequence,
    /// All stages at once, each set alone, from the boards stored last; results do not depend on the threads.
    Together,
    /// A block from each stage in turn.
    Carousel,
}

/// Which games follow the corner rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CornerUse {
    /// None.
    Off,
    /// Those that are learned from.
    Learn,
    /// Those of evaluations.
    Test,
    /// All.
    Both,
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
    /// A mean of the next few, after the game.
    Forward,
    /// The return of several steps, after the game.
    NStep,
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
        // What everybody takes for PPO; elsewhere they mean something else.
        if table.get("learner").and_then(toml::Value::as_str) == Some("ppo") {
            for name in ["discount", "lambda"] {
                table.entry(name).or_insert(toml::Value::Float(0.99));
            }
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
        let lambdas = [self.lambda, self.lambda_later];
        if !lambdas.iter().all(|lambda| (0.0..=1.0).contains(lambda)) {
            return bad("lambda and lambda-later lie between 0 and 1");
        }
        if self.credit == CreditRule::Delayed && lambdas.contains(&1.0) {
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
        if !(-1e9..=1e9).contains(&self.initial_value) {
            return bad("initial-value lies between -1,000,000,000 and 1,000,000,000");
        }
        SpawnLaw::new(self.p4).map_err(|e| RecipeError(e.to_string()))?;
        if let Some(spec) = self.neural()? {
            self.check_neural(&spec).map_err(|what| RecipeError(what.to_owned()))?;
            return self.check_duel();
        }
        if self.learner == Learner::Ppo {
            return bad("learner ppo needs a neural network");
        }
        self.check_tree().map_err(|what| RecipeError(what.to_owned()))?;
        self.check_systems().map_err(|what| RecipeError(what.to_owned()))?;
        self.check_duel()?;
        self.spec().map(|_| ())
    }

    /// What a duel needs.
    fn check_duel(&self) -> Result<(), RecipeError> {
        let bad = |what: &str| Err(RecipeError(what.to_owned()));
        self.variant.parse::<Variant>().map_err(|e: VariantError| RecipeError(e.to_string()))?;
        let phases = phases(&self.phases, self.block).map_err(RecipeError)?;
        if self.learner != Learner::Duel {
            let plain = phases.is_empty() && self.variant == Variant::Free.to_string();
            return if plain { Ok(()) } else { bad("variant and phases need learner duel") };
        }
        if self.opening > 1_000 || self.explore != 0.0 {
            return bad("a duel has an opening of at most 1,000 placements, and explore 0");
        }
        Ok(())
    }

    /// What goes with what.
    fn check_systems(&self) -> Result<(), &'static str> {
        let plain_credit = matches!(self.credit, CreditRule::OneStep | CreditRule::Delayed);
        let corner_learns = matches!(self.corner, CornerUse::Learn | CornerUse::Both);
        let afterstate = self.learner == Learner::Afterstate;
        let staged = self.stages != "one";
        let carousel = self.shaping == Shaping::Carousel;
        let rules: [(bool, &str); 21] = [
            ((1..=1000).contains(&self.steps), "steps lie between 1 and 1000"),
            (
                self.meta_rate > 0.0 && self.meta_rate <= 10.0,
                "meta-rate lies above 0 and not above 10",
            ),
            (self.tc_rate > 0.0 && self.tc_rate <= 10.0, "tc-rate lies above 0 and not above 10"),
            (self.tc_at == 0 || self.step == StepRule::Td, "tc-at needs step td"),
            ((0.0..=1.0).contains(&self.explore), "explore lies between 0 and 1"),
            (
                plain_credit || self.explore == 0.0 && !corner_learns,
                "explore and corner in learning games need credit one-step or delayed: the target is \
                 that of the greedy move",
            ),
            (
                afterstate
                    || self.credit == CreditRule::OneStep
                        && self.reward == RewardRule::Score
                        && !staged
                        && self.corner == CornerUse::Off
                        && self.restart == 0,
                "learners of states, moves, trees and duels have credit one-step, reward score, one stage, no \
                 corner rule and no restart",
            ),
            (
                self.lambda_until == 0 || afterstate && !plain_credit,
                "lambda-until needs learner afterstate and credit backward or forward",
            ),
            (staged || self.promotion == Switch::Off, "promotion needs stages"),
            (
                self.promotion == Switch::Off || self.initial_value == 0.0,
                "promotion needs initial-value 0: it fills weights that are exactly 0",
            ),
            (
                self.promotion == Switch::Off || self.shaping != Shaping::Together,
                "sets that learn together share nothing, so there is no promotion from one to the next",
            ),
            (staged || self.shaping == Shaping::None, "shaping needs stages"),
            (!carousel || self.stages.starts_with("tiles-"), "a carousel needs stages tiles-BITS"),
            (
                self.carousel_at == 0
                    || matches!(self.shaping, Shaping::Sequence | Shaping::Together)
                        && self.carousel_at < self.games,
                "carousel-at needs shaping sequence or together and lies below games",
            ),
            (
                self.carousel_first == 0 || self.carousel_at > 0,
                "carousel-first needs carousel-at: the stages before it must have learned",
            ),
            (
                self.stage_rest == 0.0
                    || self.shaping == Shaping::Sequence && (0.0..=1.0).contains(&self.stage_rest),
                "stage-rest lies between 0 and 1 and needs shaping sequence",
            ),
            (
                [self.corner_ratio, self.corner_later].iter().all(|r| (0.1..=10.0).contains(r)),
                "corner ratios lie between 0.1 and 10",
            ),
            (
                self.corner_tile == 0
                    || self.corner_tile.is_power_of_two() && self.corner_tile <= 131_072,
                "corner-tile is a tile",
            ),
            (
                self.corner_tile == 0 || self.corner_score == 0,
                "the corner ratio changes at a score or at a tile: give one of corner-score, \
                 corner-tile",
            ),
            (
                self.corner_search == Switch::Off || corner_learns,
                "corner-search needs corner learn or both: it learns from games under the rule",
            ),
            (self.eval_games > 0, "eval-games is at least 1"),
        ];
        rules.iter().find(|(good, _)| !good).map_or(Ok(()), |(_, what)| Err(*what))
    }

    /// The games of each stage: in all those of the recipe as it was written, whose number may be changed later.
    pub fn stage_lengths(&self, stages: usize) -> Option<Vec<u64>> {
        let words = self.stage_games.split_whitespace();
        let lengths: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
        lengths.filter(|lengths| lengths.len() == stages)
    }

    /// Is there a length for each stage, and are they in all what is planned?
    fn check_stage_lengths(&self, stages: usize) -> Result<(), RecipeError> {
        let planned = if self.carousel_at > 0 { self.carousel_at } else { self.games };
        let sum = |lengths: Vec<u64>| lengths.into_iter().try_fold(0u64, u64::checked_add);
        match self.stage_lengths(stages).and_then(sum) {
            Some(sum) if sum == planned => Ok(()),
            _ => Err(RecipeError(format!(
                "stage-games is a number for each of the {stages} stages, in all {planned}"
            ))),
        }
    }

    /// The shaping of a game: a sequence may go on as a carousel.
    pub fn shaping_at(&self, game: u64) -> Shaping {
        match self.shaping {
            Shaping::Sequence if self.in_turns(game) => Shaping::Carousel,
            shaping => shaping,
        }
    }

    /// Do the later stages learn in turns what follows what, after a sequence or stages together?
    pub fn in_turns(&self, game: u64) -> bool {
        self.carousel_at > 0 && game >= self.carousel_at
    }

    /// The stage of a sequence that a game belongs to; games beyond what was planned to the last.
    pub fn stage_of(&self, game: u64, stages: usize) -> usize {
        let lengths = self.stage_games.split_whitespace().filter_map(|word| word.parse().ok());
        let mut end = 0u64;
        let stage = lengths.take(stages).position(|length: u64| {
            end = end.saturating_add(length);
            game < end
        });
        stage.unwrap_or(stages - 1)
    }

    /// The game from which the stage of a sequence that this one belongs to learns more slowly.
    fn rest_of(&self, game: u64) -> u64 {
        let lengths = self.stage_games.split_whitespace().filter_map(|word| word.parse().ok());
        let (mut end, mut rest) = (0u64, 0);
        for length in lengths {
            let slow = (length as f64 * self.stage_rest) as u64;
            (end, rest) = (end.saturating_add(length), end.saturating_add(length - slow));
            if game < end {
                break;
            }
        }
        rest
    }

    /// The corner rule, if a kind of games follows it.
    pub fn corner_rule(&self, learning: bool) -> Option<Corner> {
        let used = match self.corner {
            CornerUse::Off => false,
            CornerUse::Learn => learning,
            CornerUse::Test => !learning,
            CornerUse::Both => true,
        };
        let change = match (self.corner_score, self.corner_tile) {
            (0, 0) => CornerChange::Never,
            (0, tile) => CornerChange::Tile(tile.ilog2() as u8),
            (score, _) => CornerChange::Score(u32::try_from(score).unwrap_or(u32::MAX)),
        };
        let (first, later) = (self.corner_ratio as f32, self.corner_later as f32);
        used.then_some(Corner { first, later, change })
    }

    /// Does another recipe learn just the same, so that only the test games can differ?
    pub fn learns_like(&self, other: &Recipe) -> bool {
        let without_corner = |recipe: &Recipe| {
            let Recipe { corner, corner_ratio, corner_later, .. } = Recipe::default();
            let (name, corner_score, corner_tile) = (String::new(), 0, 0);
            let recipe = recipe.clone();
            Recipe { name, corner, corner_ratio, corner_later, corner_score, corner_tile, ..recipe }
        };
        // Where the run looks for the ratio, the rule is not in the recipe.
        self.corner_search == Switch::Off
            && self.corner_rule(true) == other.corner_rule(true)
            && without_corner(self) == without_corner(other)
    }

    /// The description of the network.
    pub fn spec(&self) -> Result<Spec, RecipeError> {
        let bad = |why: &dyn fmt::Display| RecipeError(format!("{}: {why}", self.network));
        let mut spec = self.tuples()?;
        spec.stages = self.stages.parse().map_err(|e: maxtile_ntuple::StagesError| bad(&e))?;
        spec.promotion = self.promotion == Switch::On;
        match self.learner {
            Learner::Afterstate | Learner::Tree | Learner::Ppo => {}
            Learner::State => spec.judges = Judges::States,
            Learner::Q => {
                // Symmetric images of one table could not tell left from right.
                spec = if spec.symmetric { spec.unshared() } else { spec };
                (spec.judges, spec.stages) = (Judges::Moves, Stages::Moves);
            }
            Learner::Duel => (spec.judges, spec.stages) = (Judges::Duel, Stages::Sides),
        }
        spec.check().map_err(|e| bad(&e))?;
        if matches!(self.shaping, Shaping::Sequence | Shaping::Together) {
            self.check_stage_lengths(spec.stages.count())?;
        }
        Ok(spec)
    }

    /// The board, where the network is named or written out; no file is read.
    pub fn board(&self) -> Option<String> {
        if let Some(spec) = maxtile_neural::named(&self.network) {
            return Some(spec.board);
        }
        let spec = named(&self.network).or_else(|| hexadecimal(&self.network, &self.network));
        spec.map(|spec| spec.board)
    }

    /// The tuples: by name, as words, or from a file of words or of JSON.
    fn tuples(&self) -> Result<Spec, RecipeError> {
        let name = &self.network;
        if let Some(spec) = named(name) {
            return Ok(spec);
        }
        if let Some(spec) = hexadecimal(name, name) {
            return Ok(spec);
        }
        let text = std::fs::read_to_string(name).map_err(|_| {
            let names = NAMES.iter().chain(&maxtile_neural::NAMES).map(|(name, _)| *name);
            let near = nearest(name, names);
            let near = near.map_or(String::new(), |n| format!(", did you mean {n:?}?"));
            RecipeError(format!("there is no network {name:?}, by name or as a file{near}"))
        })?;
        if let Some(spec) = hexadecimal(name, &text) {
            return Ok(spec);
        }
        serde_json::from_str(&text).map_err(|e| RecipeError(format!("{name}: {e}")))
    }

    /// Board and spawns.
    pub fn rules(&self) -> Result<Rules, RecipeError> {
        let board = match self.neural()? {
            Some(spec) => spec.board,
            None => self.spec()?.board,
        };
        let shape = board.parse().unwrap_or(maxtile_game::Shape::CLASSIC);
        Ok(Rules { shape, law: SpawnLaw::new(self.p4).unwrap_or_default() })
    }

    /// Board and variant of a duel.
    pub fn duel_rules(&self, board: &str) -> DuelRules {
        let shape = board.parse().unwrap_or(maxtile_game::Shape::CLASSIC);
        let law = SpawnLaw::new(self.p4).unwrap_or_default();
        DuelRules { shape, law, variant: self.variant.parse().unwrap_or_default() }
    }

    /// How long a run is: in judged positions where they end it, else in games.
    pub fn length(&self) -> u64 {
        if self.positions > 0 { self.positions } else { self.games }
    }

    /// How far errors reach back in a game.
    pub fn lambda_at(&self, game: u64) -> f64 {
        let later = self.lambda_until > 0 && game >= self.lambda_until;
        if later { self.lambda_later } else { self.lambda }
    }

    /// The learning rate of a game.
    pub fn rate_at(&self, game: u64) -> Rate {
        let (at, factor) = (self.rate_until, self.rate_factor as f32);
        let schedule = match self.rate_fall {
            _ if self.stage_rest > 0.0 && self.shaping_at(game) == Shaping::Sequence => {
                Schedule::Drop { at: self.rest_of(game), factor }
            }
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

/// A network of tuples written as words of hexadecimal cells; what follows a # is a remark.
fn hexadecimal(name: &str, text: &str) -> Option<Spec> {
    let cell = |c: char| c.to_digit(16).map(|digit| digit as u8);
    let tuple = |word: &str| word.chars().map(cell).collect::<Option<Vec<u8>>>();
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let tuples: Option<Vec<Vec<u8>>> = lines.flat_map(str::split_whitespace).map(tuple).collect();
    let tuples = tuples.filter(|tuples| !tuples.is_empty())?;
    Some(Spec { tuples, ..Spec::classic(name, &[], 16, true) })
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
    fn networks_as_words_and_for_q_learning() {
        let spec = |text: &str| Recipe::parse(text, &[]).unwrap().spec().unwrap();
        assert_eq!(
            spec("network = \"0123 456789\"").tuples,
            [vec![0, 1, 2, 3], vec![4, 5, 6, 7, 8, 9]]
        );
        let q = spec("network = \"0123\"\nlearner = \"q\"");
        assert_eq!((q.tuples.len(), q.weights()), (4, 4 * 4 * 65536));
        assert_eq!(spec("stages = \"tiles-3\"\npromotion = \"on\"").stages.count(), 8);
    }

    #[test]
    fn recipes_that_differ_in_test_games_learn_alike() {
        let alike = |a: &str, b: &str| {
            let recipe = |text| Recipe::parse(text, &[]).unwrap();
            recipe(a).learns_like(&recipe(b))
        };
        let (test, learn) = ("corner = \"test\"", "corner = \"learn\"");
        let both = "corner = \"both\"";
        assert!(alike("", test) && alike(test, "name = \"x\"") && alike(learn, both));
        assert!(alike(test, "corner = \"test\"\ncorner-score = 7"));
        assert!(!alike("", learn) && !alike(test, both));
        assert!(!alike(learn, "corner = \"both\"\ncorner-score = 7"));
        assert!(!alike("", "rate = 0.5") && !alike("", "seed = 9"));
        let search = "corner = \"both\"\ncorner-search = \"on\"";
        assert!(!alike(search, both) && !alike(both, search));
    }

    #[test]
    fn corner_rules_are_for_the_games_asked_for() {
        let rule = |text: &str, learning| Recipe::parse(text, &[]).unwrap().corner_rule(learning);
        assert_eq!(rule("corner = \"test\"", true), None);
        let corner = rule("corner = \"both\"\ncorner-tile = 4096", true).unwrap();
        assert_eq!((corner.first, corner.later, corner.change), (1.2, 1.1, CornerChange::Tile(12)));
        let corner = rule("corner = \"learn\"\ncorner-score = 70000", true).unwrap();
        assert_eq!(corner.change, CornerChange::Score(70_000));
    }

    #[test]
    fn lambda_changes_at_its_game() {
        let text = "credit = \"backward\"\nlambda = 0.8\nlambda-until = 100\nlambda-later = 0.3";
        let recipe = Recipe::parse(text, &[]).unwrap();
        assert_eq!([0, 99, 100, 5000].map(|game| recipe.lambda_at(game)), [0.8, 0.8, 0.3, 0.3]);
        assert_eq!(Recipe::default().lambda_at(u64::MAX), 0.5);
    }

    #[test]
    fn a_sequence_of_stages_and_what_comes_after_it() {
        let text =
            "stages = \"wu\"\nshaping = \"sequence\"\nstage-games = \"50 30 20\"\ngames = 100";
        let recipe = Recipe::parse(text, &[]).unwrap();
        let stages = [0, 49, 50, 79, 80, 99, 100, 5000].map(|game| recipe.stage_of(game, 3));
        assert_eq!(stages, [0, 0, 1, 1, 2, 2, 2, 2]);
        // Sums that come round to the right number are none.
        let wrong = text.replace("50 30 20", "18446744073709551615 100 1");
        assert!(Recipe::parse(&wrong, &[]).unwrap_err().0.starts_with("stage-games is a number"));
    }

    #[test]
    fn each_stage_ends_at_a_lower_rate() {
        let text = "stages = \"wu\"\nshaping = \"sequence\"\nstage-games = \"50 30 20\"\n\
                    stage-rest = 0.1\nrate-factor = 0.25\nrate-until = 150\ncarousel-at = 100\n\
                    games = 200";
        let recipe = Recipe::parse(text, &[]).unwrap();
        let rates = [0, 44, 45, 49, 50, 76, 77, 79, 80, 97, 98, 99, 100, 149, 150, 500];
        let low = [45, 49, 77, 79, 98, 99, 150, 500];
        for game in rates {
            let rate = if low.contains(&game) { 0.25 } else { 1.0 };
            assert_eq!(recipe.rate_at(game), Rate::Distributed(rate), "game {game}");
        }
        let wants = "stage-rest lies between 0 and 1 and needs shaping sequence";
        assert_eq!(Recipe::parse("stage-rest = 0.1", &[]).unwrap_err().0, wants);
        let wrong = text.replace("0.1", "1.5");
        assert_eq!(Recipe::parse(&wrong, &[]).unwrap_err().0, wants);
    }

    #[test]
    fn a_sequence_goes_on_as_a_carousel() {
        let text = "stages = \"wu\"\nshaping = \"sequence\"\nstage-games = \"50 30 20\"\n\
                    carousel-at = 100\ngames = 200";
        let recipe = Recipe::parse(text, &[]).unwrap();
        let (sequence, carousel) = (Shaping::Sequence, Shaping::Carousel);
        let shaping = [0, 99, 100, 5000].map(|game| recipe.shaping_at(game));
        assert_eq!(shaping, [sequence, sequence, carousel, carousel]);
        let error = |text: &str| Recipe::parse(text, &[]).unwrap_err().0;
        let sum = "stage-games is a number for each of the 3 stages, in all 150";
        assert_eq!(error(&text.replace("at = 100", "at = 150")), sum);
        let wants = "carousel-at needs shaping sequence or together and lies below games";
        assert_eq!(error(&text.replace("games = 200", "games = 100")), wants);
        assert_eq!(error("carousel-at = 5"), wants);
        assert!(error("carousel-first = 1").starts_with("carousel-first needs carousel-at"));
    }

    #[test]
    fn stages_learn_together() {
        let text = "stages = \"wu\"\nshaping = \"together\"\nstage-games = \"50 30 20\"\n\
                    carousel-at = 100\ncarousel-first = 1\ngames = 200";
        let recipe = Recipe::parse(text, &[]).unwrap();
        assert!(
            [0, 99, 100, 5000].iter().all(|&game| recipe.shaping_at(game) == Shaping::Together)
        );
        assert_eq!(
            [0, 99, 100, 5000].map(|game| recipe.in_turns(game)),
            [false, false, true, true]
        );
        let error = |text: &str| Recipe::parse(text, &[]).unwrap_err().0;
        let sum = "stage-games is a number for each of the 3 stages, in all 100";
        assert_eq!(error(&text.replace("50 30 20", "50 30")), sum);
        assert!(error(&format!("{text}\nstage-rest = 0.1")).ends_with("needs shaping sequence"));
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
        assert_eq!(error("step = \"tc\"\ntc-at = 5"), "tc-at needs step td");
        assert_eq!(
            error("lambda-until = 5"),
            "lambda-until needs learner afterstate and credit backward or forward"
        );
        assert!(error("lambda-later = 1.5").starts_with("lambda and lambda-later lie"));
        assert_eq!(error("promotion = \"on\""), "promotion needs stages");
        assert!(error("corner = \"test\"\ncorner-search = \"on\"").starts_with("corner-search"));
        assert!(error("corner-score = 9\ncorner-tile = 8").starts_with("the corner ratio changes"));
        assert_eq!(error("eval-games = 0"), "eval-games is at least 1");
        assert!(error("initial-value = 1e300").starts_with("initial-value lies"));
        assert!(error("stages = \"three\"").contains("tiles-BITS"));
        assert!(error("explore = 0.1\ncredit = \"backward\"").contains("greedy move"));
        assert!(error("learner = \"q\"\nstages = \"wu\"").starts_with("learners of states"));
        assert_eq!(
            error("stages = \"wu\"\nshaping = \"sequence\"\nstage-games = \"5 5\""),
            "stage-games is a number for each of the 3 stages, in all 100000"
        );
        let together =
            "stages = \"wu\"\nshaping = \"together\"\nstage-games = \"5 5 5\"\ngames = 15";
        assert!(error(&format!("{together}\npromotion = \"on\"")).starts_with("sets that learn"));
        // The shares stay what they are when the run is made longer.
        let longer = Recipe { games: 30, ..Recipe::parse(together, &[]).unwrap() };
        assert_eq!(longer.stage_lengths(3), Some(vec![5, 5, 5]));
        assert_eq!(
            error("network = \"0123 012g\"").split(',').next(),
            Some("there is no network \"0123 012g\"")
        );
        assert_eq!(error("network = \"0120\""), "0120: tuple 0 names a cell twice");
        assert_eq!(
            error("network = \"wu-4x7\""),
            "there is no network \"wu-4x7\", by name or as a file, did you mean \"wu-4x6\"?"
        );
    }
}
