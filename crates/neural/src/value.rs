//! A network as a judge of afterstates.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use maxtile_game::{Afterstate, Shape};
use maxtile_search::Value;

use crate::network::{Context, Network};
use crate::spec::{Head, Judges};

/// A network that says what afterstates are worth: its value head times its scale, in points.
#[derive(Debug)]
pub struct NetworkValue {
    network: Network,
    head: usize,
    /// Contexts that no thread is using. A thread takes one for the time of a call, so there are as
    /// many as threads ever asked at the same time.
    contexts: Mutex<Vec<Context>>,
}

impl NetworkValue {
    /// Takes a network that judges afterstates and has a value head.
    pub fn new(network: Network) -> Result<NetworkValue, NotAValue> {
        if network.spec().judges != Judges::Afterstates {
            return Err(NotAValue::JudgesStates);
        }
        let head = network.head(Head::Value).ok_or(NotAValue::NoValueHead)?;
        let contexts = Mutex::new(vec![network.context()]);
        Ok(NetworkValue { network, head, contexts })
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The board it judges.
    pub fn shape(&self) -> Shape {
        self.network.shape()
    }
}

impl Value for NetworkValue {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        let lock = || self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        let context = lock().pop();
        let mut context = context.unwrap_or_else(|| self.network.context());
        let scale = self.network.spec().scale;
        let boards = afterstates.iter().map(|afterstate| afterstate.grid());
        self.network.run(&mut context, boards, |board, outputs| {
            out[board] = outputs[self.head] * scale;
        });
        lock().push(context);
    }
}

/// Why a network cannot judge afterstates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAValue {
    /// It judges positions to move.
    JudgesStates,
    /// It only says what it prefers.
    NoValueHead,
}

impl fmt::Display for NotAValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotAValue::JudgesStates => "it judges positions to move, not afterstates",
            NotAValue::NoValueHead => "it has no value head",
        })
    }
}

impl std::error::Error for NotAValue {}
