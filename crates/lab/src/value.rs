//! What can stand behind `net=`: values worked out by hand, and files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use maxtile_game::{Afterstate, Shape};
use maxtile_neural::{DuelNetworks, NetworkPolicy, NetworkValue};
use maxtile_ntuple::{About, Compact, FileError, Network, packed_about};
use maxtile_search::{Heuristic, Value};

use crate::default_network::default_network;
use crate::error::{AgentError, AgentProblem};
use crate::exact::Exact;
use crate::training::{SIDE, newest_network, second_of};

/// A value function that needs no file.
pub struct BuiltIn {
    /// What stands behind `net=`.
    pub name: &'static str,
    /// What it is, in one line.
    pub meaning: &'static str,
    make: fn() -> Result<Arc<dyn Value>, FileError>,
    /// The only board it judges, if there is one.
    shape: Option<Shape>,
}

/// The value functions that need no file.
pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "default",
        meaning: "the network inside the program (maxtile net info default)",
        make: || default_network().map(|network| network as Arc<dyn Value>),
        shape: Some(Shape::CLASSIC),
    },
    BuiltIn {
        name: "empties",
        meaning: "100 points for each empty cell",
        make: || Ok(Arc::new(Empties)),
        shape: None,
    },
    BuiltIn {
        name: "heuristic",
        meaning: "worked out by hand: empty cells, order, smoothness, edges",
        make: || Ok(Arc::new(Heuristic::default())),
        shape: None,
    },
    BuiltIn {
        name: "zero",
        meaning: "nothing: only the reward of the move counts",
        make: || Ok(Arc::new(Zero)),
        shape: None,
    },
];

/// Opens the value function that `text` names, for boards of this shape: one that needs no file,
/// a network file, the newest network of a run's folder, or a solved board (.mts).
///
/// A file is opened once; the threads share it.
pub fn open_value(text: &str, shape: Shape) -> Result<Arc<dyn Value>, AgentError> {
    let refused = |why| AgentProblem::CannotOpen { what: text.to_owned(), why };
    if let Some(value) = BUILT_IN.iter().find(|value| value.name == text) {
        if let Some(own) = value.shape.filter(|own| *own != shape) {
            return Err(refused(format!("its board is {own}, not {shape}")).into());
        }
        return (value.make)().map_err(|cause| refused(cause.to_string()).into());
    }
    if Path::new(text).extension().is_some_and(|end| end == "mts") {
        return Ok(Arc::new(Exact::open(Path::new(text), shape).map_err(refused)?));
    }
    let network = open_network(Path::new(text)).map_err(refused)?;
    if network.shape() != shape {
        let why = format!("its board is {}, not {shape}", network.shape());
        return Err(refused(why).into());
    }
    Ok(match network {
        AnyNetwork::Learned(network) => Arc::new(network),
        AnyNetwork::Packed(network, _) => Arc::new(network),
        AnyNetwork::Neural(network) => {
            in_points(Path::new(text)).map_err(refused)?;
            let value = NetworkValue::new(*network).map_err(|cause| refused(cause.to_string()))?;
            Arc::new(value)
        }
    })
}

/// Refuses a neural network that says of itself that its values are no points still to come: searches add points
/// to them.
fn in_points(path: &Path) -> Result<(), String> {
    let about = maxtile_neural::about(&network_file(path)?).ok().flatten();
    let recipe = about.and_then(|about| about.notes.get("recipe").cloned()).unwrap_or_default();
    let says = |field: &str, word: &str| recipe[field].as_str() == Some(word);
    let why = if says("learner", "ppo") {
        "it is a policy"
    } else if says("reward", "step") {
        "its values are moves, not points"
    } else {
        return Ok(());
    };
    Err(format!("{why}: play it with policy(net=...)"))
}

/// Opens the neural network that `text` names, for boards of this shape, as a player by what it prefers.
pub(crate) fn open_preferring(
    text: &str,
    shape: Shape,
) -> Result<Arc<maxtile_neural::Network>, AgentError> {
    let refused = |why: String| AgentProblem::CannotOpen { what: text.to_owned(), why };
    if BUILT_IN.iter().any(|value| value.name == text) {
        return Err(refused("it is no neural network".to_owned()).into());
    }
    let AnyNetwork::Neural(network) = open_network(Path::new(text)).map_err(refused)? else {
        return Err(refused("it is no neural network".to_owned()).into());
    };
    if network.shape() != shape {
        return Err(refused(format!("its board is {}, not {shape}", network.shape())).into());
    }
    let network = Arc::<maxtile_neural::Network>::from(network);
    NetworkPolicy::new(Arc::clone(&network)).map_err(|cause| refused(cause.to_string()))?;
    Ok(network)
}

/// A network as it was found.
#[derive(Debug)]
pub enum AnyNetwork {
    /// With the weights as they were learned.
    Learned(Network),
    /// Packed for play, with what it says about itself.
    Packed(Compact, Box<About>),
    /// Of convolutions and dense layers.
    Neural(Box<maxtile_neural::Network>),
}

impl AnyNetwork {
    /// The board it judges.
    pub fn shape(&self) -> Shape {
        match self {
            AnyNetwork::Learned(network) => network.shape(),
            AnyNetwork::Packed(network, _) => network.shape(),
            AnyNetwork::Neural(network) => network.shape(),
        }
    }
}

/// Opens a network file of any kind, or the newest network of a run's folder. The error is what
/// follows "cannot open …:".
pub fn open_network(path: &Path) -> Result<AnyNetwork, String> {
    let file = network_file(path)?;
    let said = |error| match error {
        FileError::Io(cause) => plain(&cause),
        other => other.to_string(),
    };
    if packed_about(&file).map_err(said)?.is_some() {
        let (network, about) = Compact::open(&file).map_err(said)?;
        return Ok(AnyNetwork::Packed(network, Box::new(about)));
    }
    if let Some(network) = open_neural(&file)? {
        return Ok(AnyNetwork::Neural(Box::new(network)));
    }
    Network::open(&file).map(AnyNetwork::Learned).map_err(said)
}

/// Opens both neural networks of a duel: the defender's by its file or its run's folder, the attacker's
/// beside it. `None` where there is no such pair.
pub(crate) fn open_duel(path: &Path) -> Result<Option<DuelNetworks>, String> {
    let file = network_file(path)?;
    let Ok(Some(about)) = maxtile_neural::about(&file) else { return Ok(None) };
    if about.notes.get(SIDE).and_then(serde_json::Value::as_str) != Some("defender") {
        return Ok(None);
    }
    let open = |file: &Path| open_neural(file)?.ok_or_else(|| "it is no neural network".to_owned());
    let second = second_of(&file);
    if !second.exists() {
        let name = second.file_name().unwrap_or_default().to_string_lossy();
        return Err(format!("the attacker's network {name} is not beside it"));
    }
    let attacker = open(&second).map_err(|why| format!("the attacker's network: {why}"))?;
    DuelNetworks::new(open(&file)?, attacker).map(Some).map_err(|why| why.to_string())
}

/// The file itself, or that of the newest network in a run's folder.
pub(crate) fn network_file(path: &Path) -> Result<PathBuf, String> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let newest = newest_network(path).map_err(|cause| plain(&cause))?;
    newest.ok_or_else(|| "this folder holds no good checkpoint".to_owned())
}

/// Why a file cannot be read.
fn plain(cause: &io::Error) -> String {
    match cause.kind() {
        io::ErrorKind::NotFound => {
            let names: Vec<&str> = BUILT_IN.iter().map(|value| value.name).collect();
            format!("no such file, and not one of {}", names.join(", "))
        }
        kind => kind.to_string(),
    }
}

/// Opens a file if it holds a neural network.
fn open_neural(file: &Path) -> Result<Option<maxtile_neural::Network>, String> {
    let said = |error| match error {
        maxtile_neural::FileError::Io(cause) => plain(&cause),
        other => other.to_string(),
    };
    if maxtile_neural::about(file).map_err(&said)?.is_none() {
        return Ok(None);
    }
    maxtile_neural::Network::open_for_play(file).map(Some).map_err(said)
}

/// Likes empty cells: each is worth about what it takes to lose one.
struct Empties;

impl Value for Empties {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        for (afterstate, value) in afterstates.iter().zip(out) {
            *value = 100.0 * afterstate.empty_count() as f32;
        }
    }

    fn symmetric(&self) -> bool {
        true
    }
}

/// Knows nothing of the future.
struct Zero;

impl Value for Zero {
    fn values(&self, _: &[Afterstate], out: &mut [f32]) {
        out.fill(0.0);
    }

    fn symmetric(&self) -> bool {
        true
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
    fn neural_networks_are_opened_as_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let spec = maxtile_neural::named(name).unwrap();
            let weights = maxtile_neural::Weights::new(spec, 1).unwrap();
            let path = folder.path().join(name);
            weights.save(&path, std::collections::BTreeMap::new()).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (tiny, small, states) =
            (write("cnn-tiny"), write("cnn-tiny-3x3"), write("ppo-normal-small"));
        let value = open_value(&tiny, Shape::CLASSIC).unwrap();
        let afterstates: Vec<Afterstate> =
            ["1200000000000000", "0000123400000000"].iter().map(|p| p.parse().unwrap()).collect();
        let mut both = [0.0; 2];
        value.values(&afterstates, &mut both);
        assert_eq!(both[1], value.value(afterstates[1]));
        assert_ne!(both[0], both[1]);
        let why = |path: &str| {
            let message = open_value(path, Shape::CLASSIC).err().unwrap().to_string();
            message.strip_prefix(&format!("cannot open {path}: ")).unwrap().to_owned()
        };
        assert_eq!(why(&small), "its board is 3x3, not 4x4");
        assert_eq!(why(&states), "it judges positions to move, not afterstates");
        let learned = |field: &str, word: &str| {
            let weights = maxtile_neural::Weights::load(Path::new(&tiny)).unwrap().0;
            let recipe =
                serde_json::json!({ "learner": "afterstate", "reward": "score", field: word });
            let path = folder.path().join(word);
            weights.save(&path, [("recipe".to_owned(), recipe)].into()).unwrap();
            path.to_str().unwrap().to_owned()
        };
        assert!(open_value(&learned("reward", "score"), Shape::CLASSIC).is_ok());
        let moves = "its values are moves, not points: play it with policy(net=...)";
        assert_eq!(why(&learned("reward", "step")), moves);
        assert_eq!(why(&learned("learner", "ppo")), "it is a policy: play it with policy(net=...)");
        let bytes = std::fs::read(&tiny).unwrap();
        std::fs::write(&tiny, &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(why(&tiny), "not a network file: its length is not what its header says");
    }

    #[test]
    fn a_path_that_is_none() {
        let message = |text| open_value(text, Shape::CLASSIC).err().unwrap().to_string();
        assert_eq!(
            message("nosuch.mtx"),
            "cannot open nosuch.mtx: no such file, and not one of default, empties, heuristic, zero"
        );
        assert_eq!(message("src"), "cannot open src: this folder holds no good checkpoint");
        let text = message("Cargo.toml");
        assert!(text.starts_with("cannot open Cargo.toml: not a network file"), "{text}");
    }
}
