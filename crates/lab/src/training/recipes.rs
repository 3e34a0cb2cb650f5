//! The recipes that come with the program.

use super::recipe::{Recipe, RecipeError};

macro_rules! recipes {
    ($($name:literal),+ $(,)?) => {
        /// Name and text of each.
        pub const NAMED_RECIPES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../recipes/", $name, ".toml")))),+];
    };
}

recipes!(
    "default",
    "td-4x6",
    "tc-4x6",
    "tc-delayed-4x6",
    "tc-backward-4x6",
    "tc-restart-4x6",
    "quick-4x6",
    "td-8x6",
    "tc-8x6",
    "szubert-17x4",
    "otd-4x6",
    "otd-tc-4x6",
    "autostep-42-33",
    "yeh-lambda",
    "wu-stages",
    "jaskowski-final",
    "kanazawa-corner",
    "q-17x4",
    "state-17x4",
    "duel-small",
    "duel-large",
    "duel-alternating",
    "duel-2x3",
    "duel-cnn",
    "whole-2x2",
    "whole-2x3",
    "small-3x3",
    "tree-3x3",
    "cnn-small",
    "cnn22",
    "ppo-afterstate",
    "ppo-small",
);

/// The recipe with this name, with some fields changed.
pub fn named_recipe(
    name: &str,
    changes: &[(String, String)],
) -> Option<Result<Recipe, RecipeError>> {
    let (_, text) = NAMED_RECIPES.iter().find(|(known, _)| *known == name)?;
    Some(Recipe::parse(text, changes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_is_sound_and_named_as_its_file() {
        for (name, text) in NAMED_RECIPES {
            let recipe = Recipe::parse(text, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(recipe.name, *name);
        }
    }
}
