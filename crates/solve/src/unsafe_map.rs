//! Files mapped into memory.
//!
//! Unsafe because another process could change the file under the map. Solved boards are written
//! under another name and renamed into place, never changed.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use memmap2::{Advice, Mmap, MmapMut};

pub(crate) fn map_file(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // SAFETY: see above; a file that is changed all the same gives wrong numbers, which the
    // checksums tell, and no undefined layout: plain numbers have none.
    let map = unsafe { Mmap::map(&file) }?;
    // Questions jump about; reading ahead would only cost. Advice that is not taken does no harm.
    let _ = map.advise(Advice::Random);
    Ok(map)
}

/// The file's bytes, in memory of their own.
pub(crate) fn load_file(path: &Path) -> io::Result<Mmap> {
    let mut file = File::open(path)?;
    let mut memory = MmapMut::map_anon((file.metadata()?.len() as usize).max(1))?;
    // Large pages where the system has them; without them it is merely slower.
    #[cfg(target_os = "linux")]
    let _ = memory.advise(Advice::HugePage);
    file.read_exact(&mut memory)?;
    memory.make_read_only()
}
