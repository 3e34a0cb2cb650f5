//! All positions of a game judged on several threads, the turns handed out in their order.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use maxtile_game::{Board, Record, ReplayError, Turn};

use super::judge::{Analyst, Judge, Judged};
use super::line::{GameLine, Line, ProgressLine, RulesLine, Summary};
use super::tally::Tally;
use super::turn::turn_line;

/// How often progress is reported.
const REPORT_EVERY: Duration = Duration::from_millis(300);
/// How soon a wish to stop is heard while the threads are busy.
const LISTEN_EVERY: Duration = Duration::from_millis(50);
/// A thread takes so many positions at once: neighbours share much of what a search remembers.
const BLOCK: usize = 4;

/// On how many threads, and how to stop.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The number of threads; the lines do not depend on it.
    pub threads: usize,
    /// Set by whoever wants the review to end.
    pub stop: &'a AtomicBool,
}

/// Why a game cannot be reviewed.
#[derive(Clone, Debug, PartialEq)]
pub enum ReviewError {
    /// The game cannot have been played.
    Replay(ReplayError),
    /// Nobody has moved yet.
    Empty,
    /// The judge does not know a position.
    Judge {
        /// The turn, 0 for the first.
        turn: usize,
        /// What it says.
        why: String,
    },
}

impl fmt::Display for ReviewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReviewError::Replay(error) => error.fmt(f),
            ReviewError::Empty => f.write_str("the game has no moves to review"),
            ReviewError::Judge { turn: 0, why } => f.write_str(why),
            ReviewError::Judge { turn, why } => write!(f, "turn {turn}: {why}"),
        }
    }
}

impl std::error::Error for ReviewError {}

/// Reviews a game that was read from this form. `each` gets the lines in their order, on the thread
/// that called, while other threads work; it ends the review by breaking. `None` when the review was
/// ended or stopped, else the summary, which was the last line.
pub fn review(
    record: &Record,
    format: &str,
    judge: &Judge,
    setting: Setting<'_>,
    each: &mut dyn FnMut(Line) -> ControlFlow<()>,
) -> Result<Option<Summary>, ReviewError> {
    let turns: Vec<Turn> = record.turns().collect::<Result<_, _>>().map_err(ReviewError::Replay)?;
    let Some(last) = turns.last().filter(|last| last.ply > 0) else {
        return Err(ReviewError::Empty);
    };
    if each(Line::Game(game_line(record, last, format))).is_break() {
        return Ok(None);
    }
    let mut reader = Reader { record, turns: &turns, judge, judged: Vec::new(), given: 0, each };
    let ended = AtomicBool::new(false);
    let next = AtomicUsize::new(0);
    let workers = setting.threads.clamp(1, turns.len());
    thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..workers {
            let (send, turns, next, ended) = (send.clone(), &turns, &next, &ended);
            scope.spawn(move || {
                let mut analyst = judge.analyst();
                loop {
                    let first = next.fetch_add(BLOCK, Ordering::Relaxed);
                    for (index, turn) in turns.iter().enumerate().skip(first).take(BLOCK) {
                        let stop = setting.stop.load(Ordering::Relaxed);
                        if stop || ended.load(Ordering::Relaxed) {
                            return;
                        }
                        // Nobody listens any more: the review has ended.
                        if send.send((index, judge_one(&mut analyst, turn.board))).is_err() {
                            return;
                        }
                    }
                    if first >= turns.len() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let result = reader.read(&receive, setting.stop);
        ended.store(true, Ordering::Relaxed);
        result
    })
}

fn judge_one(analyst: &mut Analyst<'_>, board: Board) -> Result<Judged, String> {
    if board.is_over() { Ok(Judged::default()) } else { analyst(board) }
}

fn game_line(record: &Record, last: &Turn, format: &str) -> GameLine {
    let numbers = |ply: &maxtile_game::Ply| (ply.mv as u8, ply.spawn.cell, ply.spawn.exponent);
    GameLine {
        rules: RulesLine { size: record.start.shape().to_string(), p4: record.law.p4() },
        start: record.start.to_string(),
        plies: record.plies.iter().map(numbers).collect(),
        score: last.score,
        format: format.to_owned(),
        player: record.player.clone(),
        over: last.board.is_over(),
    }
}

type Found = (usize, Result<Judged, String>);

/// Puts what the threads bring into its order.
struct Reader<'a, 'b> {
    record: &'a Record,
    turns: &'a [Turn],
    judge: &'a Judge,
    judged: Vec<Option<Result<Judged, String>>>,
    /// Turns that were handed out.
    given: usize,
    each: &'b mut dyn FnMut(Line) -> ControlFlow<()>,
}

impl Reader<'_, '_> {
    fn read(
        &mut self,
        receive: &mpsc::Receiver<Found>,
        stop: &AtomicBool,
    ) -> Result<Option<Summary>, ReviewError> {
        let clock = Instant::now();
        let (mut said, mut done) = (clock, 0);
        let mut tally = Tally::new();
        self.judged.resize(self.turns.len(), None);
        while self.given < self.record.plies.len() {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            match receive.recv_timeout(LISTEN_EVERY) {
                Ok((turn, judged)) => {
                    self.judged[turn] = Some(judged);
                    done += 1;
                }
                Err(RecvTimeoutError::Timeout) => {}
                // The threads left early because they were asked to.
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
            if self.hand_out(&mut tally, stop)?.is_break() {
                return Ok(None);
            }
            if said.elapsed() >= REPORT_EVERY && done < self.turns.len() {
                said = Instant::now();
                let progress = progress(done, self.turns.len(), clock.elapsed());
                if (self.each)(Line::Progress(progress)).is_break() {
                    return Ok(None);
                }
            }
        }
        let (Some(last), Some(Some(Ok(end)))) = (self.turns.last(), self.judged.last()) else {
            return Err(ReviewError::Empty);
        };
        let summary = tally.summary(last, end, self.judge);
        let flow = (self.each)(Line::Summary(Box::new(summary.clone())));
        Ok(flow.is_continue().then_some(summary))
    }

    /// Hands out the turns whose two positions are known, until somebody wants no more.
    fn hand_out(
        &mut self,
        tally: &mut Tally,
        stop: &AtomicBool,
    ) -> Result<ControlFlow<()>, ReviewError> {
        while let Some(&ply) = self.record.plies.get(self.given) {
            let turn = &self.turns[self.given];
            // The first bad position is the one that is named, whatever the threads did.
            let known = |turn: usize| match &self.judged[turn] {
                Some(Err(why)) => Err(ReviewError::Judge { turn, why: why.clone() }),
                Some(Ok(judged)) => Ok(Some(judged)),
                None => Ok(None),
            };
            let Some(here) = known(turn.ply)? else { break };
            let Some(next) = known(turn.ply + 1)? else { break };
            let line = turn_line(turn, ply, here, next, self.judge.is_exact());
            let line = line.ok_or_else(|| {
                let why = format!("{} knows nothing of {}", self.judge.text(), ply.mv);
                ReviewError::Judge { turn: turn.ply, why }
            })?;
            // Positions that were used are not kept.
            self.judged[self.given] = None;
            self.given += 1;
            tally.add(&line);
            let flow = (self.each)(Line::Turn(Box::new(line)));
            if flow.is_break() || stop.load(Ordering::Relaxed) {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn progress(done: usize, total: usize, time: Duration) -> ProgressLine {
    let each = time.as_secs_f64() / done.max(1) as f64;
    let left = each * (total - done) as f64;
    ProgressLine { done, total, seconds_left: (left * 10.0).round() / 10.0 }
}
