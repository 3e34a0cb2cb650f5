//! Where a layer's numbers lie: between two layers, place after place, the channels of a place side
//! by side and filled up to whole panels, with a border of zeros if the next layer wants one.

use crate::matrix::{PANEL, Row, Segment};
use crate::spec::{Extent, Layer};

/// A buffer between two layers, for one board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Buffer {
    pub(crate) extent: Extent,
    /// Rows and columns of zeros on each side.
    pub(crate) border: [usize; 2],
}

impl Buffer {
    /// The numbers of a place, with those that fill the last panel.
    pub(crate) fn channels(&self) -> usize {
        self.extent.channels.next_multiple_of(PANEL)
    }

    fn cols(&self) -> usize {
        self.extent.cols + 2 * self.border[1]
    }

    /// All numbers of a board.
    pub(crate) fn numbers(&self) -> usize {
        (self.extent.rows + 2 * self.border[0]) * self.cols() * self.channels()
    }

    /// Where a place begins, counted with the border.
    pub(crate) fn bordered(&self, row: usize, col: usize) -> usize {
        (row * self.cols() + col) * self.channels()
    }

    /// Where a place of the extent begins.
    pub(crate) fn place(&self, row: usize, col: usize) -> usize {
        self.bordered(row + self.border[0], col + self.border[1])
    }
}

/// Rows of products that take the same segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) rows: Vec<Row>,
    pub(crate) segments: Vec<Segment>,
}

/// The products of a layer, for one board.
#[derive(Debug)]
pub(crate) struct Geometry {
    /// Few groups with many rows each, for few boards: some products are with the border's zeros.
    together: Vec<Group>,
    /// No product with a zero of the border: more groups, which many boards fill.
    apart: Vec<Group>,
    pub(crate) input: Buffer,
    pub(crate) output: Buffer,
}

/// Boards from which on the groups of a padded convolution fill the kernels without zeros.
const MANY: usize = 3;

impl Geometry {
    pub(crate) fn new(layer: Layer, input: Buffer, output: Buffer) -> Geometry {
        let groups = |skip| match layer {
            Layer::Dense { .. } => dense(&input),
            Layer::Conv { kernel, .. } => conv(kernel, &input, &output, skip),
        };
        Geometry { together: groups([true, false]), apart: groups([true, true]), input, output }
    }

    pub(crate) fn groups(&self, boards: usize) -> &[Group] {
        if boards < MANY { &self.together } else { &self.apart }
    }
}

fn dense(input: &Buffer) -> Vec<Group> {
    let segment = Segment { input: 0, weight: 0, len: input.numbers() };
    vec![Group { rows: vec![Row { input: 0, output: 0 }], segments: vec![segment] }]
}

/// With or without the taps that fall on the border's rows and columns.
fn conv(kernel: [u8; 2], input: &Buffer, output: &Buffer, skip: [bool; 2]) -> Vec<Group> {
    let channels = input.channels();
    let kernel = kernel.map(usize::from);
    let size = [input.extent.rows, input.extent.cols];
    // The taps of an output place that fall on the board.
    let taps = |axis: usize, place: usize| {
        if !skip[axis] {
            return 0..kernel[axis];
        }
        let border = input.border[axis];
        let last = (border + size[axis]).saturating_sub(place).min(kernel[axis]);
        border.saturating_sub(place).min(last)..last
    };
    let mut groups: Vec<Group> = Vec::new();
    for row in 0..output.extent.rows {
        for col in 0..output.extent.cols {
            let cols = taps(1, col);
            let segments = taps(0, row).map(|tap| Segment {
                input: input.bordered(tap, cols.start),
                weight: (tap * kernel[1] + cols.start) * channels,
                len: cols.len() * channels,
            });
            let segments: Vec<Segment> = segments.filter(|segment| segment.len > 0).collect();
            let place = Row { input: input.bordered(row, col), output: output.place(row, col) };
            match groups.iter_mut().find(|group| group.segments == segments) {
                Some(group) => group.rows.push(place),
                None => groups.push(Group { rows: vec![place], segments }),
            }
        }
    }
    groups
}

/// Writes the rows of some boards.
pub(crate) fn rows_of(group: &Group, geometry: &Geometry, boards: usize, rows: &mut Vec<Row>) {
    rows.clear();
    for board in 0..boards {
        let input = board * geometry.input.numbers();
        let output = board * geometry.output.numbers();
        rows.extend(
            group.rows.iter().map(|r| Row { input: r.input + input, output: r.output + output }),
        );
    }
}
