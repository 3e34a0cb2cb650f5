//! Writes a network before learning: `make NAME SEED FILE`.
#![allow(clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use maxtile_neural::{NAMES, Weights, named};

fn make() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, seed, file] = &arguments[..] else {
        return Err("usage: make NAME SEED FILE".to_owned());
    };
    let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
    let spec = named(name).ok_or_else(|| format!("{name} is not one of {}", names.join(", ")))?;
    let seed = seed.parse().map_err(|_| format!("{seed} is not a seed"))?;
    let weights = Weights::new(spec, seed).map_err(|error| error.to_string())?;
    let notes = BTreeMap::from([("seed".to_owned(), seed.into())]);
    weights.save(Path::new(file), notes).map_err(|error| format!("cannot write {file}: {error}"))
}

fn main() -> ExitCode {
    match make() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
