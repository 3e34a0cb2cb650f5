//! The fast ways through a network against the slow one and against each other.

mod twin;

use maxtile_game::{Afterstate, Grid, Random, Shape};
use maxtile_neural::{
    Head, Judges, Kernels, Layer, Network, NetworkValue, NotAValue, Precision, Spec, Weights, named,
};
use maxtile_search::Value;
use proptest::prelude::*;

/// A position with tiles everywhere; some of them large.
fn random_grid(shape: Shape, random: &mut Random) -> Grid {
    loop {
        let most = if random.below(4) == 0 { shape.max_exponent() as u64 + 1 } else { 6 };
        let exponents: Vec<u8> = (0..shape.cells())
            .map(|_| if random.below(3) == 0 { 0 } else { random.below(most) as u8 })
            .collect();
        if let Ok(grid) = Grid::from_exponents(shape, &exponents) {
            return grid;
        }
    }
}

fn grids(shape: Shape, count: usize, seed: u64) -> Vec<Grid> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random_grid(shape, &mut random)).collect()
}

/// Weights whose normalisation does something.
fn weights(spec: Spec, seed: u64) -> Weights {
    let mut weights = Weights::new(spec, seed).unwrap();
    let mut random = Random::new(seed);
    let names: Vec<String> = weights.tensors().iter().map(|t| t.spec.name.clone()).collect();
    for name in names.iter().filter(|name| name.contains(".norm.")) {
        for number in weights.get_mut(name).unwrap() {
            *number += 0.4 * (random.unit() as f32 - 0.5);
        }
    }
    weights
}

fn run(network: &Network, grids: &[Grid]) -> Vec<Vec<f32>> {
    let mut all = Vec::new();
    let mut context = network.context();
    network.run(&mut context, grids.iter().copied(), |board, outputs| {
        assert_eq!(board, all.len());
        all.push(outputs.to_vec());
    });
    assert_eq!(all.len(), grids.len());
    all
}

/// The largest distance.
fn distance(a: &[Vec<f32>], b: &[Vec<f32>]) -> f32 {
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// Every code, with and without the memory of patches, comes to what the twin says.
fn check_against_twin(spec: Spec, count: usize, seed: u64) {
    let weights = weights(spec, seed);
    let grids = grids(weights.shape(), count, seed);
    let largest = weights.spec().planes - 1;
    let exact: Vec<Vec<f32>> = grids
        .iter()
        .map(|grid| {
            let word: Vec<u8> = if largest < 16 {
                let word = maxtile_ntuple::downgraded(*grid, largest);
                (0..grid.shape().cells()).map(|cell| (word >> (4 * cell) & 15) as u8).collect()
            } else {
                grid.exponents().collect()
            };
            // What n-tuple networks cannot downgrade has nobody to compare with.
            if grid.max_exponent() > largest && largest >= 16 {
                return Vec::new();
            }
            twin::outputs(&weights, &word).iter().map(|&y| y as f32).collect()
        })
        .collect();
    for kernels in Kernels::available() {
        let network = Network::with_kernels(&weights, Precision::Full, kernels);
        let patches = network.remembers_patches();
        let mut found = vec![(run(&network, &grids), "as it is")];
        if patches {
            found.push((run(&network.without_patches(), &grids), "without patches"));
        }
        for (found, how) in found {
            let pairs = found.iter().zip(&exact).filter(|(_, exact)| !exact.is_empty());
            let (found, exact): (Vec<_>, Vec<_>) =
                pairs.map(|(found, exact)| (found.clone(), exact.clone())).unzip();
            let off = distance(&found, &exact);
            assert!(off < 1e-5, "{} {kernels:?} {how}: off by {off}", weights.spec().name);
        }
    }
}

#[test]
fn named_networks_come_to_what_the_twin_says() {
    for (name, count) in [("cnn-tiny", 70), ("ppo-afterstate-small", 70), ("ppo-normal-plain", 5)] {
        check_against_twin(named(name).unwrap(), count, 3);
    }
    for name in ["cnn22", "ppo-afterstate", "ppo-normal", "cnn-small-3x3", "ppo-normal-small-2x3"] {
        check_against_twin(named(name).unwrap(), 2, 4);
    }
}

fn any_layer() -> impl Strategy<Value = Layer> {
    let width = prop_oneof![1u16..40, Just(64u16), Just(80)];
    let sides = (1u8..4, 1u8..4, 0u8..3, 0u8..3);
    (sides, width, any::<bool>(), any::<bool>(), 0..3).prop_map(
        |((a, b, c, d), width, bias, norm, kind)| match kind {
            0 => Layer::Dense { outputs: width, bias, norm },
            _ => Layer::Conv { kernel: [a, b], padding: [c, d], channels: width, bias, norm },
        },
    )
}

fn any_spec() -> impl Strategy<Value = Spec> {
    let boards = prop_oneof![Just("4x4"), Just("3x3"), Just("2x5"), Just("1x6")];
    let layers = prop::collection::vec(any_layer(), 1..4);
    let spec =
        (boards, 10u8..=16, layers, any::<bool>()).prop_map(|(board, planes, layers, states)| {
            let (judges, actor) = if states {
                (Judges::States, Head::Moves)
            } else {
                (Judges::Afterstates, Head::Preference)
            };
            Spec {
                name: "any".to_owned(),
                board: board.to_owned(),
                planes,
                layers,
                heads: vec![Head::Value, actor],
                judges,
                scale: 1.0,
            }
        });
    spec.prop_filter("layers that fit", |spec| spec.check().is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_network_comes_to_what_the_twin_says(spec in any_spec(), seed: u64, count in 1usize..9) {
        check_against_twin(spec, count, seed);
    }

    /// The vectors' results are the same to the bit, plain code's within 1e-5 of them, in any
    /// company.
    #[test]
    fn results_depend_neither_on_vectors_nor_on_company(spec in any_spec(), seed: u64) {
        let weights = weights(spec, seed);
        let grids = grids(weights.shape(), 9, seed);
        for precision in [Precision::Full, Precision::Half] {
            let mut vectors: Option<Vec<Vec<f32>>> = None;
            let plain = Network::with_kernels(&weights, precision, Kernels::Portable);
            let plain = run(&plain, &grids);
            for kernels in Kernels::available() {
                let network = Network::with_kernels(&weights, precision, kernels);
                let all = run(&network, &grids);
                let alone = grids.iter().flat_map(|grid| run(&network, &[*grid]));
                prop_assert_eq!(&all, &alone.collect::<Vec<_>>());
                prop_assert!(distance(&all, &plain) < 1e-5);
                if kernels != Kernels::Portable {
                    prop_assert_eq!(vectors.get_or_insert_with(|| all.clone()), &all);
                }
            }
        }
    }
}

#[test]
fn halves_cost_little() {
    let weights = weights(named("cnn22").unwrap(), 1);
    let grids = grids(Shape::CLASSIC, 40, 1);
    let full = run(&Network::new(&weights, Precision::Full), &grids);
    let half = run(&Network::new(&weights, Precision::Half), &grids);
    let off = distance(&full, &half);
    assert!(off > 0.0 && off < 2e-5, "{off}");
}

/// Positions of a search repeat patches, drive others out, and come back.
#[test]
fn the_memory_of_patches_is_exact() {
    let weights = weights(named("cnn-small").unwrap(), 1);
    let with = Network::new(&weights, Precision::Full);
    assert!(with.remembers_patches());
    let without = Network::new(&weights, Precision::Full).without_patches();
    assert!(
        !Network::new(&Weights::new(named("ppo-afterstate").unwrap(), 1).unwrap(), Precision::Full)
            .remembers_patches()
    );
    let (mut one, mut two) = (with.context(), without.context());
    let mut random = Random::new(9);
    let mut kept: Option<(Vec<Grid>, Vec<f32>)> = None;
    // More patches than there are slots.
    for round in 0..160 {
        let mut grids = grids(Shape::CLASSIC, 1 + random.below(150) as usize, random.next_u64());
        let copies: Vec<Grid> = grids.iter().step_by(3).copied().collect();
        grids.extend(copies);
        let read = |network: &Network, context: &mut _, grids: &[Grid]| {
            let mut values = Vec::new();
            network.run(context, grids.iter().copied(), |_, outputs| values.push(outputs[0]));
            values
        };
        let remembered = read(&with, &mut one, &grids);
        let computed = read(&without, &mut two, &grids);
        for (a, b) in remembered.iter().zip(&computed) {
            assert!((a - b).abs() < 1e-6, "{a} {b} in round {round}");
        }
        // To the bit, whatever happened between.
        match &kept {
            Some((grids, values)) => assert_eq!(&read(&with, &mut one, grids), values),
            None => kept = Some((grids, remembered)),
        }
    }
}

#[test]
fn a_value_is_in_points() {
    let spec = named("cnn-tiny").unwrap();
    let unit = Weights::new(spec.clone(), 1).unwrap();
    let scaled = Weights::new(Spec { scale: 1000.0, ..spec }, 1).unwrap();
    let value = |weights| NetworkValue::new(Network::new(weights, Precision::Full)).unwrap();
    let (unit, scaled) = (value(&unit), value(&scaled));
    let afterstate: Afterstate = "1234000000000000".parse().unwrap();
    assert_eq!(unit.value(afterstate) * 1000.0, scaled.value(afterstate));
    assert_ne!(unit.value(afterstate), 0.0);
    // Beyond 16 planes: as the downgraded board.
    let large: Afterstate = "gfd0000000000000".parse().unwrap();
    let small: Afterstate = "fed0000000000000".parse().unwrap();
    assert_eq!(unit.value(large), unit.value(small));
}

#[test]
fn who_cannot_judge_afterstates_says_so() {
    let network = |spec| Network::new(&Weights::new(spec, 1).unwrap(), Precision::Full);
    let states = network(named("ppo-normal-small").unwrap());
    assert_eq!(NetworkValue::new(states).unwrap_err(), NotAValue::JudgesStates);
    let actor = Spec { heads: vec![Head::Preference], ..named("cnn-tiny").unwrap() };
    assert_eq!(NetworkValue::new(network(actor)).unwrap_err(), NotAValue::NoValueHead);
}

#[test]
fn threads_share_a_network() {
    let weights = Weights::new(named("cnn-tiny").unwrap(), 1).unwrap();
    let value = NetworkValue::new(Network::new(&weights, Precision::Half)).unwrap();
    let boards = grids(Shape::CLASSIC, 200, 5);
    let boards: Vec<Afterstate> =
        boards.iter().map(|grid| grid.to_string().parse().unwrap()).collect();
    let mut all = vec![0.0; boards.len()];
    value.values(&boards, &mut all);
    std::thread::scope(|scope| {
        for part in 0..4 {
            let (value, boards, all) = (&value, &boards, &all);
            scope.spawn(move || {
                for (board, want) in boards.iter().zip(all).skip(part).step_by(3) {
                    assert_eq!(value.value(*board), *want);
                }
            });
        }
    });
}
