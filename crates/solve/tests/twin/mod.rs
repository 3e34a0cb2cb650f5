//! A second analysis that shares no code with the crate: boards are arrays, sets are hash sets,
//! values are memoised recursion with explicit rewards.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::{BTreeMap, HashMap, HashSet};

use num_bigint::BigInt;
use num_rational::BigRational;

/// A board: tiles, not exponents.
pub(crate) type Cells = Vec<u32>;

/// A tile that neither moves nor merges.
const FIXED: u32 = 1 << 30;

pub(crate) struct Twin {
    rows: usize,
    cols: usize,
    wall: Vec<bool>,
    fixed: Vec<bool>,
    images: Vec<Vec<usize>>,
}

impl Twin {
    /// Rows of `.`, `#` and `x`, or `RxC`.
    pub(crate) fn new(text: &str) -> Twin {
        let rows: Vec<String> =
            match text.split_once('x').filter(|_| text.as_bytes()[0].is_ascii_digit()) {
                Some((r, c)) => vec![".".repeat(c.parse().unwrap()); r.parse().unwrap()],
                None => text.split('/').map(str::to_owned).collect(),
            };
        let (height, width) = (rows.len(), rows[0].len());
        let marked = |mark: char| rows.concat().chars().map(|c| c == mark).collect::<Vec<bool>>();
        let (wall, fixed) = (marked('#'), marked('x'));
        let mut twin = Twin { rows: height, cols: width, wall, fixed, images: Vec::new() };
        for turn in 0..8 {
            let place = |cell: usize| {
                let (mut r, mut c) = (cell / width, cell % width);
                let (mut h, mut w) = (height, width);
                for _ in 0..turn % 4 {
                    (r, c) = (c, h - 1 - r);
                    (h, w) = (w, h);
                }
                if turn >= 4 {
                    c = w - 1 - c;
                }
                ((h, w) == (height, width)).then_some(r * width + c)
            };
            let image: Option<Vec<usize>> = (0..height * width).map(place).collect();
            let keeps = |image: &Vec<usize>| {
                image.iter().enumerate().all(|(from, &to)| {
                    twin.wall[from] == twin.wall[to] && twin.fixed[from] == twin.fixed[to]
                })
            };
            let new = |image: &Vec<usize>| !twin.images.contains(image);
            if let Some(image) = image.filter(|i| keeps(i) && new(i)) {
                twin.images.push(image);
            }
        }
        twin
    }

    pub(crate) fn canonical(&self, cells: &Cells) -> Cells {
        let image = |map: &Vec<usize>| {
            let mut turned = vec![0; cells.len()];
            for (from, &to) in map.iter().enumerate() {
                turned[to] = cells[from];
            }
            turned
        };
        self.images.iter().map(image).min().unwrap()
    }

    fn lines(&self, direction: usize) -> Vec<Vec<usize>> {
        let mut lines = Vec::new();
        let (outer, inner) = if direction.is_multiple_of(2) {
            (self.cols, self.rows)
        } else {
            (self.rows, self.cols)
        };
        for o in 0..outer {
            let cell = |i: usize| {
                if direction.is_multiple_of(2) { i * self.cols + o } else { o * self.cols + i }
            };
            let mut order: Vec<usize> = (0..inner).map(cell).collect();
            if direction == 1 || direction == 2 {
                order.reverse();
            }
            for part in order.split(|&cell| self.wall[cell]) {
                lines.push(part.to_vec());
            }
        }
        lines
    }

    /// The board after a slide and its reward; `None` when nothing changes.
    pub(crate) fn slide(&self, cells: &Cells, direction: usize) -> Option<(Cells, u32)> {
        let mut after = cells.clone();
        let mut reward = 0;
        for line in self.lines(direction) {
            let mut tiles: Vec<u32> = Vec::new();
            let mut merged = false;
            for tile in line.iter().map(|&cell| cells[cell]).filter(|&tile| tile > 0) {
                if !merged && tile < FIXED && tiles.last() == Some(&tile) {
                    *tiles.last_mut().unwrap() *= 2;
                    reward += 2 * tile;
                    merged = true;
                } else {
                    tiles.push(tile);
                    merged = false;
                }
            }
            for (i, &cell) in line.iter().enumerate() {
                after[cell] = tiles.get(i).copied().unwrap_or(0);
            }
        }
        let stands = (0..cells.len()).all(|cell| !self.fixed[cell] || after[cell] == FIXED);
        (stands && after != *cells).then_some((after, reward))
    }

    pub(crate) fn slides(&self, cells: &Cells) -> Vec<(Cells, u32)> {
        (0..4).filter_map(|direction| self.slide(cells, direction)).collect()
    }

    pub(crate) fn empty(&self, cells: &Cells) -> Vec<usize> {
        (0..cells.len()).filter(|&cell| cells[cell] == 0 && !self.wall[cell]).collect()
    }

    pub(crate) fn put(cells: &Cells, cell: usize, tile: u32) -> Cells {
        let mut cells = cells.clone();
        cells[cell] = tile;
        cells
    }

    /// The starts with the product of their tiles' weights: 9 for a 2, 1 for a 4, of 100 a pair.
    pub(crate) fn starts(&self) -> Vec<(Cells, i64)> {
        let none = self.nothing();
        let mut starts = Vec::new();
        for &a in &self.empty(&none) {
            for &b in self.empty(&none).iter().filter(|&&b| b > a) {
                for (x, y, weight) in [(2, 2, 81), (2, 4, 9), (4, 2, 9), (4, 4, 1)] {
                    starts.push((Twin::put(&Twin::put(&none, a, x), b, y), weight));
                }
            }
        }
        starts
    }

    /// States, afterstates and terminal states by tile sum, up to symmetry.
    pub(crate) fn census(&self) -> BTreeMap<u32, [u64; 3]> {
        let mut open: BTreeMap<u32, HashSet<Cells>> = BTreeMap::new();
        for (start, _) in self.starts() {
            open.entry(movable(&start).sum()).or_default().insert(self.canonical(&start));
        }
        let mut census = BTreeMap::new();
        while let Some((sum, states)) = open.pop_first() {
            let mut afterstates = HashSet::new();
            let mut terminal = 0;
            for state in &states {
                let slides = self.slides(state);
                terminal += u64::from(slides.is_empty());
                afterstates.extend(slides.iter().map(|(after, _)| self.canonical(after)));
            }
            for after in &afterstates {
                for cell in self.empty(after) {
                    for tile in [2, 4] {
                        let next = self.canonical(&Twin::put(after, cell, tile));
                        open.entry(sum + tile).or_default().insert(next);
                    }
                }
            }
            census.insert(sum, [states.len() as u64, afterstates.len() as u64, terminal]);
        }
        census
    }

    /// The largest expected future score of a state.
    pub(crate) fn score(&self, cells: &Cells, p4: f64, memo: &mut HashMap<Cells, f64>) -> f64 {
        let key = self.canonical(cells);
        if let Some(&value) = memo.get(&key) {
            return value;
        }
        let mut best = 0.0f64;
        for (after, reward) in self.slides(&key) {
            let empty = self.empty(&after);
            let mut mean = 0.0;
            for &cell in &empty {
                mean += (1.0 - p4) * self.score(&Twin::put(&after, cell, 2), p4, memo);
                mean += p4 * self.score(&Twin::put(&after, cell, 4), p4, memo);
            }
            best = best.max(f64::from(reward) + mean / empty.len() as f64);
        }
        memo.insert(key, best);
        best
    }

    /// The same as a fraction, with a 4 in one spawn of ten.
    pub(crate) fn exact_score(
        &self,
        cells: &Cells,
        memo: &mut HashMap<Cells, BigRational>,
    ) -> BigRational {
        let whole = |n: i64| BigRational::from_integer(BigInt::from(n));
        let key = self.canonical(cells);
        if let Some(value) = memo.get(&key) {
            return value.clone();
        }
        let mut best = whole(0);
        for (after, reward) in self.slides(&key) {
            let empty = self.empty(&after);
            let mut sum = whole(0);
            for &cell in &empty {
                sum += whole(9) * self.exact_score(&Twin::put(&after, cell, 2), memo);
                sum += self.exact_score(&Twin::put(&after, cell, 4), memo);
            }
            let value = whole(i64::from(reward)) + sum / whole(10 * empty.len() as i64);
            best = best.max(value);
        }
        memo.insert(key, best.clone());
        best
    }

    /// The largest chance of a tile.
    pub(crate) fn reach(&self, cells: &Cells, goal: u32, memo: &mut HashMap<Cells, f64>) -> f64 {
        if movable(cells).any(|tile| tile >= goal) {
            return 1.0;
        }
        let key = self.canonical(cells);
        if let Some(&value) = memo.get(&key) {
            return value;
        }
        let mut best = 0.0f64;
        for (after, _) in self.slides(&key) {
            let empty = self.empty(&after);
            let mut mean = 0.0;
            for &cell in &empty {
                mean += 0.9 * self.reach(&Twin::put(&after, cell, 2), goal, memo);
                mean += 0.1 * self.reach(&Twin::put(&after, cell, 4), goal, memo);
            }
            best = best.max(mean / empty.len() as f64);
        }
        memo.insert(key, best);
        best
    }

    /// The score when every spawn is chosen, for the player or against him.
    pub(crate) fn duel(
        &self,
        cells: &Cells,
        friendly: bool,
        tiles: &[u32],
        memo: &mut HashMap<Cells, u32>,
    ) -> u32 {
        let key = self.canonical(cells);
        if let Some(&value) = memo.get(&key) {
            return value;
        }
        let mut best = 0;
        for (after, reward) in self.slides(&key) {
            let mut values = Vec::new();
            for cell in self.empty(&after) {
                for &tile in tiles {
                    values.push(self.duel(&Twin::put(&after, cell, tile), friendly, tiles, memo));
                }
            }
            let chosen = if friendly { values.iter().max() } else { values.iter().min() };
            best = best.max(reward + chosen.unwrap());
        }
        memo.insert(key, best);
        best
    }

    /// The score when the tile is drawn with this chance of a 4 and its cell chosen by an enemy.
    pub(crate) fn drawn(&self, cells: &Cells, p4: f64, memo: &mut HashMap<Cells, f64>) -> f64 {
        let key = self.canonical(cells);
        if let Some(&value) = memo.get(&key) {
            return value;
        }
        let mut best = 0.0f64;
        for (after, reward) in self.slides(&key) {
            best = best.max(f64::from(reward) + self.drawn_after(&after, p4, memo));
        }
        memo.insert(key, best);
        best
    }

    /// The same before the draw.
    pub(crate) fn drawn_after(
        &self,
        after: &Cells,
        p4: f64,
        memo: &mut HashMap<Cells, f64>,
    ) -> f64 {
        let mut worst = |tile: u32| {
            let values = self.empty(after).into_iter().map(|cell| {
                let next = Twin::put(after, cell, tile);
                // The second of the first two tiles comes before any slide.
                if movable(&next).filter(|&tile| tile > 0).count() < 2 {
                    self.drawn_after(&next, p4, memo)
                } else {
                    self.drawn(&next, p4, memo)
                }
            });
            values.fold(f64::INFINITY, f64::min)
        };
        (1.0 - p4) * worst(2) + p4 * worst(4)
    }

    /// A board without tiles.
    pub(crate) fn nothing(&self) -> Cells {
        self.fixed.iter().map(|&fixed| if fixed { FIXED } else { 0 }).collect()
    }

    /// The largest tile that can be had against every spawn of these tiles.
    pub(crate) fn forced(
        &self,
        cells: &Cells,
        tiles: &[u32],
        memo: &mut HashMap<Cells, u32>,
    ) -> u32 {
        let key = self.canonical(cells);
        if let Some(&value) = memo.get(&key) {
            return value;
        }
        let mut best = movable(cells).max().unwrap();
        for (after, _) in self.slides(&key) {
            let mut worst = u32::MAX;
            for cell in self.empty(&after) {
                for &tile in tiles {
                    worst = worst.min(self.forced(&Twin::put(&after, cell, tile), tiles, memo));
                }
            }
            best = best.max(worst);
        }
        memo.insert(key, best);
        best
    }
}

fn movable(cells: &Cells) -> impl Iterator<Item = u32> {
    cells.iter().copied().filter(|&tile| tile < FIXED)
}
