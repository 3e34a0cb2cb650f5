//! Positions as text: what is written is read back, what is wrong is named, nothing panics.

use maxtile_game::{Board, Grid, PositionError, Shape};
use proptest::prelude::*;

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// Any shape.
fn shape() -> impl Strategy<Value = Shape> {
    prop::sample::select(Shape::all().collect::<Vec<_>>())
}

/// Any position of any shape.
fn grid() -> impl Strategy<Value = Grid> {
    shape().prop_flat_map(|shape| {
        prop::collection::vec(0..=shape.max_exponent(), shape.cells()).prop_map(move |mut tiles| {
            let mut room = shape.max_tile_sum();
            for exponent in &mut tiles {
                if *exponent > 0 && 1 << *exponent <= room {
                    room -= 1 << *exponent;
                } else {
                    *exponent = 0;
                }
            }
            Grid::from_exponents(shape, &tiles).expect("within the bounds")
        })
    })
}

proptest! {
    #![proptest_config(cases(5_000))]

    #[test]
    fn all_three_forms_are_read_back(grid in grid()) {
        for text in [grid.to_string(), grid.to_rows(), grid.drawn()] {
            prop_assert_eq!(text.parse::<Grid>(), Ok(grid), "{}", text);
            let padded = format!("  {text}\n");
            prop_assert_eq!(padded.parse::<Grid>(), Ok(grid), "{}", text);
        }
        let upper = match grid.to_string().split_once(':') {
            Some((size, cells)) => format!("{size}:{}", cells.to_uppercase()),
            None => grid.to_string().to_uppercase(),
        };
        prop_assert_eq!(upper.parse::<Grid>(), Ok(grid));
        let board: Board = grid.into();
        prop_assert_eq!(board.to_string().parse::<Board>(), Ok(board));
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        read(&text)?;
    }

    /// Text of the forms' own characters gets further than any text does.
    #[test]
    fn almost_positions_are_read_or_refused(
        text in prop_oneof![
            "([1-7]x[1-7]:)?[0-9a-iA-I]{0,18}",
            "([0-9 ./|+\n-]|16|1024|65536|[|] 2 |[+]-+[+]\n){0,40}",
        ]
    ) {
        read(&text)?;
    }

    #[test]
    fn the_bounds_are_exact((shape, tiles) in shape().prop_flat_map(|shape| {
        // Mostly large tiles, so that sums fall on both sides of the bound.
        let exponent = shape.max_exponent().saturating_sub(3)..=shape.max_exponent() + 1;
        let tile = prop_oneof![2 => Just(0), 1 => exponent];
        (Just(shape), prop::collection::vec(tile, shape.cells()))
    })) {
        let sum: u64 = tiles.iter().filter(|&&e| e > 0).map(|&e| 1u64 << e).sum();
        let too_large = tiles.iter().position(|&e| e > shape.max_exponent());
        let expected = match too_large {
            Some(cell) => Err(PositionError::TileTooLarge { shape, cell }),
            None if sum > shape.max_tile_sum() as u64 => {
                Err(PositionError::SumTooLarge { shape, sum })
            }
            None => Ok(sum),
        };
        let got = Grid::from_exponents(shape, &tiles);
        prop_assert_eq!(got.map(|grid| u64::from(grid.tile_sum())), expected);
    }
}

/// Reads arbitrary text; what is accepted must be a position like any other.
fn read(text: &str) -> Result<(), TestCaseError> {
    match text.parse::<Grid>() {
        Ok(grid) => {
            prop_assert!(grid.tile_sum() <= grid.shape().max_tile_sum());
            prop_assert_eq!(grid.to_string().parse::<Grid>(), Ok(grid));
        }
        Err(error) => prop_assert!(!error.to_string().is_empty()),
    }
    Ok(())
}

#[test]
fn the_forms_of_one_position() {
    let grid: Grid = "2x5:1200000a05".parse().expect("a position");
    assert_eq!(grid.to_rows(), "2 4 0 0 0/0 0 1024 0 32");
    assert_eq!(
        grid.drawn(),
        "\
+------+------+------+------+------+
|    2 |    4 |      |      |      |
+------+------+------+------+------+
|      |      | 1024 |      |   32 |
+------+------+------+------+------+"
    );
}

#[test]
fn bad_texts_and_what_is_said_about_them() {
    let size = "a board size is written ROWSxCOLUMNS, for example 4x4 or 3x5";
    let sides = "a board's sides go from 1 to 6";
    let table = [
        ("", "the position is empty text"),
        (" \n\t ", "the position is empty text"),
        // compact
        ("123", "a 4x4 position has 16 cells, this text has 3"),
        ("12000000000000000", "a 4x4 position has 16 cells, this text has 17"),
        ("3x3:12000000", "a 3x3 position has 9 cells, this text has 8"),
        ("3x3:", "a 3x3 position has 9 cells, this text has 0"),
        ("i000000000000000", "cell 0: 'i' is not an exponent (0-9, a-h)"),
        ("000000000000000-", "cell 15: '-' is not an exponent (0-9, a-h)"),
        ("00000000000000000000é", "cell 20: 'é' is not an exponent (0-9, a-h)"),
        ("2x2:1:00", "cell 1: ':' is not an exponent (0-9, a-h)"),
        ("7x2:00000000000000", sides),
        ("2x10:00000000000000000000", sides),
        ("0x4:", sides),
        ("4x5:00000000000000000000", "a board has at most 16 cells"),
        ("3X3:000000000", size),
        ("3by3:000000000", size),
        ("x:", size),
        ("-1x4:0000", size),
        (":0000000000000000", size),
        // rows
        ("2 4/8", "row 2 has 1 cells, the first row has 2"),
        ("2 4/8 16 32", "row 2 has 3 cells, the first row has 2"),
        ("2 3/4 8", "row 1, column 2: \"3\" is not a tile (0, 2, 4, 8, …)"),
        ("2 4/1 8", "row 2, column 1: \"1\" is not a tile (0, 2, 4, 8, …)"),
        ("2 04", "row 1, column 2: \"04\" is not a tile (0, 2, 4, 8, …)"),
        ("+2 4", "row 1, column 1: \"+2\" is not a tile (0, 2, 4, 8, …)"),
        ("2 -4", "row 1, column 2: \"-4\" is not a tile (0, 2, 4, 8, …)"),
        ("2 2.0", "row 1, column 2: \"2.0\" is not a tile (0, 2, 4, 8, …)"),
        ("2 4294967296", "row 1, column 2: \"4294967296\" is not a tile (0, 2, 4, 8, …)"),
        (
            "two hundred-and-fifty-six-thousands",
            "row 1, column 1: \"two\" is not a tile (0, 2, 4, 8, …)",
        ),
        (
            "2 hundred-and-fifty-six-thousands",
            "row 1, column 2: \"hundred-and-fifty-si\" is not a tile (0, 2, 4, 8, …)",
        ),
        ("1", "row 1, column 1: \"1\" is not a tile (0, 2, 4, 8, …)"),
        ("8", "cell 0: no tile above 4 can stand on a 1x1 board"),
        ("/", sides),
        ("0/0/0/0/0/0/0", sides),
        ("0 0 0 0 0 0 0", sides),
        ("0 0 0 0 0/0/0/0", "a board has at most 16 cells"),
        // drawn
        ("|", "row 1 of the drawn grid does not stand between two bars '|'"),
        ("| 2 | 4 |\n  8 | 16 |", "row 2 of the drawn grid does not stand between two bars '|'"),
        ("+-|-+", "row 1 of the drawn grid does not stand between two bars '|'"),
        ("| 2 | 4 |\n| 8 |", "row 2 has 1 cells, the first row has 2"),
        ("| 2 | x |", "row 1, column 2: \"x\" is not a tile (0, 2, 4, 8, …)"),
        // what can never stand on a board
        ("2x2:6000", "cell 0: no tile above 32 can stand on a 2x2 board"),
        ("3x5:00000000000000h", "cell 14: no tile above 65536 can stand on a 3x5 board"),
        ("2 4/8 262144", "cell 3: no tile above 32 can stand on a 2x2 board"),
        ("2x2:5500", "the tiles sum to 64, but a 2x2 board can never hold more than 60"),
        (
            "hh00000000000000",
            "the tiles sum to 262144, but a 4x4 board can never hold more than 262140",
        ),
    ];
    for (text, message) in table {
        let error = text.parse::<Board>().expect_err(text);
        assert_eq!(error.to_string(), message, "{text:?}");
    }
}

#[test]
fn the_fullest_boards_are_positions() {
    for shape in Shape::all() {
        let fullest: Vec<u8> = (2..=shape.max_exponent()).collect();
        let grid = Grid::from_exponents(shape, &fullest).expect("exactly the bound");
        assert_eq!(grid.tile_sum(), shape.max_tile_sum(), "{shape}");
        let mut beyond = fullest;
        beyond[0] += 1;
        assert!(Grid::from_exponents(shape, &beyond).is_err(), "{shape}");
    }
}

#[test]
fn loose_forms_are_read() {
    let table = [
        ("ABCDEFGH00000000", "abcdefgh00000000"),
        ("2 4/. 0", "2x2:1200"),
        ("2  4 / 8\t16", "2x2:1234"),
        ("2/4/8", "3x1:123"),
        ("4", "1x1:2"),
        ("||", "1x1:0"),
        ("|2|.|\n\n|0| |", "2x2:1000"),
        ("+-+-+\r\n|2|4|\r\n+-+-+", "1x2:12"),
    ];
    for (text, compact) in table {
        let grid = text.parse::<Grid>().unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(grid.to_string(), compact, "{text:?}");
    }
}
