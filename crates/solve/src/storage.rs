//! Where a solved board is written: a file, or memory for boards that take no time.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Bytes at places.
pub(crate) trait Storage {
    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()>;
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()>;
    /// Everything written so far survives a loss of power.
    fn sync(&self) -> io::Result<()>;
}

impl Storage for File {
    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut file = self;
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(bytes)
    }

    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = self;
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// A file that is not one.
#[derive(Default)]
pub(crate) struct Image(pub(crate) RefCell<Vec<u8>>);

impl Storage for Image {
    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let image = self.0.borrow();
        let part = image.get(at as usize..at as usize + bytes.len());
        bytes.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut image = self.0.borrow_mut();
        let end = at as usize + bytes.len();
        if image.len() < end {
            image.resize(end, 0);
        }
        image[at as usize..end].copy_from_slice(bytes);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// How much is converted at once.
const CHUNK: usize = 1 << 17;

/// Writes 64-bit words and says their checksum.
pub(crate) fn write_words(
    storage: &impl Storage,
    mut at: u64,
    words: impl Iterator<Item = u64>,
) -> io::Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = Vec::with_capacity(8 * CHUNK);
    let mut flush = |buffer: &mut Vec<u8>| {
        hasher.update(buffer);
        storage.write_at(at, buffer)?;
        at += buffer.len() as u64;
        buffer.clear();
        io::Result::Ok(())
    };
    for word in words {
        buffer.extend_from_slice(&word.to_le_bytes());
        if buffer.len() == 8 * CHUNK {
            flush(&mut buffer)?;
        }
    }
    flush(&mut buffer)?;
    Ok(hasher.finalize())
}

/// Reads 64-bit words; an error if their checksum is another.
pub(crate) fn read_words(
    storage: &impl Storage,
    mut at: u64,
    count: usize,
    crc: u32,
) -> io::Result<Vec<u64>> {
    let mut hasher = crc32fast::Hasher::new();
    let mut words = Vec::with_capacity(count);
    let mut buffer = vec![0; 8 * CHUNK.min(count)];
    while words.len() < count {
        let part = &mut buffer[..8 * CHUNK.min(count - words.len())];
        storage.read_at(at, part)?;
        hasher.update(part);
        at += part.len() as u64;
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &b| word << 8 | u64::from(b));
        words.extend(part.chunks_exact(8).map(word));
    }
    if hasher.finalize() == crc { Ok(words) } else { Err(io::ErrorKind::InvalidData.into()) }
}
