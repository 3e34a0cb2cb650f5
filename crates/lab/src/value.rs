//! What can stand behind `net=`: values worked out by hand, and files.

use std::path::Path;
use std::sync::Arc;

use maxtile_game::{Afterstate, Shape};
use maxtile_search::Value;

use crate::error::{AgentError, AgentProblem};

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

/// Opens the value function that `text` names, for boards of this shape.
///
/// A file is opened once; the threads share it.
pub fn open_value(text: &str, _shape: Shape) -> Result<Arc<dyn Value>, AgentError> {
    match BUILT_IN.iter().find(|value| value.name == text) {
        Some(value) => Ok((value.make)()),
        // Files: `maxtile_ntuple::Network::open(Path::new(text))` belongs in this arm.
        None => Err(cannot_open(text)),
    }
}

fn cannot_open(text: &str) -> AgentError {
    let why = match std::fs::metadata(Path::new(text)) {
        Ok(_) => "this is not a network".to_owned(),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {
            let names: Vec<&str> = BUILT_IN.iter().map(|value| value.name).collect();
            format!("no such file, and not one of {}", names.join(", "))
        }
        Err(cause) => cause.kind().to_string(),
    };
    AgentProblem::CannotOpen { what: text.to_owned(), why }.into()
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
        assert_eq!(message("src"), "cannot open src: this is not a network");
    }
}
