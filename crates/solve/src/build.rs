//! Solving a board into a file, layer by layer, so that it can be stopped at any moment.
//!
//! A layer's line in the table is written only after its data has reached the disk. Whatever stops
//! the work, the lines tell which layers are done; everything else is done again, to the same bytes.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::aim::Aim;
use crate::analysis::{ScorePlay, Totals, score_play, start_values};
use crate::backward::{self, Valued};
use crate::bits::{Bits, Directory};
use crate::error::TableError;
use crate::format::{
    Header, Plan, RECORD, Record, Stage, TABLE, aligned, header_bytes, read_header,
};
use crate::objective::{Drawn, Duel, Objective, Reach, Score};
use crate::region::Region;
use crate::space::Space;
use crate::starts::value_of_game;
use crate::storage::{Image, Storage, read_words, write_words};
use crate::sweep::{FIRST, LayerCount, Run, Sets, Swept, Watch, enumerate, nothing_above, sweep};
use crate::table::Table;

/// What is to be solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The board.
    pub region: Region,
    /// The exponent of the tile at which the game ends; only an aim to reach it makes sense then.
    pub goal: Option<u8>,
    /// What is played for.
    pub aim: Aim,
    /// Probability of a 4, where chance places the tiles.
    pub p4: f64,
    /// Keep the value of every afterstate?
    pub values: bool,
}

impl Problem {
    /// The score on a board, with the values of all afterstates.
    pub fn score(region: Region) -> Problem {
        Problem { region, goal: None, aim: Aim::Score, p4: 0.1, values: true }
    }

    fn header(&self) -> Header {
        Header {
            what: "maxtile solved board".to_owned(),
            board: self.region.to_string(),
            goal: self.goal.map(|goal| 1 << goal),
            objective: self.aim.to_string(),
            p4: self.p4,
            values: self.values,
            complete: false,
            states: 0,
            afterstates: 0,
            terminal: 0,
            value: None,
            std: None,
            moves: None,
            tiles: Vec::new(),
            layers_crc: 0,
        }
    }

    pub(crate) fn space(&self) -> Result<Space, TableError> {
        let most = self.region.max_exponent();
        match self.aim {
            Aim::Reach(tile) if tile > most => return Err(TableError::OutOfReach { most }),
            Aim::Reach(tile) if self.goal.is_some_and(|goal| goal != tile) => {
                return Err(TableError::GoalWithoutAim);
            }
            Aim::Reach(_) => {}
            _ if self.goal.is_some() => return Err(TableError::GoalWithoutAim),
            _ => {}
        }
        Space::new(&self.region, self.goal, true).ok_or(TableError::OutOfReach { most })
    }
}

/// Solves into a file. A file half-finished by an earlier call is continued; a finished one with the
/// same content stays as it is.
pub fn build(
    problem: &Problem,
    path: &Path,
    threads: usize,
    watch: Watch<'_>,
) -> Result<Header, TableError> {
    let space = problem.space()?;
    if path.exists() {
        let table = Table::open(path)?;
        let same = table.header().is_of(&problem.header());
        return if same { Ok(table.header().clone()) } else { Err(TableError::OtherFile) };
    }
    let part = part_of(path);
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&part);
    let file = file.map_err(TableError::Io)?;
    if file.try_lock().is_err() {
        return Err(TableError::InUse);
    }
    let header = Builder::new(problem, &space, &file, threads)?.run(watch)?;
    file.sync_all().map_err(TableError::Io)?;
    std::fs::rename(&part, path).map_err(TableError::Io)?;
    sync_folder(path);
    Ok(header)
}

/// Solves into memory: the bytes that the file would have.
pub(crate) fn build_image(
    problem: &Problem,
    threads: usize,
    watch: Watch<'_>,
) -> Result<Vec<u8>, TableError> {
    let space = problem.space()?;
    let image = Image::default();
    Builder::new(problem, &space, &image, threads)?.run(watch)?;
    Ok(image.0.into_inner())
}

/// The name of the half-finished file.
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// The name must survive a loss of power too, where folders can be synced.
fn sync_folder(path: &Path) {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Ok(folder) = File::open(parent.unwrap_or(Path::new("."))) {
        let _ = folder.sync_all();
    }
}

/// Up to this many free cells a file also says what comes with the score.
const FOLLOWED_CELLS: usize = 9;

/// How long finished layers may wait for their lines.
const PATIENCE: Duration = Duration::from_millis(200);

struct Builder<'a, S> {
    problem: &'a Problem,
    space: &'a Space,
    storage: &'a S,
    threads: usize,
    plan: Plan,
    records: RefCell<Vec<Record>>,
    /// Layers whose data is written but perhaps not on the disk yet.
    waiting: RefCell<Vec<usize>>,
    written: RefCell<Instant>,
}

impl<'a, S: Storage> Builder<'a, S> {
    fn new(
        problem: &'a Problem,
        space: &'a Space,
        storage: &'a S,
        threads: usize,
    ) -> Result<Builder<'a, S>, TableError> {
        let plan = Plan::new(space);
        let mut records = vec![Record::default(); plan.states_at.len()];
        let mut bytes = vec![0; TABLE as usize];
        if storage.read_at(0, &mut bytes).is_ok() {
            let header = read_header(&bytes).map_err(|_| TableError::OtherPart)?;
            // A file that was finished but not renamed is finished again, to the same bytes.
            if !header.is_of(&problem.header()) {
                return Err(TableError::OtherPart);
            }
            let mut table = vec![0; records.len() * RECORD];
            // A table that is not there yet is one of zeros.
            let _ = storage.read_at(TABLE, &mut table);
            for (record, bytes) in records.iter_mut().zip(table.chunks_exact(RECORD)) {
                *record = Record::read(bytes).unwrap_or_default();
            }
        } else {
            let header = header_bytes(&problem.header()).map_err(TableError::Io)?;
            storage.write_at(0, &header).map_err(TableError::Io)?;
            storage.write_at(TABLE, &vec![0; records.len() * RECORD]).map_err(TableError::Io)?;
            storage.sync().map_err(TableError::Io)?;
        }
        Ok(Builder {
            problem,
            space,
            storage,
            threads,
            plan,
            records: RefCell::new(records),
            waiting: RefCell::default(),
            written: RefCell::new(Instant::now()),
        })
    }

    fn run(&self, watch: Watch<'_>) -> Result<Header, TableError> {
        let result = self.enumerate(watch).and_then(|()| {
            let p4 = self.problem.p4;
            match self.problem.aim {
                Aim::Score => self.value(&Score { p4 }, watch),
                Aim::Reach(goal) => self.value(&Reach { p4, goal }, watch),
                Aim::Hostile => self.value(&Duel::HOSTILE, watch),
                Aim::Friendly => self.value(&Duel::FRIENDLY, watch),
                Aim::ForcedTile => self.value(&Duel::FORCED, watch),
                Aim::HostileDrawn => self.value(&Drawn { p4 }, watch),
                Aim::HostileTwos => self.value(&Duel::TWOS, watch),
                Aim::ForcedTileTwos => self.value(&Duel::FORCED_TWOS, watch),
            }
        });
        let result = result.and_then(|value| {
            let play = self.follows().then(|| score_play(self.with(watch), self, self.problem.p4));
            self.finish(value, play.transpose()?)
        });
        result.map_err(|cause| match cause.kind() {
            io::ErrorKind::Interrupted => TableError::Stopped,
            io::ErrorKind::InvalidData => TableError::Damaged("a layer that was written before"),
            _ => TableError::Io(cause),
        })
    }

    fn enumerate(&self, watch: Watch<'_>) -> io::Result<()> {
        let done = self.records.borrow().iter().take_while(|r| r.stage >= Stage::Sets).count();
        if done == self.records.borrow().len() {
            return Ok(());
        }
        let from = FIRST + done as u32;
        let below = (from.saturating_sub(2).max(FIRST)..from)
            .map(|t| {
                let words = self.afterstates(t)?;
                Ok(Bits::of(words.entries().iter().map(|entry| entry[0]).collect()))
            })
            .collect::<io::Result<Vec<_>>>()?;
        enumerate(self.with(watch), from, below, |count, states, afterstates| {
            self.keep_sets(count, states, afterstates)
        })
        .or_else(|cause| self.commit(true).and(Err(cause)))?;
        self.commit(true)
    }

    /// Is one more sweep, for what comes with the score, worth its time?
    fn follows(&self) -> bool {
        self.problem.aim == Aim::Score && self.problem.region.free_count() <= FOLLOWED_CELLS
    }

    fn with<'b>(&'b self, watch: Watch<'b>) -> Run<'b> {
        Run { space: self.space, threads: self.threads, watch }
    }

    fn keep_sets(&self, count: LayerCount, states: &Bits, afterstates: &Bits) -> io::Result<()> {
        let index = (count.sum / 2 - FIRST) as usize;
        let mut record = Record {
            stage: Stage::Sets,
            count,
            states_at: self.plan.states_at[index],
            afterstates_at: self.plan.afterstates_at[index],
            ..Record::default()
        };
        write_words(self.storage, record.states_at, states.words())?;
        let directory = Directory::new(afterstates.words());
        let flat = directory.entries().iter().flatten().copied();
        record.afterstates_section_crc = write_words(self.storage, record.afterstates_at, flat)?;
        self.records.borrow_mut()[index] = record;
        self.waiting.borrow_mut().push(index);
        self.commit(false)
    }

    /// Writes the lines of finished layers, after their data is safe.
    fn commit(&self, now: bool) -> io::Result<()> {
        if !now && self.written.borrow().elapsed() < PATIENCE {
            return Ok(());
        }
        self.storage.sync()?;
        for index in self.waiting.borrow_mut().drain(..) {
            let bytes = self.records.borrow()[index].bytes();
            self.storage.write_at(TABLE + (index * RECORD) as u64, &bytes)?;
        }
        *self.written.borrow_mut() = Instant::now();
        Ok(())
    }

    fn value<O: Objective<Value = f64>>(&self, objective: &O, watch: Watch<'_>) -> io::Result<f64> {
        let mut at = self.plan.values_from;
        for record in &mut *self.records.borrow_mut() {
            record.values_at = at;
            at = aligned(at + 8 * record.count.afterstates);
        }
        let last = self.space.last();
        let done =
            self.records.borrow().iter().rev().take_while(|r| r.stage == Stage::Values).count();
        // Without kept values nothing can be continued.
        let done = if self.problem.values { done as u32 } else { 0 };
        // The first layers hold the starts, whose values must be seen again.
        let from = (last - done.min(last)).max(FIRST + 2).min(last);
        let above = if from == last {
            nothing_above(self.space)
        } else {
            let [one, two] = [from + 1, from + 2].map(|t| self.valued(objective, t));
            [one?, two?]
        };
        let mut starts = Vec::new();
        let each = |swept: Swept<'_, f64>| {
            starts.extend(start_values(self.space, &swept, self.problem.p4));
            self.keep_values(swept.layer.t, swept.afterstate_values)
        };
        sweep(self.with(watch), objective, self, from, above, each)
            .or_else(|cause| self.commit(true).and(Err(cause)))?;
        self.commit(true)?;
        Ok(value_of_game(self.problem.aim, &starts, self.problem.p4))
    }

    fn keep_values(&self, t: u32, values: &[f64]) -> io::Result<()> {
        let index = (t - FIRST) as usize;
        let mut record = self.records.borrow()[index];
        record.stage = Stage::Values;
        if self.problem.values {
            let words = values.iter().map(|value| value.to_bits());
            record.values_crc = write_words(self.storage, record.values_at, words)?;
        } else {
            record.values_at = 0;
        }
        self.records.borrow_mut()[index] = record;
        self.waiting.borrow_mut().push(index);
        self.commit(false)
    }

    /// The states of a layer whose afterstates have their values in the file.
    fn valued<O: Objective<Value = f64>>(&self, objective: &O, t: u32) -> io::Result<Valued<f64>> {
        let layer = self.space.layer(t);
        if t > self.space.last() {
            return Ok(Valued::empty(layer));
        }
        let record = self.records.borrow()[(t - FIRST) as usize];
        let count = record.count.afterstates as usize;
        let words = read_words(self.storage, record.values_at, count, record.values_crc)?;
        let values: Vec<f64> = words.into_iter().map(f64::from_bits).collect();
        let (boards, after) = (self.states(t)?, self.afterstates(t)?);
        let (space, threads) = (self.space, self.threads);
        let values =
            backward::states(space, objective, &layer, &boards, (&after, &values), threads);
        Ok(Valued { layer, boards, values })
    }

    fn finish(&self, value: f64, play: Option<ScorePlay>) -> io::Result<Header> {
        let records = self.records.borrow();
        let table: Vec<u8> = records.iter().flat_map(Record::bytes).collect();
        self.storage.write_at(TABLE, &table)?;
        let counts: Vec<LayerCount> = records.iter().map(|record| record.count).collect();
        let Totals { states, afterstates, terminal, .. } = Totals::of(&counts);
        let header = Header {
            complete: true,
            states,
            afterstates,
            terminal,
            value: Some(value),
            std: play.as_ref().map(|play| play.variance.sqrt()),
            moves: play.as_ref().map(|play| play.moves),
            tiles: play.map_or(Vec::new(), |play| {
                play.reach.iter().map(|&(exponent, chance)| (1 << exponent, chance)).collect()
            }),
            layers_crc: crc32fast::hash(&table),
            ..self.problem.header()
        };
        self.storage.sync()?;
        self.storage.write_at(0, &header_bytes(&header)?)?;
        self.storage.sync()?;
        Ok(header)
    }
}

impl<S: Storage> Sets for Builder<'_, S> {
    fn states(&self, t: u32) -> io::Result<Directory> {
        let record = self.records.borrow()[(t - FIRST) as usize];
        let words = self.space.layer(t).words();
        let words = read_words(self.storage, record.states_at, words, record.count.states_crc)?;
        Ok(Directory::new(words.into_iter()))
    }

    fn afterstates(&self, t: u32) -> io::Result<Directory> {
        let record = self.records.borrow()[(t - FIRST) as usize];
        let words = 2 * self.space.layer(t).words();
        let crc = record.afterstates_section_crc;
        let words = read_words(self.storage, record.afterstates_at, words, crc)?;
        Ok(Directory::from_entries(words.chunks_exact(2).map(|w| [w[0], w[1]]).collect()))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// A disk on which the writes after the first so many fail, or break off in the middle.
    struct Failing<'a> {
        image: &'a Image,
        left: Cell<u32>,
        tears: bool,
    }

    impl Storage for Failing<'_> {
        fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
            self.image.read_at(at, bytes)
        }

        fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
            if self.left.get() == 0 {
                if self.tears {
                    self.image.write_at(at, &bytes[..bytes.len() / 2])?;
                }
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.left.set(self.left.get() - 1);
            self.image.write_at(at, bytes)
        }

        fn sync(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Wherever the disk fills up, even in the middle of a layer, the work goes on from there to the
    /// same bytes.
    #[test]
    fn continued_after_every_write() {
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let problem = Problem::score("2x3".parse().unwrap());
        let whole = build_image(&problem, 1, watch).unwrap();
        let space = problem.space().unwrap();
        let mut failed = 0;
        for left in (2..640).step_by(5) {
            let image = Image::default();
            let disk = Failing { image: &image, left: Cell::new(left), tears: left % 2 == 0 };
            let first = Builder::new(&problem, &space, &disk, 1).unwrap().run(watch);
            if let Err(error) = first {
                failed += 1;
                let text = error.to_string();
                assert!(text.starts_with("the disk is full; what is done is kept"), "{text}");
                Builder::new(&problem, &space, &image, 1).unwrap().run(watch).unwrap();
            }
            assert!(image.0.into_inner() == whole, "after {left} writes");
        }
        assert!(failed > 100, "{failed}");
    }

    /// Asked to stop after every layer, the work still ends, with the same bytes.
    #[test]
    fn continued_after_every_layer() {
        let problem = Problem::score("2x3".parse().unwrap());
        let never = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let whole = build_image(&problem, 1, never).unwrap();
        let space = problem.space().unwrap();
        let image = Image::default();
        let always = Watch { progress: &|_| (), stop: &AtomicBool::new(true) };
        let mut stops = 0;
        let mut tries = 0;
        while tries < 245 {
            tries += 1;
            let result = Builder::new(&problem, &space, &image, 1).unwrap().run(always);
            stops += u32::from(matches!(result, Err(TableError::Stopped)));
        }
        assert_eq!(stops, tries);
        Builder::new(&problem, &space, &image, 1).unwrap().run(never).unwrap();
        assert!(image.0.into_inner() == whole);
    }

    #[test]
    fn another_board_is_not_continued() {
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let image = Image(RefCell::new(
            build_image(&Problem::score("2x2".parse().unwrap()), 1, watch).unwrap(),
        ));
        let other = Problem { p4: 0.2, ..Problem::score("2x2".parse().unwrap()) };
        let space = other.space().unwrap();
        assert!(matches!(Builder::new(&other, &space, &image, 1), Err(TableError::OtherPart)));
    }
}
