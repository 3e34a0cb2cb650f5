//! Reading and writing files the careful way, with sentences for what goes wrong.

use std::io::{self, Read, Write};
use std::path::Path;

use maxtile_game::Record;
use maxtile_records::{Form, read};

use crate::error::{Stop, error, reason};
use crate::output::Output;

/// Stands for standard input or output.
fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The bytes of a file or of standard input.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Stop> {
    let result = if is_dash(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    result.map_err(|cause| match cause.kind() {
        io::ErrorKind::IsADirectory => error(format!("{} is a folder, not a file", path.display())),
        _ => error(format!("cannot read {}: {}", path.display(), reason(&cause))),
    })
}

/// The games of a file; the first bad one is an error that names it.
pub(crate) fn read_records(path: &Path) -> Result<Vec<Record>, Stop> {
    let bytes = read_bytes(path)?;
    let records: Result<Vec<_>, _> = read(&bytes).collect();
    let records = records.map_err(|cause| {
        error(format!("{}: {cause}", path.display()))
            .hint("maxtile record verify FILE checks a file and counts its good records")
    })?;
    if records.is_empty() {
        return Err(error(format!("{} holds no game", path.display())));
    }
    Ok(records)
}

/// The form a file's name asks for.
pub(crate) fn form_by_name(path: &Path) -> Result<Form, Stop> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("mtg") => Ok(Form::Binary),
        Some("jsonl" | "json") => Ok(Form::Json),
        _ if is_dash(path) => Ok(Form::Json),
        _ => Err(error(format!("the name {} does not say which form to write", path.display()))
            .hint("end it with .mtg (binary) or .jsonl (JSON lines), or say which with a flag")),
    }
}

/// Writes a file, or standard output for `-`. An existing file is kept unless `force` is set.
pub(crate) fn write_bytes(
    path: &Path,
    bytes: &[u8],
    force: bool,
    out: &mut Output,
) -> Result<(), Stop> {
    if is_dash(path) {
        return out.raw(bytes);
    }
    if path.is_dir() {
        return Err(error(format!("{} is a folder, not a file", path.display())));
    }
    if !force && path.exists() {
        return Err(error(format!("{} exists already", path.display())).hint("--force replaces it"));
    }
    replace(path, bytes).map_err(|cause| cannot_write(path, &cause))
}

/// The sentence for a file that could not be written.
pub(crate) fn cannot_write(path: &Path, cause: &io::Error) -> Stop {
    error(format!("cannot write {}: {}", path.display(), reason(cause)))
}

/// Replaces a file's content in one step: whatever happens, the old or the new one is there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new().prefix(".maxtile-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    keep(file, path)
}

/// Gives a finished temporary file its name.
pub(crate) fn keep(file: tempfile::NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    make_readable(file.as_file())?;
    file.persist(path)?;
    Ok(())
}

/// Temporary files are private; what the user asked for is an ordinary file.
#[cfg(unix)]
fn make_readable(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}
