//! The networks of the literature by name, and smaller ones for CPUs.

use maxtile_game::Shape;

use crate::spec::{Head, Judges, Layer, Spec};

/// Every named network with a line about it. `NAME-RxC` is the same on another board.
pub const NAMES: [(&str, &str); 9] = [
    ("cnn22", "Matsuzaki 2021: two 2×2 convolutions (256, 512), then 1024 and 256; 16 planes"),
    ("cnn-small", "the same with 64, 128, 256, 64"),
    ("cnn-tiny", "the same with 32, 64, 128, 32"),
    (
        "ppo-afterstate",
        "Yamashita & Kaneko 2021: four normalised 3×3 convolutions of 64; 17 planes",
    ),
    ("ppo-normal", "the same for positions to move, with a preference for each of the four moves"),
    ("ppo-afterstate-plain", "ppo-afterstate with biases instead of batch normalisation"),
    ("ppo-normal-plain", "ppo-normal with biases instead of batch normalisation"),
    ("ppo-afterstate-small", "ppo-afterstate with two convolutions of 32"),
    ("ppo-normal-small", "ppo-normal with two convolutions of 32"),
];

/// The network with this name.
pub fn named(name: &str) -> Option<Spec> {
    let (stem, shape) = match name.rsplit_once('-') {
        Some((stem, end)) if end.contains('x') => (stem, end.parse().ok()?),
        _ => (name, Shape::CLASSIC),
    };
    let spec = match stem {
        "cnn22" => cnn(name, shape, [256, 512, 1024, 256]),
        "cnn-small" => cnn(name, shape, [64, 128, 256, 64]),
        "cnn-tiny" => cnn(name, shape, [32, 64, 128, 32]),
        "ppo-afterstate" => ppo(name, shape, 4, 64, true, Judges::Afterstates),
        "ppo-normal" => ppo(name, shape, 4, 64, true, Judges::States),
        "ppo-afterstate-plain" => ppo(name, shape, 4, 64, false, Judges::Afterstates),
        "ppo-normal-plain" => ppo(name, shape, 4, 64, false, Judges::States),
        "ppo-afterstate-small" => ppo(name, shape, 2, 32, true, Judges::Afterstates),
        "ppo-normal-small" => ppo(name, shape, 2, 32, true, Judges::States),
        _ => return None,
    };
    spec.check().is_ok().then_some(spec)
}

fn cnn(name: &str, shape: Shape, [first, second, third, fourth]: [u16; 4]) -> Spec {
    let conv = |channels| Layer::Conv {
        kernel: [2, 2],
        padding: [0, 0],
        channels,
        bias: true,
        norm: false,
    };
    let dense = |outputs| Layer::Dense { outputs, bias: true, norm: false };
    Spec {
        name: name.to_owned(),
        board: shape.to_string(),
        planes: planes(shape, 16),
        layers: vec![conv(first), conv(second), dense(third), dense(fourth)],
        heads: vec![Head::Value],
        judges: Judges::Afterstates,
        scale: 1.0,
    }
}

fn ppo(name: &str, shape: Shape, layers: usize, channels: u16, norm: bool, judges: Judges) -> Spec {
    // Normalisation takes any bias out again.
    let conv = Layer::Conv { kernel: [3, 3], padding: [1, 1], channels, bias: !norm, norm };
    let actor = match judges {
        Judges::Afterstates => Head::Preference,
        Judges::States => Head::Moves,
    };
    Spec {
        name: name.to_owned(),
        board: shape.to_string(),
        planes: planes(shape, 17),
        layers: vec![conv; layers],
        heads: vec![actor, Head::Value],
        judges,
        scale: 1.0,
    }
}

/// As many planes as the paper has, and no more than the board has tiles.
fn planes(shape: Shape, paper: u8) -> u8 {
    paper.min(shape.max_exponent() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_parameters_as_the_papers_count() {
        let parameters = |name| named(name).unwrap().parameters();
        assert_eq!(parameters("cnn22"), 2_902_273);
        assert_eq!(parameters("ppo-afterstate"), 122_434);
        assert_eq!(parameters("ppo-normal"), 125_509);
        assert_eq!(named("ppo-afterstate").unwrap().norm_parameters(), 512);
        assert_eq!(parameters("ppo-afterstate-plain"), 122_434 + 4 * 64);
        let cnn22 = Spec { planes: 17, ..named("cnn22").unwrap() };
        assert_eq!(cnn22.parameters(), 2_903_297);
    }

    #[test]
    fn every_name_is_a_network() {
        for (name, _) in NAMES {
            let spec = named(name).unwrap();
            assert_eq!(spec.name, name);
            let small = named(&format!("{name}-3x3")).unwrap();
            assert_eq!((small.board.as_str(), small.planes), ("3x3", 11), "{name}");
        }
        assert!(named("cnn22-1x4").is_none(), "its kernels do not fit");
        assert!(named("cnn23").is_none() && named("cnn22-9x9").is_none());
    }
}
