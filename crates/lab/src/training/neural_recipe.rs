//! Recipes of neural networks: their words, and what goes with what.

use maxtile_neural::{Head, Judges, Spec, named};
use serde::{Deserialize, Serialize};

use super::recipe::{
    CornerUse, CreditRule, Learner, Recipe, RecipeError, RewardRule, Shaping, StepRule, Switch,
};

/// How far from its target a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossRule {
    /// The square of the difference.
    Squared,
    /// Half the square up to one unit, straight beyond.
    Huber,
}

/// Which symmetric images of a position are learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageRule {
    /// The position as it is.
    Own,
    /// One by chance.
    Random,
    /// All.
    All,
}

/// Where learning games of neural networks start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartRule {
    /// Where the rules say.
    Usual,
    /// In four games of five with 2048, 4096, both or 8192.
    SJump,
    /// In four games of five with 4096, 8192, both or 16384.
    LJump,
}

/// Where a neural network learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceRule {
    /// The best that the program was built for.
    Best,
    /// The processor.
    Cpu,
    /// A graphics card by Vulkan, Metal or `DirectX`.
    Wgpu,
    /// A graphics card of NVIDIA.
    Cuda,
}

impl Recipe {
    /// The description of a neural network, by name or from a file of JSON; `None` where the network is one of
    /// tuples.
    pub fn neural(&self) -> Result<Option<Spec>, RecipeError> {
        let name = &self.network;
        let found = named(name).or_else(|| {
            let text = std::fs::read_to_string(name).ok()?;
            // A file of tuples has other fields; what is wrong with it, its own reader says.
            serde_json::from_str::<Spec>(&text).ok()
        });
        let Some(mut spec) = found else { return Ok(None) };
        spec.scale = self.value_scale as f32;
        spec.check().map_err(|why| RecipeError(format!("{name}: {why}")))?;
        Ok(Some(spec))
    }

    /// Is everything that is for PPO alone as it is by default?
    fn policy_is_usual(&self, default: &Recipe) -> bool {
        self.epochs == default.epochs
            && self.update_moves == default.update_moves
            && self.update_games == default.update_games
            && self.clip == default.clip
            && self.mask == default.mask
            && self.momentum == default.momentum
            && self.weight_decay == default.weight_decay
            && self.entropy == default.entropy
            && self.kl_stop == default.kl_stop
    }

    /// What goes with what.
    pub(super) fn check_neural(&self, spec: &Spec) -> Result<(), &'static str> {
        let policy = self.learner == Learner::Ppo;
        let duel = self.learner == Learner::Duel;
        let actor = match spec.judges {
            Judges::Afterstates => Head::Preference,
            Judges::States => Head::Moves,
        };
        let share = |number: f64| (0.0..=1.0).contains(&number);
        let default = Recipe::default();
        let rules: [(bool, &str); 19] = [
            (
                policy || duel || self.learner == Learner::Afterstate,
                "a neural network learns as learner afterstate, duel or ppo",
            ),
            (
                policy || spec.judges == Judges::Afterstates && spec.heads.contains(&Head::Value),
                "learners afterstate and duel need a network that says what afterstates are worth",
            ),
            (
                !duel || spec.heads == [Head::Value],
                "learner duel needs a network with a value alone: nothing else would be learned",
            ),
            (
                !duel
                    || self.batch > 0
                        && self.restart == 0
                        && self.starts == StartRule::Usual
                        && self.reward == RewardRule::Score,
                "a duel of neural networks needs a batch, reward score, the usual starts and no restart",
            ),
            (
                !policy || spec.heads.contains(&actor) && spec.heads.contains(&Head::Value),
                "learner ppo needs a network with preferences and values",
            ),
            (
                self.credit == CreditRule::OneStep
                    && self.step == StepRule::Tc
                    && self.tc_at == 0
                    && self.stages == "one"
                    && self.promotion == Switch::Off
                    && self.shaping == Shaping::None
                    && self.corner == CornerUse::Off
                    && self.corner_search == Switch::Off
                    && self.habits == Switch::Off
                    && self.initial_value == default.initial_value
                    && self.rate_kind == default.rate_kind,
                "step, credit, stages, shaping, corner, habits, initial-value and rate-kind are for \
                 networks of tuples",
            ),
            (
                share(self.explore) && share(self.discount),
                "explore and discount lie between 0 and 1",
            ),
            (
                !policy
                    || self.explore == 0.0
                        && self.restart == 0
                        && self.starts == StartRule::Usual
                        && self.images == ImageRule::Own
                        && self.loss == LossRule::Squared,
                "explore, restart, starts, images and loss are for learners afterstate and duel",
            ),
            (
                policy || self.policy_is_usual(&default),
                "epochs, update-moves, update-games, clip, mask, momentum, weight-decay, entropy and kl-stop \
                 are for learner ppo",
            ),
            (self.lambda_until == 0, "lambda-until is for networks of tuples"),
            (self.batch <= 1 << 20, "batch is at most 1,048,576"),
            ((1..=4096).contains(&self.seats), "seats lie between 1 and 4096"),
            (
                (1e-3..=1e6).contains(&self.value_scale),
                "value-scale lies between 0.001 and 1,000,000",
            ),
            ((1..=1000).contains(&self.epochs), "epochs lie between 1 and 1000"),
            (
                (1..=10_000_000).contains(&self.update_moves) && self.update_games <= 1_000_000,
                "update-moves lie between 1 and 10,000,000, update-games are at most 1,000,000",
            ),
            (
                self.clip > 0.0 && self.clip < 1.0 && (0.0..1.0).contains(&self.momentum),
                "clip lies between 0 and 1, momentum from 0 to below 1",
            ),
            (
                [self.weight_decay, self.entropy, self.kl_stop].iter().all(|&x| share(x)),
                "weight-decay, entropy and kl-stop lie between 0 and 1",
            ),
            (self.eval_games > 0, "eval-games is at least 1"),
            (
                self.positions == 0
                    && self.eval_positions == 0
                    && self.estimates == Switch::Off
                    && self.tree_targets == default.tree_targets
                    && self.sims == default.sims
                    && self.samples == default.samples,
                "positions, eval-positions, estimates, tree-targets, sims and samples are for networks of \
                 tuples",
            ),
        ];
        rules.iter().find(|(good, _)| !good).map_or(Ok(()), |(_, what)| Err(*what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neural_recipes_are_checked_on_their_own() {
        let parse = |text: &str| Recipe::parse(text, &[]);
        let recipe = parse("network = \"cnn-small\"\nrate = 0.001\nvalue-scale = 100.0").unwrap();
        let spec = recipe.neural().unwrap().unwrap();
        assert_eq!((spec.name.as_str(), spec.scale), ("cnn-small", 100.0));
        assert_eq!(recipe.rules().unwrap().shape, maxtile_game::Shape::CLASSIC);
        assert_eq!(parse("").unwrap().neural(), Ok(None));
        let error = |text: &str| parse(text).unwrap_err().0;
        assert_eq!(error("learner = \"ppo\""), "learner ppo needs a neural network");
        let cnn = |text: &str| error(&format!("network = \"cnn-tiny-3x3\"\n{text}"));
        assert!(cnn("learner = \"ppo\"").starts_with("learner ppo needs a network with"));
        assert!(cnn("credit = \"delayed\"").ends_with("networks of tuples"));
        assert_eq!(
            cnn("learner = \"q\""),
            "a neural network learns as learner afterstate, duel or ppo"
        );
        assert_eq!(cnn("seats = 0"), "seats lie between 1 and 4096");
        let normal = "network = \"ppo-normal\"";
        assert!(error(normal).starts_with("learners afterstate and duel need"));
        assert!(
            error(&format!("{normal}\nlearner = \"ppo\"\nexplore = 0.1"))
                .starts_with("explore, restart")
        );
        let ppo = |text: &str| format!("{normal}\nlearner = \"ppo\"\n{text}");
        assert!(error(&ppo("loss = \"huber\"")).ends_with("learners afterstate and duel"));
        assert!(cnn("epochs = 5").ends_with("are for learner ppo"));
        assert!(cnn("lambda-until = 5").starts_with("lambda-until"));
        let usual = parse(&ppo("")).unwrap();
        assert_eq!((usual.discount, usual.lambda), (0.99, 0.99));
        let own = parse(&ppo("lambda = 0.5\ndiscount = 1.0")).unwrap();
        assert_eq!((own.discount, own.lambda), (1.0, 0.5));
    }

    #[test]
    fn duels_of_neural_networks_are_checked() {
        let parse = |network: &str, more: &str| {
            let text = format!("network = {network:?}\nlearner = \"duel\"\n{more}");
            Recipe::parse(&text, &[]).map_err(|error| error.0)
        };
        let error = |more: &str| parse("cnn-tiny-3x3", more).unwrap_err();
        assert!(parse("cnn-tiny-3x3", "batch = 64\nvariant = \"drawn\"").is_ok());
        assert!(error("").starts_with("a duel of neural networks needs a batch"));
        assert!(error("batch = 64\nrestart = 10").ends_with("and no restart"));
        assert!(error("batch = 64\nexplore = 0.1").ends_with("and explore 0"));
        assert!(error("batch = 64\nvariant = \"fours\"").starts_with("a variant of the duel is"));
        assert!(error("batch = 64\nphases = \"both:5\"").contains("no multiple of block"));
        let ppo = parse("ppo-afterstate-small", "batch = 64").unwrap_err();
        assert!(ppo.starts_with("learner duel needs a network with a value alone"), "{ppo}");
        let phases = Recipe::parse("network = \"cnn-tiny\"\nphases = \"both:1000\"", &[]);
        assert_eq!(phases.unwrap_err().0, "variant and phases need learner duel");
    }

    #[test]
    fn a_network_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.json");
        let mut spec = named("cnn-tiny-3x3").unwrap();
        spec.name = "mine".to_owned();
        std::fs::write(&path, serde_json::to_string(&spec).unwrap()).unwrap();
        let recipe = Recipe { network: path.display().to_string(), ..Recipe::default() };
        assert_eq!(recipe.neural(), Ok(Some(spec)));
    }
}
