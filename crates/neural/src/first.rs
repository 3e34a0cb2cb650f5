//! The first layer: of one-hot planes exactly one a cell is lit, so a product is a sum of rows.

use crate::cells::Cells;
use crate::geometry::Buffer;
use crate::kernels::Kernels;
use crate::matrix::Aligned;
use crate::portable::add_rows;
use crate::spec::Layer;

/// The rows of the first layer: one for each tap and plane.
#[derive(Debug)]
pub(crate) struct FirstTable {
    rows: Aligned<f32>,
    bias: Vec<f32>,
    planes: usize,
    width: usize,
}

/// Which rows go where, on one board.
#[derive(Debug)]
pub(crate) struct FirstPlaces {
    places: Vec<Place>,
    pub(crate) output: Buffer,
}

#[derive(Debug)]
struct Place {
    output: usize,
    /// Tap and cell.
    taps: Vec<(usize, usize)>,
}

impl FirstTable {
    /// From weights given as (tap, plane, output).
    pub(crate) fn new(
        taps: usize,
        planes: usize,
        width: usize,
        weight: impl Fn(usize, usize, usize) -> f32,
        bias: Vec<f32>,
    ) -> FirstTable {
        let mut rows = Aligned::zeroed(taps * planes * width);
        for (index, row) in rows.get_mut().chunks_exact_mut(width).enumerate() {
            for (output, number) in row.iter_mut().enumerate().take(bias.len()) {
                *number = weight(index / planes, index % planes, output);
            }
        }
        let mut filled = bias;
        filled.resize(width, 0.0);
        FirstTable { rows, bias: filled, planes, width }
    }

    /// Computes the layer for some boards.
    pub(crate) fn apply(
        &self,
        kernels: Kernels,
        places: &FirstPlaces,
        boards: &[Cells],
        output: &mut [f32],
    ) {
        kernels.build(|| self.apply_plainly(places, boards, output));
    }

    #[inline(always)]
    fn apply_plainly(&self, places: &FirstPlaces, boards: &[Cells], output: &mut [f32]) {
        let table = self.rows.get();
        let outputs = output.chunks_exact_mut(places.output.numbers());
        for (cells, output) in boards.iter().zip(outputs) {
            for place in &places.places {
                let rows = place.taps.iter().map(|&(tap, cell)| {
                    &table[(tap * self.planes + cells[cell] as usize) * self.width..][..self.width]
                });
                add_rows(&self.bias, rows, &mut output[place.output..][..self.width]);
            }
        }
    }
}

impl FirstPlaces {
    /// The places of a layer on a board of so many rows and columns.
    pub(crate) fn new(layer: Layer, board: [usize; 2], output: Buffer) -> FirstPlaces {
        let mut places = Vec::new();
        for row in 0..output.extent.rows {
            for col in 0..output.extent.cols {
                let taps = match layer {
                    Layer::Dense { .. } => (0..board[0] * board[1]).map(|c| (c, c)).collect(),
                    Layer::Conv { kernel, padding, .. } => {
                        let mut taps = Vec::new();
                        for down in 0..kernel[0] as usize {
                            for right in 0..kernel[1] as usize {
                                let row = (row + down).wrapping_sub(padding[0] as usize);
                                let col = (col + right).wrapping_sub(padding[1] as usize);
                                if row < board[0] && col < board[1] {
                                    let tap = down * kernel[1] as usize + right;
                                    taps.push((tap, row * board[1] + col));
                                }
                            }
                        }
                        taps
                    }
                };
                places.push(Place { output: output.place(row, col), taps });
            }
        }
        FirstPlaces { places, output }
    }
}
