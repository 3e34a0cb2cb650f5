//! The largest scores and tiles there are: by exhaustion on small boards, by construction on
//! larger ones.
//!
//! With spawns that help the player, `Shape::max_score` is not only a bound: it is reached, on
//! 4×4 with 3,932,100 points and a 131072.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use maxtile_game::{Afterstate, Board, Move, Ply, Record, Rules, Shape, Spawn, Symmetry, Turn};

/// The most that can still be scored when the spawns help, by trying everything.
fn most_from(board: Board, known: &mut HashMap<Board, u32>) -> u32 {
    let board = board.canonical();
    if let Some(&most) = known.get(&board) {
        return most;
    }
    let mut most = 0;
    for (_, afterstate, reward) in board.afterstates().iter() {
        for spawn in afterstate.spawns() {
            let next = afterstate.spawn(spawn).expect("one of its spawns");
            most = most.max(reward + most_from(next, known));
        }
    }
    known.insert(board, most);
    most
}

#[test]
fn exhaustion_finds_max_score_on_boards_of_up_to_six_cells() {
    for shape in Shape::all().filter(|shape| shape.cells() <= 6) {
        let mut known = HashMap::new();
        let starts = Rules::of(shape).starts();
        let most = starts.into_iter().map(|board| most_from(board, &mut known)).max();
        assert_eq!(most, Some(shape.max_score()), "{shape}");
        let largest = known.keys().map(|board| board.max_exponent()).max();
        assert_eq!(largest, Some(shape.max_exponent()), "{shape}");
        let fullest = known.keys().map(|board| board.tile_sum()).max();
        assert_eq!(fullest, Some(shape.max_tile_sum()), "{shape}");
    }
}

/// The cells in the order of a snake: the first row to the right, the second to the left, …
fn snake(shape: Shape) -> Vec<usize> {
    let (rows, cols) = (shape.rows(), shape.cols());
    let place = |row: usize, i: usize| if row.is_multiple_of(2) { i } else { cols - 1 - i };
    (0..rows).flat_map(|row| (0..cols).map(move |i| row * cols + place(row, i))).collect()
}

/// Tiles are worth more towards the snake's head.
fn worth(afterstate: Afterstate, snake: &[usize]) -> u128 {
    let along = snake.iter().rev().enumerate();
    along.map(|(i, &cell)| u128::from(afterstate.tile(cell)) << (2 * i)).sum()
}

/// A player and a spawner who build together. They lead from counter to counter: afterstates
/// whose tiles are the binary digits of their sum, laid along the snake, the largest first.
struct Builders {
    snake: Vec<usize>,
    /// How to get on from a counter. What matters are its empty cells, the length of the carry
    /// and whether a 4 begins it; larger tiles are in the way whatever they are.
    known: HashMap<(usize, u32, bool), Vec<(Spawn, Move)>>,
}

/// How many afterstates of one length the search keeps, and the longest way it tries. Half of
/// this beam fails on 4×4; the longest way found there has 31 plies.
const BEAM: usize = 400;
const LONGEST: usize = 64;

impl Builders {
    fn new(shape: Shape) -> Builders {
        Builders { snake: snake(shape), known: HashMap::new() }
    }

    fn is_counter(&self, afterstate: Afterstate) -> bool {
        let along = || self.snake.iter().map(|&cell| afterstate.exponent(cell));
        along().zip(along().skip(1)).all(|(tile, next)| tile > next || next == 0 && tile == 0)
    }

    /// The next counter and the way there, with 2s alone, or with one 4 first.
    fn next(&mut self, from: Afterstate, four: bool) -> Option<Vec<(Spawn, Move)>> {
        let sum = from.tile_sum();
        let carry = (sum >> if four { 2 } else { 1 }).trailing_ones();
        let key = (from.empty_count(), carry, four);
        if let Some(way) = self.known.get(&key) {
            return Some(way.clone());
        }
        let way = self.search(from, four)?;
        self.known.insert(key, way.clone());
        Some(way)
    }

    /// A beam search for the nearest counter, tiles being worth more towards the snake's head.
    fn search(&self, from: Afterstate, four: bool) -> Option<Vec<(Spawn, Move)>> {
        let mut beam = vec![(from, Vec::new())];
        for length in 1..=LONGEST {
            let exponent = if four && length == 1 { 2 } else { 1 };
            let mut seen = HashSet::new();
            let mut longer = Vec::new();
            for (afterstate, way) in &beam {
                for spawn in afterstate.spawns().filter(|spawn| spawn.exponent == exponent) {
                    let board = afterstate.spawn(spawn).expect("one of its spawns");
                    for (mv, next, _) in board.afterstates().iter() {
                        if seen.insert(next) {
                            let mut way: Vec<(Spawn, Move)> = way.clone();
                            way.push((spawn, mv));
                            if self.is_counter(next) {
                                return Some(way);
                            }
                            longer.push((next, way));
                        }
                    }
                }
            }
            longer.sort_by_cached_key(|&(afterstate, _)| Reverse(worth(afterstate, &self.snake)));
            longer.truncate(BEAM);
            beam = longer;
        }
        None
    }
}

/// A whole game of the builders: from the first tile, a 2 in a corner, to the full board.
fn built(shape: Shape) -> Record {
    let mut builders = Builders::new(shape);
    let first = Spawn { cell: 0, exponent: 1 };
    let board = Afterstate::empty(shape).spawn(first).expect("the board is empty");
    let mut afterstate = Afterstate::from(board.grid());
    let (mut spawns, mut moves) = (Vec::new(), Vec::new());
    loop {
        let last_cell = afterstate.empty_count() == 1;
        let has_2 = afterstate.tile_sum() & 2 != 0;
        let has_4 = afterstate.tile_sum() & 4 != 0;
        if last_cell && !has_2 && !has_4 {
            break;
        }
        // Where one cell is left and no 2 to merge with, only a 4 keeps the game going.
        let way =
            builders.next(afterstate, last_cell && !has_2).expect("a way to the next counter");
        for (spawn, mv) in way {
            let board = afterstate.spawn(spawn).expect("a spawn that can be");
            (afterstate, _) = board.slide(mv).expect("a legal move");
            spawns.push(spawn);
            moves.push(mv);
        }
        assert!(builders.is_counter(afterstate), "{afterstate}");
    }
    let last = afterstate.empty_cells().next().expect("one cell is left");
    spawns.push(Spawn { cell: last as u8, exponent: 2 });

    let start = Afterstate::from(board.grid()).spawn(spawns[0]).expect("another cell");
    let plies = moves.into_iter().zip(spawns.into_iter().skip(1));
    let plies = plies.map(|(mv, spawn)| Ply { mv, spawn }).collect();
    Record { plies, ..Record::new(Rules::of(shape).law, start) }
}

/// How many 4s appeared in a game, the start included.
fn spawned_4s(record: &Record) -> usize {
    let at_start = record.start.exponents().filter(|&exponent| exponent == 2).count();
    at_start + record.plies.iter().filter(|ply| ply.spawn.exponent == 2).count()
}

#[test]
fn construction_reaches_the_largest_score_of_the_ordinary_board() {
    let record = built(Shape::CLASSIC);
    assert!(Rules::default().starts().contains(&record.start));
    assert_eq!(spawned_4s(&record), 16);
    let end = record.replay().expect("legal from the first ply to the last");
    assert_eq!(end.board.to_string(), "hgfeabcd98762345");
    assert!(end.board.is_over());
    assert_eq!((end.score, end.ply), (3_932_100, 131_052));
    assert_eq!(end.score, Shape::CLASSIC.max_score());
    let first = |tile: u32| {
        let reached = |turn: &Turn| turn.board.max_tile() >= tile;
        record.turns().map(|turn| turn.expect("legal")).find(reached).map(|turn| turn.ply)
    };
    assert!(first(65536) < first(131_072) && first(131_072).is_some());
}

#[test]
fn construction_reaches_max_score_on_3x4() {
    let shape: Shape = "3x4".parse().expect("a shape");
    let record = built(shape);
    let end = record.replay().expect("legal from the first ply to the last");
    assert_eq!((spawned_4s(&record), end.score), (12, shape.max_score()));
    assert_eq!(end.board.max_exponent(), shape.max_exponent());
}

/// The snakes along rows and along columns from every corner.
fn every_snake(shape: Shape) -> Vec<Vec<usize>> {
    let onto = |symmetry: Symmetry| {
        let from = symmetry.inverse().shape(shape);
        snake(from).into_iter().map(|cell| symmetry.cell(from, cell)).collect()
    };
    Symmetry::ALL.map(onto).to_vec()
}

/// The best score at the full board that a beam of `keep` afterstates per tile sum finds.
fn best_of_beam(shape: Shape, keep: usize) -> Option<u32> {
    let first = Afterstate::empty(shape).spawn(Spawn { cell: 0, exponent: 1 });
    let first = Afterstate::from(first.expect("the board is empty").grid());
    let snakes = every_snake(shape);
    let best_worth = |a: Afterstate| snakes.iter().map(|snake| worth(a, snake)).max();
    let mut layers = BTreeMap::from([(2, HashMap::from([(first, 0)]))]);
    while let Some((sum, layer)) = layers.pop_first() {
        if sum + 4 == shape.max_tile_sum() {
            return layer.into_values().max();
        }
        let mut layer: Vec<(Afterstate, u32)> = layer.into_iter().collect();
        layer.sort_by_cached_key(|&(a, score)| (Reverse((score, best_worth(a))), a));
        for &(afterstate, score) in layer.iter().take(keep) {
            let four = afterstate.empty_count() == 1 && sum & 2 == 0;
            for spawn in afterstate.spawns().filter(|spawn| spawn.exponent == 1 || four) {
                let board = afterstate.spawn(spawn).expect("one of its spawns");
                for (_, next, reward) in board.afterstates().iter() {
                    let layer = layers.entry(next.tile_sum()).or_default();
                    let best = layer.entry(next.canonical()).or_insert(0);
                    *best = (score + reward).max(*best);
                }
            }
        }
    }
    None
}

#[test]
fn a_beam_finds_max_score_on_boards_of_eight_to_ten_cells() {
    for (shape, keep) in [("2x4", 100), ("3x3", 100), ("2x5", 200)] {
        let shape: Shape = shape.parse().expect("a shape");
        assert_eq!(best_of_beam(shape, keep), Some(shape.max_score()), "{shape}");
    }
}
