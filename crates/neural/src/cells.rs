//! Boards as the planes of a network: the number of the plane that is lit, cell by cell.

use maxtile_game::{Grid, MAX_CELLS};

/// The exponents of a board, none beyond the planes.
pub(crate) type Cells = [u8; MAX_CELLS];

/// The cells of a grid with exponents of at most `largest`. Larger ones are downgraded as n-tuple
/// networks do it: what stands above the largest missing tile is halved, until all fit.
pub(crate) fn cells(grid: Grid, largest: u8) -> Cells {
    let mut cells = [0; MAX_CELLS];
    let mut top = 0;
    for (cell, exponent) in cells.iter_mut().zip(grid.exponents()) {
        *cell = exponent;
        top = top.max(exponent);
    }
    while top > largest {
        match (1..top).rev().find(|exponent| !cells.contains(exponent)) {
            Some(missing) => {
                cells.iter_mut().filter(|cell| **cell > missing).for_each(|cell| *cell -= 1);
                top -= 1;
            }
            // Every smaller tile is there: only the largest ones can give way.
            None => {
                cells = cells.map(|cell| cell.min(largest));
                top = largest;
            }
        }
    }
    cells
}

/// The plane that is lit in each cell of a board, for whoever makes a network's input: the exponents, no
/// one beyond the planes.
pub fn lit_planes(grid: Grid, spec: &crate::Spec) -> impl Iterator<Item = usize> {
    let cells = cells(grid, spec.planes - 1);
    (0..grid.shape().cells()).map(move |cell| cells[cell] as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use maxtile_game::{Random, Shape};

    #[test]
    fn as_n_tuple_networks_do_it() {
        let mut random = Random::new(1);
        for round in 0..20_000 {
            let shape = if round % 2 == 0 { Shape::CLASSIC } else { Shape::new(3, 3).unwrap() };
            let most = shape.max_exponent() as u64 + 1;
            let exponents: Vec<u8> = (0..shape.cells())
                .map(|_| if random.below(3) == 0 { random.below(most) as u8 } else { 0 })
                .collect();
            let Ok(grid) = Grid::from_exponents(shape, &exponents) else { continue };
            for largest in [15, 14, 9, 4] {
                let word = maxtile_ntuple::downgraded(grid, largest);
                let want: Cells = std::array::from_fn(|cell| (word >> (4 * cell) & 15) as u8);
                assert_eq!(cells(grid, largest), want, "{exponents:?} to {largest}");
            }
        }
    }

    #[test]
    fn seventeen_planes_hold_65536() {
        let grid: Grid = "hg00000000000000".parse().unwrap();
        assert_eq!(cells(grid, 17)[..3], [17, 16, 0]);
        assert_eq!(cells(grid, 16)[..3], [16, 15, 0]);
        assert_eq!(cells(grid, 15)[..3], [15, 14, 0]);
    }
}
