//! From a board to its number, for each way to take symmetry out. The hot loops are compiled once
//! for each.

use maxtile_game::Symmetry;

use crate::halves::Halves;
use crate::slide::fill;
use crate::space::{Class, Form, Layer, Space};

/// Numbers boards.
pub(crate) trait Rank: Copy + Send + Sync {
    /// The number of a board in its layer; equal for boards that differ by symmetry only.
    fn rank(&self, layer: &Layer, word: u64) -> u32;
}

/// Something to do with boards that can be numbered.
pub(crate) trait WithRank {
    type Out;
    fn run<R: Rank>(self, rank: R) -> Self::Out;
}

/// Does the work with the code made for this space.
pub(crate) fn with_rank<W: WithRank>(space: &Space, work: W) -> W::Out {
    let runs = [0, 1].map(|half| runs(space.half_cells(half)));
    let most = runs[0].len().max(runs[1].len());
    match (space.form, most) {
        (Form::Ring, _) => work.run(Ring::new(space)),
        (Form::Images, _) => work.run(Images::new(space, &runs)),
        (Form::Two { swap: true, mirror: true }, 1) => {
            work.run(Two::<1, true, true>::new(space, &runs))
        }
        (Form::Two { swap: true, mirror: true }, 2) => {
            work.run(Two::<2, true, true>::new(space, &runs))
        }
        (Form::Two { swap: true, mirror: true }, _) => {
            work.run(Two::<6, true, true>::new(space, &runs))
        }
        (Form::Two { swap: true, mirror: false }, _) => {
            work.run(Two::<6, true, false>::new(space, &runs))
        }
        (Form::Two { swap: false, .. }, 1) => work.run(Two::<1, false, false>::new(space, &runs)),
        (Form::Two { swap: false, .. }, _) => work.run(Two::<6, false, false>::new(space, &runs)),
    }
}

/// A run of neighbouring cells: turn the word by so much and take these bits.
type Run = (u32, u32);

fn runs(cells: &[usize]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (i, &cell) in cells.iter().enumerate() {
        let turn = (4 * cell + 64 - 4 * i) as u32 % 64;
        let bits = 15 << (4 * i);
        match runs.last_mut() {
            Some((same, mask)) if *same == turn => *mask |= bits,
            _ => runs.push((turn, bits)),
        }
    }
    runs
}

/// The packed cells of a half.
#[derive(Clone, Copy)]
struct Extract<const R: usize>([Run; R]);

impl<const R: usize> Extract<R> {
    fn new(runs: &[Run]) -> Extract<R> {
        Extract(std::array::from_fn(|i| runs.get(i).copied().unwrap_or((0, 0))))
    }

    #[inline(always)]
    fn of(&self, word: u64) -> u32 {
        self.0.iter().fold(0, |packed, &(turn, mask)| packed | word.rotate_right(turn) as u32 & mask)
    }
}

/// By halves.
#[derive(Clone, Copy)]
struct Two<'a, const R: usize, const SWAP: bool, const MIRROR: bool> {
    tables: (&'a Halves, &'a Halves),
    extract: [Extract<R>; 2],
}

impl<'a, const R: usize, const SWAP: bool, const MIRROR: bool> Two<'a, R, SWAP, MIRROR> {
    fn new(space: &'a Space, runs: &[Vec<Run>; 2]) -> Self {
        let extract = [0, 1].map(|half| Extract::new(&runs[half]));
        Two { tables: space.tables(), extract }
    }
}

impl<const R: usize, const SWAP: bool, const MIRROR: bool> Rank for Two<'_, R, SWAP, MIRROR> {
    #[inline(always)]
    fn rank(&self, layer: &Layer, word: u64) -> u32 {
        let mut a = self.tables.0.get(self.extract[0].of(word));
        let mut b = self.tables.1.get(self.extract[1].of(word));
        if SWAP {
            // Of two halves of the same class either may come first: the number is the same.
            (a, b) = (a.min(b), a.max(b));
        }
        let Class { base, width } = layer.classes[a.sum()];
        let column = if MIRROR {
            // What takes A to its canonical form must be done to B; where that is nothing and the
            // mirror alike, B has a choice.
            let (plain, mirrored) = (b.rank(), b.mirror());
            let turned = if a.rank() < a.mirror() { plain } else { mirrored };
            if a.rank() == a.mirror() { plain.min(mirrored) } else { turned }
        } else {
            b.rank()
        };
        base + a.class() * width + column
    }
}

/// The whole 3×3: the smallest of the eight images of the ring, then halves that swap by half a turn.
#[derive(Clone, Copy)]
struct Ring<'a> {
    table: &'a Halves,
    centre: u32,
}

impl<'a> Ring<'a> {
    fn new(space: &'a Space) -> Ring<'a> {
        Ring { table: space.tables().0, centre: 4 * space.centre().unwrap_or(0) as u32 }
    }
}

impl Rank for Ring<'_> {
    #[inline(always)]
    fn rank(&self, layer: &Layer, word: u64) -> u32 {
        // Clockwise from the first corner: cells 0 1 2 5 8 7 6 3.
        let ring = word & 0x0f00_0fff
            | word >> 8 & 0x00f0_f000
            | word >> 16 & 0x000f_0000
            | word << 16 & 0xf000_0000;
        let ring = ring as u32;
        let turns = |x: u32| {
            x.min(x.rotate_left(16)).min(x.rotate_left(8).min(x.rotate_left(24)))
        };
        // Reversed, the ring begins at the last cell, which is an edge: one step back to a corner.
        let swapped = ring.swap_bytes();
        let reversed = swapped >> 4 & 0x0f0f_0f0f | swapped << 4 & 0xf0f0_f0f0;
        let least = turns(ring).min(turns(reversed.rotate_left(4)));
        let (a, b) = (self.table.get(least & 0xffff), self.table.get(least >> 16));
        let (a, b) = (a.min(b), a.max(b));
        let c = (word >> self.centre & 15) as usize;
        let Class { base, width } = layer.classes[c * layer.stride + a.sum()];
        base + a.class() * width + b.rank()
    }
}

/// By the smallest of all images: for small regions with symmetries that halves do not have.
#[derive(Clone, Copy)]
struct Images<'a> {
    plain: Two<'a, 6, false, false>,
    /// Where each symmetry but the identity takes the cells.
    images: [[u8; 16]; 7],
    count: usize,
    cells: usize,
}

impl<'a> Images<'a> {
    fn new(space: &'a Space, runs: &[Vec<Run>; 2]) -> Images<'a> {
        let region = space.region();
        let mut images = [[0; 16]; 7];
        let mut count = 0;
        let symmetries = region.symmetries();
        for symmetry in symmetries.iter().filter(|&&s| s != Symmetry::Identity) {
            for cell in 0..region.shape().cells() {
                images[count][cell] = symmetry.cell(region.shape(), cell) as u8;
            }
            count += 1;
        }
        Images { plain: Two::new(space, runs), images, count, cells: region.shape().cells() }
    }
}

impl Rank for Images<'_> {
    #[inline(always)]
    fn rank(&self, layer: &Layer, word: u64) -> u32 {
        let mut least = word;
        for image in &self.images[..self.count] {
            let mut turned = 0;
            for (cell, &to) in image[..self.cells].iter().enumerate() {
                turned |= (word >> (4 * cell) & fill(1)) << (4 * to);
            }
            least = least.min(turned);
        }
        self.plain.rank(layer, least)
    }
}
