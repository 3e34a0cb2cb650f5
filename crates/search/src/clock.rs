//! What the time of a search is measured by.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

/// What the time of a search is measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The time on the wall, as people who wait for a move see it.
    #[default]
    Wall,
    /// The time the searching thread really computed: what it finds does not depend on what else the machine
    /// does. Only for searches on one thread.
    Cpu,
}

fn computed() -> Duration {
    ThreadTime::now().as_duration()
}

/// A search that began at some moment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stopwatch {
    Wall(Instant),
    /// What the thread had computed.
    Cpu(Duration),
}

impl Stopwatch {
    /// Begins now.
    pub(crate) fn start(clock: Clock) -> Stopwatch {
        match clock {
            Clock::Wall => Stopwatch::Wall(Instant::now()),
            Clock::Cpu => Stopwatch::Cpu(computed()),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        match self {
            Stopwatch::Wall(start) => start.elapsed(),
            Stopwatch::Cpu(start) => computed().saturating_sub(*start),
        }
    }

    /// The end of something that may take so long from the start on.
    pub(crate) fn deadline(self, after: Duration) -> Deadline {
        Deadline { stopwatch: self, after }
    }
}

/// When a search has to end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    stopwatch: Stopwatch,
    after: Duration,
}

impl Deadline {
    pub(crate) fn is_past(&self) -> bool {
        self.stopwatch.elapsed() >= self.after
    }

    /// The time until then.
    pub(crate) fn left(&self) -> Duration {
        self.after.saturating_sub(self.stopwatch.elapsed())
    }
}
