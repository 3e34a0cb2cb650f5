//! Networks as files: safetensors, readable by every tool that knows the format.
//!
//! Tensor `tuple.N` holds the weights of tuple N in natural order (first cell lowest digit),
//! `feature.N` those of feature N; `stage.S.` stands before them in stages after the first.
//! `coherence.T.signed` and `coherence.T.absolute`, if present, are the sums of temporal coherence,
//! `autostep.T.…` the numbers of Autostep, of table T, counted through all stages. The header's
//! metadata has one entry `maxtile`, the JSON of [`About`]: how the network looks and how
//! it was made.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::{fmt, io};

use safetensors::tensor::{Dtype, SafeTensors, View};
use serde::{Deserialize, Serialize};

use crate::network::{Network, NetworkError};
use crate::spec::Spec;
use crate::td::{Coherence, PerWeight, StepSizes};
use crate::unsafe_map::map_file;

const METADATA: &str = "maxtile";

/// What a file says about its network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The version of this description.
    pub version: u32,
    /// What the network looks like.
    pub spec: Spec,
    /// How it was made and how strong it is, as far as somebody wrote it down.
    #[serde(default)]
    pub notes: BTreeMap<String, serde_json::Value>,
}

/// A network read from a file.
pub struct Loaded {
    /// The network.
    pub network: Network,
    /// The sums of temporal coherence, if the file has them.
    pub coherence: Option<Coherence>,
    /// The numbers of Autostep, if the file has them.
    pub step_sizes: Option<StepSizes>,
    /// What the file says.
    pub about: About,
}

impl Network {
    /// Writes the network, and what its step rule remembers of each weight. The file is written under its final name: whoever needs it whole or not at all renames it.
    pub fn save(
        &self,
        path: &Path,
        memory: Option<&dyn PerWeight>,
        notes: BTreeMap<String, serde_json::Value>,
    ) -> Result<(), FileError> {
        let about = About { version: 1, spec: self.spec().clone(), notes };
        let text = serde_json::to_string(&about).map_err(|e| FileError::Bad(e.to_string()))?;
        let mut tensors = Vec::new();
        for table in 0..self.tables() {
            let shape = [self.table_len(table)];
            let part = |part| Tensor { network: self, part, table, shape };
            tensors.push((self.table_name(table), part(None)));
            for (number, name) in memory.iter().flat_map(|m| m.names()).enumerate() {
                let part = part(memory.map(|memory| (memory, number)));
                tensors.push((number_name(name, table), part));
            }
        }
        let metadata = HashMap::from([(METADATA.to_owned(), text)]);
        safetensors::serialize_to_file(tensors, Some(metadata), path).map_err(|cause| match cause {
            safetensors::SafeTensorError::IoError(cause) => FileError::Io(cause),
            other => FileError::Bad(other.to_string()),
        })
    }

    /// What a table is called in files.
    fn table_name(&self, table: usize) -> String {
        let (tuples, tables) = (self.spec().tuples.len(), self.spec().tables());
        let (stage, table) = (table / tables, table % tables);
        let name = match table.checked_sub(tuples) {
            None => format!("tuple.{table}"),
            Some(feature) => format!("feature.{feature}"),
        };
        if stage == 0 { name } else { format!("stage.{stage}.{name}") }
    }

    /// Reads a network's weights.
    pub fn open(path: &Path) -> Result<Network, FileError> {
        Ok(load(path, false)?.network)
    }
}

/// The name of a number of the weights of a table: `coherence.signed` of table 3 is
/// `coherence.3.signed`.
fn number_name(name: &str, table: usize) -> String {
    let (rule, part) = name.split_once('.').unwrap_or((name, ""));
    format!("{rule}.{table}.{part}")
}

/// Reads only what a file says about its network.
pub fn about(path: &Path) -> Result<About, FileError> {
    let map = map_file(path).map_err(FileError::Io)?;
    read_about(&map)
}

/// Reads a network, and what its step rule remembers of each weight if that is wanted and there.
pub fn load(path: &Path, with_memory: bool) -> Result<Loaded, FileError> {
    let map = map_file(path).map_err(FileError::Io)?;
    let about = read_about(&map)?;
    let tensors = SafeTensors::deserialize(&map).map_err(|e| FileError::Bad(e.to_string()))?;
    let network = Network::new(about.spec.clone()).map_err(FileError::Network)?;
    let floats = |name: String| -> Result<Vec<f32>, FileError> {
        let tensor = tensors.tensor(&name).map_err(|e| FileError::Bad(e.to_string()))?;
        if tensor.dtype() != Dtype::F32 {
            return Err(FileError::Bad(format!("{name} is not of 32-bit floats")));
        }
        let four = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok(tensor.data().chunks_exact(4).map(four).collect())
    };
    let has = |name: &str| with_memory && tensors.tensor(&number_name(name, 0)).is_ok();
    let coherence = has(Coherence::NAMES[0]).then(|| Coherence::new(&network));
    let coherence = coherence.transpose().map_err(FileError::Io)?;
    let step_sizes = has(StepSizes::NAMES[0]).then(|| StepSizes::new(&network));
    let step_sizes = step_sizes.transpose().map_err(FileError::Io)?;
    let memories = [
        coherence.as_ref().map(|memory| memory as &dyn PerWeight),
        step_sizes.as_ref().map(|memory| memory as &dyn PerWeight),
    ];
    for table in 0..network.tables() {
        let weights = floats(network.table_name(table))?;
        network.set_table(table, &weights).map_err(FileError::Network)?;
        for memory in memories.into_iter().flatten() {
            for (part, name) in memory.names().iter().enumerate() {
                let name = number_name(name, table);
                let numbers = floats(name.clone())?;
                if numbers.len() != weights.len() {
                    return Err(FileError::Bad(format!("{name} has another length")));
                }
                memory.set_numbers(&network, table, part, &numbers);
            }
        }
    }
    Ok(Loaded { network, coherence, step_sizes, about })
}

fn read_about(bytes: &[u8]) -> Result<About, FileError> {
    let bad = |e: &dyn fmt::Display| FileError::Bad(e.to_string());
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| bad(&e))?;
    let text = header.metadata().as_ref().and_then(|m| m.get(METADATA));
    let text = text.ok_or_else(|| bad(&"it does not say which network it holds"))?;
    let about: About = serde_json::from_str(text).map_err(|e| bad(&e))?;
    if about.version != 1 {
        return Err(FileError::Bad(format!("version {} is not known here", about.version)));
    }
    Ok(about)
}

/// A tensor whose bytes are made when they are written: one table in memory at a time.
struct Tensor<'a> {
    network: &'a Network,
    /// A number that a step rule remembers; the weights themselves without.
    part: Option<(&'a dyn PerWeight, usize)>,
    table: usize,
    shape: [usize; 1],
}

impl View for Tensor<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let values = match self.part {
            Some((memory, part)) => memory.numbers(self.network, self.table, part),
            None => self.network.table(self.table),
        };
        let mut bytes = Vec::with_capacity(self.data_len());
        for value in values {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        Cow::Owned(bytes)
    }

    fn data_len(&self) -> usize {
        self.shape[0] * 4
    }
}

/// Why a network could not be read or written.
#[derive(Debug)]
pub enum FileError {
    /// The system's refusal.
    Io(io::Error),
    /// The file is not a network.
    Bad(String),
    /// The network it describes cannot be.
    Network(NetworkError),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Io(cause) => cause.fmt(f),
            FileError::Bad(why) => write!(f, "not a network file: {why}"),
            FileError::Network(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FileError {}
