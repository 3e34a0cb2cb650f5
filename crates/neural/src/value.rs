//! A network as a judge of afterstates.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use maxtile_game::{Afterstate, Grid, Shape};
use maxtile_search::Value;

use crate::network::{Context, Network};
use crate::spec::{Head, Judges};

/// A network with a value head, and memory for the threads that ask it.
#[derive(Debug)]
pub(crate) struct Judge {
    network: Network,
    head: usize,
    /// Contexts that no thread is using. A thread takes one for the time of a call, so there are as
    /// many as threads ever asked at the same time.
    contexts: Mutex<Vec<Context>>,
}

impl Judge {
    /// `None` when the network has no value head.
    pub(crate) fn new(network: Network) -> Option<Judge> {
        let head = network.head(Head::Value)?;
        let contexts = Mutex::new(vec![network.context()]);
        Some(Judge { network, head, contexts })
    }

    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    /// The value of each board in points.
    pub(crate) fn judge(&self, boards: impl Iterator<Item = Grid>, out: &mut [f32]) {
        let lock = || self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        let context = lock().pop();
        let mut context = context.unwrap_or_else(|| self.network.context());
        let scale = self.network.spec().scale;
        self.network.run(&mut context, boards, |board, outputs| {
            out[board] = outputs[self.head] * scale;
        });
        lock().push(context);
    }
}

/// A network that says what afterstates are worth: its value head times its scale, in points.
#[derive(Debug)]
pub struct NetworkValue(Judge);

impl NetworkValue {
    /// Takes a network that judges afterstates and has a value head.
    pub fn new(network: Network) -> Result<NetworkValue, NotAValue> {
        if network.spec().judges != Judges::Afterstates {
            return Err(NotAValue::JudgesStates);
        }
        Judge::new(network).map(NetworkValue).ok_or(NotAValue::NoValueHead)
    }

    /// The network.
    pub fn network(&self) -> &Network {
        self.0.network()
    }

    /// The board it judges.
    pub fn shape(&self) -> Shape {
        self.0.network().shape()
    }
}

impl Value for NetworkValue {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        self.0.judge(afterstates.iter().map(|afterstate| afterstate.grid()), out);
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
