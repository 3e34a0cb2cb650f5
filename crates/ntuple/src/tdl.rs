//! The `.w` files of TDL2048+: read and written, so that its networks play here and ours there.
//!
//! Little-endian: a kind byte 0 (behind an optional `w`), the number of tables, then for each
//! table a version byte 4, eight bytes of name (a pattern of hexadecimal cells as a number and its
//! length), and blocks of (bytes per number, count, numbers) ended by a 0: the weights, and in
//! files of a TC run the signed and the absolute sums. A table serves the eight symmetric images of
//! its pattern, and its index has the pattern's first cell as the lowest nibble, as ours.

use std::path::Path;

use crate::file::FileError;
use crate::network::Network;
use crate::spec::Spec;
use crate::td::Coherence;
use crate::unsafe_map::map_file;

/// Reads a `.w` file with 4-bit cells and one stage.
pub fn import(path: &Path, name: &str) -> Result<(Network, Option<Coherence>), FileError> {
    let map = map_file(path).map_err(FileError::Io)?;
    let mut rest: &[u8] = &map;
    if rest.first() == Some(&b'w') {
        rest = &rest[1..];
    }
    let [kind] = take(&mut rest)?;
    if kind != 0 {
        return Err(bad("its first byte is not that of a weight file"));
    }
    let count = u32::from_le_bytes(take(&mut rest)?);
    if count == 0 || count > 256 {
        return Err(bad("it does not hold 1 to 256 tables"));
    }
    let mut tables = Vec::new();
    for _ in 0..count {
        tables.push(read_table(&mut rest)?);
    }
    let tuples = tables.iter().map(|t| t.cells.clone()).collect();
    let spec = Spec { tuples, ..Spec::classic(name, &[], 16, true) };
    let network = Network::new(spec).map_err(FileError::Network)?;
    let has_sums = tables.iter().all(|t| t.sums.is_some());
    let coherence = has_sums.then(|| Coherence::new(&network));
    let coherence = coherence.transpose().map_err(FileError::Io)?;
    for (index, table) in tables.iter().enumerate() {
        network.set_table(index, &floats(table.weights)).map_err(FileError::Network)?;
        if let (Some(coherence), Some(sums)) = (&coherence, table.sums) {
            // There the sums are of distributed steps at rate 1, here of whole errors.
            let scaled = |bytes| -> Vec<f32> {
                floats(bytes).iter().map(|sum| sum * network.active() as f32).collect()
            };
            let (signed, absolute) = sums.split_at(sums.len() / 2);
            coherence.set_table(&network, index, &scaled(signed), &scaled(absolute));
        }
    }
    Ok((network, coherence))
}

/// Writes the weights of a 4×4 network with 16 values and shared symmetries.
pub fn export(network: &Network) -> Result<Vec<u8>, FileError> {
    let spec = network.spec();
    let plain = Spec { name: String::new(), tuples: Vec::new(), ..spec.clone() };
    if plain != Spec::classic("", &[], 16, true) {
        return Err(FileError::Unfit(
            "only 4x4 networks of tuples with 16 values, shared symmetries and one stage have this form",
        ));
    }
    let mut out = vec![0];
    out.extend((spec.tuples.len() as u32).to_le_bytes());
    for (table, cells) in spec.tuples.iter().enumerate() {
        out.push(4);
        let pattern = cells.iter().fold(0u32, |number, &cell| number << 4 | u32::from(cell));
        out.extend(pattern.to_le_bytes());
        out.extend((cells.len() as u16).to_le_bytes());
        out.extend([0, 0]);
        let weights = network.table(table);
        out.extend(4u16.to_le_bytes());
        out.extend((weights.len() as u64).to_le_bytes());
        out.extend(weights.into_iter().flat_map(f32::to_le_bytes));
        out.extend([0, 0]);
    }
    Ok(out)
}

struct Table<'a> {
    cells: Vec<u8>,
    weights: &'a [u8],
    sums: Option<&'a [u8]>,
}

fn read_table<'a>(rest: &mut &'a [u8]) -> Result<Table<'a>, FileError> {
    let [version] = take(rest)?;
    if version != 4 {
        return Err(bad("a table has another version than 4"));
    }
    let pattern = u32::from_le_bytes(take(rest)?);
    let digits = u16::from_le_bytes(take(rest)?) as u32;
    let ascii: [u8; 2] = take(rest)?;
    if ascii != [0, 0] {
        return Err(bad("a table is named by words, not by a pattern of cells"));
    }
    let weights = read_block(rest)?.ok_or_else(|| bad("a table has no weights"))?;
    let length = weights.len() as u64 / 4;
    let digits = if digits == 0 { length.ilog2() / 4 } else { digits };
    if digits == 0 || digits > 8 || length != 1 << (4 * digits) {
        return Err(bad("a table's length does not fit its pattern (stages are not supported)"));
    }
    let cells = (0..digits).rev().map(|d| (pattern >> (4 * d) & 15) as u8).collect();
    let mut sums = None;
    while let Some(block) = read_block(rest)? {
        if block.len() == 2 * weights.len() {
            sums = Some(block);
        }
    }
    Ok(Table { cells, weights, sums })
}

/// A block of floats, or `None` at the end of the table.
fn read_block<'a>(rest: &mut &'a [u8]) -> Result<Option<&'a [u8]>, FileError> {
    let size = u16::from_le_bytes(take(rest)?);
    if size == 0 {
        return Ok(None);
    }
    if size != 4 {
        return Err(bad("its numbers are not 32-bit floats"));
    }
    let count = u64::from_le_bytes(take(rest)?);
    let bytes = usize::try_from(count).ok().and_then(|n| n.checked_mul(4));
    let block = bytes.and_then(|bytes| rest.split_off(..bytes));
    block.map(Some).ok_or_else(|| bad("it ends within a table"))
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], FileError> {
    let (head, tail) = rest.split_first_chunk().ok_or_else(|| bad("it ends too early"))?;
    *rest = tail;
    Ok(*head)
}

fn bad(why: &str) -> FileError {
    FileError::Bad(why.to_owned())
}
