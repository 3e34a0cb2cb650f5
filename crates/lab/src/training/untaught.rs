//! A neural network in a program that cannot teach it: there is none.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use maxtile_game::Rules;
use maxtile_neural::Spec;

use super::folder::RunError;
use super::recipe::Recipe;
use super::student::{Learned, Tested};

/// What cannot be made.
pub(super) enum Untaught {}

const WHY: &str = "this program was built without the training of neural networks \
                   (cargo build --release --features neural-train)";

impl Untaught {
    pub(super) fn new(recipe: &Recipe, _: Spec) -> Result<Untaught, RunError> {
        Err(RunError::Network(format!("{}: {WHY}", recipe.network)))
    }

    pub(super) fn open(_: &Recipe, _: &Path) -> Result<Untaught, String> {
        Err(WHY.to_owned())
    }

    pub(super) fn describe(&self) -> String {
        match *self {}
    }

    pub(super) fn learn(&mut self, _: &Recipe, _: Range<u64>) -> Result<Learned, RunError> {
        match *self {}
    }

    pub(super) fn examine(&self, _: &Recipe, _: Rules, _: &AtomicBool) -> Option<Tested> {
        match *self {}
    }

    pub(super) fn save(&self, _: &Path, _: BTreeMap<String, serde_json::Value>) -> io::Result<()> {
        match *self {}
    }
}
