//! Ctrl-C: the first one asks to stop, the second one stops at once.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set when the user has asked to stop. Asking for the flag takes over Ctrl-C.
pub(crate) fn flag() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        // Without a handler Ctrl-C ends the program at once, which is the next best thing.
        let _ = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
    });
    &STOP
}
