//! The screen, taken over and given back.

use std::io;
use std::sync::mpsc::Receiver;

use ratatui::DefaultTerminal;

use super::events::{self, Event};
use crate::error::{Stop, error, reason};

/// Takes the screen over for some work and gives it back, whatever happened.
pub(crate) fn take_over(
    work: impl FnOnce(&mut DefaultTerminal, &Receiver<Event>) -> io::Result<()>,
) -> Result<(), Stop> {
    let (sender, queue) = events::queue()?;
    let done = ratatui::try_init().and_then(|mut terminal| {
        events::listen(sender);
        let done = work(&mut terminal, &queue);
        if terminal.show_cursor().is_err() {
            // The terminal is gone, and dropping it would complain about that to itself.
            std::mem::forget(terminal);
        }
        done
    });
    let restored = ratatui::try_restore();
    done.and(restored)
        .map_err(|cause| error(format!("cannot use the terminal: {}", reason(&cause))))
}
