//! Matrices packed for the processor, and the products with them.
//!
//! Outputs stand in panels of sixteen columns; of a panel the sixteen weights of one input lie side
//! by side, one cache line in 32 bits. A product takes its inputs from a few segments, which lets one
//! kernel do dense layers and convolutions alike.
//!
//! Every output is the bias plus the products of the inputs one after the other, each added with one
//! rounding where the processor fuses: whatever the number of rows and whichever vectors are used, the
//! result is the same to the bit. Without fused arithmetic it differs by rounding.

use crate::half;
use crate::kernels::Kernels;
use crate::portable;
#[cfg(target_arch = "x86_64")]
use crate::{unsafe_avx2, unsafe_avx512};

/// Columns of a panel.
pub(crate) const PANEL: usize = 16;

/// How many bits a weight has in memory. Arithmetic has 32 in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    Full,
    /// 16 bits: half the memory traffic, which is what small batches of large networks wait for.
    Half,
}

/// Numbers that begin at a cache line.
#[derive(Debug)]
pub(crate) struct Aligned<T> {
    memory: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    pub(crate) fn zeroed(len: usize) -> Aligned<T> {
        let memory = vec![T::default(); len + 64 / size_of::<T>()];
        let start = memory.as_ptr().align_offset(64).min(64 / size_of::<T>());
        Aligned { memory, start, len }
    }

    #[inline]
    pub(crate) fn get(&self) -> &[T] {
        &self.memory[self.start..][..self.len]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self) -> &mut [T] {
        &mut self.memory[self.start..][..self.len]
    }
}

/// Packed weights.
#[derive(Debug)]
pub(crate) enum Packed {
    Full(Aligned<f32>),
    Half(Aligned<u16>),
}

/// A packed matrix with a bias.
#[derive(Debug)]
pub(crate) struct Matrix {
    pub(crate) packed: Packed,
    pub(crate) bias: Vec<f32>,
    /// Inputs.
    pub(crate) depth: usize,
    pub(crate) panels: usize,
}

/// Inputs that lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// Where they begin, from the begin of the row.
    pub(crate) input: usize,
    /// The row of the matrix that belongs to the first of them.
    pub(crate) weight: usize,
    pub(crate) len: usize,
}

/// Where a product's inputs and outputs begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) input: usize,
    pub(crate) output: usize,
}

/// What is done with a product in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Begins with the bias, ends with max(0, x).
    Layer,
    /// Begins with the bias.
    Head,
    /// A part of a sum to be finished elsewhere: no bias.
    Part,
}

/// Products whose places were checked.
pub(crate) struct Job<'a> {
    pub(crate) matrix: &'a Matrix,
    pub(crate) segments: &'a [Segment],
    pub(crate) rows: &'a [Row],
    pub(crate) input: &'a [f32],
    pub(crate) output: &'a mut [f32],
    pub(crate) end: End,
}

impl Matrix {
    /// Packs weights given as (input, output) -> weight.
    pub(crate) fn new(
        depth: usize,
        outputs: usize,
        weight: impl Fn(usize, usize) -> f32,
        bias: impl Fn(usize) -> f32,
        precision: Precision,
        kernels: Kernels,
    ) -> Matrix {
        let panels = outputs.div_ceil(PANEL);
        let at = |place: usize| {
            let (line, column) = (place / PANEL, place % PANEL);
            let output = line / depth * PANEL + column;
            if output < outputs { weight(line % depth, output) } else { 0.0 }
        };
        let numbers = panels * depth * PANEL;
        let packed = if precision == Precision::Half && kernels.reads_halves() {
            let mut memory = Aligned::zeroed(numbers);
            let places = memory.get_mut().iter_mut().enumerate();
            places.for_each(|(place, half)| *half = half::from_f32(at(place)));
            Packed::Half(memory)
        } else {
            // What cannot read 16 bits computes with the same rounded numbers.
            let round = |number| match precision {
                Precision::Full => number,
                Precision::Half => half::to_f32(half::from_f32(number)),
            };
            let mut memory = Aligned::zeroed(numbers);
            let places = memory.get_mut().iter_mut().enumerate();
            places.for_each(|(place, full)| *full = round(at(place)));
            Packed::Full(memory)
        };
        let bias = |output| if output < outputs { bias(output) } else { 0.0 };
        Matrix { packed, bias: (0..panels * PANEL).map(bias).collect(), depth, panels }
    }

    /// Outputs, with those that fill the last panel.
    pub(crate) fn width(&self) -> usize {
        self.panels * PANEL
    }

    /// Multiplies rows of inputs, all of them with the same segments.
    pub(crate) fn multiply(
        &self,
        kernels: Kernels,
        segments: &[Segment],
        rows: &[Row],
        input: &[f32],
        output: &mut [f32],
        end: End,
    ) {
        let reach = segments.iter().map(|segment| segment.input + segment.len).max().unwrap_or(0);
        // The kernels rely on this.
        assert!(segments.iter().all(|segment| segment.weight + segment.len <= self.depth));
        assert!(rows.iter().all(|row| row.input + reach <= input.len()));
        assert!(rows.iter().all(|row| row.output + self.width() <= output.len()));
        let job = Job { matrix: self, segments, rows, input, output, end };
        match kernels {
            #[cfg(target_arch = "x86_64")]
            Kernels::Avx512 => unsafe_avx512::multiply(job),
            #[cfg(target_arch = "x86_64")]
            Kernels::Avx2 => unsafe_avx2::multiply(job),
            _ => portable::multiply(job),
        }
    }
}
