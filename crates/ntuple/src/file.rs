//! Networks as files: safetensors, readable by every tool that knows the format.
//!
//! Tensor `tuple.N` holds the weights of tuple N in natural order (first cell lowest digit);
//! `coherence.N.signed` and `coherence.N.absolute`, if present, the sums of temporal coherence. The
//! header's metadata has one entry `maxtile`, the JSON of [`About`]: how the network looks and how
//! it was made.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::{fmt, io};

use safetensors::tensor::{Dtype, SafeTensors, View};
use serde::{Deserialize, Serialize};

use crate::network::{Network, NetworkError};
use crate::spec::Spec;
use crate::td::Coherence;
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
    /// What the file says.
    pub about: About,
}

impl Network {
    /// Writes the network, and the sums of temporal coherence if it learns by them. The file is
    /// written under its final name: whoever needs it whole or not at all renames it.
    pub fn save(
        &self,
        path: &Path,
        coherence: Option<&Coherence>,
        notes: BTreeMap<String, serde_json::Value>,
    ) -> Result<(), FileError> {
        let about = About { version: 1, spec: self.spec().clone(), notes };
        let text = serde_json::to_string(&about).map_err(|e| FileError::Bad(e.to_string()))?;
        let mut tensors = Vec::new();
        for table in 0..self.spec().tuples.len() {
            let shape = [self.plan.table_len(table) as usize];
            let part = |part| Tensor { network: self, coherence, table, shape, part };
            tensors.push((format!("tuple.{table}"), part(Part::Weights)));
            if coherence.is_some() {
                tensors.push((format!("coherence.{table}.signed"), part(Part::Signed)));
                tensors.push((format!("coherence.{table}.absolute"), part(Part::Absolute)));
            }
        }
        let metadata = HashMap::from([(METADATA.to_owned(), text)]);
        safetensors::serialize_to_file(tensors, Some(metadata), path).map_err(|cause| match cause {
            safetensors::SafeTensorError::IoError(cause) => FileError::Io(cause),
            other => FileError::Bad(other.to_string()),
        })
    }

    /// Reads a network's weights.
    pub fn open(path: &Path) -> Result<Network, FileError> {
        Ok(load(path, false)?.network)
    }
}

/// Reads only what a file says about its network.
pub fn about(path: &Path) -> Result<About, FileError> {
    let map = map_file(path).map_err(FileError::Io)?;
    read_about(&map)
}

/// Reads a network, and its sums of temporal coherence if they are wanted and there.
pub fn load(path: &Path, with_coherence: bool) -> Result<Loaded, FileError> {
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
    let has_sums = tensors.tensor("coherence.0.signed").is_ok();
    let coherence = (with_coherence && has_sums).then(|| Coherence::new(&network));
    let coherence = coherence.transpose().map_err(FileError::Io)?;
    for table in 0..about.spec.tuples.len() {
        let weights = floats(format!("tuple.{table}"))?;
        network.set_table(table, &weights).map_err(FileError::Network)?;
        if let Some(coherence) = &coherence {
            let signed = floats(format!("coherence.{table}.signed"))?;
            let absolute = floats(format!("coherence.{table}.absolute"))?;
            if signed.len() != weights.len() || absolute.len() != weights.len() {
                return Err(FileError::Bad(format!("coherence.{table} has another length")));
            }
            coherence.set_table(&network, table, &signed, &absolute);
        }
    }
    Ok(Loaded { network, coherence, about })
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

enum Part {
    Weights,
    Signed,
    Absolute,
}

/// A tensor whose bytes are made when they are written: one table in memory at a time.
struct Tensor<'a> {
    network: &'a Network,
    coherence: Option<&'a Coherence>,
    table: usize,
    shape: [usize; 1],
    part: Part,
}

impl View for Tensor<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let sums = |c: &Coherence| c.table(self.network, self.table);
        let values = match (&self.part, self.coherence) {
            (Part::Signed, Some(coherence)) => sums(coherence).0,
            (Part::Absolute, Some(coherence)) => sums(coherence).1,
            _ => self.network.table(self.table),
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
