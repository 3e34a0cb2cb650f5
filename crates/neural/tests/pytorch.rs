//! The same file in `PyTorch`: stored outputs, and the script itself where `PyTorch` is there.
//!
//! `MAXTILE_PYTHON` names the Python to be asked; `MAXTILE_BLESS=1` stores what it says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use maxtile_game::{Grid, Random, Shape};
use maxtile_neural::{Kernels, Network, Precision, TensorKind, Weights, named};

const NETWORKS: [&str; 5] =
    ["cnn22", "cnn-small-3x3", "ppo-afterstate", "ppo-normal", "ppo-afterstate-plain"];
/// Outputs are of the size of 0.01 to 1.
const TOLERANCE: f32 = 1e-5;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn golden(name: &str) -> PathBuf {
    folder().join("golden").join(format!("{name}.txt"))
}

/// Fresh weights with statistics that a trained network could have.
fn weights(name: &str) -> Weights {
    let mut weights = Weights::new(named(name).unwrap(), 2048).unwrap();
    let norms = weights
        .tensors()
        .iter()
        .enumerate()
        .filter(|(_, tensor)| !matches!(tensor.spec.kind, TensorKind::Linear { .. }));
    let norms: Vec<(usize, String)> = norms.map(|(i, t)| (i, t.spec.name.clone())).collect();
    for (index, name) in norms {
        let mut random = Random::stream(1, index as u64);
        for number in weights.get_mut(&name).unwrap() {
            *number += 0.5 * random.unit() as f32 - 0.2;
        }
    }
    weights
}

fn positions(shape: Shape) -> Vec<String> {
    let mut random = Random::new(6);
    let most = shape.max_exponent().min(12) as u64;
    let mut exponents = || -> Vec<u8> {
        let cell = |_| if random.below(3) == 0 { 0 } else { random.below(most) as u8 };
        (0..shape.cells()).map(cell).collect()
    };
    let grids = std::iter::repeat_with(|| Grid::from_exponents(shape, &exponents()));
    let mut all: Vec<String> = grids.flatten().take(6).map(|grid| grid.to_string()).collect();
    all.push(Grid::empty(shape).to_string());
    all
}

fn ours(weights: &Weights, kernels: Kernels) -> Vec<Vec<f32>> {
    let network = Network::with_kernels(weights, Precision::Full, kernels);
    let grids = positions(weights.shape()).into_iter().map(|text| text.parse().unwrap());
    let mut all = Vec::new();
    network.run(&mut network.context(), grids, |_, outputs| all.push(outputs.to_vec()));
    all
}

/// Reads lines of a position and its outputs.
fn parsed(text: &str, weights: &Weights) -> Vec<Vec<f32>> {
    let lines = text.lines().zip(positions(weights.shape())).map(|(line, position)| {
        let mut words = line.split(' ');
        assert_eq!(words.next(), Some(position.as_str()));
        words.map(|word| word.parse().unwrap()).collect()
    });
    let all: Vec<Vec<f32>> = lines.collect();
    assert_eq!(all.len(), positions(weights.shape()).len());
    all
}

fn compare(name: &str, weights: &Weights, theirs: &[Vec<f32>]) {
    // Different positions come to different outputs, or there would be nothing to compare.
    let (low, high) = theirs.iter().fold((f32::MAX, f32::MIN), |(low, high), outputs| {
        (low.min(outputs[0]), high.max(outputs[0]))
    });
    assert!(high - low > 100.0 * TOLERANCE, "{name}: {low} to {high}");
    for kernels in Kernels::available() {
        for (ours, theirs) in ours(weights, kernels).iter().zip(theirs) {
            assert_eq!(ours.len(), theirs.len());
            for (a, b) in ours.iter().zip(theirs) {
                assert!((a - b).abs() < TOLERANCE, "{name} {kernels:?}: {a} here, {b} there");
            }
        }
    }
}

#[test]
fn outputs_as_pytorch_stored_them() {
    for name in NETWORKS {
        let weights = weights(name);
        let text = std::fs::read_to_string(golden(name)).unwrap();
        compare(name, &weights, &parsed(&text, &weights));
    }
}

/// `MAXTILE_PYTHON=PYTHON cargo nextest run -p maxtile-neural --run-ignored only`; with
/// `MAXTILE_BLESS=1` it writes what the test above reads.
#[test]
#[ignore = "needs a Python with PyTorch and safetensors"]
fn outputs_as_pytorch_says_now() {
    let python = std::env::var("MAXTILE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let temporary = tempfile::tempdir().unwrap();
    let all = NETWORKS.map(|name| (name, weights(name)));
    // One process for all: to import is what takes time.
    let mut script = Command::new(&python);
    script.arg(folder().join("pytorch.py"));
    for (name, weights) in &all {
        let file = temporary.path().join(format!("{name}.safetensors"));
        weights.save(&file, BTreeMap::new()).unwrap();
        script.arg(file).args(positions(weights.shape()));
    }
    let output = script.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    for (name, weights) in &all {
        let count = positions(weights.shape()).len();
        let text: String = lines.by_ref().take(count).map(|line| format!("{line}\n")).collect();
        if std::env::var_os("MAXTILE_BLESS").is_some() {
            std::fs::create_dir_all(folder().join("golden")).unwrap();
            std::fs::write(golden(name), &text).unwrap();
        }
        compare(name, weights, &parsed(&text, weights));
    }
    assert_eq!(lines.next(), None);
}
