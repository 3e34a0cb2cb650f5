//! The crate against its slow twin: a million random positions of every shape, every answer.

mod sample;
mod twin;

use maxtile_game::{Afterstate, Board, Grid, Move, MoveSet, Random, Shape};
use proptest::prelude::*;
use twin::{Side, Twin};

const POSITIONS: u64 = 1_000_000;

/// How often the tiles beyond a nibble were seen: standing there, and made by a merge.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    with_65536: u64,
    with_131072: u64,
    made_65536: u64,
    made_131072: u64,
}

fn has_tiles(grid: Grid, twin: &Twin) -> bool {
    (0..grid.shape().cells()).map(|cell| grid.tile(cell)).eq(twin.cells())
}

/// Compares every answer about one position.
fn compare(shape: Shape, exponents: &[u8], seen: &mut Seen) {
    let board = Board::from_exponents(shape, exponents).expect("within the bounds");
    let twin = Twin::from_exponents(shape.rows(), shape.cols(), exponents);
    assert!(has_tiles(board.grid(), &twin), "{board}");

    let slides = board.afterstates();
    let mut legal = 0;
    let mut any_high = false;
    let mut listed = slides.iter();
    for (mv, side) in Move::ALL.into_iter().zip(Side::ALL) {
        let expected = twin.slide(side);
        let same = |slid: Option<(Afterstate, u32)>| match (slid, &expected) {
            (Some((afterstate, reward)), Some((twin, twin_reward))) => {
                reward == *twin_reward && has_tiles(afterstate.grid(), twin)
            }
            (None, None) => true,
            _ => false,
        };
        let slid = board.slide(mv);
        assert!(same(slid), "{board} {mv}: {slid:?}, the twin {expected:?}");
        let got = slides.get(mv);
        assert!(same(got), "{board} {mv}: {got:?} of all four, the twin {expected:?}");

        let (after, reward) = expected.unwrap_or((twin, 0));
        let grid = got.map_or(board.grid(), |(afterstate, _)| afterstate.grid());
        assert_eq!(slides.nibbles()[mv.index()], grid.nibbles(), "{board} {mv}");
        assert_eq!(slides.rewards()[mv.index()], reward, "{board} {mv}");
        let made = |tile: u32| {
            let count = |board: &Twin| board.cells().filter(|&t| t == tile).count();
            u64::from(count(&after) > count(&twin))
        };
        let largest = after.cells().max().unwrap_or(0);
        if largest >= 65536 {
            any_high = true;
            seen.made_65536 += made(65536);
            seen.made_131072 += made(131072);
        }
        if expected.is_some() {
            legal |= 1 << mv.index();
            let (listed_move, afterstate, reward) = listed.next().expect("one for each legal move");
            assert!(listed_move == mv && same(Some((afterstate, reward))), "{board} {mv}");
        }
    }
    assert!(listed.next().is_none(), "{board}");
    let legal = MoveSet::from_bits(legal);
    assert_eq!(slides.legal(), legal, "{board}");
    assert_eq!(board.legal_moves(), legal, "{board}");
    assert_eq!(board.is_over(), legal.is_empty(), "{board}");
    assert_eq!(slides.any_high(), any_high, "{board}");

    let empty = twin.empty_cells().into_iter().map(|(row, col)| row * shape.cols() + col);
    assert!(board.empty_cells().eq(empty), "{board}");
    assert_eq!(board.empty_count() as u64, twin.empty_count(), "{board}");
    assert_eq!(board.tile_sum(), twin.cells().sum::<u32>(), "{board}");
    let largest = twin.cells().max().unwrap_or(0);
    assert_eq!(board.max_tile(), largest, "{board}");
    // Tiles are single bits, so their union counts the different ones.
    let union = twin.cells().fold(0, |union, tile| union | tile);
    assert_eq!(board.distinct_tiles(), union.count_ones() as usize, "{board}");
    seen.with_65536 += u64::from(twin.cells().any(|tile| tile == 65536));
    seen.with_131072 += u64::from(twin.cells().any(|tile| tile == 131072));
}

fn compare_random(shape: Shape, positions: u64) -> Seen {
    let mut random = Random::stream(2048, (shape.rows() * 8 + shape.cols()) as u64);
    let mut seen = Seen::default();
    for _ in 0..positions {
        compare(shape, &sample::exponents(shape, &mut random), &mut seen);
    }
    seen
}

/// All shapes with this many rows; together the tests below see all 26.
fn compare_rows(rows: usize) {
    for shape in Shape::all().filter(|shape| shape.rows() == rows) {
        let seen = compare_random(shape, POSITIONS);
        match shape.cells() {
            16 => {
                assert!(seen.with_65536 > 400_000 && seen.with_131072 > 300_000, "{seen:?}");
                assert!(seen.made_65536 > 100_000 && seen.made_131072 > 100_000, "{seen:?}");
            }
            15 => assert!(seen.with_65536 > 300_000 && seen.made_65536 > 100_000, "{seen:?}"),
            _ => assert_eq!(seen, Seen::default(), "{shape}"),
        }
    }
}

#[test]
fn shapes_of_one_row() {
    compare_rows(1);
}

#[test]
fn shapes_of_two_rows() {
    compare_rows(2);
}

#[test]
fn shapes_of_three_rows() {
    compare_rows(3);
}

#[test]
fn shapes_of_four_rows() {
    compare_rows(4);
}

#[test]
fn shapes_of_five_rows() {
    compare_rows(5);
}

#[test]
fn shapes_of_six_rows() {
    compare_rows(6);
}

/// On the ordinary board both sides of the switch between fast and exact path come up often.
#[test]
fn largest_merges_of_the_ordinary_board() {
    let mut random = Random::stream(2048, 0);
    let mut seen = Seen::default();
    for _ in 0..POSITIONS {
        // Up to seven 32768 or three 65536 among ordinary tiles.
        let mut exponents = [0; 16];
        let mut room = Shape::CLASSIC.max_tile_sum();
        for _ in 0..3 + random.below(14) {
            let exponent =
                [14, 15, 15, 16, 16, 1 + random.below(17) as u8][random.below(6) as usize];
            let cell = random.below(16) as usize;
            if exponents[cell] == 0 && 1 << exponent <= room {
                exponents[cell] = exponent;
                room -= 1 << exponent;
            }
        }
        compare(Shape::CLASSIC, &exponents, &mut seen);
    }
    assert!(seen.made_65536 > 300_000 && seen.made_131072 > 100_000, "{seen:?}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// The same for positions that shrink: a failure here is the smallest of its kind.
    #[test]
    fn ordinary_board_with_shrinking(mut exponents in prop::collection::vec(0u8..=17, 16)) {
        let mut room = Shape::CLASSIC.max_tile_sum();
        for exponent in &mut exponents {
            if *exponent > 0 && 1 << *exponent <= room {
                room -= 1 << *exponent;
            } else {
                *exponent = 0;
            }
        }
        compare(Shape::CLASSIC, &exponents, &mut Seen::default());
    }
}
