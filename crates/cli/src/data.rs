//! The folder in which the program keeps its own things.

use std::path::PathBuf;

use crate::error::{Stop, error, reason};

/// The data folder, made if need be: `MAXTILE_DATA`, or the place the system has for it.
pub(crate) fn folder() -> Result<PathBuf, Stop> {
    let named = std::env::var_os("MAXTILE_DATA").filter(|name| !name.is_empty());
    let folder = named.map(PathBuf::from).or_else(|| Some(dirs::data_dir()?.join("maxtile")));
    let folder = folder.ok_or_else(|| {
        error("there is no folder to keep data in").hint("set MAXTILE_DATA to one")
    })?;
    std::fs::create_dir_all(&folder).map_err(|cause| {
        error(format!("cannot make the folder {}: {}", folder.display(), reason(&cause)))
            .hint("set MAXTILE_DATA to a folder you can write to")
    })?;
    Ok(folder)
}
