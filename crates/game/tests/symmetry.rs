//! Turning and mirroring: the group, its action on cells, moves and positions, and the canonical
//! position.

mod sample;

use std::collections::HashSet;

use maxtile_game::{Board, Grid, Move, Random, Shape, Symmetry, perft};

/// Where each cell of a board goes, in order.
fn images(symmetry: Symmetry, shape: Shape) -> Vec<usize> {
    (0..shape.cells()).map(|cell| symmetry.cell(shape, cell)).collect()
}

fn random_board(shape: Shape, random: &mut Random) -> Board {
    Board::from_exponents(shape, &sample::exponents(shape, random)).expect("within the bounds")
}

/// One stream of random numbers for each shape.
fn shapes() -> impl Iterator<Item = (Shape, Random)> {
    Shape::all().enumerate().map(|(i, shape)| (shape, Random::stream(8, i as u64)))
}

#[test]
fn each_does_what_its_name_says() {
    let board: Board = "2x3:123456".parse().expect("a position");
    let expected = [
        (Symmetry::Identity, "2x3:123456"),
        (Symmetry::Mirror, "2x3:321654"),
        (Symmetry::Flip, "2x3:456123"),
        (Symmetry::HalfTurn, "2x3:654321"),
        (Symmetry::Transpose, "3x2:142536"),
        (Symmetry::TurnRight, "3x2:415263"),
        (Symmetry::TurnLeft, "3x2:362514"),
        (Symmetry::AntiTranspose, "3x2:635241"),
    ];
    assert_eq!(expected.map(|(symmetry, _)| symmetry), Symmetry::ALL);
    for (symmetry, image) in expected {
        assert_eq!(board.transformed(symmetry).to_string(), image, "{symmetry:?}");
    }
}

#[test]
fn a_square_has_eight_a_rectangle_four_a_line_two() {
    for shape in Shape::all() {
        let count = match (shape.rows(), shape.cols()) {
            (1, 1) => 1,
            (1, _) | (_, 1) => 2,
            (rows, cols) if rows == cols => 8,
            _ => 4,
        };
        let group = Symmetry::of(shape);
        assert_eq!(group.len(), count, "{shape}");
        let different: HashSet<_> = group.iter().map(|&s| images(s, shape)).collect();
        assert_eq!(different.len(), count, "{shape}");
        assert_eq!(group[0], Symmetry::Identity, "{shape}");
        assert!(group.iter().all(|s| s.shape(shape) == shape), "{shape}");
    }
}

#[test]
fn symmetries_form_a_group() {
    for shape in Shape::all() {
        for first in Symmetry::ALL {
            let mapped = first.shape(shape);
            let back = first.inverse();
            assert_eq!(back.shape(mapped), shape);
            for cell in 0..shape.cells() {
                assert_eq!(back.cell(mapped, first.cell(shape, cell)), cell, "{shape} {first:?}");
            }
            for second in Symmetry::ALL {
                let both: Vec<usize> =
                    images(first, shape).iter().map(|&cell| second.cell(mapped, cell)).collect();
                let same = |s: &&Symmetry| {
                    s.shape(shape) == second.shape(mapped) && images(**s, shape) == both
                };
                let products: Vec<_> = Symmetry::ALL.iter().filter(same).collect();
                // On a line several symmetries do the same to cells, but not to moves.
                let line = shape.rows() == 1 || shape.cols() == 1;
                assert!(products.len() == 1 || line && !products.is_empty(), "{shape}");
                let moves = Move::ALL.map(|mv| second.map_move(first.map_move(mv)));
                assert!(products.iter().any(|s| Move::ALL.map(|mv| s.map_move(mv)) == moves));
            }
        }
    }
}

#[test]
fn inverse_undoes_moves_and_positions() {
    for (shape, mut random) in shapes() {
        for symmetry in Symmetry::ALL {
            for mv in Move::ALL {
                assert_eq!(symmetry.inverse().map_move(symmetry.map_move(mv)), mv);
            }
            for _ in 0..100 {
                let board = random_board(shape, &mut random);
                let image = board.transformed(symmetry);
                assert_eq!(image.shape(), symmetry.shape(shape));
                assert_eq!(image.transformed(symmetry.inverse()), board, "{symmetry:?}");
                for cell in 0..shape.cells() {
                    let there = symmetry.cell(shape, cell);
                    assert_eq!(image.exponent(there), board.exponent(cell), "{board} {symmetry:?}");
                }
            }
        }
    }
}

#[test]
fn sliding_commutes_with_symmetry() {
    for (shape, mut random) in shapes() {
        for _ in 0..2_000 {
            let board = random_board(shape, &mut random);
            for symmetry in Symmetry::ALL {
                let image = board.transformed(symmetry);
                for mv in Move::ALL {
                    let slid = board.slide(mv).map(|(a, reward)| (a.transformed(symmetry), reward));
                    let image_slid = image.slide(symmetry.map_move(mv));
                    assert_eq!(image_slid, slid, "{board} {symmetry:?} {mv}");
                }
            }
        }
    }
}

#[test]
fn canonical_is_the_smallest_image_and_the_same_for_all() {
    for (shape, mut random) in shapes() {
        let (mut with_high, mut without) = (0, 0);
        for _ in 0..20_000 {
            let grid: Grid = random_board(shape, &mut random).grid();
            *(if grid.high() == 0 { &mut without } else { &mut with_high }) += 1;
            let images: Vec<Grid> =
                Symmetry::of(shape).iter().map(|&s| grid.transformed(s)).collect();
            let canonical = grid.canonical();
            assert_eq!(Some(canonical), images.iter().copied().min(), "{grid}");
            for image in images {
                assert_eq!(image.canonical(), canonical, "{grid}");
            }
        }
        if shape == Shape::CLASSIC {
            assert!(with_high > 5_000 && without > 2_000, "both paths: {with_high} {without}");
        }
    }
}

#[test]
fn perft_does_not_see_symmetry() {
    for (shape, mut random) in shapes() {
        for _ in 0..5 {
            let board = random_board(shape, &mut random);
            let paths = perft(board, 2);
            for symmetry in Symmetry::ALL {
                assert_eq!(perft(board.transformed(symmetry), 2), paths, "{board} {symmetry:?}");
            }
        }
    }
}
