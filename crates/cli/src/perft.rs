//! `maxtile perft`: counts of paths, every depth up to the one asked for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use maxtile_game::{Board, Rules, perft, perft_by_move};
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Perft};
use crate::error::Stop;
use crate::output::Output;

#[derive(Serialize)]
struct Count<'a> {
    r#type: &'static str,
    position: &'a str,
    depth: u32,
    count: u64,
}

#[derive(Serialize)]
struct MoveCount {
    r#type: &'static str,
    r#move: &'static str,
    depth: u32,
    count: u64,
}

pub(crate) fn run(args: &Perft, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let (position, starts) = match args.position {
        Some(board) => (board.to_string(), vec![board]),
        None => (format!("start {}", args.size), Rules::of(args.size).starts()),
    };
    out.text(format!("{position}\n{:>5} {:>22}", "depth", "count"))?;
    let clock = Instant::now();
    for depth in 0..=args.depth {
        let count = count(&starts, depth, common.threads());
        out.text(format!("{depth:>5} {count:>22}"))?;
        let r#type = if depth == args.depth { "summary" } else { "depth" };
        if depth == args.depth && args.by_move {
            for (mv, count) in perft_by_move(starts[0], depth) {
                out.text(format!("{mv:>5} {count:>22}"))?;
                out.object(&MoveCount { r#type: "move", r#move: mv.name(), depth, count })?;
            }
        }
        out.object(&Count { r#type, position: &position, depth, count })?;
        out.flush()?;
    }
    out.talk(format!("{:.2} s", clock.elapsed().as_secs_f64()));
    Ok(Verdict::Done)
}

/// The counts of all boards together, two plies deep pieces shared out to the threads.
fn count(boards: &[Board], depth: u32, threads: usize) -> u64 {
    if depth < 3 {
        return boards.iter().map(|&board| perft(board, depth)).sum();
    }
    let pieces: Vec<Board> = boards.iter().flat_map(|&board| successors(board)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut sum = 0;
        while let Some(&board) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            sum += perft(board, depth - 1);
        }
        sum
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        // A thread that panicked has said so already; its count is missing, so panic too.
        others.into_iter().map(|t| t.join().expect("a counting thread failed")).sum::<u64>() + own
    })
}

fn successors(board: Board) -> Vec<Board> {
    let slides = board.afterstates();
    let spawned = slides.iter().flat_map(|(_, afterstate, _)| {
        afterstate.spawns().filter_map(move |spawn| afterstate.spawn(spawn).ok())
    });
    spawned.collect()
}
