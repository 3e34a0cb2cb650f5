//! Networks as files: safetensors, readable by every tool that knows the format.
//!
//! Tensor `tuple.N` holds the weights of tuple N in natural order (first cell lowest digit),
//! `feature.N` those of feature N; `stage.S.` stands before them in stages after the first.
//! `coherence.T.signed` and `coherence.T.absolute`, if present, are the sums of temporal coherence,
//! `autostep.T.…` the numbers of Autostep, of table T, counted through all stages. The header's
//! metadata has one entry `maxtile`, the JSON of [`About`]: how the network looks and how
//! it was made.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::{fmt, io};

use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use serde::{Deserialize, Serialize};

use crate::network::{Network, NetworkError};
use crate::spec::Spec;
use crate::td::{Coherence, PerWeight, StepSizes};
use crate::unsafe_memory::Memory;

const METADATA: &str = "maxtile";
/// As in the format's own reader.
const LARGEST_HEADER: u64 = 100_000_000;
const BUFFER: usize = 1 << 20;

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
    /// Writes the network, and what its step rule remembers of each weight, number after number:
    /// of tables that fill the memory no second copy is made. The file is written under its final
    /// name: whoever needs it whole or not at all renames it.
    pub fn save(
        &self,
        path: &Path,
        memory: Option<&dyn PerWeight>,
        notes: BTreeMap<String, serde_json::Value>,
    ) -> Result<(), FileError> {
        let about = About { version: 1, spec: self.spec().clone(), notes };
        let text = serde_json::to_string(&about).map_err(bad)?;
        let tensors = self.tensors(memory);
        let mut end = 0;
        let info = |(name, tensor): &(String, Tensor<'_>)| {
            let start = end;
            end += 4 * self.table_len(tensor.table);
            let shape = vec![self.table_len(tensor.table)];
            (name.clone(), TensorInfo { dtype: Dtype::F32, shape, data_offsets: (start, end) })
        };
        let infos = tensors.iter().map(info).collect();
        let metadata = HashMap::from([(METADATA.to_owned(), text)]);
        let metadata = Metadata::new(Some(metadata), infos).map_err(bad)?;
        let mut header = serde_json::to_vec(&metadata).map_err(bad)?;
        header.resize(header.len().next_multiple_of(8), b' ');
        let write = || -> io::Result<()> {
            let mut file = BufWriter::with_capacity(BUFFER, File::create(path)?);
            file.write_all(&(header.len() as u64).to_le_bytes())?;
            file.write_all(&header)?;
            for (_, tensor) in &tensors {
                for place in tensor.places(self) {
                    file.write_all(&tensor.memory.get(place).to_le_bytes())?;
                }
            }
            file.flush()
        };
        write().map_err(FileError::Io)
    }

    /// The tensors of a file in their order, which is by name.
    fn tensors<'a>(&'a self, memory: Option<&'a dyn PerWeight>) -> Vec<(String, Tensor<'a>)> {
        let mut tensors = Vec::new();
        for table in 0..self.tables() {
            let weights = Tensor { memory: &self.weights, table, parts: 1, part: 0 };
            tensors.push((table_name(self.spec(), table), weights));
            let Some(memory) = memory else { continue };
            let parts = memory.names().len() as u32;
            let want = parts as usize * self.plan.memory;
            assert_eq!(memory.memory().len(), want, "numbers of another network");
            for (part, name) in (0..).zip(memory.names()) {
                let tensor = Tensor { memory: memory.memory(), table, parts, part };
                tensors.push((number_name(name, table), tensor));
            }
        }
        tensors.sort_by(|(a, _), (b, _)| a.cmp(b));
        tensors
    }

    /// Reads a network's weights.
    pub fn open(path: &Path) -> Result<Network, FileError> {
        Ok(load(path, false)?.network)
    }
}

/// What a table is called in files.
pub(crate) fn table_name(spec: &Spec, table: usize) -> String {
    let (stage, table) = (table / spec.tables(), table % spec.tables());
    let name = match table.checked_sub(spec.tuples.len()) {
        None => format!("tuple.{table}"),
        Some(feature) => format!("feature.{feature}"),
    };
    if stage == 0 { name } else { format!("stage.{stage}.{name}") }
}

/// The name of a number of the weights of a table: `coherence.signed` of table 3 is
/// `coherence.3.signed`.
fn number_name(name: &str, table: usize) -> String {
    let (rule, part) = name.split_once('.').unwrap_or((name, ""));
    format!("{rule}.{table}.{part}")
}

/// Reads only what a file says about its network.
pub fn about(path: &Path) -> Result<About, FileError> {
    Ok(Reader::open(path)?.about)
}

/// Reads a network, and what its step rule remembers of each weight if that is wanted and there.
pub fn load(path: &Path, with_memory: bool) -> Result<Loaded, FileError> {
    let mut reader = Reader::open(path)?;
    let network = Network::new(reader.about.spec.clone()).map_err(FileError::Network)?;
    let has = |name: &str| with_memory && reader.header.info(&number_name(name, 0)).is_some();
    let coherence = has(Coherence::NAMES[0]).then(|| Coherence::new(&network));
    let coherence = coherence.transpose().map_err(FileError::Io)?;
    let has_sizes = coherence.is_none() && has(StepSizes::NAMES[0]);
    let step_sizes = has_sizes.then(|| StepSizes::new(&network));
    let step_sizes = step_sizes.transpose().map_err(FileError::Io)?;
    // A file holds the memory of one step rule: the one that its run had.
    let memory = match (&coherence, &step_sizes) {
        (Some(sums), _) => Some(sums as &dyn PerWeight),
        (None, sizes) => sizes.as_ref().map(|sizes| sizes as &dyn PerWeight),
    };
    reader.fill(&network, network.tensors(memory))?;
    (0..network.tables()).for_each(|table| network.look_whether_learned(table));
    Ok(Loaded { network, coherence, step_sizes, about: reader.about })
}

/// A file whose header has been read.
struct Reader {
    file: File,
    header: Metadata,
    about: About,
    /// Where the tensors begin.
    data: u64,
}

impl Reader {
    fn open(path: &Path) -> Result<Reader, FileError> {
        let mut file = File::open(path).map_err(FileError::Io)?;
        let length = file.metadata().map_err(FileError::Io)?.len();
        let mut size = [0; 8];
        let mut read = |bytes: &mut [u8]| match file.read_exact(bytes) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(bad("it is too short")),
            other => other.map_err(FileError::Io),
        };
        read(&mut size)?;
        let size = u64::from_le_bytes(size);
        if size > LARGEST_HEADER || size > length - 8 {
            return Err(bad("its header is too long"));
        }
        let mut header = vec![0; size as usize];
        read(&mut header)?;
        let header: Metadata = serde_json::from_slice(&header).map_err(bad)?;
        let data = 8 + size;
        if length != data + header.data_len() as u64 {
            return Err(bad("its length is not what its header says"));
        }
        let text = header.metadata().as_ref().and_then(|m| m.get(METADATA));
        let text = text.ok_or_else(|| bad("it does not say which network it holds"))?;
        let about: About = serde_json::from_str(text).map_err(bad)?;
        if about.version != 1 {
            return Err(bad(format!("version {} is not known here", about.version)));
        }
        Ok(Reader { file, header, about, data })
    }

    /// Reads tensors into memory.
    fn fill(
        &mut self,
        network: &Network,
        tensors: Vec<(String, Tensor<'_>)>,
    ) -> Result<(), FileError> {
        for (name, tensor) in tensors {
            let info =
                self.header.info(&name).ok_or_else(|| bad(format!("{name} is not there")))?;
            if info.dtype != Dtype::F32 {
                return Err(bad(format!("{name} is not of 32-bit floats")));
            }
            let want = network.table_len(tensor.table);
            if info.shape.iter().product::<usize>() != want {
                return Err(bad(format!("{name} has not {want} numbers")));
            }
            let start = self.data + info.data_offsets.0 as u64;
            self.file.seek(SeekFrom::Start(start)).map_err(FileError::Io)?;
            let mut file = BufReader::with_capacity(BUFFER, &self.file);
            let mut bytes = [0; 4];
            for place in tensor.places(network) {
                file.read_exact(&mut bytes).map_err(FileError::Io)?;
                tensor.memory.set(place, f32::from_le_bytes(bytes));
            }
        }
        Ok(())
    }
}

/// One number of every weight of a table.
struct Tensor<'a> {
    memory: &'a Memory,
    table: usize,
    /// How many numbers a weight has in this memory, and which of them this is.
    parts: u32,
    part: u32,
}

impl Tensor<'_> {
    /// Where the numbers lie, in natural order of the weights.
    fn places<'a>(&self, network: &'a Network) -> impl Iterator<Item = u32> + use<'a> {
        let (parts, part) = (self.parts, self.part);
        network.places(self.table).map(move |place| parts * place + part)
    }
}

fn bad(why: impl fmt::Display) -> FileError {
    FileError::Bad(why.to_string())
}

/// Why a network could not be read or written.
#[derive(Debug)]
pub enum FileError {
    /// The system's refusal.
    Io(io::Error),
    /// The file is not a network.
    Bad(String),
    /// The network cannot be written in this form.
    Unfit(&'static str),
    /// The network it describes cannot be.
    Network(NetworkError),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Io(cause) => cause.fmt(f),
            FileError::Bad(why) => write!(f, "not a network file: {why}"),
            FileError::Unfit(why) => f.write_str(why),
            FileError::Network(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FileError {}
