//! Every number of small boards against the slow twin, which shares no ranking code: rectangles,
//! a plus, an L, boards with walls and with fixed tiles.

mod twin;

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use maxtile_solve::{Aim, Analysis, Region, Watch};
use twin::Twin;

static NEVER: AtomicBool = AtomicBool::new(false);

fn watch() -> Watch<'static> {
    Watch { progress: &|_| (), stop: &NEVER }
}

fn analysis(text: &str) -> Analysis {
    let region: Region = text.parse().unwrap();
    Analysis::new(&region, None, true, 1, watch()).unwrap()
}

/// A plus, an L, a T, fixed blocks in a corner and in the middle.
const BOARDS: [&str; 10] = [
    "2x2",
    "2x3",
    "1x5",
    "./././.",
    "#.#/.../#.#",
    ".##/.##/.##/...",
    ".../#.#/#.#",
    ".xx/.xx/...",
    "x../...",
    ".x./...",
];

#[test]
fn counts() {
    for text in BOARDS.into_iter().chain(["3x2", "#..#/....", "..#/..#/..."]) {
        let analysis = analysis(text);
        let ours: Vec<(u32, [u64; 3])> = analysis
            .layers()
            .iter()
            .filter(|layer| layer.states > 0)
            .map(|layer| (layer.sum, [layer.states, layer.afterstates, layer.terminal]))
            .collect();
        let twins: Vec<(u32, [u64; 3])> = Twin::new(text).census().into_iter().collect();
        assert_eq!(ours, twins, "{text}");
    }
}

#[test]
fn values() {
    for text in BOARDS {
        let (ours, twin) = (analysis(text), Twin::new(text));
        let starts = twin.starts();
        let weight: i64 = starts.iter().map(|s| s.1).sum();
        let mean = |value: &mut dyn FnMut(&Vec<u32>) -> f64| {
            starts.iter().map(|(s, w)| *w as f64 * value(s)).sum::<f64>() / weight as f64
        };
        let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs(), "{text}: {a} {b}");

        let mut memo = HashMap::new();
        let score = mean(&mut |s| twin.score(s, 0.1, &mut memo));
        close(ours.value(Aim::Score, 0.1, watch()).unwrap(), score);
        close(ours.score_play(0.1, watch()).unwrap().mean, score);
        let most = text.parse::<Region>().unwrap().max_exponent();
        for exponent in 3..=most {
            let mut memo = HashMap::new();
            let chance = mean(&mut |s| twin.reach(s, 1 << exponent, &mut memo));
            close(ours.value(Aim::Reach(exponent), 0.1, watch()).unwrap(), chance);
        }
        let twos: Vec<&Vec<u32>> =
            starts.iter().filter(|(_, weight)| *weight == 81).map(|(s, _)| s).collect();
        let all: Vec<&Vec<u32>> = starts.iter().map(|(s, _)| s).collect();
        let duels: [(Aim, bool, &[u32], &[&Vec<u32>]); 3] = [
            (Aim::Hostile, false, &[2, 4], &all),
            (Aim::Friendly, true, &[2, 4], &all),
            (Aim::HostileTwos, false, &[2], &twos),
        ];
        for (aim, friendly, tiles, starts) in duels {
            let mut memo = HashMap::new();
            let values = starts.iter().map(|s| twin.duel(s, friendly, tiles, &mut memo));
            let value = if friendly { values.max() } else { values.min() };
            assert_eq!(ours.value(aim, 0.1, watch()), value.map(f64::from), "{text} {aim}");
        }
        let tiles: [(Aim, &[u32], &[&Vec<u32>]); 2] =
            [(Aim::ForcedTile, &[2, 4], &all), (Aim::ForcedTileTwos, &[2], &twos)];
        for (aim, tiles, starts) in tiles {
            let mut memo = HashMap::new();
            let forced = starts.iter().map(|s| twin.forced(s, tiles, &mut memo)).min().unwrap();
            let exponent = f64::from(forced.ilog2());
            assert_eq!(ours.value(aim, 0.1, watch()), Some(exponent), "{text} {aim}");
        }
        for p4 in [0.1, 0.5] {
            let mut memo = HashMap::new();
            let drawn = twin.drawn_after(&twin.nothing(), p4, &mut memo);
            close(ours.value(Aim::HostileDrawn, p4, watch()).unwrap(), drawn);
        }
    }
}

#[test]
fn other_laws() {
    let (ours, twin) = (analysis("2x3"), Twin::new("2x3"));
    for p4 in [0.0, 0.25, 1.0] {
        let mut memo = HashMap::new();
        let law = |tile: u32| if tile == 2 { 1.0 - p4 } else { p4 };
        let starts = twin.starts();
        let weight = |s: &Vec<u32>| s.iter().filter(|&&t| t > 0).map(|&t| law(t)).product::<f64>();
        let total: f64 = starts.iter().map(|(s, _)| weight(s)).sum();
        let mean: f64 =
            starts.iter().map(|(s, _)| weight(s) * twin.score(s, p4, &mut memo)).sum::<f64>()
                / total;
        let value = ours.value(Aim::Score, p4, watch()).unwrap();
        assert!((value - mean).abs() < 1e-9 * mean, "{p4}: {value} {mean}");
    }
}

/// The expected scores of 2×2 and 2×3 as fractions.
#[test]
fn exact_fractions() {
    use num_bigint::BigInt;
    use num_rational::BigRational;
    for (text, printed) in [("2x2", "66.964149457"), ("2x3", "480.258271776")] {
        let twin = Twin::new(text);
        let mut memo = HashMap::new();
        let mut sum = BigRational::from_integer(BigInt::from(0));
        let mut weights = 0;
        for (start, weight) in twin.starts() {
            let value = twin.exact_score(&start, &mut memo);
            sum += BigRational::from_integer(BigInt::from(weight)) * value;
            weights += weight;
        }
        let exact = sum / BigRational::from_integer(BigInt::from(weights));
        // Fifteen digits behind the point, exactly.
        let scaled = (&exact * BigRational::from_integer(BigInt::from(10).pow(15))).round();
        let digits = scaled.to_integer().to_string();
        let (whole, part) = digits.split_at(digits.len() - 15);
        let exact: f64 = format!("{whole}.{part}").parse().unwrap();
        assert_eq!(format!("{exact:.9}"), printed);
        let ours = analysis(text).value(Aim::Score, 0.1, watch()).unwrap();
        assert!((ours - exact).abs() < 1e-11 * exact, "{ours} {exact}");
    }
}

/// Without symmetry taken out there are more states, and the same values.
#[test]
fn symmetry_changes_no_value() {
    for text in ["2x3", "#.#/.../#.#", "2x4"] {
        let region: Region = text.parse().unwrap();
        let all = Analysis::new(&region, None, false, 2, watch()).unwrap();
        let ours = analysis(text);
        assert!(all.totals().states > 2 * ours.totals().states);
        let (a, b) = (all.value(Aim::Score, 0.1, watch()), ours.value(Aim::Score, 0.1, watch()));
        assert!((a.unwrap() - b.unwrap()).abs() < 1e-9, "{text}");
        let reach = Aim::Reach(region.max_exponent() - 1);
        let (a, b) = (all.value(reach, 0.1, watch()), ours.value(reach, 0.1, watch()));
        assert!((a.unwrap() - b.unwrap()).abs() < 1e-12, "{text}");
    }
}
