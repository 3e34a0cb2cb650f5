//! A network packed for play, and the memory to run it in.

use std::path::Path;

use maxtile_game::{Grid, Shape};

use crate::cells::{Cells, cells};
use crate::file::FileError;
use crate::first::{FirstPlaces, FirstTable};
use crate::geometry::{Buffer, Geometry, rows_of};
use crate::kernels::Kernels;
use crate::matrix::{Aligned, End, Matrix, PANEL, Precision, Row};
use crate::patches::{PatchCache, Patches};
use crate::spec::{Extent, Head, Layer, NORM_EPSILON, Spec};
use crate::weights::Weights;

/// Boards that go through the layers together.
pub(crate) const CHUNK: usize = 64;

/// Parameters from which on a network does not fit the second-level cache.
const LARGE: usize = 1_000_000;
/// Weights beyond this have no 16-bit form worth having.
const LARGEST_HALF: f32 = 1000.0;

/// A network packed for play.
#[derive(Debug)]
pub struct Network {
    spec: Spec,
    shape: Shape,
    precision: Precision,
    kernels: Kernels,
    pub(crate) first: FirstTable,
    first_places: FirstPlaces,
    /// The layers after the first one, and the heads as one more.
    pub(crate) matrices: Vec<Matrix>,
    pub(crate) geometries: Vec<Geometry>,
    patches: Option<Patches>,
}

/// The memory in which one thread runs a network.
#[derive(Debug)]
pub struct Context {
    boards: Vec<Cells>,
    /// What the layers write, one after the other.
    buffers: Vec<Aligned<f32>>,
    rows: Vec<Row>,
    cache: Option<PatchCache>,
}

/// A layer's weights with batch normalisation folded in.
struct Folded<'a> {
    weights: &'a [f32],
    scale: Vec<f64>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Folded<'_> {
    fn weight(&self, output: usize, input: usize) -> f32 {
        (f64::from(self.weights[output * self.inputs + input]) * self.scale[output]) as f32
    }
}

impl Network {
    /// Packs a network for the fastest code of this processor.
    pub fn new(weights: &Weights, precision: Precision) -> Network {
        Network::with_kernels(weights, precision, Kernels::best())
    }

    /// Packs a network for one kind of code, which must be one of [`Kernels::available`].
    pub fn with_kernels(weights: &Weights, precision: Precision, kernels: Kernels) -> Network {
        assert!(Kernels::available().contains(&kernels), "this processor cannot do {kernels:?}");
        let (spec, shape) = (weights.spec().clone(), weights.shape());
        let extents = spec.extents(shape);
        let buffers = buffers(&spec, &extents);
        let layers: Vec<Folded<'_>> =
            (0..spec.layers.len()).map(|index| folded(weights, index)).collect();
        let board = [shape.rows(), shape.cols()];
        let first_places = FirstPlaces::new(spec.layers[0], board, buffers[0]);
        let first = first_table(spec.layers[0], &extents[0], buffers[0].channels(), &layers[0]);
        let (mut matrices, mut geometries) = (Vec::new(), Vec::new());
        for (index, layer) in layers.iter().enumerate().skip(1) {
            let (kind, input) = (spec.layers[index], buffers[index - 1]);
            let depth = match kind {
                Layer::Conv { kernel: [rows, cols], .. } => {
                    rows as usize * cols as usize * input.channels()
                }
                Layer::Dense { .. } => input.numbers(),
            };
            let weight = |k, output| {
                input_number(kind, &input, k).map_or(0.0, |number| layer.weight(output, number))
            };
            let bias = |output| layer.bias[output];
            matrices.push(Matrix::new(depth, kind.width(), weight, bias, precision, kernels));
            geometries.push(Geometry::new(kind, input, buffers[index]));
        }
        let input = buffers[buffers.len() - 2];
        matrices.push(heads(weights, &input, precision, kernels));
        let outputs = Layer::Dense { outputs: PANEL as u16, bias: true, norm: false };
        geometries.push(Geometry::new(outputs, input, buffers[buffers.len() - 1]));
        let patches = Patches::of(&spec, shape, &geometries);
        Network {
            spec,
            shape,
            precision,
            kernels,
            first,
            first_places,
            matrices,
            geometries,
            patches,
        }
    }

    /// Opens a file for play.
    pub fn open(path: &Path, precision: Precision) -> Result<Network, FileError> {
        Ok(Network::new(&Weights::load(path)?.0, precision))
    }

    /// Opens a file for play, large networks without normalisation with 16-bit weights: they wait for their weights, the
    /// others do not.
    pub fn open_for_play(path: &Path) -> Result<Network, FileError> {
        let weights = Weights::load(path)?.0;
        let large = weights.spec().parameters() >= LARGE;
        let normalised = weights.spec().layers.iter().any(|layer| layer.norm());
        let fits = weights.tensors().iter().flat_map(|tensor| &tensor.numbers);
        let fits = fits.fold(0.0, |most: f32, number| most.max(number.abs())) < LARGEST_HALF;
        let precision =
            if large && fits && !normalised { Precision::Half } else { Precision::Full };
        Ok(Network::new(&weights, precision))
    }

    /// The same network without the memory of patches (see [`Network::remembers_patches`]).
    #[must_use]
    pub fn without_patches(self) -> Network {
        Network { patches: None, ..self }
    }

    /// Does the network remember what parts of boards came to? If its convolutions are not padded
    /// and end in a dense layer, that layer is a sum of terms, each of them a function of a patch of
    /// the board and its place, and positions of a search have most patches in common.
    pub fn remembers_patches(&self) -> bool {
        self.patches.is_some()
    }

    /// What the network looks like.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The board it judges.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How its weights are stored.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Which code runs it.
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// Where a head's outputs begin among those of all heads.
    pub fn head(&self, head: Head) -> Option<usize> {
        let place = self.spec.heads.iter().position(|&own| own == head)?;
        Some(self.spec.heads[..place].iter().map(|head| head.outputs()).sum())
    }

    /// How many outputs all heads have together.
    pub fn outputs(&self) -> usize {
        self.spec.heads.iter().map(|head| head.outputs()).sum()
    }

    /// Memory to run in, for one thread.
    pub fn context(&self) -> Context {
        let places = std::iter::once(&self.first_places.output)
            .chain(self.geometries.iter().map(|geometry| &geometry.output));
        let rows = self.geometries.iter().flat_map(|geometry| {
            [1, CHUNK].map(|boards| {
                geometry.groups(boards).iter().map(|group| group.rows.len()).max().unwrap_or(0)
            })
        });
        Context {
            boards: Vec::with_capacity(CHUNK),
            buffers: places.map(|buffer| Aligned::zeroed(CHUNK * buffer.numbers())).collect(),
            rows: Vec::with_capacity(CHUNK * rows.max().unwrap_or(0)),
            cache: self.patches.as_ref().map(Patches::cache),
        }
    }

    /// Runs boards of the network's shape through it. `each` is told a board's number and its
    /// outputs, those of the heads one after the other.
    pub fn run(
        &self,
        context: &mut Context,
        boards: impl Iterator<Item = Grid>,
        mut each: impl FnMut(usize, &[f32]),
    ) {
        let largest = self.spec.planes - 1;
        let outputs = self.outputs();
        let mut boards = boards.inspect(|board| assert_eq!(board.shape(), self.shape)).peekable();
        let mut number = 0;
        while boards.peek().is_some() {
            context.boards.clear();
            context.boards.extend(boards.by_ref().take(CHUNK).map(|board| cells(board, largest)));
            self.run_chunk(context);
            let last = context.buffers[context.buffers.len() - 1].get();
            for results in last.chunks_exact(PANEL).take(context.boards.len()) {
                each(number, &results[..outputs]);
                number += 1;
            }
        }
    }

    fn run_chunk(&self, context: &mut Context) {
        let Context { boards, buffers, rows, cache } = context;
        let mut done = 0;
        if let (Some(patches), Some(cache)) = (&self.patches, cache) {
            done = patches.dense();
            patches.run(self, cache, boards, buffers[done].get_mut());
        } else {
            let output = buffers[0].get_mut();
            self.first.apply(self.kernels, &self.first_places, boards, output);
        }
        for index in done..self.matrices.len() {
            let end = if index + 1 == self.matrices.len() { End::Head } else { End::Layer };
            let (before, after) = buffers.split_at_mut(index + 1);
            let (input, output) = (before[index].get(), after[0].get_mut());
            let geometry = &self.geometries[index];
            for group in geometry.groups(boards.len()) {
                rows_of(group, geometry, boards.len(), rows);
                let matrix = &self.matrices[index];
                matrix.multiply(self.kernels, &group.segments, rows, input, output, end);
            }
        }
    }
}

/// The buffers after each layer, and after the heads.
fn buffers(spec: &Spec, extents: &[Extent]) -> Vec<Buffer> {
    let mut buffers = Vec::new();
    for (index, &extent) in extents.iter().enumerate().skip(1) {
        let border = match spec.layers.get(index) {
            Some(Layer::Conv { padding, .. }) => padding.map(usize::from),
            _ => [0, 0],
        };
        buffers.push(Buffer { extent, border });
    }
    let outputs = Extent { channels: PANEL, rows: 1, cols: 1 };
    buffers.push(Buffer { extent: outputs, border: [0, 0] });
    buffers
}

/// Which of a layer's inputs, as files count them, the row k of its matrix belongs to; none if the
/// row only fills a panel.
fn input_number(layer: Layer, input: &Buffer, k: usize) -> Option<usize> {
    let (place, channel) = (k / input.channels(), k % input.channels());
    let places = match layer {
        Layer::Conv { kernel: [rows, cols], .. } => rows as usize * cols as usize,
        Layer::Dense { .. } => input.extent.rows * input.extent.cols,
    };
    (channel < input.extent.channels).then_some(channel * places + place)
}

fn folded(weights: &Weights, index: usize) -> Folded<'_> {
    let layer = weights.spec().layers[index];
    let kind = match layer {
        Layer::Conv { .. } => "conv",
        Layer::Dense { .. } => "dense",
    };
    let get = |name: &str| {
        weights.get(&format!("layers.{index}.{name}")).expect("weights have all tensors")
    };
    let numbers = get(&format!("{kind}.weight"));
    let width = layer.width();
    let mut scale = vec![1.0; width];
    let mut bias = vec![0.0; width];
    if layer.bias() {
        bias.iter_mut().zip(get(&format!("{kind}.bias"))).for_each(|(b, &own)| *b = f64::from(own));
    }
    if layer.norm() {
        let [by, plus, mean, variance] =
            ["weight", "bias", "running_mean", "running_var"].map(|n| get(&format!("norm.{n}")));
        for output in 0..width {
            let spread = f64::from(variance[output]) + f64::from(NORM_EPSILON);
            scale[output] = f64::from(by[output]) / spread.sqrt();
            bias[output] =
                (bias[output] - f64::from(mean[output])) * scale[output] + f64::from(plus[output]);
        }
    }
    let bias = bias.iter().map(|&number| number as f32).collect();
    Folded { weights: numbers, scale, bias, inputs: numbers.len() / width }
}

fn first_table(layer: Layer, input: &Extent, width: usize, folded: &Folded<'_>) -> FirstTable {
    let taps = match layer {
        Layer::Conv { kernel: [rows, cols], .. } => rows as usize * cols as usize,
        Layer::Dense { .. } => input.rows * input.cols,
    };
    let weight = |tap, plane, output| folded.weight(output, plane * taps + tap);
    FirstTable::new(taps, input.channels, width, weight, folded.bias.clone())
}

/// All heads as one matrix.
fn heads(weights: &Weights, input: &Buffer, precision: Precision, kernels: Kernels) -> Matrix {
    let (mut rows, mut biases): (Vec<&[f32]>, Vec<f32>) = Default::default();
    for head in &weights.spec().heads {
        let get = |name: &str| {
            let name = format!("heads.{}.{name}", head.name());
            weights.get(&name).expect("weights have all tensors")
        };
        rows.extend(get("weight").chunks_exact(input.extent.numbers()));
        biases.extend(get("bias"));
    }
    let dense = Layer::Dense { outputs: 1, bias: true, norm: false };
    let weight =
        |k, output: usize| input_number(dense, input, k).map_or(0.0, |number| rows[output][number]);
    Matrix::new(input.numbers(), rows.len(), weight, |output| biases[output], precision, kernels)
}
