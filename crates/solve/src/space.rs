//! The dense rank: every board of a layer has a number, two boards that differ by symmetry have the
//! same one, and finding it takes two loads from static tables and a multiplication.
//!
//! The free cells are split in two halves A and B, and at most one cell between them (C). Boards of
//! tile sum 2t are ordered by C, then by the sum of A, then by A, then by B:
//! `rank = base[c][s(A)] + class(A) * n[t - c - s(A)] + rank(B)`.

use maxtile_game::{Grid, Shape, Symmetry};

use crate::halves::Halves;
use crate::objective::half_sum;
use crate::rank::Places;
use crate::region::{Cell, Region};
use crate::slide::Geometry;

/// The boards of a region, ready to be numbered.
pub(crate) struct Space {
    /// The region as it lies in words: perhaps transposed.
    region: Region,
    transposed: bool,
    pub(crate) geometry: Geometry,
    /// Tiles stay below this exponent; a slide that makes it has reached the goal.
    pub(crate) goal: Option<u8>,
    pub(crate) form: Form,
    /// One table for both where the halves can be swapped.
    halves: Vec<Halves>,
    pub(crate) places: Places,
    /// The cell between the halves.
    centre: Option<usize>,
    /// Words of the halves in the order of their numbers.
    words: [Vec<u64>; 2],
    most: u8,
    last: u32,
}

/// How symmetry is taken out of the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// By the halves: `swap` exchanges them, `mirror` maps each onto itself.
    Two { swap: bool, mirror: bool },
    /// A whole 3×3: the ring of eight cells turns and mirrors as one word.
    Ring,
    /// By the smallest of all images.
    Images,
}

impl Form {
    pub(crate) fn swaps(self) -> bool {
        matches!(self, Form::Two { swap: true, .. } | Form::Ring)
    }
}

/// How the numbers of one layer are laid out.
pub(crate) struct Layer {
    /// Half the tile sum.
    pub(crate) t: u32,
    /// How many numbers there are.
    pub(crate) slots: u64,
    /// By the exponent between the halves, then by the sum of A.
    pub(crate) classes: Vec<Class>,
    pub(crate) stride: usize,
    /// The classes that are not empty, by where they begin.
    order: Vec<(u32, u32)>,
}

/// The boards of a layer whose half A has one sum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Class {
    pub(crate) base: u32,
    /// How many numbers each half A has.
    pub(crate) width: u32,
}

impl Space {
    /// `None` for a goal that no board of the region could hold, or that is no goal.
    pub(crate) fn new(region: &Region, goal: Option<u8>, symmetric: bool) -> Option<Space> {
        if goal.is_some_and(|goal| goal < 3 || goal > region.max_exponent()) {
            return None;
        }
        let most = goal.map_or(region.max_exponent(), |goal| goal - 1);
        let (form, transposed) = choose_form(region, symmetric);
        let region = if transposed { region.transposed() } else { region.clone() };
        let (cells, centre) = split(&region, form);
        let mirror = matches!(form, Form::Two { mirror: true, .. }).then(|| {
            let shape = region.shape();
            let image = |cell: &usize| Symmetry::Mirror.cell(shape, *cell);
            let place = |cell: usize| cells[0].iter().position(|&c| c == cell).unwrap_or(0);
            cells[0].iter().map(image).map(place).collect::<Vec<_>>()
        });
        let tables = if form.swaps() { 1 } else { 2 };
        let table = |half: usize| Halves::new(cells[half].len(), most, mirror.as_deref());
        let halves: Vec<Halves> = (0..tables).map(table).collect();
        let words = [0, 1].map(|h| {
            let listing = if h == 0 { halves[0].canonical() } else { halves[tables - 1].all() };
            let word = |&packed: &u32| deposit(packed, &cells[h]);
            listing.packed().iter().map(word).collect()
        });
        let free = region.free_count() as u32;
        let last = match goal {
            None => (1 << (free + 1)) - 2,
            Some(goal) => free << (goal - 2),
        };
        let geometry = Geometry::of(&region);
        let places = Places::new(&cells, &region);
        Some(Space {
            region,
            transposed,
            geometry,
            goal,
            form,
            halves,
            places,
            centre,
            words,
            most,
            last,
        })
    }

    /// The tables of half A and of half B.
    pub(crate) fn tables(&self) -> (&Halves, &Halves) {
        (&self.halves[0], &self.halves[self.halves.len() - 1])
    }

    /// How many exponents the cell between the halves can have.
    pub(crate) fn centres(&self) -> usize {
        if self.centre.is_some() { usize::from(self.most) + 1 } else { 1 }
    }

    /// Half the largest tile sum there could be.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    /// The region as it lies in words.
    pub(crate) fn region(&self) -> &Region {
        &self.region
    }

    /// The region as it was given.
    pub(crate) fn outer_region(&self) -> Region {
        if self.transposed { self.region.transposed() } else { self.region.clone() }
    }

    /// The word of a position.
    pub(crate) fn word(&self, grid: Grid) -> u64 {
        let grid = if self.transposed { grid.transformed(Symmetry::Transpose) } else { grid };
        grid.nibbles() | self.geometry.fixed
    }

    /// The position of a word.
    pub(crate) fn grid(&self, word: u64) -> Grid {
        let shape = self.region.shape();
        let word = word & !self.geometry.fixed;
        let exponents: Vec<u8> =
            (0..shape.cells()).map(|cell| (word >> (4 * cell) & 15) as u8).collect();
        let grid = Grid::from_exponents(shape, &exponents).unwrap_or(Grid::empty(shape));
        if self.transposed { grid.transformed(Symmetry::Transpose) } else { grid }
    }

    /// What a move of the position is called on words, and the other way round.
    pub(crate) fn turned_move(&self, mv: usize) -> usize {
        if self.transposed { 3 - mv } else { mv }
    }

    /// Is this position of the right shape one of the region: nothing on walls and fixed tiles, no
    /// tile too large?
    pub(crate) fn admits(&self, grid: Grid) -> bool {
        // Every position of a whole board is one of its game but for the goal.
        if self.goal.is_none() && self.region.is_full() {
            return true;
        }
        grid.max_exponent() <= self.most
            && self.word(grid) & !crate::slide::fill(self.geometry.free) == self.geometry.fixed
            && grid.tile_sum() / 2 <= self.last
    }

    /// Half the tile sum of a word.
    pub(crate) fn sum(&self, word: u64) -> u32 {
        half_sum(word & !self.geometry.fixed)
    }

    /// The layout of the layer with tile sum 2t.
    pub(crate) fn layer(&self, t: u32) -> Layer {
        let swap = self.form.swaps();
        let (a, b) = self.tables();
        let (rows, columns) = (a.canonical(), b.all());
        let stride = (a.largest_sum() + 1).min(t as usize + 1);
        let centres = self.centres();
        let mut classes = vec![Class::default(); stride * centres];
        let mut order = Vec::new();
        let mut base = 0u64;
        for c in 0..centres {
            let own = if c == 0 { 0 } else { 1 << (c - 1) };
            let Some(rest) = (t as usize).checked_sub(own) else { break };
            let most = if swap { rest / 2 } else { rest };
            for sum in 0..stride.min(most + 1) {
                let width = columns.count(rest - sum) as u64;
                let size = rows.count(sum) as u64 * width;
                let index = c * stride + sum;
                classes[index] = Class { base: base as u32, width: width as u32 };
                if size > 0 {
                    order.push((base as u32, index as u32));
                }
                base += size;
            }
        }
        assert!(base < 1 << 32, "a layer has more numbers than 32 bits");
        Layer { t, slots: base, classes, stride, order }
    }

    /// The boards of a layer whose bits are set, in the order of their numbers, from the 64-bit word
    /// number `from` up to `to`.
    pub(crate) fn scan<'a, W: Words>(
        &'a self,
        layer: &'a Layer,
        words: &'a W,
        (from, to): (usize, usize),
    ) -> Scan<'a, W> {
        let cursor = Cursor::new(self, layer, (64 * from) as u32);
        Scan { cursor, words, next: from, to, bits: 0 }
    }

    /// The board with this number.
    pub(crate) fn board(&self, layer: &Layer, rank: u32) -> u64 {
        Cursor::new(self, layer, rank).board(rank)
    }
}

/// How many boards are taken from a set at once: enough for the vector units and for loads to
/// overlap, few enough for the first cache.
pub(crate) const BATCH: usize = 128;

/// A set of boards as words of 64 bits.
pub(crate) trait Words {
    fn word(&self, index: usize) -> u64;
}

/// Takes the boards out of a set, batch by batch.
pub(crate) struct Scan<'a, W> {
    cursor: Cursor<'a>,
    words: &'a W,
    next: usize,
    to: usize,
    bits: u64,
}

impl<W: Words> Scan<'_, W> {
    /// The next boards; fewer than there is room for only at the end.
    #[inline(always)]
    pub(crate) fn fill(&mut self, boards: &mut [u64; BATCH]) -> usize {
        let mut filled = 0;
        while filled < BATCH {
            if self.bits == 0 {
                if self.next == self.to {
                    break;
                }
                self.bits = self.words.word(self.next);
                self.next += 1;
                continue;
            }
            let rank = 64 * (self.next as u32 - 1) + self.bits.trailing_zeros();
            self.bits &= self.bits - 1;
            boards[filled] = self.cursor.board(rank);
            filled += 1;
        }
        filled
    }
}

/// Walks through the boards of a layer in ascending order.
struct Cursor<'a> {
    space: &'a Space,
    layer: &'a Layer,
    /// Place in the order of the classes.
    class: usize,
    class_end: u32,
    row_start: u32,
    row_end: u32,
    row: u64,
    columns: &'a [u64],
}

impl<'a> Cursor<'a> {
    fn new(space: &'a Space, layer: &'a Layer, rank: u32) -> Cursor<'a> {
        let class = layer.order.partition_point(|&(base, _)| base <= rank).saturating_sub(1);
        Cursor {
            space,
            layer,
            class,
            class_end: layer.class_end(class),
            row_start: 0,
            row_end: 0,
            row: 0,
            columns: &[],
        }
    }

    #[inline(always)]
    fn board(&mut self, rank: u32) -> u64 {
        if rank >= self.row_end {
            self.enter(rank);
        }
        self.row | self.columns[(rank - self.row_start) as usize]
    }

    #[inline(never)]
    fn enter(&mut self, rank: u32) {
        while rank >= self.class_end {
            self.class += 1;
            self.class_end = self.layer.class_end(self.class);
        }
        let (space, layer) = (self.space, self.layer);
        let (_, index) = layer.order[self.class];
        let Class { base, width } = layer.classes[index as usize];
        let (c, sum) = (index as usize / layer.stride, index as usize % layer.stride);
        let row = (rank - base) / width;
        self.row_start = base + row * width;
        self.row_end = self.row_start + width;
        let centre = space.centre.map_or(0, |cell| (c as u64) << (4 * cell));
        let own = if c == 0 { 0 } else { 1 << (c - 1) };
        let rest = layer.t as usize - own - sum;
        let (a, b) = space.tables();
        let (rows, columns) = (a.canonical(), b.all());
        self.row = space.words[0][rows.start(sum) + row as usize] | centre | space.geometry.fixed;
        self.columns = &space.words[1][columns.start(rest)..][..width as usize];
    }
}

impl Layer {
    fn class_end(&self, class: usize) -> u32 {
        self.order.get(class + 1).map_or(self.slots as u32, |&(base, _)| base)
    }

    /// How many 64-bit words its bitmap has.
    pub(crate) fn words(&self) -> usize {
        self.slots.div_ceil(64) as usize
    }
}

fn deposit(packed: u32, cells: &[usize]) -> u64 {
    let nibble = |i: usize| (packed >> (4 * i) & 15) as u64;
    cells.iter().enumerate().fold(0, |word, (i, &cell)| word | nibble(i) << (4 * cell))
}

/// Which form takes the symmetry out, and whether the region must be transposed for it.
fn choose_form(region: &Region, symmetric: bool) -> (Form, bool) {
    let plain = Form::Two { swap: false, mirror: false };
    if !symmetric {
        return (plain, false);
    }
    let group = region.symmetries();
    if group.len() == 1 {
        return (plain, false);
    }
    if region.is_full() && region.shape() == Shape::new(3, 3).unwrap_or(Shape::CLASSIC) {
        return (Form::Ring, false);
    }
    for transposed in [false, true] {
        let region = if transposed { region.transposed() } else { region.clone() };
        let group = region.symmetries();
        let swap = group.contains(&Symmetry::Flip) && region.shape().rows() % 2 == 0;
        let mirror = group.contains(&Symmetry::Mirror) && region.shape().cols() > 1;
        // A column's two mirrors are one.
        let removed = if swap { 2 } else { 1 } * if mirror { 2 } else { 1 };
        let halves = region.free_count().div_ceil(2) <= 6;
        if swap && halves && removed == group.len() {
            return (Form::Two { swap, mirror }, transposed);
        }
    }
    (Form::Images, false)
}

/// The cells of the two halves, in an order that the swap keeps, and the cell between them.
fn split(region: &Region, form: Form) -> ([Vec<usize>; 2], Option<usize>) {
    let shape = region.shape();
    let free: Vec<usize> = (0..shape.cells()).filter(|&c| region.cell(c) == Cell::Free).collect();
    match form {
        Form::Ring => ([vec![0, 1, 2, 5], vec![8, 7, 6, 3]], Some(4)),
        Form::Two { swap: true, .. } => {
            let top: Vec<usize> =
                free.into_iter().filter(|&cell| cell < shape.cells() / 2).collect();
            let bottom = top.iter().map(|&cell| Symmetry::Flip.cell(shape, cell)).collect();
            ([top, bottom], None)
        }
        _ => {
            let (first, second) = free.split_at(free.len().div_ceil(2));
            ([first.to_vec(), second.to_vec()], None)
        }
    }
}
