//! A solved board to be asked: opened, checked, looked up.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use maxtile_game::{Afterstate, Board, Grid, Move, Random};
use memmap2::Mmap;

use crate::aim::Aim;
use crate::bits::Directory;
use crate::build::{Problem, build_image};
use crate::error::TableError;
use crate::format::{Header, RECORD, Record, Stage, TABLE, read_header};
use crate::layouts::Layouts;
use crate::objective::{movable, potential};
use crate::region::Region;
use crate::space::{Layer, Space};
use crate::sweep::{FIRST, LayerCount, Watch, number};
use crate::unsafe_map::{load_file, map_file};

/// A solved board.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use maxtile_solve::{Problem, Table, Watch};
///
/// let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
/// let table = Table::in_memory(&Problem::score("2x2".parse()?), 1, watch)?;
/// let answer = table.query("2x2:1001".parse()?)?;
/// assert_eq!(format!("{:.4}", answer.value), "67.6963");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Table {
    bytes: Bytes,
    header: Header,
    aim: Aim,
    region: Region,
    space: Space,
    layouts: Layouts,
    records: Vec<Record>,
    spots: Vec<Spot>,
    /// For walking through a layer: made when that is done first.
    walked: Vec<OnceLock<Layer>>,
}

/// What a question needs of its layer, together because it is read together.
struct Spot {
    states_at: u64,
    afterstates_at: u64,
    values_at: u64,
    /// Which sections were found good.
    checked: AtomicU8,
}

enum Bytes {
    Mapped(Mmap),
    Own(Vec<u8>),
}

/// The sections of a layer, as bits.
const STATES: u8 = 1;
const AFTERSTATES: u8 = 2;

impl Table {
    /// Opens a file. Its header and its table of layers are checked now, each layer when it is first
    /// asked.
    pub fn open(path: &Path) -> Result<Table, TableError> {
        Table::new(Bytes::Mapped(map_file(path).map_err(TableError::Io)?))
    }

    /// Reads a file into memory and checks every byte of it. Questions are answered faster than by
    /// [`Self::open`], because the memory comes in large pages.
    pub fn load(path: &Path) -> Result<Table, TableError> {
        let table = Table::new(Bytes::Mapped(load_file(path).map_err(TableError::Io)?))?;
        table.verify()?;
        Ok(table)
    }

    /// Solves a board in memory.
    pub fn in_memory(
        problem: &Problem,
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<Table, TableError> {
        Table::new(Bytes::Own(build_image(problem, threads, watch)?))
    }

    fn new(bytes: Bytes) -> Result<Table, TableError> {
        let all = bytes.all();
        let header = read_header(all).map_err(TableError::NotATable)?;
        if !header.complete {
            return Err(TableError::Incomplete);
        }
        let damaged = TableError::Damaged("the header");
        let (Ok(region), Ok(aim)) = (header.board.parse::<Region>(), header.objective.parse())
        else {
            return Err(damaged);
        };
        let goal = header.goal.map(|tile| tile.ilog2() as u8);
        let Some(space) = Space::new(&region, goal, true) else { return Err(damaged) };
        let count = (space.last() - FIRST + 1) as usize;
        let damaged = TableError::Damaged("the table of layers");
        let Some(table) = all.get(TABLE as usize..TABLE as usize + count * RECORD) else {
            return Err(damaged);
        };
        if crc32fast::hash(table) != header.layers_crc {
            return Err(damaged);
        }
        let records: Option<Vec<Record>> = table.chunks_exact(RECORD).map(Record::read).collect();
        let records = records.filter(|all| all.iter().all(|r| r.stage == Stage::Values));
        let Some(records) = records else { return Err(damaged) };
        let spot = |record: &Record| Spot {
            states_at: record.states_at,
            afterstates_at: record.afterstates_at,
            values_at: record.values_at,
            checked: AtomicU8::new(0),
        };
        let spots = records.iter().map(spot).collect();
        let walked = (0..count).map(|_| OnceLock::new()).collect();
        let layouts = Layouts::new(&space);
        Ok(Table { bytes, header, aim, region, space, layouts, records, spots, walked })
    }

    /// What the file says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What is played for.
    pub fn aim(&self) -> Aim {
        self.aim
    }

    /// The board.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// The counts of all layers.
    pub fn layers(&self) -> impl Iterator<Item = LayerCount> {
        self.records.iter().map(|record| record.count)
    }

    /// Is this a state of some game?
    pub fn contains(&self, board: Board) -> Result<bool, TableError> {
        let word = self.word(board.grid())?;
        let Some((index, spot)) = self.layer(word) else { return Ok(false) };
        self.check(index, STATES)?;
        let rank = self.number(index, word);
        let at = spot.states_at + rank / 64 * 8;
        Ok(self.bytes.word(at) >> (rank % 64) & 1 == 1)
    }

    /// What is to be had after a slide, its own reward not counted: the value in points, or the
    /// chance, or the exponent that can be forced.
    #[inline]
    pub fn afterstate(&self, afterstate: Afterstate) -> Result<f64, TableError> {
        let word = self.word(afterstate.grid())?;
        let (_, value) = self.find(word)?.ok_or(TableError::Unreachable)?;
        let settled = movable(word, self.space.geometry.free);
        Ok(if self.aim.is_score() { value - potential(settled) } else { value })
    }

    /// The number of an afterstate in its layer and what the file says of it: W where points are
    /// played for.
    #[inline]
    pub(crate) fn find(&self, word: u64) -> Result<Option<(u64, f64)>, TableError> {
        if !self.header.values {
            return Err(TableError::NoValues);
        }
        let Some((index, spot)) = self.layer(word) else { return Ok(None) };
        self.check(index, AFTERSTATES)?;
        let rank = self.number(index, word);
        let at = spot.afterstates_at + rank / 64 * 16;
        let (bits, before) = (self.bytes.word(at), self.bytes.word(at + 8));
        if bits >> (rank % 64) & 1 == 0 {
            return Ok(None);
        }
        let place = before + u64::from((bits & ((1 << (rank % 64)) - 1)).count_ones());
        Ok(Some((rank, f64::from_bits(self.bytes.word(spot.values_at + 8 * place)))))
    }

    pub(crate) fn word(&self, grid: Grid) -> Result<u64, TableError> {
        if grid.shape() != self.region.shape() {
            return Err(TableError::OtherBoard { board: self.header.board.clone() });
        }
        if !self.space.admits(grid) {
            return Err(TableError::Unreachable);
        }
        Ok(self.space.word(grid))
    }

    /// The slides that walls and fixed tiles allow, with their rewards.
    pub(crate) fn region_slides(&self, board: Board) -> Vec<(Move, Afterstate, u32)> {
        let word = self.space.word(board.grid());
        let free = self.space.geometry.free;
        let slid = |mv: Move| {
            let after = self.space.geometry.slide(word, self.space.turned_move(mv.index()));
            let reward = potential(movable(after, free)) - potential(movable(word, free));
            (after != word).then(|| (mv, self.space.grid(after).into(), reward as u32))
        };
        Move::ALL.into_iter().filter_map(slid).collect()
    }

    /// φ of a board's own tiles.
    pub(crate) fn own(&self, board: Board) -> f64 {
        potential(movable(self.space.word(board.grid()), self.space.geometry.free))
    }

    /// Is the goal at which the game ends on the board?
    pub(crate) fn goal_stands(&self, grid: Grid) -> bool {
        self.space.goal.is_some_and(|goal| grid.max_exponent() >= goal)
    }

    #[inline]
    fn layer(&self, word: u64) -> Option<(usize, &Spot)> {
        let index = self.space.sum(word).checked_sub(FIRST)? as usize;
        Some((index, self.spots.get(index)?))
    }

    pub(crate) fn space(&self) -> &Space {
        &self.space
    }

    /// The states of the layer with tile sum 2t.
    pub(crate) fn set(&self, t: u32) -> Result<Directory, TableError> {
        let index = (t - FIRST) as usize;
        self.check(index, STATES)?;
        let (at, words) = (self.spots[index].states_at, self.walked(index).words() as u64);
        Ok(Directory::new((0..words).map(|w| self.bytes.word(at + 8 * w))))
    }

    /// The afterstates of the layer with tile sum 2t, and what the file says of them.
    pub(crate) fn valued_afterstates(&self, t: u32) -> Result<(Directory, Vec<f64>), TableError> {
        if !self.header.values {
            return Err(TableError::NoValues);
        }
        let index = (t - FIRST) as usize;
        self.check(index, AFTERSTATES)?;
        let (spot, words) = (&self.spots[index], self.walked(index).words() as u64);
        let bits = (0..words).map(|w| self.bytes.word(spot.afterstates_at + 16 * w));
        let value = |i: u64| f64::from_bits(self.bytes.word(spot.values_at + 8 * i));
        let values = (0..self.records[index].count.afterstates).map(value).collect();
        Ok((Directory::new(bits), values))
    }

    pub(crate) fn walked(&self, index: usize) -> &Layer {
        self.walked[index].get_or_init(|| self.space.layer(index as u32 + FIRST))
    }

    /// The number of a board in its layer.
    #[inline]
    fn number(&self, index: usize, word: u64) -> u64 {
        let layout = self.layouts.layer(index as u32 + FIRST);
        u64::from(number(&self.space, &layout, word))
    }

    /// A layer's section is believed after its checksum was right once.
    #[inline]
    fn check(&self, index: usize, section: u8) -> Result<(), TableError> {
        if self.spots[index].checked.load(Ordering::Relaxed) & section != 0 {
            return Ok(());
        }
        self.check_now(index, section)
    }

    #[cold]
    fn check_now(&self, index: usize, section: u8) -> Result<(), TableError> {
        let record = &self.records[index];
        let words = self.walked(index).words() as u64;
        let good = |at: u64, size: u64, crc: u32| {
            // Nothing may lie behind the end of the file.
            let part = if size == 0 { Some(&[][..]) } else { self.bytes.part(at, size) };
            part.is_some_and(|part| crc32fast::hash(part) == crc)
        };
        if section == STATES && !good(record.states_at, 8 * words, record.count.states_crc) {
            return Err(TableError::Damaged("the states of a layer"));
        }
        if section == AFTERSTATES {
            if !good(record.afterstates_at, 16 * words, record.afterstates_section_crc) {
                return Err(TableError::Damaged("the afterstates of a layer"));
            }
            let size = 8 * record.count.afterstates;
            if self.header.values && !good(record.values_at, size, record.values_crc) {
                return Err(TableError::Damaged("the values of a layer"));
            }
        }
        self.spots[index].checked.fetch_or(section, Ordering::Relaxed);
        Ok(())
    }

    /// Checks every byte: checksums, counts, and that the directories count right.
    pub fn verify(&self) -> Result<(), TableError> {
        let mut sums = [0; 2];
        for (index, record) in self.records.iter().enumerate() {
            self.check_now(index, STATES)?;
            self.check_now(index, AFTERSTATES)?;
            let words = self.walked(index).words() as u64;
            let ones = |word: u64| u64::from(word.count_ones());
            let states: u64 =
                (0..words).map(|w| ones(self.bytes.word(record.states_at + 8 * w))).sum();
            let mut before = 0;
            for w in 0..words {
                let at = record.afterstates_at + 16 * w;
                if self.bytes.word(at + 8) != before {
                    return Err(TableError::Damaged("the directory of a layer"));
                }
                before += ones(self.bytes.word(at));
            }
            if (states, before) != (record.count.states, record.count.afterstates) {
                return Err(TableError::Damaged("the counts of a layer"));
            }
            sums[0] += states;
            sums[1] += before;
        }
        if sums != [self.header.states, self.header.afterstates] {
            return Err(TableError::Damaged("the counts in the header"));
        }
        Ok(())
    }

    /// A state of the layer with this tile sum, each as likely as the others; `None` for a layer
    /// without states.
    pub fn random_state_of(
        &self,
        sum: u32,
        random: &mut Random,
    ) -> Result<Option<Board>, TableError> {
        let Some(index) = (sum / 2).checked_sub(FIRST).map(|index| index as usize) else {
            return Ok(None);
        };
        match self.records.get(index) {
            Some(record) if record.count.states > 0 && sum.is_multiple_of(2) => {}
            _ => return Ok(None),
        }
        self.check(index, STATES)?;
        let layer = self.walked(index);
        // Sets are dense enough in their numbers that trying finds one soon.
        loop {
            let rank = random.below(layer.slots);
            let at = self.records[index].states_at + rank / 64 * 8;
            if self.bytes.word(at) >> (rank % 64) & 1 == 1 {
                let word = self.space.board(layer, rank as u32);
                return Ok(Some(self.space.grid(word).into()));
            }
        }
    }

    /// A state, each of all states as likely as the others.
    pub fn random_state(&self, random: &mut Random) -> Result<Board, TableError> {
        let mut rest = random.below(self.header.states);
        for count in self.layers() {
            if rest < count.states {
                let found = self.random_state_of(count.sum, random)?;
                return found.ok_or(TableError::Damaged("the counts of a layer"));
            }
            rest -= count.states;
        }
        Err(TableError::Damaged("the counts of a layer"))
    }

    /// The states of the layer with this tile sum, in the order of the file.
    pub fn states(&self, sum: u32) -> Result<Vec<Board>, TableError> {
        let Some(index) = (sum / 2).checked_sub(FIRST).map(|index| index as usize) else {
            return Ok(Vec::new());
        };
        let Some(record) = self.records.get(index).filter(|_| sum.is_multiple_of(2)) else {
            return Ok(Vec::new());
        };
        self.check(index, STATES)?;
        let layer = self.walked(index);
        let mut boards = Vec::with_capacity(record.count.states as usize);
        for rank in 0..layer.slots {
            if self.bytes.word(record.states_at + rank / 64 * 8) >> (rank % 64) & 1 == 1 {
                boards.push(self.space.grid(self.space.board(layer, rank as u32)).into());
            }
        }
        Ok(boards)
    }
}

impl Bytes {
    fn all(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Own(bytes) => bytes,
        }
    }

    fn part(&self, at: u64, size: u64) -> Option<&[u8]> {
        self.all().get(at as usize..(at + size) as usize)
    }

    /// The 64-bit word at a place that a checked section has.
    #[inline]
    fn word(&self, at: u64) -> u64 {
        let bytes = self.all()[at as usize..at as usize + 8].try_into();
        bytes.map_or(0, u64::from_le_bytes)
    }
}
