//! The speed of the rules: `cargo bench -p maxtile-game`.
//!
//! Positions are those of games played to the end, so that full and empty boards, wide and narrow
//! choices come up as they do in play.

use divan::{Bencher, black_box, counter::ItemsCount};
use maxtile_game::{Afterstate, Board, GameSeed, Move, Random, Rules, Shape, SpawnLaw, perft};

const POSITIONS: usize = 4096;

fn main() {
    divan::main();
}

fn shape(text: &str) -> Shape {
    text.parse().expect("a shape")
}

/// A game of random legal moves; calls `see` with each position to move. Gives plies and score.
fn random_game(rules: Rules, random: &mut Random, mut see: impl FnMut(Board)) -> (u64, u64) {
    let mut board = rules.start(random);
    let (mut plies, mut score) = (0, 0);
    loop {
        see(board);
        let slides = board.afterstates();
        let legal = slides.legal();
        let choice = legal.nth(random.below(legal.len() as u64) as usize);
        let Some((afterstate, reward)) = choice.and_then(|mv| slides.get(mv)) else {
            return (plies, score);
        };
        plies += 1;
        score += reward as u64;
        board = rules.law.spawn(afterstate, random);
    }
}

fn boards(shape: Shape) -> Vec<Board> {
    let mut boards = Vec::new();
    for index in 0.. {
        let mut random = GameSeed { run: 1, index }.random();
        random_game(Rules::of(shape), &mut random, |board| boards.push(board));
        if boards.len() >= POSITIONS {
            break;
        }
    }
    boards.truncate(POSITIONS);
    boards
}

fn afterstates_of(boards: &[Board]) -> Vec<Afterstate> {
    let slid = |board: &Board| board.afterstates().iter().next().map(|(_, a, _)| a);
    boards.iter().filter_map(slid).collect()
}

/// Runs `f` over all items of one sample.
fn each<T: Copy + Sync, R>(bencher: Bencher, items: &[T], f: impl Fn(T) -> R + Sync) {
    bencher.counter(ItemsCount::new(items.len())).bench(|| {
        for &item in items {
            black_box(f(black_box(item)));
        }
    });
}

#[divan::bench(args = ["4x4", "3x3", "2x6"])]
fn afterstates(bencher: Bencher, size: &str) {
    each(bencher, &boards(shape(size)), Board::afterstates);
}

/// 65536 on the board: the exact path.
#[divan::bench]
fn afterstates_with_65536(bencher: Bencher) {
    let high: Vec<Board> = boards(Shape::CLASSIC)
        .iter()
        .filter_map(|board| {
            let mut exponents: Vec<u8> = board.exponents().collect();
            exponents[0] = 16;
            Board::from_exponents(Shape::CLASSIC, &exponents).ok()
        })
        .collect();
    each(bencher, &high, Board::afterstates);
}

#[divan::bench(args = ["4x4", "3x3"])]
fn slide(bencher: Bencher, size: &str) {
    each(bencher, &boards(shape(size)), |board| board.slide(Move::Left));
}

#[divan::bench(args = ["4x4", "3x3"])]
fn legal_moves(bencher: Bencher, size: &str) {
    each(bencher, &boards(shape(size)), Board::legal_moves);
}

#[divan::bench(args = ["4x4", "3x3"])]
fn spawn(bencher: Bencher, size: &str) {
    let afterstates = afterstates_of(&boards(shape(size)));
    let law = SpawnLaw::default();
    bencher.counter(ItemsCount::new(afterstates.len())).bench_local(|| {
        let mut random = Random::new(1);
        for &afterstate in &afterstates {
            black_box(law.spawn(black_box(afterstate), &mut random));
        }
    });
}

#[divan::bench(args = ["4x4", "3x3"])]
fn canonical(bencher: Bencher, size: &str) {
    each(bencher, &boards(shape(size)), Board::canonical);
}

/// A hundred games to the end, counted in plies.
#[divan::bench(args = ["4x4", "3x3"])]
fn random_games(bencher: Bencher, size: &str) {
    let rules = Rules::of(shape(size));
    let play = || {
        let seeds = (0..100).map(|index| GameSeed { run: 1, index });
        let games = seeds.map(|seed| random_game(rules, &mut seed.random(), |_| ()));
        games.fold((0, 0), |sum, (plies, score)| (sum.0 + plies, sum.1 + score))
    };
    let (plies, _) = play();
    bencher.counter(ItemsCount::new(plies)).bench(play);
}

/// Counted in paths.
#[divan::bench(args = ["1120000000000000", "3x3:100000010"])]
fn perft_3(bencher: Bencher, position: &str) {
    let board: Board = position.parse().expect("a position");
    bencher.counter(ItemsCount::new(perft(board, 3))).bench(|| perft(black_box(board), 3));
}
