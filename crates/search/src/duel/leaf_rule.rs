//! Which positions are judged where a search ends.

use std::fmt;
use std::str::FromStr;

/// Which positions are judged where the depth ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LeafRule {
    /// Those there are: after a slide by the defender's value, after a placement by the attacker's.
    /// So it is the parity of the depth that decides (Oda & Matsuzaki 2022).
    #[default]
    Paper,
    /// Positions after a slide: a search that ends with a placement looks one ply further.
    Defender,
    /// Positions after a placement: a search that ends with a slide looks one ply further.
    Attacker,
}

impl fmt::Display for LeafRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LeafRule::Paper => "paper",
            LeafRule::Defender => "defender",
            LeafRule::Attacker => "attacker",
        })
    }
}

impl FromStr for LeafRule {
    type Err = LeafRuleError;

    fn from_str(text: &str) -> Result<LeafRule, LeafRuleError> {
        let all = [LeafRule::Paper, LeafRule::Defender, LeafRule::Attacker];
        all.into_iter().find(|rule| rule.to_string() == text).ok_or(LeafRuleError)
    }
}

/// Not the name of a leaf rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafRuleError;

impl fmt::Display for LeafRuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("leaves are judged by attacker, defender or paper")
    }
}

impl std::error::Error for LeafRuleError {}
