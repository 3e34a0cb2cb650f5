//! What can stand behind `net=`: values worked out by hand, and files.

use std::io;
use std::path::Path;
use std::sync::Arc;

use maxtile_game::{Afterstate, Shape};
use maxtile_ntuple::{FileError, Network};
use maxtile_search::Value;

use crate::error::{AgentError, AgentProblem};
use crate::exact::Exact;
use crate::training::newest_network;

/// A value function that needs no file.
pub struct BuiltIn {
    /// What stands behind `net=`.
    pub name: &'static str,
    /// What it is, in one line.
    pub meaning: &'static str,
    make: fn() -> Arc<dyn Value>,
}

/// The value functions that need no file.
pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "empties",
        meaning: "100 points for each empty cell",
        make: || Arc::new(Empties),
    },
    BuiltIn {
        name: "zero",
        meaning: "nothing: only the reward of the move counts",
        make: || Arc::new(Zero),
    },
];

/// Opens the value function that `text` names, for boards of this shape: one that needs no file,
/// a network file, the newest network of a run's folder, or a solved board (.mts).
///
/// A file is opened once; the threads share it.
pub fn open_value(text: &str, shape: Shape) -> Result<Arc<dyn Value>, AgentError> {
    if let Some(value) = BUILT_IN.iter().find(|value| value.name == text) {
        return Ok((value.make)());
    }
    let refused = |why| AgentProblem::CannotOpen { what: text.to_owned(), why };
    if Path::new(text).extension().is_some_and(|end| end == "mts") {
        return Ok(Arc::new(Exact::open(Path::new(text), shape).map_err(refused)?));
    }
    let network = open_network(Path::new(text)).map_err(refused)?;
    if network.shape() != shape {
        let why = format!("its board is {}, not {shape}", network.shape());
        return Err(refused(why).into());
    }
    Ok(Arc::new(network))
}

fn open_network(path: &Path) -> Result<Network, String> {
    let plain = |cause: &io::Error| match cause.kind() {
        io::ErrorKind::NotFound => {
            let names: Vec<&str> = BUILT_IN.iter().map(|value| value.name).collect();
            format!("no such file, and not one of {}", names.join(", "))
        }
        kind => kind.to_string(),
    };
    let mut file = path.to_owned();
    if path.is_dir() {
        let newest = newest_network(path).map_err(|cause| plain(&cause))?;
        file = newest.ok_or("this folder holds no good checkpoint")?;
    }
    Network::open(&file).map_err(|error| match error {
        FileError::Io(cause) => plain(&cause),
        other => other.to_string(),
    })
}

/// Likes empty cells: each is worth about what it takes to lose one.
struct Empties;

impl Value for Empties {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        for (afterstate, value) in afterstates.iter().zip(out) {
            *value = 100.0 * afterstate.empty_count() as f32;
        }
    }
}

/// Knows nothing of the future.
struct Zero;

impl Value for Zero {
    fn values(&self, _: &[Afterstate], out: &mut [f32]) {
        out.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_values() {
        let afterstate: Afterstate = "1200000000000000".parse().unwrap();
        let open = |name| open_value(name, Shape::CLASSIC).unwrap();
        assert_eq!(open("empties").value(afterstate).to_bits(), 1400f32.to_bits());
        assert_eq!(open("zero").value(afterstate).to_bits(), 0f32.to_bits());
    }

    #[test]
    fn a_path_that_is_none() {
        let message = |text| open_value(text, Shape::CLASSIC).err().unwrap().to_string();
        assert_eq!(
            message("nosuch.mtx"),
            "cannot open nosuch.mtx: no such file, and not one of empties, zero"
        );
        assert_eq!(message("src"), "cannot open src: this folder holds no good checkpoint");
        let text = message("Cargo.toml");
        assert!(text.starts_with("cannot open Cargo.toml: not a network file"), "{text}");
    }
}
