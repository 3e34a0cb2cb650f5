//! A network as data: planes, layers, heads.

use std::fmt;

use maxtile_game::Shape;
use serde::{Deserialize, Serialize};

/// What batch normalisation adds to a variance before the root is taken, as `PyTorch` does.
pub const NORM_EPSILON: f32 = 1e-5;
/// All heads together have at most so many outputs.
pub const MAX_OUTPUTS: usize = 16;

const MAX_LAYERS: usize = 64;
const MAX_WIDTH: usize = 4096;
const MAX_WEIGHTS: usize = 1 << 27;

/// What a network looks like, without its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// A name for people.
    pub name: String,
    /// The board, `RxC`.
    pub board: String,
    /// Input planes: plane 0 marks the empty cells, plane k those with tile 2^k. Boards with larger
    /// tiles are downgraded first.
    pub planes: u8,
    /// The layers, each followed by max(0, x).
    pub layers: Vec<Layer>,
    /// What is read off the last layer, linearly, all of its numbers at once.
    pub heads: Vec<Head>,
    /// What is judged.
    #[serde(default)]
    pub judges: Judges,
    /// How many points one unit of the value head means.
    #[serde(default = "one")]
    pub scale: f32,
}

fn one() -> f32 {
    1.0
}

/// A layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Layer {
    /// A convolution with stride 1.
    Conv {
        /// Rows and columns of the kernel.
        kernel: [u8; 2],
        /// Rows of zeros above and below, columns of zeros left and right.
        padding: [u8; 2],
        /// Output channels.
        channels: u16,
        /// Is a number for each channel added?
        bias: bool,
        /// Is the result normalised, by the statistics of the batch in training and by running ones
        /// in play?
        norm: bool,
    },
    /// Every output from every input.
    Dense {
        /// Outputs.
        outputs: u16,
        /// As for convolutions.
        bias: bool,
        /// As for convolutions.
        norm: bool,
    },
}

/// Outputs with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Head {
    /// One number: the reward still to come, in units of `scale` points.
    Value,
    /// One number: how much an afterstate is preferred. Moves are drawn by the softmax over theirs.
    Preference,
    /// Four numbers: how much each move is preferred, in the order up, right, down, left.
    Moves,
}

/// What a network is asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judges {
    /// Positions after the slide, before the spawn.
    #[default]
    Afterstates,
    /// Positions to move.
    States,
}

impl Head {
    /// What it is called in files.
    pub fn name(self) -> &'static str {
        match self {
            Head::Value => "value",
            Head::Preference => "preference",
            Head::Moves => "moves",
        }
    }

    /// How many outputs it has.
    pub fn outputs(self) -> usize {
        if self == Head::Moves { 4 } else { 1 }
    }
}

impl Layer {
    /// Channels of a convolution, outputs of a dense layer.
    pub fn width(self) -> usize {
        match self {
            Layer::Conv { channels, .. } => channels as usize,
            Layer::Dense { outputs, .. } => outputs as usize,
        }
    }

    /// Is the result normalised?
    pub fn norm(self) -> bool {
        let (Layer::Conv { norm, .. } | Layer::Dense { norm, .. }) = self;
        norm
    }

    /// Is a number for each output added?
    pub fn bias(self) -> bool {
        let (Layer::Conv { bias, .. } | Layer::Dense { bias, .. }) = self;
        bias
    }

    /// What its weights are called in files.
    fn name(self) -> &'static str {
        match self {
            Layer::Conv { .. } => "conv",
            Layer::Dense { .. } => "dense",
        }
    }
}

/// The numbers between two layers: channels over a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Channels.
    pub channels: usize,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub cols: usize,
}

impl Extent {
    /// How many numbers these are.
    pub fn numbers(self) -> usize {
        self.channels * self.rows * self.cols
    }
}

/// A tensor of a network's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// Its name.
    pub name: String,
    /// Its shape, in the order of `PyTorch`.
    pub shape: Vec<usize>,
    /// What it is.
    pub kind: TensorKind,
}

/// What a tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorKind {
    /// Weights or biases of a layer or head whose outputs have so many inputs.
    Linear {
        /// Inputs of one output.
        inputs: usize,
    },
    /// What batch normalisation multiplies by.
    NormScale,
    /// What batch normalisation adds.
    NormShift,
    /// The running mean, which is not learned by gradients.
    RunningMean,
    /// The running variance, likewise.
    RunningVariance,
}

impl TensorSpec {
    /// How many numbers it has.
    pub fn numbers(&self) -> usize {
        self.shape.iter().product()
    }
}

impl Spec {
    /// Checks every field.
    pub fn check(&self) -> Result<Shape, SpecError> {
        let shape: Shape = self.board.parse().map_err(|_| SpecError::Board)?;
        if !(2..=18).contains(&self.planes) {
            return Err(SpecError::Planes);
        }
        if self.layers.is_empty() || self.layers.len() > MAX_LAYERS {
            return Err(SpecError::Layers);
        }
        let mut extent = self.input(shape);
        let mut flat = false;
        for (index, &layer) in self.layers.iter().enumerate() {
            let at = |what| SpecError::Layer { index, what };
            if layer.width() == 0 || layer.width() > MAX_WIDTH {
                return Err(at("has no output, or more than 4096"));
            }
            if matches!(layer, Layer::Conv { .. }) && flat {
                return Err(at("is a convolution after a dense one"));
            }
            flat |= matches!(layer, Layer::Dense { .. });
            if let Layer::Conv { kernel, padding, .. } = layer
                && (kernel.contains(&0) || kernel.iter().zip(padding).any(|(k, p)| p >= *k))
            {
                return Err(at("has an empty kernel, or one not larger than its padding"));
            }
            extent = extent.after(layer).ok_or(at("has a kernel larger than its input"))?;
            if extent.rows * extent.cols > 256 {
                return Err(at("has more than 256 places"));
            }
        }
        let distinct = (1..self.heads.len()).all(|i| !self.heads[..i].contains(&self.heads[i]));
        if self.heads.is_empty() || !distinct {
            return Err(SpecError::Heads);
        }
        let outputs: usize = self.heads.iter().map(|head| head.outputs()).sum();
        debug_assert!(outputs <= MAX_OUTPUTS);
        let odd = match self.judges {
            Judges::Afterstates => Head::Moves,
            Judges::States => Head::Preference,
        };
        if self.heads.contains(&odd) {
            return Err(SpecError::OddHead(odd));
        }
        if !(self.scale.is_finite() && self.scale > 0.0) {
            return Err(SpecError::Scale);
        }
        let tensors = self.tensors(shape);
        let numbers = tensors.iter().map(TensorSpec::numbers).fold(0, usize::saturating_add);
        if numbers > MAX_WEIGHTS {
            return Err(SpecError::TooLarge(numbers));
        }
        Ok(shape)
    }

    /// What goes into the first layer.
    pub fn input(&self, shape: Shape) -> Extent {
        Extent { channels: self.planes as usize, rows: shape.rows(), cols: shape.cols() }
    }

    /// The numbers before the first layer, between the layers, and after the last one. Only of a
    /// checked description.
    pub fn extents(&self, shape: Shape) -> Vec<Extent> {
        let mut extents = vec![self.input(shape)];
        for &layer in &self.layers {
            let last = extents[extents.len() - 1];
            extents.push(last.after(layer).expect("the description was checked"));
        }
        extents
    }

    /// The tensors of the network's file in their order. Only of a description whose layers fit.
    pub fn tensors(&self, shape: Shape) -> Vec<TensorSpec> {
        let mut tensors = Vec::new();
        let mut add = |name: String, shape: Vec<usize>, kind| {
            tensors.push(TensorSpec { name, shape, kind });
        };
        let extents = self.extents(shape);
        for (index, (&layer, extent)) in self.layers.iter().zip(&extents).enumerate() {
            let stem = format!("layers.{index}");
            let width = layer.width();
            let weights = match layer {
                Layer::Conv { kernel: [rows, cols], .. } => {
                    vec![width, extent.channels, rows as usize, cols as usize]
                }
                Layer::Dense { .. } => vec![width, extent.numbers()],
            };
            let kind = TensorKind::Linear { inputs: weights[1..].iter().product() };
            let name = layer.name();
            add(format!("{stem}.{name}.weight"), weights, kind);
            if layer.bias() {
                add(format!("{stem}.{name}.bias"), vec![width], kind);
            }
            if layer.norm() {
                add(format!("{stem}.norm.weight"), vec![width], TensorKind::NormScale);
                add(format!("{stem}.norm.bias"), vec![width], TensorKind::NormShift);
                add(format!("{stem}.norm.running_mean"), vec![width], TensorKind::RunningMean);
                add(format!("{stem}.norm.running_var"), vec![width], TensorKind::RunningVariance);
            }
        }
        let inputs = extents[extents.len() - 1].numbers();
        for head in &self.heads {
            let kind = TensorKind::Linear { inputs };
            let name = head.name();
            add(format!("heads.{name}.weight"), vec![head.outputs(), inputs], kind);
            add(format!("heads.{name}.bias"), vec![head.outputs()], kind);
        }
        tensors
    }

    /// The number of parameters as the papers count them: weights and biases, without those of batch
    /// normalisation. Only of a checked description.
    pub fn parameters(&self) -> usize {
        self.count(|kind| matches!(kind, TensorKind::Linear { .. }))
    }

    /// The parameters of batch normalisation that are learned: two for each normalised channel.
    pub fn norm_parameters(&self) -> usize {
        self.count(|kind| matches!(kind, TensorKind::NormScale | TensorKind::NormShift))
    }

    fn count(&self, of: impl Fn(TensorKind) -> bool) -> usize {
        let shape = self.board.parse().expect("the description was checked");
        self.tensors(shape).iter().filter(|t| of(t.kind)).map(TensorSpec::numbers).sum()
    }
}

impl Extent {
    /// What a layer makes of it, if its kernel fits.
    fn after(self, layer: Layer) -> Option<Extent> {
        let side = |size: usize, kernel: u8, padding: u8| {
            (size + 2 * padding as usize + 1).checked_sub(kernel as usize).filter(|n| *n > 0)
        };
        Some(match layer {
            Layer::Conv { kernel, padding, channels, .. } => Extent {
                channels: channels as usize,
                rows: side(self.rows, kernel[0], padding[0])?,
                cols: side(self.cols, kernel[1], padding[1])?,
            },
            Layer::Dense { outputs, .. } => Extent { channels: outputs as usize, rows: 1, cols: 1 },
        })
    }
}

/// Why a network cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecError {
    /// The board is not written `RxC` or too large.
    Board,
    /// Too few or too many planes.
    Planes,
    /// Too few or too many layers.
    Layers,
    /// Something is wrong with a layer.
    Layer {
        /// Its number, from 0.
        index: usize,
        /// What.
        what: &'static str,
    },
    /// No head, or one twice.
    Heads,
    /// A head that does not go with what is judged.
    OddHead(Head),
    /// A scale that is none.
    Scale,
    /// More numbers than there should be.
    TooLarge(usize),
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Board => {
                f.write_str("the network's board is not written RxC, or has more than 16 cells")
            }
            SpecError::Planes => f.write_str("a network has 2 to 18 input planes"),
            SpecError::Layers => write!(f, "a network has 1 to {MAX_LAYERS} layers"),
            SpecError::Layer { index, what } => write!(f, "layer {index} {what}"),
            SpecError::Heads => f.write_str("a network has a head, and none of them twice"),
            SpecError::OddHead(head) => {
                write!(f, "the head {} does not go with what the network judges", head.name())
            }
            SpecError::Scale => f.write_str("the scale of a network is not a positive number"),
            SpecError::TooLarge(n) => write!(f, "a network of {n} numbers is too large"),
        }
    }
}

impl std::error::Error for SpecError {}
