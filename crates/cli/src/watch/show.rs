//! From the first screen to the last: the agent moves, the watcher may interrupt.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::screen::{Scene, draw};
use crate::error::Stop;
use crate::play::events::Event;
use crate::play::takeover::take_over;

/// The steps of the speed, in moves a second; 0 is as fast as possible.
const SPEEDS: [u32; 9] = [1, 2, 5, 10, 20, 50, 100, 1000, 0];
/// How often the screen is drawn at most.
const FRAME: Duration = Duration::from_millis(16);
/// How often to look whether the terminal is still there.
const IDLE: Duration = Duration::from_secs(1);
/// How long a finished game stays on the screen.
const PAUSE: Duration = Duration::from_secs(4);

pub(super) struct Show<'a> {
    show: &'a mut super::Show,
    scene: Scene,
    over: Option<Instant>,
}

impl<'a> Show<'a> {
    pub(super) fn new(show: &'a mut super::Show, speed: u32, color: bool) -> Show<'a> {
        Show { show, scene: Scene { paused: false, speed, color }, over: None }
    }

    /// Goes on until the watcher or the system ends it.
    pub(super) fn run(mut self) -> Result<(), Stop> {
        take_over(|terminal, queue| self.play(terminal, queue))
    }

    fn play(&mut self, terminal: &mut DefaultTerminal, queue: &Receiver<Event>) -> io::Result<()> {
        let mut due = Instant::now();
        loop {
            terminal.draw(|frame| draw(frame, self.show, &self.scene))?;
            let drawn = Instant::now();
            // Moves until the next frame; a fast agent makes many.
            loop {
                let now = Instant::now();
                if self.over.is_none() && !self.scene.paused && now >= due {
                    self.step();
                    let each = 1.0 / f64::from(self.scene.speed.max(1));
                    let each = if self.scene.speed == 0 { 0.0 } else { each };
                    due = now + Duration::from_secs_f64(each);
                }
                let wait = self.wait(due, drawn);
                match next(queue, wait) {
                    Ok(Event::Key(key)) => {
                        if !self.react(key) {
                            return Ok(());
                        }
                        break;
                    }
                    Ok(Event::Window) => break,
                    Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    Err(RecvTimeoutError::Timeout) if !io::stdin().is_terminal() => return Ok(()),
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if !self.scene.paused && self.over.is_some_and(|since| since.elapsed() >= PAUSE) {
                    self.next_game();
                }
                if drawn.elapsed() >= FRAME {
                    break;
                }
            }
        }
    }

    fn wait(&self, due: Instant, drawn: Instant) -> Duration {
        if self.over.is_some() || self.scene.paused {
            return IDLE;
        }
        let until = due.saturating_duration_since(Instant::now());
        if until.is_zero() {
            until
        } else {
            until.min(FRAME.saturating_sub(drawn.elapsed()).max(Duration::from_millis(1)))
        }
    }

    fn step(&mut self) {
        if self.show.step().is_none() {
            self.over = Some(Instant::now());
        }
    }

    fn next_game(&mut self) {
        self.over = None;
        self.show.next_game();
    }

    /// Does what a key asks for; `false` ends the show.
    fn react(&mut self, key: KeyEvent) -> bool {
        if key.kind == KeyEventKind::Release {
            return true;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => return false,
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => return false,
            KeyCode::Char(' ' | 'p' | 'P') => self.scene.paused = !self.scene.paused,
            KeyCode::Char('n' | 'N') | KeyCode::Right => {
                self.scene.paused = true;
                self.step();
            }
            KeyCode::Char('g' | 'G') => self.next_game(),
            KeyCode::Char('+' | '=') => self.change_speed(1),
            KeyCode::Char('-') => self.change_speed(-1),
            _ => {}
        }
        true
    }

    fn change_speed(&mut self, by: isize) {
        let rank = |speed: u32| if speed == 0 { u32::MAX } else { speed };
        let at = SPEEDS.iter().position(|s| rank(*s) >= rank(self.scene.speed));
        let at = at.unwrap_or(SPEEDS.len() - 1).saturating_add_signed(by);
        self.scene.speed = SPEEDS[at.min(SPEEDS.len() - 1)];
    }
}

/// The next event, without going to sleep when there is no time to wait.
fn next(queue: &Receiver<Event>, wait: Duration) -> Result<Event, RecvTimeoutError> {
    if wait.is_zero() {
        return queue.try_recv().map_err(|cause| match cause {
            TryRecvError::Empty => RecvTimeoutError::Timeout,
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        });
    }
    queue.recv_timeout(wait)
}
