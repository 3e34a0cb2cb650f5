//! Files mapped into memory.
//!
//! Unsafe because another process could change the file under the map. Network files are written
//! once and renamed into place, never changed.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

pub(crate) fn map_file(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // SAFETY: see above; a file that is changed all the same gives wrong weights, which every
    // reader checks for what it needs, and no undefined layout: floats have none.
    unsafe { Mmap::map(&file) }
}
