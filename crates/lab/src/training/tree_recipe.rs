//! The fields of a recipe that are about learning from trees and about judged positions.

use maxtile_ntuple::TreeTargets;
use serde::{Deserialize, Serialize};

use super::recipe::{Learner, Recipe, RewardRule, Switch};

/// What is learned from a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TreeRule {
    /// The most visited afterstates learn what the tree makes of them.
    Plain,
    /// Two networks learn from each other.
    Double,
    /// The mean of moves by visits in place of the best.
    Visits,
    /// Only afterstates whose spawns have all been looked at.
    Complete,
    /// Played afterstates learn from the trees after them and from the game.
    Returns,
    /// The game says how much, the tree says by how much afterstates differ.
    Anchored,
    /// The same of those alone that the tree would play.
    Line,
}

impl From<TreeRule> for TreeTargets {
    fn from(rule: TreeRule) -> TreeTargets {
        match rule {
            TreeRule::Plain => TreeTargets::Plain,
            TreeRule::Double => TreeTargets::Double,
            TreeRule::Visits => TreeTargets::Visits,
            TreeRule::Complete => TreeTargets::Complete,
            TreeRule::Returns => TreeTargets::Returns,
            TreeRule::Anchored => TreeTargets::Anchored,
            TreeRule::Line => TreeTargets::Line,
        }
    }
}

impl Recipe {
    /// How many networks learn.
    pub(super) fn networks(&self) -> usize {
        match self.learner {
            Learner::Tree => TreeTargets::from(self.tree_targets).networks(),
            _ => 1,
        }
    }

    /// What goes with what.
    pub(super) fn check_tree(&self) -> Result<(), &'static str> {
        let tree = self.learner == Learner::Tree;
        let afterstates = tree || self.learner == Learner::Afterstate;
        let default = Recipe::default();
        let untouched = self.tree_targets == default.tree_targets
            && self.sims == default.sims
            && self.samples == default.samples;
        let rules: [(bool, &str); 6] = [
            (tree || untouched, "tree-targets, sims and samples need learner tree"),
            (self.sims <= 100_000, "sims are at most 100,000"),
            ((1..=100_000).contains(&self.samples), "samples lie between 1 and 100,000"),
            (
                !tree || self.explore == 0.0,
                "learner tree plays what its search decides: explore is 0",
            ),
            (
                afterstates || self.positions == 0 && self.eval_positions == 0,
                "positions and eval-positions need learner afterstate or tree: others do not count them",
            ),
            (
                self.estimates == Switch::Off
                    || afterstates && self.stages == "one" && self.reward == RewardRule::Score,
                "estimates need learner afterstate or tree, one stage and reward score",
            ),
        ];
        rules.iter().find(|(good, _)| !good).map_or(Ok(()), |(_, what)| Err(*what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_recipes_are_checked() {
        let tree = |text: &str| Recipe::parse(&format!("learner = \"tree\"\n{text}"), &[]);
        let recipe = tree("tree-targets = \"double\"\nsims = 9\npositions = 500").unwrap();
        assert_eq!((recipe.networks(), recipe.length()), (2, 500));
        let error = |text: &str| tree(text).unwrap_err().0;
        assert!(error("tree-targets = \"triple\"").contains("anchored"));
        assert!(error("samples = 0").starts_with("samples lie"));
        assert!(error("explore = 0.1").starts_with("learner tree plays"));
        assert!(error("stages = \"wu\"").starts_with("learners of states, moves, trees"));
        assert!(error("network = \"cnn-tiny-3x3\"").starts_with("a neural network learns as"));
        let other = |text: &str| Recipe::parse(text, &[]).unwrap_err().0;
        assert_eq!(other("sims = 9"), "tree-targets, sims and samples need learner tree");
        assert!(other("learner = \"q\"\npositions = 5").starts_with("positions and"));
        assert!(other("stages = \"wu\"\nestimates = \"on\"").starts_with("estimates need"));
    }
}
