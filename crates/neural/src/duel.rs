//! Two networks as the value of a duel: one judges after slides, the other after placements.
//!
//! What the attacker leaves is a position to move, so his network is one that judges
//! [states](Judges::States): neither can be taken for the other.

use std::fmt;

use maxtile_game::{Afterstate, Board, Shape};
use maxtile_search::DuelValue;

use crate::network::Network;
use crate::spec::Judges;
use crate::value::{Judge, NotAValue};

/// What both kinds of position of a duel are worth, by a network each.
#[derive(Debug)]
pub struct DuelNetworks {
    defender: Judge,
    attacker: Judge,
}

impl DuelNetworks {
    /// Takes the defender's network, which judges afterstates, and the attacker's, which judges
    /// positions to move; both have a value head and the same board.
    pub fn new(defender: Network, attacker: Network) -> Result<DuelNetworks, NotAPair> {
        if defender.spec().judges != Judges::Afterstates {
            return Err(NotAPair::Defender(NotAValue::JudgesStates));
        }
        if attacker.spec().judges != Judges::States {
            return Err(NotAPair::Attacker("it judges afterstates, not positions to move"));
        }
        if defender.shape() != attacker.shape() {
            return Err(NotAPair::Boards(defender.shape(), attacker.shape()));
        }
        let headless = NotAValue::NoValueHead;
        let defender = Judge::new(defender).ok_or(NotAPair::Defender(headless))?;
        let attacker = Judge::new(attacker).ok_or(NotAPair::Attacker("it has no value head"))?;
        Ok(DuelNetworks { defender, attacker })
    }

    /// The board they judge.
    pub fn shape(&self) -> Shape {
        self.defender.network().shape()
    }
}

impl DuelValue for DuelNetworks {
    fn slid(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        self.defender.judge(afterstates.iter().map(|afterstate| afterstate.grid()), out);
    }

    fn placed(&self, boards: &[Board], out: &mut [f32]) {
        self.attacker.judge(boards.iter().map(|board| board.grid()), out);
    }
}

/// Why two networks cannot judge a duel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAPair {
    /// The defender's does not judge afterstates.
    Defender(NotAValue),
    /// What is wrong with the attacker's.
    Attacker(&'static str),
    /// Their boards, which should be one.
    Boards(Shape, Shape),
}

impl fmt::Display for NotAPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAPair::Defender(why) => write!(f, "the defender's network: {why}"),
            NotAPair::Attacker(why) => write!(f, "the attacker's network: {why}"),
            NotAPair::Boards(defender, attacker) => {
                write!(f, "the defender's board is {defender}, the attacker's {attacker}")
            }
        }
    }
}

impl std::error::Error for NotAPair {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Precision, Spec, Weights, named};

    /// A network that says the same of every board.
    fn saying(name: &str, judges: Judges, value: f32) -> Network {
        let spec = Spec { judges, ..named(name).unwrap() };
        let mut weights = Weights::new(spec, 1).unwrap();
        weights.get_mut("heads.value.weight").unwrap().fill(0.0);
        weights.get_mut("heads.value.bias").unwrap().fill(value);
        Network::new(&weights, Precision::Full)
    }

    #[test]
    fn each_side_is_judged_by_its_own_network() {
        let defender = saying("cnn-tiny-3x3", Judges::Afterstates, 10.0);
        let attacker = saying("cnn-tiny-3x3", Judges::States, 20.0);
        let pair = DuelNetworks::new(defender, attacker).unwrap();
        let mut values = [0.0; 2];
        pair.slid(&["3x3:120000000".parse().unwrap(); 2], &mut values);
        assert_eq!(values, [10.0; 2]);
        pair.placed(&["3x3:120000000".parse().unwrap(); 2], &mut values);
        assert_eq!(values, [20.0; 2]);
    }

    #[test]
    fn what_is_no_pair_is_refused() {
        let slides = |name| saying(name, Judges::Afterstates, 0.0);
        let places = |name| saying(name, Judges::States, 0.0);
        let tiny = "cnn-tiny-3x3";
        let why = |defender, attacker| DuelNetworks::new(defender, attacker).unwrap_err();
        assert_eq!(
            why(places(tiny), places(tiny)).to_string(),
            "the defender's network: it judges positions to move, not afterstates"
        );
        assert_eq!(
            why(slides(tiny), slides(tiny)).to_string(),
            "the attacker's network: it judges afterstates, not positions to move"
        );
        assert_eq!(
            why(slides(tiny), places("cnn-tiny")).to_string(),
            "the defender's board is 3x3, the attacker's 4x4"
        );
    }
}
