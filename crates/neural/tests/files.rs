//! Files: what is written is read again, and what is broken is refused in a sentence.

use std::collections::BTreeMap;

use maxtile_game::Random;
use maxtile_neural::{Head, Spec, SpecError, Weights, about, named};

fn saved(weights: &Weights) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("network.safetensors");
    weights.save(&path, BTreeMap::from([("games".to_owned(), 7.into())])).unwrap();
    let said = about(&path).unwrap().unwrap();
    assert_eq!(&said.spec, weights.spec());
    assert_eq!(said.notes["games"], 7);
    std::fs::read(path).unwrap()
}

#[test]
fn what_is_written_is_read_again() {
    for name in ["cnn-tiny", "ppo-afterstate-small", "ppo-normal-small", "cnn-tiny-3x3"] {
        let weights = Weights::new(named(name).unwrap(), 1).unwrap();
        let (again, about) = Weights::read(&saved(&weights)).unwrap();
        assert_eq!(again, weights);
        assert_eq!(about.notes["games"], 7);
    }
}

#[test]
fn the_seed_decides() {
    let weights = |seed| Weights::new(named("cnn-tiny").unwrap(), seed).unwrap();
    assert_eq!(weights(3), weights(3));
    assert_ne!(weights(3), weights(4));
    let three = weights(3);
    let first = three.get("layers.0.conv.weight").unwrap();
    // 16 planes, 2×2: at most 1/8, and nearly that.
    let largest = first.iter().fold(0.0f32, |most, w| most.max(w.abs()));
    assert!((0.12..=0.125).contains(&largest), "{largest}");
    // A seed names these numbers for ever.
    assert_eq!(first[..3].iter().map(|w| w.to_bits()).collect::<Vec<_>>(), GOLDEN);
}

const GOLDEN: [u32; 3] = [0xbc76be78, 0x3d943b4a, 0x3dd2c238];

/// The description, with a part of its JSON replaced.
fn changed(bytes: &[u8], from: &str, to: &str) -> String {
    let size = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&bytes[8..8 + size]).unwrap();
    assert!(header.contains(from), "{header}");
    let header = header.replacen(from, to, 1);
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.extend(&bytes[8 + size..]);
    Weights::read(&file).unwrap_err().to_string()
}

#[test]
fn one_sentence_for_each_broken_file() {
    let bytes = saved(&Weights::new(named("ppo-afterstate-small").unwrap(), 1).unwrap());
    let says = |from, to, what| assert_eq!(changed(&bytes, from, to), what, "{from} -> {to}");
    says(
        "maxtile-neural",
        "somebody-else",
        "not a network file: it does not say which network it holds",
    );
    says(r#"version\":1"#, r#"version\":2"#, "not a network file: version 2 is not known here");
    says(r#"planes\":17"#, r#"planes\":99"#, "a network has 2 to 18 input planes");
    says("4x4", "4y4", "the network's board is not written RxC, or has more than 16 cells");
    says(r#"kernel\":[3,3]"#, r#"kernel\":[9,3]"#, "layer 0 has a kernel larger than its input");
    says(
        r#"kernel\":[3,3]"#,
        r#"kernel\":[0,3]"#,
        "layer 0 has an empty kernel, or one not larger than its padding",
    );
    says(r#"channels\":32"#, r#"channels\":9999"#, "layer 0 has no output, or more than 4096");
    says(
        r#"channels\":32"#,
        r#"channels\":31"#,
        "not a network file: layers.0.conv.weight has the shape [32, 17, 3, 3] instead of \
         [31, 17, 3, 3]",
    );
    says(
        "layers.1.norm.bias",
        "layers.1.norm.baas",
        "not a network file: layers.1.norm.bias is not there",
    );
    says(
        r#"heads\":[\"preference"#,
        r#"heads\":[\"value"#,
        "a network has a head, and none of them twice",
    );
    says(
        r#"heads\":[\"preference"#,
        r#"heads\":[\"moves"#,
        "the head moves does not go with what the network judges",
    );
    says(r#"scale\":1.0"#, r#"scale\":-1.0"#, "the scale of a network is not a positive number");
    let unknown = changed(&bytes, "planes", "plains");
    assert!(unknown.starts_with("not a network file: unknown field `plains`"), "{unknown}");
    let cut = Weights::read(&bytes[..bytes.len() - 1]).unwrap_err().to_string();
    assert_eq!(cut, "not a network file: its length is not what its header says");
    let mut infinite = bytes.clone();
    let end = infinite.len();
    infinite[end - 4..].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let infinite = Weights::read(&infinite).unwrap_err().to_string();
    assert!(infinite.ends_with("has a number that is not finite"), "{infinite}");
}

#[test]
fn no_damage_makes_it_panic() {
    let bytes = saved(&Weights::new(named("cnn-tiny-3x3").unwrap(), 1).unwrap());
    let mut random = Random::new(5);
    for cut in 0..2000 {
        let _ = Weights::read(&bytes[..cut.min(bytes.len())]).unwrap_err().to_string();
    }
    for round in 0..4000 {
        let mut broken = bytes.clone();
        for _ in 0..=round % 3 {
            // Mostly the header, which is what is looked at.
            let within = if round % 8 == 0 { bytes.len() } else { 1500 };
            let place = random.below(within as u64) as usize;
            broken[place] = random.next_u64() as u8;
        }
        if let Err(error) = Weights::read(&broken) {
            assert!(!error.to_string().contains('\n'));
        }
    }
}

#[test]
fn absurd_descriptions_are_refused_before_memory_is_asked_for() {
    let spec = named("cnn22").unwrap();
    let huge = Spec { layers: [spec.layers[0]; 5].to_vec(), ..spec.clone() };
    assert!(matches!(Weights::new(huge, 1), Err(SpecError::Layer { index: 3, .. })));
    let headless = Spec { heads: Vec::<Head>::new(), ..spec.clone() };
    assert_eq!(Weights::new(headless, 1).unwrap_err(), SpecError::Heads);
    let wide = maxtile_neural::Layer::Dense { outputs: 4096, bias: true, norm: false };
    let wide = Spec { layers: [wide; 20].to_vec(), ..spec };
    assert!(matches!(Weights::new(wide, 1), Err(SpecError::TooLarge(_))));
}
