//! A slow twin of the rules, written to be obviously right, sharing no code with the crate.
//!
//! Tiles are numbers on a plain grid. There is one slide, to the left, row by row; the others are
//! that one on a mirrored or transposed board. Unlike the crate it knows no largest tile.
// Each test takes the part of the twin it needs.
#![allow(dead_code)]

/// The longest side.
const SIDE: usize = 6;

/// A board: `tiles[row][col]`, 0 for an empty cell. What lies outside `rows` × `cols` stays 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Twin {
    rows: usize,
    cols: usize,
    tiles: [[u32; SIDE]; SIDE],
}

/// The side everything slides to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Up,
    Right,
    Down,
    Left,
}

impl Side {
    /// In the order of the original game.
    pub(crate) const ALL: [Side; 4] = [Side::Up, Side::Right, Side::Down, Side::Left];
}

impl Twin {
    pub(crate) fn empty(rows: usize, cols: usize) -> Twin {
        Twin { rows, cols, tiles: [[0; SIDE]; SIDE] }
    }

    /// From exponents row by row, 0 for an empty cell.
    pub(crate) fn from_exponents(rows: usize, cols: usize, exponents: &[u8]) -> Twin {
        assert_eq!(exponents.len(), rows * cols);
        let mut board = Twin::empty(rows, cols);
        for row in 0..rows {
            for col in 0..cols {
                let exponent = exponents[row * cols + col];
                board.tiles[row][col] = if exponent == 0 { 0 } else { 1 << exponent };
            }
        }
        board
    }

    /// Reads `1200…` of 16 cells or `3x3:120…`: one exponent in base 36 per cell.
    pub(crate) fn parse(text: &str) -> Twin {
        let (size, cells) = text.split_once(':').unwrap_or(("4x4", text));
        let (rows, cols) = size.split_once('x').expect("a size");
        let exponents: Vec<u8> =
            cells.chars().map(|c| c.to_digit(36).expect("an exponent") as u8).collect();
        Twin::from_exponents(
            rows.parse().expect("a number of rows"),
            cols.parse().expect("a number of columns"),
            &exponents,
        )
    }

    /// All tiles row by row, empty cells as 0.
    pub(crate) fn cells(&self) -> impl Iterator<Item = u32> {
        self.tiles[..self.rows].iter().flat_map(|row| row[..self.cols].iter().copied())
    }

    /// The row and column of each empty cell, row by row.
    pub(crate) fn empty_cells(&self) -> Vec<(usize, usize)> {
        let all = (0..self.rows).flat_map(|row| (0..self.cols).map(move |col| (row, col)));
        all.filter(|&(row, col)| self.tiles[row][col] == 0).collect()
    }

    /// How many cells are empty.
    pub(crate) fn empty_count(&self) -> u64 {
        self.cells().filter(|&tile| tile == 0).count() as u64
    }

    #[must_use]
    pub(crate) fn with(mut self, (row, col): (usize, usize), tile: u32) -> Twin {
        assert_eq!(self.tiles[row][col], 0, "tiles appear in empty cells");
        self.tiles[row][col] = tile;
        self
    }

    fn mirrored(&self) -> Twin {
        let mut board = Twin::empty(self.rows, self.cols);
        for row in 0..self.rows {
            for col in 0..self.cols {
                board.tiles[row][self.cols - 1 - col] = self.tiles[row][col];
            }
        }
        board
    }

    fn transposed(&self) -> Twin {
        let mut board = Twin::empty(self.cols, self.rows);
        for row in 0..self.rows {
            for col in 0..self.cols {
                board.tiles[col][row] = self.tiles[row][col];
            }
        }
        board
    }

    /// Everything to the left: a tile meets the last one that came to rest before it and joins it
    /// when they are equal and that one is not itself the result of a merge in this move.
    fn slid_left(&self) -> (Twin, u32) {
        let mut board = Twin::empty(self.rows, self.cols);
        let mut reward = 0;
        for row in 0..self.rows {
            let resting = &mut board.tiles[row];
            let mut count = 0;
            let mut last_may_merge = false;
            for &tile in &self.tiles[row][..self.cols] {
                if tile == 0 {
                    continue;
                }
                if last_may_merge && resting[count - 1] == tile {
                    resting[count - 1] = 2 * tile;
                    reward += 2 * tile;
                    last_may_merge = false;
                } else {
                    resting[count] = tile;
                    count += 1;
                    last_may_merge = true;
                }
            }
        }
        (board, reward)
    }

    /// The board after a move and the sum of the tiles made; `None` when nothing changes.
    pub(crate) fn slide(&self, side: Side) -> Option<(Twin, u32)> {
        let (board, reward) = match side {
            Side::Left => self.slid_left(),
            Side::Right => {
                let (board, reward) = self.mirrored().slid_left();
                (board.mirrored(), reward)
            }
            Side::Up => {
                let (board, reward) = self.transposed().slid_left();
                (board.transposed(), reward)
            }
            Side::Down => {
                let (board, reward) = self.transposed().mirrored().slid_left();
                (board.mirrored().transposed(), reward)
            }
        };
        (board != *self).then_some((board, reward))
    }

    /// The number of ways to play `depth` plies: a legal move, then a 2 or a 4 in an empty cell.
    pub(crate) fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut paths = 0;
        for side in Side::ALL {
            let Some((slid, _)) = self.slide(side) else { continue };
            if depth == 1 {
                paths += 2 * slid.empty_count();
                continue;
            }
            for cell in slid.empty_cells() {
                for tile in [2, 4] {
                    paths += slid.with(cell, tile).perft(depth - 1);
                }
            }
        }
        paths
    }

    /// All boards with two tiles, each a 2 or a 4 (one tile where there is a single cell).
    pub(crate) fn starts(rows: usize, cols: usize) -> Vec<Twin> {
        let empty = Twin::empty(rows, cols);
        let cells = empty.empty_cells();
        if cells.len() == 1 {
            return [2, 4].map(|tile| empty.with(cells[0], tile)).to_vec();
        }
        let mut starts = Vec::new();
        for (i, &first) in cells.iter().enumerate() {
            for &second in &cells[i + 1..] {
                for tiles in [(2, 2), (2, 4), (4, 2), (4, 4)] {
                    starts.push(empty.with(first, tiles.0).with(second, tiles.1));
                }
            }
        }
        starts
    }
}
