//! The networks of the literature by name.

use maxtile_game::Shape;

use crate::features::Feature;
use crate::spec::Spec;

const RECTANGLES_AND_AXES: [&[u8]; 4] =
    [&[0, 1, 2, 3, 4, 5], &[4, 5, 6, 7, 8, 9], &[0, 1, 2, 4, 5, 6], &[4, 5, 6, 8, 9, 10]];

/// In the order in which Matsuzaki's selection (2016) adds them.
const MATSUZAKI: [&[u8]; 8] = [
    &[0, 1, 2, 4, 5, 6],
    &[4, 5, 6, 7, 8, 9],
    &[0, 1, 2, 3, 4, 5],
    &[2, 3, 4, 5, 6, 9],
    &[0, 1, 2, 5, 9, 10],
    &[3, 4, 5, 6, 7, 8],
    &[1, 3, 4, 5, 6, 7],
    &[0, 1, 4, 8, 9, 10],
];

const JASKOWSKI: [&[u8]; 5] = [
    &[0, 1, 2, 3, 4, 5],
    &[0, 1, 2, 4, 5, 6],
    &[4, 5, 6, 7, 8, 9],
    &[4, 5, 6, 8, 9, 10],
    &[8, 9, 10, 11, 12, 13],
];

/// The redundant part of Jaśkowski's final network: lines, squares, and short lines.
const JASKOWSKI_SMALL: [&[u8]; 7] = [
    &[0, 1, 2, 3],
    &[4, 5, 6, 7],
    &[0, 1, 4, 5],
    &[1, 2, 5, 6],
    &[5, 6, 9, 10],
    &[0, 1, 2],
    &[4, 5, 6],
];

const JASKOWSKI_SEVENS: [&[u8]; 5] = [
    &[0, 1, 2, 3, 4, 5, 6],
    &[0, 1, 2, 3, 4, 5, 8],
    &[4, 5, 6, 7, 8, 9, 10],
    &[4, 5, 6, 7, 8, 9, 12],
    &[8, 9, 10, 11, 12, 13, 14],
];

const TDL_SEVENS: [&[u8]; 3] =
    [&[0, 1, 2, 3, 4, 5, 6], &[4, 5, 6, 7, 8, 9, 10], &[8, 9, 10, 11, 12, 13, 14]];

/// Two rectangles and three axes as the released program has them.
const YEH: [&[u8]; 5] = [
    &[0, 4, 8, 1, 5, 9],
    &[1, 5, 9, 2, 6, 10],
    &[0, 4, 8, 12, 9, 13],
    &[1, 5, 9, 13, 10, 14],
    &[2, 6, 10, 14, 11, 15],
];

const YEH_FEATURES: [Feature; 5] =
    [Feature::LargeTiles, Feature::Empty, Feature::Distinct, Feature::Mergeable, Feature::Doubles];

/// Every named network with a line about it.
pub const NAMES: [(&str, &str); 19] = [
    ("szubert-17x4", "Szubert & Jaśkowski 2014: rows, columns, squares; no sharing, 15 values"),
    ("szubert-2x4-2x6", "Szubert & Jaśkowski 2014: two lines, two rectangles; 15 values"),
    ("wu-4x6", "Wu et al. 2014: two axes, two rectangles"),
    ("matsuzaki-4x6", "Matsuzaki 2016: the first four 6-tuples of his selection"),
    ("matsuzaki-5x6", "the first five"),
    ("matsuzaki-6x6", "the first six"),
    ("matsuzaki-7x6", "the first seven"),
    ("matsuzaki-8x6", "all eight"),
    ("jaskowski-42-33", "Jaśkowski 2017: five 6-tuples"),
    ("jaskowski-42-33-4-22", "the same with five 4-tuples"),
    ("jaskowski-42-33-4-22-3", "and with two 3-tuples: the redundant network of the final player"),
    ("jaskowski-421-43", "Jaśkowski 2017: five 7-tuples"),
    ("tdl-3x7", "TDL2048+: three 7-tuples"),
    ("wu-4x6-large", "Wu et al. 2014: with the feature of large tiles"),
    ("yeh-5x6", "Yeh et al. 2016: two rectangles, three axes"),
    ("yeh-5x6-combined", "with large, empty, mergeable and doubles in one table: early stages"),
    ("yeh-5x6-features", "with all five features, a table each: late stages"),
    ("whole-RxC", "one tuple over the whole board (up to 8 cells): a plain table"),
    ("lines-RxC", "every line and every 2×3 block of a small board, shared by symmetry"),
];

/// The network with this name; `whole-RxC` and `lines-RxC` exist for every board they fit.
pub fn named(name: &str) -> Option<Spec> {
    let classic = |tuples: &[&[u8]], values| Some(Spec::classic(name, tuples, values, true));
    let featured = |tuples: &[&[u8]], features: &[Feature]| {
        Some(Spec { features: features.to_vec(), ..Spec::classic(name, tuples, 16, true) })
    };
    match name {
        "szubert-17x4" => {
            let rows = (0..4).map(|r| (0..4).map(|c| 4 * r + c).collect());
            let columns = (0..4).map(|c| (0..4).map(|r| 4 * r + c).collect());
            let corners = (0..3).flat_map(|r| (0..3).map(move |c| 4 * r + c));
            let squares = corners.map(|a| vec![a, a + 1, a + 4, a + 5]);
            let tuples: Vec<Vec<u8>> = rows.chain(columns).chain(squares).collect();
            Some(Spec { tuples, ..Spec::classic(name, &[], 15, false) })
        }
        "szubert-2x4-2x6" => {
            classic(&[&[0, 1, 2, 3], &[4, 5, 6, 7], &[0, 1, 2, 4, 5, 6], &[4, 5, 6, 8, 9, 10]], 15)
        }
        "wu-4x6" => classic(&RECTANGLES_AND_AXES, 16),
        "matsuzaki-4x6" => classic(&MATSUZAKI[..4], 16),
        "matsuzaki-5x6" => classic(&MATSUZAKI[..5], 16),
        "matsuzaki-6x6" => classic(&MATSUZAKI[..6], 16),
        "matsuzaki-7x6" => classic(&MATSUZAKI[..7], 16),
        "matsuzaki-8x6" => classic(&MATSUZAKI, 16),
        "jaskowski-42-33" => classic(&JASKOWSKI, 16),
        "jaskowski-42-33-4-22" => classic(&[&JASKOWSKI, &JASKOWSKI_SMALL[..5]].concat(), 16),
        "jaskowski-42-33-4-22-3" => classic(&[&JASKOWSKI[..], &JASKOWSKI_SMALL].concat(), 16),
        "jaskowski-421-43" => classic(&JASKOWSKI_SEVENS, 16),
        "tdl-3x7" => classic(&TDL_SEVENS, 16),
        "wu-4x6-large" => featured(&RECTANGLES_AND_AXES, &[Feature::LargeTiles]),
        "yeh-5x6" => classic(&YEH, 16),
        "yeh-5x6-combined" => featured(&YEH, &[Feature::Combined]),
        "yeh-5x6-features" => featured(&YEH, &YEH_FEATURES),
        _ => {
            let (kind, board) = name.split_once('-')?;
            let shape: Shape = board.parse().ok()?;
            let tuples = match kind {
                "whole" if shape.cells() <= 8 => vec![(0..shape.cells() as u8).collect()],
                "lines" => lines_and_blocks(shape)?,
                _ => return None,
            };
            let values = (shape.max_exponent() + 1).min(16);
            let (name, board) = (name.to_owned(), board.to_owned());
            let spec = Spec { name, board, tuples, values, ..Spec::classic("", &[], 16, true) };
            spec.check().is_ok().then_some(spec)
        }
    }
}

/// Rows and columns of at least two cells, and the 2×3 and 3×2 blocks; of symmetric ones the first.
fn lines_and_blocks(shape: Shape) -> Option<Vec<Vec<u8>>> {
    let (rows, cols) = (shape.rows(), shape.cols());
    let mut all: Vec<Vec<u8>> = Vec::new();
    for (height, width) in [(1, cols), (rows, 1), (2, 3), (3, 2)] {
        if height * width < 2 || height > rows || width > cols {
            continue;
        }
        for top in 0..=rows - height {
            for left in 0..=cols - width {
                let cells = (0..height * width)
                    .map(|i| ((top + i / width) * cols + left + i % width) as u8);
                all.push(cells.collect());
            }
        }
    }
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for tuple in all {
        let images = maxtile_game::Symmetry::of(shape).iter().map(|s| {
            let mut image: Vec<u8> =
                tuple.iter().map(|&c| s.cell(shape, c as usize) as u8).collect();
            image.sort_unstable();
            image
        });
        if seen.insert(images.min()?) {
            kept.push(tuple);
        }
    }
    (!kept.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of weights that the papers give.
    #[test]
    fn published_weight_counts() {
        let weights = |name: &str| named(name).unwrap().weights();
        assert_eq!(weights("szubert-17x4"), 860_625);
        assert_eq!(weights("szubert-2x4-2x6"), 22_882_500);
        assert_eq!(weights("wu-4x6"), 4 << 24);
        assert_eq!(weights("jaskowski-42-33"), 83_886_080);
        let active = |name: &str| named(name).unwrap().active();
        assert_eq!(active("szubert-17x4"), 17);
        assert_eq!(active("szubert-2x4-2x6"), 32);
        assert_eq!(active("wu-4x6"), 32);
        assert_eq!(active("matsuzaki-8x6"), 64);
        assert_eq!(active("jaskowski-42-33-4-22"), 80);
        assert_eq!(active("jaskowski-42-33-4-22-3"), 96);
        assert_eq!(active("yeh-5x6-features"), 45);
        let staged = |name: &str, stages: &str| {
            let stages = stages.parse().unwrap();
            Spec { stages, ..named(name).unwrap() }.weights()
        };
        assert_eq!(staged("jaskowski-42-33-4-22-3", "tiles-4"), 1_347_551_232);
        assert_eq!(staged("wu-4x6", "tiles-3"), 536_870_912);
        assert_eq!(weights("jaskowski-421-43"), 5 << 28);
        assert_eq!(weights("tdl-3x7"), 3 << 28);
        assert_eq!(weights("yeh-5x6-combined"), 6 << 24);
        assert_eq!(weights("yeh-5x6-features"), (5 << 24) + 1024 + 16 + 16 + 24 + 24);
    }

    /// Yeh's tuples are Jaśkowski's, turned.
    #[test]
    fn yeh_and_jaskowski_have_the_same_shapes() {
        let shapes = |name: &str| {
            let tuples = named(name).unwrap().tuples;
            let mut all: Vec<Vec<u8>> =
                tuples.iter().map(|t| crate::canonical(Shape::CLASSIC, t)).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(shapes("yeh-5x6"), shapes("jaskowski-42-33"));
    }

    #[test]
    fn every_name_gives_a_sound_network() {
        for (name, _) in NAMES {
            for size in ["2x2", "2x3", "3x2", "2x4", "3x3", "4x3"] {
                let name = name.replace("RxC", size);
                if let Some(spec) = named(&name) {
                    assert!(spec.check().is_ok(), "{name}");
                } else {
                    assert!(matches!(name.as_str(), "whole-3x3" | "whole-4x3"), "{name}");
                }
            }
        }
        assert_eq!(named("whole-9x9"), None);
        assert_eq!(named("wu"), None);
    }
}
