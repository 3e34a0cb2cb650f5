//! The network inside the program.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use maxtile_ntuple::{About, Compact, FileError, about_packed};

/// The packed network, as `maxtile net pack` wrote it. recipes/default.toml is how it was trained.
pub const DEFAULT_NETWORK: &[u8] = include_bytes!("../networks/default.mtx");

/// Opens the network inside the program: once for all who use it at the same time.
pub fn default_network() -> Result<Arc<Compact>, FileError> {
    static OPEN: Mutex<Weak<Compact>> = Mutex::new(Weak::new());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(network) = open.upgrade() {
        return Ok(network);
    }
    let network = Arc::new(Compact::read_as_asked(DEFAULT_NETWORK)?.0);
    *open = Arc::downgrade(&network);
    Ok(network)
}

/// What the network inside the program says about itself, and its step.
pub fn default_about() -> Result<(About, f32), FileError> {
    about_packed(DEFAULT_NETWORK)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its later sets are unpacked when they are asked for, too late to complain.
    #[test]
    fn the_network_inside_is_whole() {
        let (network, about) = Compact::read(DEFAULT_NETWORK).unwrap();
        assert_eq!(network.spec(), &about.spec);
        assert!(about.notes.contains_key("recipe"));
    }
}
