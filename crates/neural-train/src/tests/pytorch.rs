//! Steps of the optimiser against those of `PyTorch` on the same batch: stored numbers, and the script
//! itself where `PyTorch` is there.
//!
//! `MAXTILE_PYTHON` names the Python to be asked; `MAXTILE_BLESS=1` stores what it says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use maxtile_game::{Grid, Move};
use maxtile_neural::{Judges, Spec, Weights};
use serde_json::{Value, json};

use super::{cnn, pairs, ppo, transitions, weights};
use crate::place::Place;
use crate::policy_batch::{Goals, PolicyBatch, PolicyRule};
use crate::{Loss, Optimizer, Trainer};

const STEPS: u64 = 4;
const SGD: Optimizer = Optimizer::Sgd { momentum: 0.9, decay: 1e-4 };

/// A network and what it learns from.
struct Case {
    name: &'static str,
    spec: Spec,
    optimizer: Optimizer,
    rate: f32,
    what: What,
}

enum What {
    Values(Loss),
    Policy(PolicyRule),
}

fn cases() -> Vec<Case> {
    let rule = PolicyRule { discount: 0.99, lambda: 0.99, clip: 0.2, entropy: 0.0, masked: true };
    let case = |name, spec, optimizer, rate, what| Case { name, spec, optimizer, rate, what };
    let policy =
        |name, judges, norm, rule| case(name, ppo(judges, norm), SGD, 0.05, What::Policy(rule));
    let adam = Optimizer::Adam;
    let other = PolicyRule { entropy: 0.05, masked: false, clip: 0.1, ..rule };
    vec![
        case("td-squared", cnn(), adam, 0.003, What::Values(Loss::Squared)),
        case("td-huber", cnn(), adam, 0.003, What::Values(Loss::Huber(0.5))),
        policy("ppo-afterstate", Judges::Afterstates, true, rule),
        policy("ppo-normal", Judges::States, true, rule),
        policy("ppo-afterstate-plain", Judges::Afterstates, false, other),
        policy("ppo-normal-plain", Judges::States, false, other),
    ]
}

/// Losses, and the numbers after all steps, by name.
type Numbers = BTreeMap<String, Vec<f32>>;

fn ours(case: &Case) -> Numbers {
    let weights = weights(case.spec.clone());
    let mut trainer = Trainer::new(&weights, case.optimizer, Place::Cpu, 1).unwrap();
    let mut losses = Vec::new();
    for _ in 0..STEPS {
        losses.push(match case.what {
            What::Values(loss) => {
                let (boards, targets) = pairs(&weights);
                trainer.learn_values(&boards, &targets, loss, case.rate).unwrap()
            }
            What::Policy(rule) => {
                let moves = transitions(&weights, 4);
                let batch = PolicyBatch::new(case.spec.judges, moves, Goals::OfValues);
                trainer.learn_policy(&batch, &rule, case.rate, None).unwrap().0.loss
            }
        } as f32);
    }
    let learned = trainer.weights().unwrap();
    let tensors = learned.tensors().iter().map(|t| (t.spec.name.clone(), t.numbers.clone()));
    tensors.chain([("losses".to_owned(), losses)]).collect()
}

/// The same for the script.
fn described(case: &Case, weights: &Weights) -> Value {
    let cells = |grid: &Grid| grid.exponents().collect::<Vec<u8>>();
    let optimizer = if case.optimizer == Optimizer::Adam { "adam" } else { "sgd" };
    match case.what {
        What::Values(loss) => {
            let (boards, targets) = pairs(weights);
            let huber = if let Loss::Huber(bend) = loss { bend } else { 0.0 };
            json!({
                "optimizer": optimizer, "rate": case.rate, "steps": STEPS, "huber": huber,
                "boards": boards.iter().map(cells).collect::<Vec<_>>(), "targets": targets,
            })
        }
        What::Policy(rule) => {
            let moves = transitions(weights, 4);
            let batch = PolicyBatch::new(case.spec.judges, moves.clone(), Goals::OfValues);
            let legal =
                |board: maxtile_game::Board| Move::ALL.map(|mv| board.slide(mv).is_some()).to_vec();
            json!({
                "optimizer": optimizer, "rate": case.rate, "steps": STEPS,
                "boards": batch.boards().iter().map(cells).collect::<Vec<_>>(),
                "moves": moves.iter().map(|t| t.mv.index()).collect::<Vec<_>>(),
                "legal": moves.iter().map(|t| legal(t.board)).collect::<Vec<_>>(),
                "log_chances": moves.iter().map(|t| t.log_chance).collect::<Vec<_>>(),
                "rewards": moves.iter().map(|t| t.reward).collect::<Vec<_>>(),
                "last": moves.iter().map(|t| t.last).collect::<Vec<_>>(),
                "discount": rule.discount, "lambda": rule.lambda, "clip": rule.clip,
                "entropy": rule.entropy, "masked": rule.masked,
            })
        }
    }
}

fn parsed(text: &str) -> Numbers {
    let line = |line: &str| {
        let (name, numbers) = line.split_once(' ').unwrap();
        let numbers = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        (name.to_owned(), numbers)
    };
    text.lines().map(line).collect()
}

fn compare(case: &Case, theirs: &Numbers) {
    let ours = ours(case);
    assert!(ours.keys().eq(theirs.keys()), "{}", case.name);
    let before = weights(case.spec.clone());
    for (name, numbers) in &ours {
        let theirs = &theirs[name];
        assert_eq!(numbers.len(), theirs.len());
        // Weights may differ by 1e-4, and by no more than a fiftieth of how far they have moved.
        let moved = before.get(name).map_or(f32::MAX, |before| {
            before.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        });
        assert!(moved > 1e-4 || name == "heads.preference.bias", "{} {name}", case.name);
        for (a, b) in numbers.iter().zip(theirs) {
            let most = (1e-4 * b.abs().max(1.0)).min(0.02 * moved + 2e-6);
            assert!((a - b).abs() <= most, "{} {name}: {a}, {b}", case.name);
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

#[test]
fn steps_are_those_that_pytorch_made() {
    for case in cases() {
        let path = folder().join("golden").join(format!("{}.txt", case.name));
        compare(&case, &parsed(&std::fs::read_to_string(path).unwrap()));
    }
}

#[test]
#[ignore = "needs PyTorch: MAXTILE_PYTHON"]
fn steps_are_those_that_pytorch_makes() {
    let python =
        std::env::var("MAXTILE_PYTHON").expect("MAXTILE_PYTHON names a Python with PyTorch");
    let temporary = tempfile::tempdir().unwrap();
    for case in cases() {
        let (network, file) =
            (temporary.path().join("network.safetensors"), temporary.path().join("case.json"));
        let weights = weights(case.spec.clone());
        weights.save(&network, BTreeMap::new()).unwrap();
        std::fs::write(&file, described(&case, &weights).to_string()).unwrap();
        let script = folder().join("steps.py");
        let run = Command::new(&python).arg(script).arg(&network).arg(&file).output().unwrap();
        let text = String::from_utf8(run.stdout).unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        if std::env::var_os("MAXTILE_BLESS").is_some() {
            let path = folder().join("golden").join(format!("{}.txt", case.name));
            std::fs::write(path, &text).unwrap();
        }
        compare(&case, &parsed(&text));
    }
}
