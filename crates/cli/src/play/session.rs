//! From the first screen to the last: draws, waits for keys, saves.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::KeyEvent;

use super::events::Event;
use super::keys::action;
use super::state::{Effect, State};
use super::store::Store;
use super::wish::fresh_seed;
use super::{takeover, view};
use crate::error::Stop;

/// Saves wait for the disk, keys held down do not wait for saves: so much time lies between two
/// saves, and so much of a game can be lost when the program is killed.
const BETWEEN_SAVES: Duration = Duration::from_millis(500);
/// How often to look whether the terminal is still there.
const IDLE: Duration = Duration::from_secs(1);

pub(super) struct Session<'a> {
    state: &'a mut State,
    store: &'a mut Store,
    color: bool,
    unsaved: bool,
    /// The last time it was tried.
    saved: Instant,
}

impl<'a> Session<'a> {
    pub(super) fn new(state: &'a mut State, store: &'a mut Store, color: bool) -> Session<'a> {
        Session { state, store, color, unsaved: false, saved: Instant::now() }
    }

    /// Plays until the player or the system ends it.
    pub(super) fn run(mut self) -> Result<(), Stop> {
        takeover::take_over(|terminal, queue| self.play(terminal, queue))
    }

    fn play(&mut self, terminal: &mut DefaultTerminal, queue: &Receiver<Event>) -> io::Result<()> {
        let mut drawn = Ok(());
        while drawn.is_ok() {
            if self.unsaved && self.saved.elapsed() >= BETWEEN_SAVES {
                self.save();
            }
            drawn = terminal.draw(|frame| view::draw(frame, self.state, self.color)).map(|_| ());
            match queue.recv_timeout(self.patience()) {
                Ok(Event::Key(key)) => match self.react(key) {
                    Effect::Leave => break,
                    Effect::Redraw => terminal.clear()?,
                    _ => {}
                },
                Ok(Event::Window) => {}
                Err(RecvTimeoutError::Timeout) if io::stdin().is_terminal() => {}
                Ok(Event::End) | Err(_) => break,
            }
        }
        if self.unsaved {
            self.save();
        }
        drawn
    }

    fn react(&mut self, key: KeyEvent) -> Effect {
        let Some(action) = action(key, self.state.mode()) else { return Effect::Nothing };
        let effect = self.state.apply(action);
        match effect {
            Effect::Changed => self.unsaved = true,
            Effect::Restart => self.restart(),
            Effect::Nothing | Effect::Redraw | Effect::Leave => {}
        }
        effect
    }

    /// Begins the next game, but only once the last one is in a safe place.
    fn restart(&mut self) {
        match self.store.put_away(self.state.record()) {
            Ok(note) => {
                let note = note.unwrap_or_default();
                self.state.restart(fresh_seed(), self.store.shortened(&note));
                self.save();
            }
            Err(stop) => self.fail("no new game", &stop),
        }
    }

    fn save(&mut self) {
        match self.store.save(self.state.record()) {
            Ok(()) => {
                self.unsaved = false;
                self.state.set_failure(None);
            }
            Err(stop) => {
                self.unsaved = true;
                self.fail("not saved", &stop);
            }
        }
        self.saved = Instant::now();
    }

    fn fail(&mut self, what: &str, stop: &Stop) {
        if let Stop::Error(error) = stop {
            let sentence = self.store.shortened(&error.sentence);
            self.state.set_failure(Some(format!("{what}: {sentence}")));
        }
    }

    /// How long to wait for the next event.
    fn patience(&self) -> Duration {
        if self.unsaved { BETWEEN_SAVES.saturating_sub(self.saved.elapsed()) } else { IDLE }
    }
}
