//! Does it fit? Asked before a run begins: a system that promises more memory than it has ends the
//! program in the middle instead.

/// Says why there is no room for this many bytes, if there is none. Where the system does not tell
/// how much memory is free, there is.
pub fn fits(bytes: u64, what: &str) -> Result<(), String> {
    let Some(free) = available() else { return Ok(()) };
    if bytes <= free {
        return Ok(());
    }
    let gigabytes = |bytes: u64| bytes as f64 / 1e9;
    Err(format!(
        "{what} takes {:.1} GB of memory, and {:.1} GB are free",
        gigabytes(bytes),
        gigabytes(free)
    ))
}

/// Bytes that programs can still get, as Linux tells.
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_fits_and_an_exabyte_does_not() {
        assert_eq!(fits(1, "a byte"), Ok(()));
        if available().is_some() {
            let why = fits(1 << 60, "this run").unwrap_err();
            assert!(why.starts_with("this run takes 1152921504.6 GB of memory, and "), "{why}");
        }
    }
}
