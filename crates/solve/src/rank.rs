//! From a board to its number, for each way to take symmetry out. The hot loops are compiled once
//! for each.

use maxtile_game::Symmetry;

use crate::halves::{Half, Halves};
use crate::region::Region;
use crate::space::{Class, Form, Layer, Space};

/// How the numbers of one layer are laid out.
pub(crate) trait Layout {
    /// The boards with this exponent between the halves and this sum of A.
    fn class(&self, centre: usize, sum: usize) -> Class;
}

impl Layout for Layer {
    #[inline(always)]
    fn class(&self, centre: usize, sum: usize) -> Class {
        self.classes[centre * self.stride + sum]
    }
}

/// Numbers boards.
pub(crate) trait Rank: Copy + Send + Sync {
    /// Is it made for boards large enough that time matters?
    const HOT: bool = true;
    /// What of the work needs no memory, apart so that the compiler can turn it into vector code.
    fn prepare(&self, word: u64) -> u64;
    /// The number of a prepared board in its layer; equal for boards that differ by symmetry only.
    fn number(&self, layer: &impl Layout, prepared: u64) -> u32;
}

/// Something to do with boards that can be numbered.
pub(crate) trait WithRank {
    type Out;
    fn run<R: Rank>(self, rank: R) -> Self::Out;
}

/// Does the work with the code made for this space.
pub(crate) fn with_rank<W: WithRank>(space: &Space, work: W) -> W::Out {
    let runs = &space.places.runs;
    match (space.form, runs[0].len().max(runs[1].len())) {
        (Form::Ring, _) => work.run(Ring::new(space)),
        (Form::Two { swap: true, mirror: true }, 1) => work.run(Two::<1>::new(space)),
        (Form::Two { swap: true, mirror: true }, 2) => work.run(Two::<2>::new(space)),
        _ => work.run(General::new(space)),
    }
}

/// A run of neighbouring cells: turn the word by so much and take these bits.
type Run = (u32, u32);

/// Where the halves lie in a word, and where symmetries take the cells.
pub(crate) struct Places {
    runs: [Vec<Run>; 2],
    /// For each symmetry but the identity.
    images: Vec<[u8; 16]>,
}

impl Places {
    pub(crate) fn new(cells: &[Vec<usize>; 2], region: &Region) -> Places {
        let symmetries = region.symmetries().into_iter().filter(|&s| s != Symmetry::Identity);
        let image = |symmetry: Symmetry| {
            let mut image = [0; 16];
            for (cell, to) in image.iter_mut().enumerate().take(region.shape().cells()) {
                *to = symmetry.cell(region.shape(), cell) as u8;
            }
            image
        };
        Places {
            runs: [0, 1].map(|half| runs(&cells[half])),
            images: symmetries.map(image).collect(),
        }
    }
}

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
        self.0
            .iter()
            .fold(0, |packed, &(turn, mask)| packed | word.rotate_right(turn) as u32 & mask)
    }
}

/// The number by halves, with the symmetries that the form has.
#[inline(always)]
fn by_halves<const SWAP: bool, const MIRROR: bool>(layer: &impl Layout, a: Half, b: Half) -> u32 {
    // Of two halves of the same class either may come first: the number is the same.
    let (a, b) = if SWAP { (a.min(b), a.max(b)) } else { (a, b) };
    let Class { base, width } = layer.class(0, a.sum());
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

/// By halves that swap and mirror: all rectangles with an even side that are no squares.
#[derive(Clone, Copy)]
struct Two<'a, const R: usize> {
    tables: (&'a Halves, &'a Halves),
    extract: [Extract<R>; 2],
}

impl<'a, const R: usize> Two<'a, R> {
    fn new(space: &'a Space) -> Self {
        let extract = [0, 1].map(|half| Extract::new(&space.places.runs[half]));
        Two { tables: space.tables(), extract }
    }

    #[inline(always)]
    fn halves(&self, prepared: u64) -> (Half, Half) {
        (self.tables.0.get(prepared as u32), self.tables.1.get((prepared >> 32) as u32))
    }
}

impl<const R: usize> Rank for Two<'_, R> {
    #[inline(always)]
    fn prepare(&self, word: u64) -> u64 {
        u64::from(self.extract[0].of(word)) | u64::from(self.extract[1].of(word)) << 32
    }

    #[inline(always)]
    fn number(&self, layer: &impl Layout, prepared: u64) -> u32 {
        let (a, b) = self.halves(prepared);
        by_halves::<true, true>(layer, a, b)
    }
}

/// The whole 3×3: the smallest of the eight images of the ring, then halves that swap by half a turn.
#[derive(Clone, Copy)]
struct Ring<'a> {
    table: &'a Halves,
}

impl<'a> Ring<'a> {
    fn new(space: &'a Space) -> Ring<'a> {
        Ring { table: space.tables().0 }
    }
}

impl Rank for Ring<'_> {
    #[inline(always)]
    fn prepare(&self, word: u64) -> u64 {
        // Clockwise from the first corner: cells 0 1 2 5 8 7 6 3.
        let ring = word & 0x0f00_0fff
            | word >> 8 & 0x00f0_f000
            | word >> 16 & 0x000f_0000
            | word << 16 & 0xf000_0000;
        let ring = ring as u32;
        let turns = |x: u32| x.min(x.rotate_left(16)).min(x.rotate_left(8).min(x.rotate_left(24)));
        // Reversed, the ring begins at the last cell, which is an edge: one step back to a corner.
        let swapped = ring.swap_bytes();
        let reversed = swapped >> 4 & 0x0f0f_0f0f | swapped << 4 & 0xf0f0_f0f0;
        let least = turns(ring).min(turns(reversed.rotate_left(4)));
        u64::from(least) | (word >> 16 & 15) << 32
    }

    #[inline(always)]
    fn number(&self, layer: &impl Layout, prepared: u64) -> u32 {
        let ring = prepared as u32;
        let (a, b) = (self.table.get(ring & 0xffff), self.table.get(ring >> 16));
        let (a, b) = (a.min(b), a.max(b));
        let c = (prepared >> 32) as usize;
        let Class { base, width } = layer.class(c, a.sum());
        base + a.class() * width + b.rank()
    }
}

/// Any region, by what it has: halves that swap, or mirror, or the smallest of all images.
#[derive(Clone, Copy)]
struct General<'a> {
    plain: Two<'a, 6>,
    swap: bool,
    mirror: bool,
    /// Where each symmetry but the identity takes the cells, if the halves cannot tell.
    images: &'a [[u8; 16]],
    cells: usize,
}

impl<'a> General<'a> {
    fn new(space: &'a Space) -> General<'a> {
        General {
            plain: Two::new(space),
            swap: matches!(space.form, Form::Two { swap: true, .. }),
            mirror: matches!(space.form, Form::Two { mirror: true, .. }),
            images: if space.form == Form::Images { &space.places.images } else { &[] },
            cells: space.region().shape().cells(),
        }
    }
}

impl Rank for General<'_> {
    const HOT: bool = false;

    #[inline(always)]
    fn prepare(&self, word: u64) -> u64 {
        let mut least = word;
        for image in self.images {
            let mut turned = 0;
            for (cell, &to) in image[..self.cells].iter().enumerate() {
                turned |= (word >> (4 * cell) & 15) << (4 * to);
            }
            least = least.min(turned);
        }
        self.plain.prepare(least)
    }

    #[inline(always)]
    fn number(&self, layer: &impl Layout, prepared: u64) -> u32 {
        let (a, b) = self.plain.halves(prepared);
        match (self.swap, self.mirror) {
            (true, true) => by_halves::<true, true>(layer, a, b),
            (true, false) => by_halves::<true, false>(layer, a, b),
            _ => by_halves::<false, false>(layer, a, b),
        }
    }
}
