//! The memory of patches.
//!
//! Convolutions without padding that end in a dense layer: each place of the last convolution sees a
//! patch of the board and no more, and what the dense layer makes of it is added to what it makes of
//! the other places. So the sum's terms, functions of place and patch, are remembered. Positions of a
//! search differ in few cells, and most of their terms are known.
//!
//! A term is computed in one way only and the terms are added in one order, so a value depends neither
//! on what is remembered nor on the company in which a board comes.

use maxtile_game::Shape;

use crate::cells::Cells;
use crate::first::FirstPlaces;
use crate::geometry::{Buffer, Geometry, rows_of};
use crate::matrix::{Aligned, End, Matrix, Row, Segment};
use crate::network::{CHUNK, Network};
use crate::portable::add_rows;
use crate::spec::{Layer, Spec};

/// What the terms remembered by one thread may take.
const BYTES: usize = 32 << 20;
/// Places where a term can be.
const WAYS: usize = 4;
/// Bits of a cell in a key.
const CELL_BITS: usize = 5;
/// Cells of the largest patch, so that its key has room for the place.
const MAX_PATCH: usize = 11;

/// How a network divides into patches.
#[derive(Debug)]
pub(crate) struct Patches {
    /// The cells of each place's patch.
    cells: Vec<Vec<u8>>,
    first: FirstPlaces,
    /// The convolutions after the first one, on a patch.
    convs: Vec<Geometry>,
    /// Numbers of a place after the last convolution.
    channels: usize,
    /// Numbers of a term.
    width: usize,
}

/// The terms that a thread remembers.
#[derive(Debug)]
pub(crate) struct PatchCache {
    /// Whose term stands in a slot; 0 for nobody's.
    keys: Vec<u64>,
    /// When it was last used, in calls.
    used: Vec<u32>,
    now: u32,
    /// The terms, then room for those that found no slot.
    terms: Aligned<f32>,
    /// The slots of the boards at hand, place by place.
    slots: Vec<u32>,
    /// Patches to be computed, with place and slot.
    missing: Vec<(u32, u32)>,
    boards: Vec<Cells>,
    buffers: Vec<Aligned<f32>>,
    rows: Vec<Row>,
}

impl Patches {
    /// The patches of a network that has them.
    pub(crate) fn of(spec: &Spec, shape: Shape, geometries: &[Geometry]) -> Option<Patches> {
        let is_plain = |layer: &Layer| matches!(layer, Layer::Conv { padding: [0, 0], .. });
        let convs = spec.layers.iter().take_while(|layer| is_plain(layer)).count();
        if convs == 0 || !matches!(spec.layers.get(convs), Some(Layer::Dense { .. })) {
            return None;
        }
        let dense = &geometries[convs - 1];
        let last = dense.input.extent;
        let size = [shape.rows() + 1 - last.rows, shape.cols() + 1 - last.cols];
        if last.rows * last.cols < 2 || size[0] * size[1] > MAX_PATCH {
            return None;
        }
        let mut cells = Vec::new();
        for row in 0..last.rows {
            for col in 0..last.cols {
                let patch = (0..size[0] * size[1]).map(|cell| {
                    ((row + cell / size[1]) * shape.cols() + col + cell % size[1]) as u8
                });
                cells.push(patch.collect());
            }
        }
        let patch = Shape::new(size[0], size[1]).ok()?;
        let buffers: Vec<Buffer> = spec.extents(patch)[1..=convs]
            .iter()
            .map(|&extent| Buffer { extent, border: [0, 0] })
            .collect();
        let pairs = buffers.windows(2).zip(&spec.layers[1..]);
        let geometry = |(pair, layer): (&[Buffer], &Layer)| Geometry::new(*layer, pair[0], pair[1]);
        Some(Patches {
            cells,
            first: FirstPlaces::new(spec.layers[0], size, buffers[0]),
            convs: pairs.map(geometry).collect(),
            channels: dense.input.channels(),
            width: dense.output.numbers(),
        })
    }

    /// The buffer that [`Patches::run`] fills: that after the dense layer.
    pub(crate) fn dense(&self) -> usize {
        self.convs.len() + 1
    }

    pub(crate) fn cache(&self) -> PatchCache {
        let sets = (BYTES / (4 * self.width * WAYS)).max(1);
        // A power of two, so that the remainder that finds the set is cheap.
        let slots = WAYS << sets.ilog2();
        let most = CHUNK * self.cells.len();
        let places =
            std::iter::once(&self.first.output).chain(self.convs.iter().map(|conv| &conv.output));
        let rows = self.convs.iter().flat_map(|conv| {
            [1, CHUNK].map(|n| conv.groups(n).iter().map(|group| group.rows.len()).max())
        });
        PatchCache {
            keys: vec![0; slots],
            used: vec![0; slots],
            now: 0,
            terms: Aligned::zeroed((slots + most) * self.width),
            slots: Vec::with_capacity(most),
            missing: Vec::with_capacity(most),
            boards: Vec::with_capacity(most),
            buffers: places.map(|buffer| Aligned::zeroed(most * buffer.numbers())).collect(),
            rows: Vec::with_capacity(most * rows.flatten().max().unwrap_or(1)),
        }
    }

    /// The outputs of the dense layer for some boards.
    pub(crate) fn run(
        &self,
        network: &Network,
        cache: &mut PatchCache,
        boards: &[Cells],
        output: &mut [f32],
    ) {
        cache.begin();
        let mut spare = cache.keys.len() as u32;
        for cells in boards {
            for (place, patch) in self.cells.iter().enumerate() {
                let key = patch.iter().fold(place as u64 | 1 << 8, |key, &cell| {
                    key << CELL_BITS | cells[cell as usize] as u64
                });
                let (slot, known) = cache.find(key).unwrap_or_else(|| {
                    spare += 1;
                    (spare - 1, false)
                });
                cache.slots.push(slot);
                if !known {
                    cache.missing.push((place as u32, slot));
                    let mut own = Cells::default();
                    own.iter_mut().zip(patch).for_each(|(own, &cell)| *own = cells[cell as usize]);
                    cache.boards.push(own);
                }
            }
        }
        let dense = &network.matrices[self.dense() - 1];
        if !cache.missing.is_empty() {
            self.compute(network, cache, dense);
        }
        network.kernels().build(|| self.add_terms(cache, dense, boards.len(), output));
    }

    /// Computes the terms that are missing.
    fn compute(&self, network: &Network, cache: &mut PatchCache, dense: &Matrix) {
        let PatchCache { missing, boards, buffers, rows, terms, .. } = cache;
        let kernels = network.kernels();
        network.first.apply(kernels, &self.first, boards, buffers[0].get_mut());
        for (index, conv) in self.convs.iter().enumerate() {
            let (before, after) = buffers.split_at_mut(index + 1);
            let (input, output) = (before[index].get(), after[0].get_mut());
            for group in conv.groups(boards.len()) {
                rows_of(group, conv, boards.len(), rows);
                let matrix = &network.matrices[index];
                matrix.multiply(kernels, &group.segments, rows, input, output, End::Layer);
            }
        }
        let input = buffers[buffers.len() - 1].get();
        for place in 0..self.cells.len() {
            let own = missing.iter().enumerate().filter(|(_, (p, _))| *p as usize == place);
            rows.clear();
            rows.extend(own.map(|(patch, &(_, slot))| Row {
                input: patch * self.channels,
                output: slot as usize * self.width,
            }));
            let segment = Segment { input: 0, weight: place * self.channels, len: self.channels };
            dense.multiply(kernels, &[segment], rows, input, terms.get_mut(), End::Part);
        }
    }

    #[inline(always)]
    fn add_terms(&self, cache: &PatchCache, dense: &Matrix, boards: usize, output: &mut [f32]) {
        let terms = cache.terms.get();
        let slots = cache.slots.chunks_exact(self.cells.len());
        for (slots, out) in slots.zip(output.chunks_exact_mut(self.width)).take(boards) {
            let rows = slots.iter().map(|&slot| &terms[slot as usize * self.width..][..self.width]);
            add_rows(&dense.bias, rows, out);
        }
    }
}

impl PatchCache {
    fn begin(&mut self) {
        self.slots.clear();
        self.missing.clear();
        self.boards.clear();
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            // Once in four thousand million calls all is forgotten.
            self.keys.fill(0);
            self.used.fill(0);
            self.now = 1;
        }
    }

    /// The slot of a term, and whether the term is there. A term that is in use by the boards at hand
    /// is never driven out; where it would have to be, there is no slot.
    fn find(&mut self, key: u64) -> Option<(u32, bool)> {
        let sets = self.keys.len() / WAYS;
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let begin = (hash as usize % sets) * WAYS;
        let set = begin..begin + WAYS;
        if let Some(slot) = set.clone().find(|&slot| self.keys[slot] == key) {
            self.used[slot] = self.now;
            return Some((slot as u32, true));
        }
        let oldest = set.min_by_key(|&slot| self.used[slot])?;
        if self.used[oldest] == self.now {
            return None;
        }
        self.keys[oldest] = key;
        self.used[oldest] = self.now;
        Some((oldest as u32, false))
    }
}
