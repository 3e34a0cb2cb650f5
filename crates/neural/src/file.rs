//! Networks as files: safetensors, readable by every tool that knows the format.
//!
//! The tensors are those of [`Spec::tensors`], 32-bit floats under the names and in the layouts of
//! `PyTorch`; others in the same file are left alone. The header's metadata has one entry
//! `maxtile-neural`, the JSON of [`About`]: how the network looks and how it was made.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensorError, SafeTensors};
use serde::{Deserialize, Serialize};

use crate::spec::{Spec, SpecError};
use crate::weights::{Tensor, Weights};

const METADATA: &str = "maxtile-neural";
/// As in the format's own reader.
const LARGEST_HEADER: u64 = 100_000_000;

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

/// Numbers in a network's file that are not the network's own: what learning needs to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Extra {
    /// Their name, none of the network's.
    pub name: String,
    /// Their shape.
    pub shape: Vec<usize>,
    /// The numbers, the last index running fastest.
    pub numbers: Vec<f32>,
}

impl Weights {
    /// Writes the network. The file is written under its final name: whoever needs it whole or not
    /// at all renames it.
    pub fn save(
        &self,
        path: &Path,
        notes: BTreeMap<String, serde_json::Value>,
    ) -> Result<(), FileError> {
        self.save_with(path, notes, &[])
    }

    /// Writes the network and other numbers beside it.
    pub fn save_with(
        &self,
        path: &Path,
        notes: BTreeMap<String, serde_json::Value>,
        extras: &[Extra],
    ) -> Result<(), FileError> {
        let about = About { version: 1, spec: self.spec().clone(), notes };
        let text = serde_json::to_string(&about).map_err(bad)?;
        let own = self.tensors().iter().map(|t| (&t.spec.name, &t.spec.shape, &t.numbers));
        let more = extras.iter().map(|extra| (&extra.name, &extra.shape, &extra.numbers));
        let all: Vec<(&String, &Vec<usize>, Vec<u8>)> = own
            .chain(more)
            .map(|(name, shape, numbers)| (name, shape, bytes_of(numbers)))
            .collect();
        let mut views = Vec::new();
        for (name, shape, bytes) in &all {
            let view = TensorView::new(Dtype::F32, (*shape).clone(), bytes);
            views.push((name.as_str(), view.map_err(plain)?));
        }
        let metadata = HashMap::from([(METADATA.to_owned(), text)]);
        let file = safetensors::serialize(views, Some(metadata)).map_err(plain)?;
        std::fs::write(path, file).map_err(FileError::Io)
    }

    /// Reads a network and what its file says.
    pub fn load(path: &Path) -> Result<(Weights, About), FileError> {
        Weights::read(&std::fs::read(path).map_err(FileError::Io)?)
    }

    /// Reads a network, what its file says, and all numbers that are not the network's own.
    pub fn load_with(path: &Path) -> Result<(Weights, About, Vec<Extra>), FileError> {
        let bytes = std::fs::read(path).map_err(FileError::Io)?;
        let (weights, about) = Weights::read(&bytes)?;
        let file = SafeTensors::deserialize(&bytes).map_err(plain)?;
        let mut extras = Vec::new();
        for (name, view) in file.iter() {
            if weights.get(name).is_some() {
                continue;
            }
            if view.dtype() != Dtype::F32 {
                return Err(bad(format!("{name} is not of 32-bit floats")));
            }
            let (name, shape) = (name.to_owned(), view.shape().to_vec());
            extras.push(Extra { name, shape, numbers: numbers_of(view.data()) });
        }
        extras.sort_by(|a, b| a.name.cmp(&b.name));
        Ok((weights, about, extras))
    }

    /// Reads a network from the bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<(Weights, About), FileError> {
        let about = match bytes.split_at_checked(8) {
            Some((size, rest)) => {
                let size = u64::from_le_bytes(size.try_into().map_err(bad)?);
                let header = usize::try_from(size).ok().and_then(|size| rest.get(..size));
                about_in(header.ok_or_else(|| bad("its header is too long"))?)?
            }
            None => return Err(bad("it is too short")),
        };
        let about = about.ok_or_else(|| bad("it does not say which network it holds"))?;
        let shape = about.spec.check().map_err(FileError::Spec)?;
        let file = SafeTensors::deserialize(bytes).map_err(plain)?;
        let mut tensors = Vec::new();
        for spec in about.spec.tensors(shape) {
            let name = &spec.name;
            let view = file.tensor(name).map_err(|_| bad(format!("{name} is not there")))?;
            if view.dtype() != Dtype::F32 {
                return Err(bad(format!("{name} is not of 32-bit floats")));
            }
            if view.shape() != spec.shape {
                let (got, want) = (view.shape(), &spec.shape);
                return Err(bad(format!("{name} has the shape {got:?} instead of {want:?}")));
            }
            tensors.push(Tensor { numbers: numbers_of(view.data()), spec });
        }
        let weights = Weights::from_tensors(about.spec.clone(), tensors).map_err(FileError::Bad)?;
        Ok((weights, about))
    }
}

fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn numbers_of(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&four| f32::from_le_bytes(four)).collect()
}

/// Reads only what a file says about its network; `None` if it is a file of another kind.
pub fn about(path: &Path) -> Result<Option<About>, FileError> {
    let mut file = File::open(path).map_err(FileError::Io)?;
    let mut size = [0; 8];
    match file.read_exact(&mut size) {
        Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other.map_err(FileError::Io)?,
    }
    let size = u64::from_le_bytes(size);
    if size > LARGEST_HEADER {
        return Ok(None);
    }
    let mut header = Vec::new();
    file.take(size).read_to_end(&mut header).map_err(FileError::Io)?;
    // What is no header at all is somebody else's file.
    let Ok(Header { metadata: Some(_) }) = serde_json::from_slice(&header) else { return Ok(None) };
    about_in(&header)
}

/// The part of a header that is looked at.
#[derive(Deserialize)]
struct Header {
    #[serde(rename = "__metadata__")]
    metadata: Option<HashMap<String, String>>,
}

fn about_in(header: &[u8]) -> Result<Option<About>, FileError> {
    let header: Header = serde_json::from_slice(header).map_err(bad)?;
    let Some(text) = header.metadata.as_ref().and_then(|metadata| metadata.get(METADATA)) else {
        return Ok(None);
    };
    // The version first: other versions may say other things.
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version } = serde_json::from_str(text).map_err(bad)?;
    if version != 1 {
        return Err(bad(format!("version {version} is not known here")));
    }
    let about: About = serde_json::from_str(text).map_err(bad)?;
    about.spec.check().map_err(FileError::Spec)?;
    Ok(Some(about))
}

fn bad(why: impl fmt::Display) -> FileError {
    FileError::Bad(why.to_string())
}

/// The format's own complaints in words.
fn plain(error: SafeTensorError) -> FileError {
    match error {
        SafeTensorError::IoError(cause) => FileError::Io(cause),
        SafeTensorError::MetadataIncompleteBuffer => bad("its length is not what its header says"),
        other => bad(other),
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
    Spec(SpecError),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Io(cause) => cause.fmt(f),
            FileError::Bad(why) => write!(f, "not a network file: {why}"),
            FileError::Spec(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FileError {}
