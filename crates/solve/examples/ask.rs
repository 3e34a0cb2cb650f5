//! How long a warm question takes: `ask FILE [questions] [times]` draws states of a solved board and
//! asks about each so many times over, by the mapped file and by the loaded one. Few questions many
//! times are those of someone who looks around in one game; a million ones meet the whole table.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use maxtile_game::{Afterstate, Board, Random};
use maxtile_solve::Table;

/// The processor time of this thread in nanoseconds, where the system tells it: a machine that others
/// use says nothing by the clock.
fn spent() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// The time of one question, in nanoseconds, and the sum of the answers.
fn timed<Q: Copy>(questions: &[Q], times: usize, mut ask: impl FnMut(Q) -> f64) -> (f64, f64) {
    let (before, clock) = (spent(), Instant::now());
    let mut sum = 0.0;
    for _ in 0..times {
        sum = questions.iter().map(|&question| ask(question)).sum();
    }
    let wall = clock.elapsed().as_nanos() as u64;
    let time = spent().zip(before).map_or(wall, |(after, before)| after - before);
    (time as f64 / (times * questions.len()) as f64, sum)
}

fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().expect("a solved board");
    let questions = args.next().and_then(|n| n.parse().ok()).unwrap_or(1 << 20);
    let times = args.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mapped = Table::open(Path::new(&file)).expect("a solved board");
    mapped.verify().expect("an undamaged one");
    let loaded = Table::load(Path::new(&file)).expect("a solved board");
    let mut random = Random::new(1);
    let mut boards: Vec<Board> = Vec::new();
    let mut afterstates: Vec<Afterstate> = Vec::new();
    while afterstates.len() < questions {
        let board = mapped.random_state(&mut random).expect("a state");
        if let Some((_, afterstate, _)) = board.afterstates().iter().next() {
            boards.push(board);
            afterstates.push(afterstate);
        }
    }
    for round in 0..5 {
        for (name, table) in [("mapped", &mapped), ("loaded", &loaded)] {
            let (one, a) = timed(&afterstates, times, |x| table.afterstate(x).expect("a value"));
            // Which question is next depends on the answer before, so that no two overlap.
            let (nothing, mut last) = (std::hint::black_box(0), 0.0);
            let numbers: Vec<usize> = (0..questions).collect();
            let (alone, b) = timed(&numbers, times, |number| {
                let next = number + (f64::to_bits(last) & nothing) as usize;
                last = table.afterstate(afterstates[next]).expect("a value");
                last
            });
            let (best, c) =
                timed(&boards, times, |x| table.best(x).expect("a move").map_or(0.0, |m| m.value));
            let (all, d) = timed(&boards, times, |x| table.query(x).expect("an answer").value);
            assert!(a == b && (c - d).abs() < 1e-6 * d.abs(), "{a} {b} {c} {d}");
            println!(
                "round {round} {name}: afterstate {one:.0} ns, one after the other {alone:.0} ns, \
                 best move of a state {best:.0} ns, state with all its moves {all:.0} ns"
            );
        }
    }
}
