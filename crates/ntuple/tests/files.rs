//! Networks survive their files, and broken files are refused.

use std::collections::BTreeMap;

use maxtile_game::{Afterstate, Random, Rules, Shape};
use maxtile_ntuple::course::{Course, learn};
use maxtile_ntuple::td::{Autostep, Coherence, OneStep, PerWeight, Rate, StepSizes, Tc};
use maxtile_ntuple::{Block, Feature, Network, Spec, load, named, tdl, train};
use maxtile_search::Value;

/// A small trained network: three tuples of four cells.
fn trained() -> (Network, Coherence) {
    let spec = Spec::classic("small", &[&[0, 1, 2, 3], &[4, 5, 6, 7], &[0, 1, 4, 5]], 16, true);
    let network = Network::new(spec).unwrap();
    let coherence = Coherence::new(&network).unwrap();
    let step = Tc::new(Rate::Distributed(1.0), &network, &coherence);
    let rules = Rules::default();
    let block = Block { rules, seed: 3, first: 0, games: 300, threads: 1, restart: None };
    train(&network, &step, &OneStep, &block);
    (network, coherence)
}

fn some_afterstates() -> Vec<Afterstate> {
    let mut random = Random::new(8);
    let board = |random: &mut Random| {
        let cells: Vec<u8> = (0..16).map(|_| random.below(12) as u8).collect();
        Afterstate::from_exponents(Shape::CLASSIC, &cells).unwrap()
    };
    (0..1001).map(|_| board(&mut random)).collect()
}

fn values(network: &Network) -> Vec<f32> {
    let afterstates = some_afterstates();
    let mut out = vec![0.0; afterstates.len()];
    network.values(&afterstates, &mut out);
    out
}

#[test]
fn a_batch_is_worth_what_its_parts_are() {
    let (network, _) = trained();
    for (afterstate, value) in some_afterstates().into_iter().zip(values(&network)) {
        assert_eq!(network.value(afterstate).to_bits(), value.to_bits());
    }
}

#[test]
fn safetensors_round_trip() {
    let (network, coherence) = trained();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    let notes = BTreeMap::from([("games".to_owned(), 300.into())]);
    network.save(&path, Some(&coherence), notes.clone()).unwrap();
    let loaded = load(&path, true).unwrap();
    assert_eq!(loaded.about.spec, *network.spec());
    assert_eq!(loaded.about.notes, notes);
    assert_eq!(values(&loaded.network), values(&network));
    let sums = loaded.coherence.unwrap();
    for table in 0..3 {
        assert_eq!(sums.table(&loaded.network, table), coherence.table(&network, table));
    }
    assert_eq!(values(&Network::open(&path).unwrap()), values(&network));
}

#[test]
fn broken_files_are_refused() {
    let (network, _) = trained();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.safetensors");
    network.save(&path, None, BTreeMap::new()).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in [0, 4, 8, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(Network::open(&path).is_err(), "{length} bytes");
    }
    for at in 0..600 {
        let mut altered = whole.clone();
        altered[at] ^= 0x15;
        std::fs::write(&path, &altered).unwrap();
        // Whatever is altered in the header: an error or a network, never a panic.
        let _ = Network::open(&path);
    }
    assert!(Network::open(folder.path()).is_err());
    assert!(Network::open(&folder.path().join("none")).is_err());
}

#[test]
fn tdl_files_round_trip() {
    let (network, _) = trained();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.w");
    let bytes = tdl::export(&network).unwrap();
    // Sizes and the name of the first pattern as the format has them.
    assert_eq!(bytes.len(), 5 + 3 * (1 + 8 + 2 + 8 + 65536 * 4 + 2));
    assert_eq!(bytes[5..14], [4, 0x23, 0x01, 0, 0, 4, 0, 0, 0]);
    std::fs::write(&path, &bytes).unwrap();
    let (again, sums) = tdl::import(&path, "again").unwrap();
    assert!(sums.is_none());
    assert_eq!(again.spec().tuples, network.spec().tuples);
    assert_eq!(values(&again), values(&network));
    for length in [0, 1, 5, 20, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(tdl::import(&path, "cut").is_err(), "{length} bytes");
    }
    assert!(tdl::export(&Network::new(named("szubert-17x4").unwrap()).unwrap()).is_err());
}

#[test]
fn one_thread_learns_the_same_every_time() {
    let (one, two) = (trained().0, trained().0);
    for table in 0..3 {
        assert_eq!(one.table(table), two.table(table));
    }
}

#[test]
fn tiles_beyond_the_alphabet_are_downgraded() {
    let (network, _) = trained();
    let of = |text: &str| network.value(text.parse().unwrap());
    assert_eq!(of("gf01000000000000").to_bits(), of("fe01000000000000").to_bits());
    assert_eq!(of("hge1000000000000").to_bits(), of("fed1000000000000").to_bits());
}

/// Stages, features and what Autostep remembers come back as they were.
#[test]
fn staged_networks_and_step_sizes_survive_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("staged.safetensors");
    let tuples: [&[u8]; 2] = [&[0, 1, 2, 3], &[4, 5]];
    let spec = Spec {
        features: vec![Feature::Empty, Feature::Doubles],
        stages: "tiles-1@64".parse().unwrap(),
        promotion: true,
        ..Spec::classic("staged", &tuples, 16, true)
    };
    let network = Network::new(spec.clone()).unwrap();
    let sizes = StepSizes::new(&network).unwrap();
    let step = Autostep::new(Rate::Distributed(1.0), 0.1, &network, &sizes);
    let block =
        Block { rules: Rules::default(), seed: 4, first: 0, games: 30, threads: 1, restart: None };
    learn(&network, &step, &OneStep, &Course::of(block));
    network.save(&path, Some(&sizes), BTreeMap::new()).unwrap();
    let loaded = load(&path, true).unwrap();
    assert_eq!(loaded.network.spec(), &spec);
    assert!(loaded.coherence.is_none());
    let read = loaded.step_sizes.unwrap();
    assert_eq!(network.tables(), 8);
    for table in 0..8 {
        assert_eq!(loaded.network.table(table), network.table(table), "{table}");
        assert!(network.table(table).iter().any(|&weight| weight != 0.0), "{table}");
        for part in 0..3 {
            let numbers = |sizes: &StepSizes| sizes.numbers(&network, table, part);
            assert_eq!(numbers(&read), numbers(&sizes), "{table} {part}");
        }
    }
    assert!(loaded.network.has_learned(1));
    assert!(tdl::export(&network).is_err());
}
