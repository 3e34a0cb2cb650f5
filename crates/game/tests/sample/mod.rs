//! Random positions of every kind: sparse and full, with many equal neighbours, with the largest
//! tiles a board can hold.

use maxtile_game::{MAX_CELLS, Random, Shape};

/// The exponents of a random position, row by row, within [`Shape::max_tile_sum`].
pub(crate) fn exponents(shape: Shape, random: &mut Random) -> Vec<u8> {
    let (cells, top) = (shape.cells(), shape.max_exponent());
    let filled_in_eighths = [2, 5, 7, 8][random.below(4) as usize];
    // Two to four kinds of tiles make equal neighbours common; all kinds make them rare.
    let kinds = [2, 3, 4, top][random.below(4) as usize].min(top);
    let lowest = match random.below(4) {
        0 => 1,
        1 => 1 + random.below((top - kinds + 1) as u64) as u8,
        _ => top - kinds + 1,
    };
    let mut exponents = vec![0; cells];
    let mut room = shape.max_tile_sum();
    for cell in filling_order(shape, random).into_iter().take(cells) {
        if random.below(8) >= filled_in_eighths {
            continue;
        }
        let mut exponent = lowest + random.below(kinds as u64) as u8;
        while exponent > 0 && 1 << exponent > room {
            exponent -= 1;
        }
        if exponent > 0 {
            room -= 1 << exponent;
            exponents[cell] = exponent;
        }
    }
    exponents
}

/// The cells by rows or by columns from a random one on, so that the tiles that still find room
/// are everywhere, and neighbours along either axis.
fn filling_order(shape: Shape, random: &mut Random) -> [usize; MAX_CELLS] {
    let cells = shape.cells();
    let first = random.below(cells as u64) as usize;
    let by_columns = random.below(2) == 1;
    std::array::from_fn(|i| {
        let cell = (first + i) % cells;
        if by_columns { cell % shape.rows() * shape.cols() + cell / shape.rows() } else { cell }
    })
}
