//! Tile-downgrading: boards beyond a network's alphabet, brought into it (Guei et al. 2021).
//!
//! Take the largest tile value that is absent below the largest tile, and halve every tile above
//! it. Order and adjacency of the tiles stay as they are, so the network judges a board it knows
//! instead of indexing with a value it has not.

use maxtile_game::Grid;

/// The packed nibbles of a grid whose exponents are all at most `largest`, after as few
/// downgrades as that takes.
pub fn downgraded(grid: Grid, largest: u8) -> u64 {
    let mut exponents: Vec<u8> = grid.exponents().collect();
    loop {
        let top = exponents.iter().copied().max().unwrap_or(0);
        if top <= largest {
            break;
        }
        match (1..top).rev().find(|e| !exponents.contains(e)) {
            Some(missing) => {
                exponents.iter_mut().filter(|e| **e > missing).for_each(|e| *e -= 1);
            }
            // Every smaller tile is there: only the largest one can give way.
            None => exponents.iter_mut().for_each(|e| *e = (*e).min(largest)),
        }
    }
    exponents.iter().rev().fold(0, |word, &e| word << 4 | e as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn down(position: &str, largest: u8) -> String {
        let grid: Grid = position.parse().unwrap();
        let word = downgraded(grid, largest);
        (0..grid.shape().cells()).map(|i| format!("{:x}", word >> (4 * i) & 15)).collect()
    }

    #[test]
    fn halves_what_stands_above_the_largest_hole() {
        // 65536, 32768, 8192: 16384 is missing, so the two above it are halved.
        assert_eq!(down("gfd0000000000000", 15), "fed0000000000000");
        // No hole right below: the hole is at 4096.
        assert_eq!(down("gfed000000000000", 15), "fedc000000000000");
        // 131072 takes two steps.
        assert_eq!(down("hge0000000000000", 15), "fed0000000000000");
        // Within the alphabet nothing changes.
        assert_eq!(down("fed1000000000000", 15), "fed1000000000000");
        assert_eq!(down("fed1000000000000", 14), "edc1000000000000");
    }

    #[test]
    fn without_a_hole_the_largest_gives_way() {
        assert_eq!(down("gfedcba987654321", 15), "ffedcba987654321");
    }
}
