//! Packed networks (`.mtx`): small files for play, opened in a moment.
//!
//! docs/formats.md has the layout. In short: which weights are not zero as a bitmap, and those
//! weights as whole numbers of steps, low and high bytes apart, each part compressed by zstd, in
//! chunks of a million weights with a checksum each. Chunks are written one by one and read by
//! several threads.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use crate::asked::Asked;
use crate::compact::{Compact, rounded};
use crate::file::{About, FileError};
use crate::later::Later;
use crate::network::Network;
use crate::spec::{Judges, Spec};
use crate::unsafe_map::map_file;

/// The first bytes of a packed network; the digit is the version.
pub const MAGIC: [u8; 4] = *b"mtx1";
/// Weights in a chunk.
const CHUNK: usize = 1 << 20;
/// The header of a network is some kilobytes.
const MAX_HEADER: usize = 1 << 24;

/// What stands at the head of the file.
#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(flatten)]
    about: About,
    step: f32,
}

/// How a network is packed.
#[derive(Clone, Copy)]
pub struct Packing<'a> {
    /// The points that a weight of 1 stands for.
    pub step: f32,
    /// zstd's level: 19 for files to be kept, 1 for speed.
    pub level: i32,
    /// Where given, weights that were asked for less often are left out.
    pub asked: Option<(&'a Asked, u8)>,
}

/// Writes a network in steps, without the weights that no board of their stage can ask for.
pub fn pack(
    network: &Network,
    packing: Packing<'_>,
    notes: std::collections::BTreeMap<String, serde_json::Value>,
    out: &mut impl Write,
) -> Result<(), FileError> {
    let Packing { step, level, asked } = packing;
    plain(network.spec())?;
    // What would be promoted is written down as such.
    let spec = Spec { promotion: false, ..network.spec().clone() };
    let about = About { version: 1, spec, notes };
    let header = serde_json::to_vec(&Header { about, step }).map_err(|e| bad(&e.to_string()))?;
    let write = |out: &mut dyn Write, bytes: &[u8]| out.write_all(bytes).map_err(FileError::Io);
    write(out, &MAGIC)?;
    write(out, &(header.len() as u32).to_le_bytes())?;
    write(out, &header)?;
    write(out, &crc32fast::hash(&header).to_le_bytes())?;
    let stages = &network.spec().stages;
    for stage in 0..network.stages() {
        let kept = |index: usize, place: u32| {
            stages.may_hold(stage, cells(index, network.spec().values))
                && asked.is_none_or(|(asked, least)| asked.times(stage, place) >= least)
        };
        for table in 0..network.spec().tuples.len() {
            let places = network.plan.by_last_cell(table);
            let length = network.plan.table_len(table) as usize;
            for first in (0..length).step_by(CHUNK) {
                let place = places.from(first);
                let number = |index| {
                    let place = place(index);
                    let weight = network.judging_weight(stage, place);
                    if weight != 0.0 && kept(first + index, place) {
                        rounded(weight, step)
                    } else {
                        0
                    }
                };
                let numbers = (0..CHUNK.min(length - first)).map(number);
                write(out, &chunk(numbers, level).map_err(FileError::Io)?)?;
            }
        }
    }
    Ok(())
}

/// The cells that an index in a tuple's table stands for, one in each nibble.
fn cells(index: usize, values: u8) -> u64 {
    if values == 16 {
        return index as u64;
    }
    let (mut rest, mut cells, mut nibble) = (index as u64, 0, 0);
    while rest > 0 {
        cells |= (rest % u64::from(values)) << nibble;
        rest /= u64::from(values);
        nibble += 4;
    }
    cells
}

/// Lengths, the three compressed parts, checksum.
fn chunk(numbers: impl ExactSizeIterator<Item = i16>, level: i32) -> io::Result<Vec<u8>> {
    let mut bitmap = vec![0u8; numbers.len().div_ceil(8)];
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for (index, number) in numbers.enumerate().filter(|(_, number)| *number != 0) {
        bitmap[index / 8] |= 1 << (index % 8);
        // Zig-zag: small numbers of either sign have a high byte of 0.
        let [l, h] = ((number << 1 ^ number >> 15) as u16).to_le_bytes();
        low.push(l);
        high.push(h);
    }
    let mut out = (low.len() as u32).to_le_bytes().to_vec();
    let parts = [bitmap, low, high];
    let parts = parts.map(|part| zstd::bulk::compress(&part, level));
    let mut packed = Vec::new();
    for part in parts {
        packed.push(part?);
    }
    for part in &packed {
        out.extend((part.len() as u32).to_le_bytes());
    }
    for part in &packed {
        out.extend(part);
    }
    out.extend(crc32fast::hash(&out).to_le_bytes());
    Ok(out)
}

/// Is this the beginning of a packed network?
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Reads only what a packed network says about itself; `None` if the file is not packed.
pub fn packed_about(path: &Path) -> Result<Option<(About, f32)>, FileError> {
    let map = map_file(path).map_err(FileError::Io)?;
    if !is_packed(&map) {
        return Ok(None);
    }
    about_packed(&map).map(Some)
}

/// What a packed network says about itself, and its step.
pub fn about_packed(bytes: &[u8]) -> Result<(About, f32), FileError> {
    let (header, _) = read_header(bytes)?;
    Ok((header.about, header.step))
}

impl Compact {
    /// Opens a packed network.
    pub fn open(path: &Path) -> Result<(Compact, About), FileError> {
        Compact::read(&map_file(path).map_err(FileError::Io)?)
    }

    /// Reads a packed network, on all threads of the machine.
    pub fn read(bytes: &[u8]) -> Result<(Compact, About), FileError> {
        let (compact, about, sets) = Compact::cut(bytes)?;
        compact.fill(&sets.concat())?;
        Ok((compact, about))
    }

    /// Reads the first set of weights of a network that is known to be good, and the others when
    /// they are asked for: most games never see the last one.
    pub fn read_as_asked(bytes: &'static [u8]) -> Result<(Compact, About), FileError> {
        let (mut compact, about, sets) = Compact::cut(bytes)?;
        compact.fill(&sets[0])?;
        if sets.len() > 1 {
            compact.later = Some(Later::new(sets));
        }
        Ok((compact, about))
    }

    /// An empty network, and what belongs into each of its sets.
    fn cut(bytes: &[u8]) -> Result<(Compact, About, Vec<Vec<Piece<'_>>>), FileError> {
        let (header, mut rest) = read_header(bytes)?;
        let spec = header.about.spec.clone();
        plain(&spec)?;
        let compact = Compact::empty(spec, header.step).map_err(FileError::Network)?;
        let mut sets = Vec::new();
        for stage in 0..compact.spec().stages.count() {
            let mut pieces = Vec::new();
            for table in 0..compact.spec().tuples.len() {
                let length = compact.plan.table_len(table) as usize;
                for first in (0..length).step_by(CHUNK) {
                    let chunk = Chunk::cut(&mut rest, CHUNK.min(length - first))?;
                    pieces.push((compact.offset(stage), table, first, chunk));
                }
            }
            sets.push(pieces);
        }
        if !rest.is_empty() {
            return Err(bad("something follows its last table"));
        }
        Ok((compact, header.about, sets))
    }

    pub(crate) fn fill(&self, chunks: &[Piece<'_>]) -> Result<(), FileError> {
        let next = AtomicUsize::new(0);
        let problem = Mutex::new(None);
        let places: Vec<_> =
            (0..self.spec().tuples.len()).map(|table| self.plan.by_last_cell(table)).collect();
        let work = || {
            let mut buffers = Buffers::default();
            while let Some((offset, table, first, chunk)) =
                chunks.get(next.fetch_add(1, Ordering::Relaxed))
            {
                let place = places[*table].from(*first);
                let set = |index, number| self.numbers.set(offset + place(index), number);
                if let Err(error) = chunk.unpack(&mut buffers, set) {
                    let mut first =
                        problem.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    first.get_or_insert(error);
                    break;
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min(chunks.len().div_ceil(4));
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let problem = problem.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        problem.map_or(Ok(()), Err)
    }
}

fn read_header(bytes: &[u8]) -> Result<(Header, &[u8]), FileError> {
    let mut rest = bytes;
    if take::<4>(&mut rest)? != MAGIC {
        return Err(bad("it does not begin as a packed network"));
    }
    let length = u32::from_le_bytes(take(&mut rest)?) as usize;
    let text = (length <= MAX_HEADER).then(|| rest.split_off(..length)).flatten();
    let text = text.ok_or_else(|| bad("it ends too early"))?;
    if crc32fast::hash(text) != u32::from_le_bytes(take(&mut rest)?) {
        return Err(bad("its header is damaged"));
    }
    let header: Header = serde_json::from_slice(text).map_err(|e| bad(&e.to_string()))?;
    if header.about.version != 1 {
        return Err(bad(&format!("version {} is not known here", header.about.version)));
    }
    if !(header.step.is_finite() && header.step > 0.0) {
        return Err(bad("its step is not a number above 0"));
    }
    header.about.spec.check().map_err(|e| bad(&e.to_string()))?;
    Ok((header, rest))
}

/// A chunk with where its set begins, its table, and its first weight there.
pub(crate) type Piece<'a> = (u32, usize, usize, Chunk<'a>);

/// A chunk as it stands in the file.
#[derive(Clone, Copy)]
pub(crate) struct Chunk<'a> {
    weights: usize,
    kept: usize,
    parts: [&'a [u8]; 3],
    whole: &'a [u8],
    crc: u32,
}

#[derive(Default)]
struct Buffers([Vec<u8>; 3]);

impl<'a> Chunk<'a> {
    /// The next chunk, which holds so many weights.
    fn cut(rest: &mut &'a [u8], weights: usize) -> Result<Chunk<'a>, FileError> {
        let start = *rest;
        let kept = u32::from_le_bytes(take(rest)?) as usize;
        if kept > weights {
            return Err(bad("a chunk has more weights than there are"));
        }
        let mut lengths = [0; 3];
        for length in &mut lengths {
            *length = u32::from_le_bytes(take(rest)?) as usize;
        }
        let mut parts: [&[u8]; 3] = [&[]; 3];
        for (part, length) in parts.iter_mut().zip(lengths) {
            *part = rest.split_off(..length).ok_or_else(|| bad("it ends too early"))?;
        }
        let whole = &start[..start.len() - rest.len()];
        let crc = u32::from_le_bytes(take(rest)?);
        Ok(Chunk { weights, kept, parts, whole, crc })
    }

    /// Hands out every weight that is not zero.
    fn unpack(
        &self,
        buffers: &mut Buffers,
        mut set: impl FnMut(usize, i16),
    ) -> Result<(), FileError> {
        if crc32fast::hash(self.whole) != self.crc {
            return Err(bad("a chunk is damaged"));
        }
        let lengths = [self.weights.div_ceil(8), self.kept, self.kept];
        let mut unpacker = zstd::bulk::Decompressor::new().map_err(FileError::Io)?;
        for ((part, buffer), length) in self.parts.iter().zip(&mut buffers.0).zip(lengths) {
            buffer.resize(length, 0);
            let written = unpacker.decompress_to_buffer(part, &mut buffer[..]);
            if written.ok() != Some(length) {
                return Err(bad("a part of a chunk has another length than it says"));
            }
        }
        let [bitmap, low, high] = &buffers.0;
        let mut next = 0;
        for (word, bytes) in bitmap.chunks(8).enumerate() {
            let mut eight = [0; 8];
            eight[..bytes.len()].copy_from_slice(bytes);
            let mut bits = u64::from_le_bytes(eight);
            while bits != 0 {
                let index = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let (Some(&l), Some(&h)) = (low.get(next), high.get(next)) else {
                    return Err(bad("a chunk's bitmap names more weights than it has"));
                };
                if index >= self.weights {
                    return Err(bad("a chunk's bitmap reaches beyond its table"));
                }
                let zigzag = u16::from_le_bytes([l, h]);
                set(index, (zigzag >> 1) as i16 ^ -((zigzag & 1) as i16));
                next += 1;
            }
        }
        if next != self.kept {
            return Err(bad("a chunk's bitmap names fewer weights than it has"));
        }
        Ok(())
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], FileError> {
    let (head, tail) = rest.split_first_chunk().ok_or_else(|| bad("it ends too early"))?;
    *rest = tail;
    Ok(*head)
}

/// 16-bit networks have tables of tuples and nothing else.
fn plain(spec: &Spec) -> Result<(), FileError> {
    if spec.features.is_empty() && spec.judges == Judges::Afterstates {
        return Ok(());
    }
    Err(FileError::Unfit("only networks of afterstates without features can be packed"))
}

fn bad(why: &str) -> FileError {
    FileError::Bad(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named::named;
    use maxtile_game::Random;
    use maxtile_search::Value;
    use std::collections::BTreeMap;

    const QUICK: Packing<'_> = Packing { step: 1.0, level: 1, asked: None };

    fn sparse(name: &str) -> Network {
        let network = Network::new(named(name).unwrap()).unwrap();
        let mut random = Random::new(3);
        for table in 0..network.spec().tuples.len() {
            let length = network.plan.table_len(table) as usize;
            let weight = |_| match random.below(5) {
                0 => (random.unit() as f32 - 0.5) * 10_000.0,
                _ => 0.0,
            };
            let weights: Vec<f32> = (0..length).map(weight).collect();
            network.set_table(table, &weights).unwrap();
        }
        network
    }

    #[test]
    fn what_would_be_lost_is_not_packed() {
        let spec = Spec { judges: Judges::States, ..named("whole-2x2").unwrap() };
        let network = Network::new(spec).unwrap();
        let refused = pack(&network, QUICK, BTreeMap::new(), &mut Vec::new());
        assert!(matches!(refused, Err(FileError::Unfit(why)) if why.contains("can be packed")));
    }

    fn packed(network: &Network, step: f32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let notes = BTreeMap::from([("games".to_owned(), 7.into())]);
        pack(network, Packing { step, ..QUICK }, notes, &mut bytes).unwrap();
        bytes
    }

    fn problem(bytes: &[u8]) -> String {
        Compact::read(bytes).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn what_was_packed_is_read() {
        for (name, step) in [("szubert-17x4", 1.0), ("lines-3x3", 0.25), ("whole-2x3", 16.0)] {
            let network = sparse(name);
            let bytes = packed(&network, step);
            let (compact, about) = Compact::read(&bytes).unwrap();
            assert_eq!((compact.spec(), compact.step()), (network.spec(), step));
            assert_eq!(about.notes["games"], 7);
            let expected = Compact::of(&network, step).unwrap();
            for table in 0..network.spec().tuples.len() {
                for place in compact.plan.places(table) {
                    assert_eq!(compact.numbers.get(place), expected.numbers.get(place), "{name}");
                }
            }
        }
    }

    /// No board of a stage notices that what its stage cannot hold is gone.
    #[test]
    fn what_no_board_of_a_stage_asks_for_is_left_out() {
        let plain = named("lines-3x3").unwrap();
        let values = plain.values;
        let stages: crate::Stages = "64 64+32".parse().unwrap();
        let network = Network::new(Spec { stages: stages.clone(), ..plain }).unwrap();
        let mut random = Random::new(4);
        for table in 0..network.tables() {
            let weights: Vec<f32> =
                (0..network.table_len(table)).map(|_| 1.0 + random.below(900) as f32).collect();
            network.set_table(table, &weights).unwrap();
        }
        let (compact, _) = Compact::read(&packed(&network, 1.0)).unwrap();
        let expected = Compact::of(&network, 1.0).unwrap();
        let mut gone = 0;
        for stage in 0..3 {
            for table in 0..network.spec().tuples.len() {
                let places = network.plan.by_last_cell(table);
                for index in 0..network.plan.table_len(table) as usize {
                    let place = compact.offset(stage) + places.from(0)(index);
                    if stages.may_hold(stage, cells(index, values)) {
                        assert_eq!(compact.numbers.get(place), expected.numbers.get(place));
                    } else {
                        assert_eq!(compact.numbers.get(place), 0);
                        gone += 1;
                    }
                }
            }
        }
        assert!(gone > 1000, "{gone}");
        let shape = network.shape();
        for _ in 0..2000 {
            let cells: Vec<u8> = (0..shape.cells()).map(|_| random.below(8) as u8).collect();
            let board = maxtile_game::Afterstate::from_exponents(shape, &cells).unwrap();
            assert_eq!(compact.value(board), expected.value(board), "{board}");
        }
    }

    #[test]
    fn sets_that_come_when_they_are_asked_for() {
        let stages = "64 64+32".parse().unwrap();
        let network = Network::new(Spec { stages, ..named("lines-3x3").unwrap() }).unwrap();
        let mut random = Random::new(4);
        for table in 0..network.tables() {
            let length = network.table_len(table);
            let weights: Vec<f32> = (0..length).map(|_| random.below(900) as f32).collect();
            network.set_table(table, &weights).unwrap();
        }
        let bytes: &'static [u8] = Box::leak(packed(&network, 1.0).into_boxed_slice());
        let shape = network.shape();
        let boards: Vec<_> = (0..400)
            .map(|_| {
                let cells: Vec<u8> = (0..shape.cells()).map(|_| random.below(8) as u8).collect();
                maxtile_game::Afterstate::from_exponents(shape, &cells).unwrap()
            })
            .collect();
        let (mut some, mut others) = (vec![0.0; 400], vec![0.0; 400]);
        Compact::read(bytes).unwrap().0.values(&boards, &mut some);
        let lazy = Compact::read_as_asked(bytes).unwrap().0;
        let late = lazy.numbers.get(lazy.offset(2) + lazy.plan.places(0).nth(1).unwrap());
        assert_eq!(late, 0, "nobody has asked");
        // Two threads ask at once.
        let mut again = others.clone();
        std::thread::scope(|scope| {
            scope.spawn(|| lazy.values(&boards, &mut others));
            lazy.values(&boards, &mut again);
        });
        assert_eq!((&some, &some), (&others, &again));
        let whole = Compact::read_as_asked(bytes).unwrap().0.to_network().unwrap();
        whole.values(&boards, &mut again);
        assert_eq!(some, again);
    }

    #[test]
    fn what_was_asked_for_stays() {
        let network = sparse("lines-3x3");
        let asked = Asked::of(&network, 1.0).unwrap();
        let board = |cells: &[u8; 9]| {
            maxtile_game::Afterstate::from_exponents(network.shape(), cells).unwrap()
        };
        let (board, other) =
            (board(&[3, 2, 1, 4, 3, 2, 5, 4, 3]), board(&[1, 2, 3, 0, 0, 1, 0, 0, 0]));
        let before = asked.value(board);
        asked.value(board);
        asked.value(other);
        let packed = |least| {
            let mut bytes = Vec::new();
            let packing = Packing { asked: Some((&asked, least)), ..QUICK };
            pack(&network, packing, BTreeMap::new(), &mut bytes).unwrap();
            Compact::read(&bytes).unwrap().0
        };
        let (once, twice, often) = (packed(1), packed(2), packed(3));
        assert_eq!((once.value(board), twice.value(board)), (before, before));
        assert_eq!(once.value(other), asked.value(other));
        assert_ne!(twice.value(other), once.value(other));
        assert_eq!(often.value(board), 0.0);
    }

    #[test]
    fn every_damage_is_noticed() {
        let bytes = packed(&sparse("lines-3x3"), 1.0);
        let mut random = Random::new(1);
        for _ in 0..500 {
            let mut damaged = bytes.clone();
            let at = random.below(bytes.len() as u64) as usize;
            damaged[at] ^= 1 << random.below(8);
            assert!(Compact::read(&damaged).is_err(), "byte {at}");
            let cut = &bytes[..random.below(bytes.len() as u64) as usize];
            assert!(Compact::read(cut).is_err(), "cut at {}", cut.len());
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(problem(&longer), "not a network file: something follows its last table");
    }

    /// Files that lie with correct checksums are refused, not believed.
    #[test]
    fn lies_are_refused() {
        let bytes = packed(&sparse("whole-2x2"), 1.0);
        let header = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
        let head = 8 + header + 4;
        let body = bytes.len() - 4;
        let mut random = Random::new(2);
        for _ in 0..2000 {
            let mut lie = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = head + random.below((body - head) as u64) as usize;
                lie[at] = random.next_u64() as u8;
            }
            let crc = crc32fast::hash(&lie[head..body]).to_le_bytes();
            lie[body..].copy_from_slice(&crc);
            // Read or refused, never a panic.
            let _ = Compact::read(&lie);
        }
        assert_eq!(problem(b"mtx1"), "not a network file: it ends too early");
        assert_eq!(
            problem(b"mtx2...."),
            "not a network file: it does not begin as a packed network"
        );
        let mut text = b"mtx1\x02\0\0\0{}".to_vec();
        text.extend(crc32fast::hash(b"{}").to_le_bytes());
        assert!(problem(&text).contains("missing field"), "{}", problem(&text));
    }
}
