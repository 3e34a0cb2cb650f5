//! Which tuples there are: every set of cells of a board, up to its symmetries.
//!
//! Oka & Matsuzaki (2016) chose their networks among the connected ones, those whose cells hang
//! together by their sides.

use maxtile_game::{Shape, Symmetry};

/// The tuples of `size` cells, of symmetric ones the first in alphabetical order.
pub fn enumerate(shape: Shape, size: usize, connected_only: bool) -> Vec<Vec<u8>> {
    let sets = (0..1u32 << shape.cells()).filter(|set| set.count_ones() as usize == size);
    let wanted = sets.filter(|&set| !connected_only || connected(shape, set));
    // Of all images of a set, one is the first: it alone is kept, so that none is kept twice.
    let firsts = wanted.filter(|&set| {
        Symmetry::of(shape).iter().all(|&s| first_key(image(shape, s, set)) <= first_key(set))
    });
    let mut tuples: Vec<Vec<u8>> = firsts.map(|set| cells(set).collect()).collect();
    tuples.sort_unstable();
    tuples
}

/// The first of a tuple's symmetric images, its cells in ascending order.
pub fn canonical(shape: Shape, tuple: &[u8]) -> Vec<u8> {
    let set = tuple.iter().fold(0, |set, &cell| set | 1 << cell);
    let images = Symmetry::of(shape).iter().map(|&s| image(shape, s, set));
    cells(images.max_by_key(|&image| first_key(image)).unwrap_or(set)).collect()
}

/// Sets of one size in alphabetical order of their cells are in descending order of this number:
/// the smallest cell where two sets differ belongs to the first one.
fn first_key(set: u32) -> u32 {
    set.reverse_bits()
}

fn cells(set: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |cell| set >> cell & 1 == 1)
}

fn image(shape: Shape, symmetry: Symmetry, set: u32) -> u32 {
    cells(set).fold(0, |image, cell| image | 1 << symmetry.cell(shape, cell as usize))
}

/// Do the cells hang together by their sides?
fn connected(shape: Shape, set: u32) -> bool {
    let cols = shape.cols() as u32;
    let column = |c: u32| (0..shape.rows() as u32).fold(0, |mask, r| mask | 1 << (r * cols + c));
    let (not_first, not_last) = (!column(0), !column(cols - 1));
    // Grown from one cell until nothing is added.
    let mut grown = set & set.wrapping_neg();
    loop {
        let beside = (grown & not_last) << 1 | (grown & not_first) >> 1;
        let next = (grown | beside | grown << cols | grown >> cols) & set;
        if next == grown {
            return grown == set;
        }
        grown = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of Oka & Matsuzaki, tuples of 3 to 13 cells.
    #[test]
    fn counts_are_those_published() {
        let count = |size, connected| enumerate(Shape::CLASSIC, size, connected).len();
        let all = [77, 252, 567, 1051, 1465, 1674, 1465, 1051, 567, 252, 77];
        let connected = [8, 17, 33, 68, 119, 195, 261, 300, 257, 169, 66];
        for (index, (all, connected)) in all.into_iter().zip(connected).enumerate() {
            assert_eq!((count(index + 3, false), count(index + 3, true)), (all, connected));
        }
    }

    /// Burnside's lemma: sets up to symmetry are as many as the mean number of sets that a
    /// symmetry leaves unchanged.
    #[test]
    fn counts_agree_with_burnside() {
        for shape in Shape::all().filter(|shape| shape.cells() <= 12) {
            let symmetries = Symmetry::of(shape);
            for size in 1..=shape.cells() {
                let sets = (0..1u32 << shape.cells()).filter(|s| s.count_ones() as usize == size);
                let fixed =
                    |set| symmetries.iter().filter(|&&s| image(shape, s, set) == set).count();
                let unchanged: usize = sets.map(fixed).sum();
                let found = enumerate(shape, size, false).len();
                assert_eq!(found * symmetries.len(), unchanged, "{shape}, {size} cells");
            }
        }
    }

    #[test]
    fn connected_by_sides_only() {
        let of = |cells: &[u8]| connected(Shape::CLASSIC, cells.iter().fold(0, |s, &c| s | 1 << c));
        assert!(of(&[0, 1, 2, 6, 10]));
        assert!(!of(&[0, 5]), "a corner is no side");
        assert!(!of(&[3, 4]), "rows do not wrap around");
        let line: Shape = "1x4".parse().unwrap();
        assert_eq!(enumerate(line, 2, true), [[0, 1], [1, 2]]);
    }

    #[test]
    fn representatives_are_canonical_and_alphabetical() {
        let tuples = enumerate(Shape::CLASSIC, 6, true);
        assert!(tuples.is_sorted());
        assert!(tuples.iter().all(|tuple| canonical(Shape::CLASSIC, tuple) == *tuple));
        assert_eq!(canonical(Shape::CLASSIC, &[9, 10, 11, 13, 14, 15]), [0, 1, 2, 4, 5, 6]);
        // Every 6-tuple of the literature is among the 68.
        for name in ["wu-4x6", "matsuzaki-8x6", "jaskowski-42-33"] {
            for tuple in crate::named(name).unwrap().tuples {
                assert!(tuples.contains(&canonical(Shape::CLASSIC, &tuple)), "{tuple:?}");
            }
        }
    }
}
