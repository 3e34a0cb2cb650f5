//! Everything the game reacts to, in one queue: keys, the window, the system's wish to end.

use std::sync::mpsc::{Receiver, Sender, channel};

use ratatui::crossterm::event::{self, KeyEvent};

use crate::error::{Stop, error};

pub(crate) enum Event {
    Key(KeyEvent),
    /// The window has another size.
    Window,
    /// The program should end: a signal came, or no more keys will.
    End,
}

/// The queue, with signals going to it from now on.
pub(super) fn queue() -> Result<(Sender<Event>, Receiver<Event>), Stop> {
    let (sender, receiver) = channel();
    let for_signals = sender.clone();
    let handler = move || {
        // Nobody listens any more only when the game has ended already.
        let _ = for_signals.send(Event::End);
    };
    ctrlc::set_handler(handler)
        .map_err(|cause| error(format!("cannot listen to signals: {cause}")))?;
    Ok((sender, receiver))
}

/// Sends keys and changes of the window to the queue.
///
/// On a thread of its own because reading never returns once the terminal is gone (it tries
/// again for ever), and then the game must still be able to save and end.
pub(super) fn listen(sender: Sender<Event>) {
    std::thread::spawn(move || {
        loop {
            let event = match event::read() {
                Ok(event::Event::Key(key)) => Event::Key(key),
                Ok(event::Event::Resize(..)) => Event::Window,
                Ok(_) => continue,
                Err(_) => Event::End,
            };
            let last = matches!(event, Event::End);
            if sender.send(event).is_err() || last {
                break;
            }
        }
    });
}
