//! Running a network asks for no memory: counted by an allocator of this test's own, which is why the
//! file is one of those that may be `unsafe`.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use maxtile_game::{Afterstate, Random, Rules};
use maxtile_neural::{Network, NetworkValue, Precision, Weights, named};
use maxtile_search::Value;

thread_local! {
    /// Requests for memory of this thread; other tests run beside.
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread that is ending has nothing left to count in.
    let _ = REQUESTS.try_with(|requests| requests.set(requests.get() + 1));
}

// SAFETY: every call is passed on as it came; counting itself allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Afterstates of a game of random moves, and then of others.
fn afterstates(count: usize) -> Vec<Afterstate> {
    let (rules, mut random) = (Rules::default(), Random::new(3));
    let mut board = rules.start(&mut random);
    let mut found = Vec::new();
    while found.len() < count {
        let moves: Vec<_> = board.afterstates().iter().collect();
        let Some((_, afterstate, _)) = moves.get(random.below(moves.len() as u64) as usize) else {
            board = rules.start(&mut random);
            continue;
        };
        found.push(*afterstate);
        board = rules.law.spawn(*afterstate, &mut random);
    }
    found
}

#[test]
fn the_counter_counts() {
    let before = REQUESTS.get();
    std::hint::black_box(vec![0u8; 100]);
    assert_eq!(REQUESTS.get() - before, 1);
}

#[test]
fn running_asks_for_no_memory() {
    let boards = afterstates(300);
    let mut out = vec![0.0; boards.len()];
    for (name, precision) in [
        ("cnn-tiny", Precision::Full),
        ("cnn-tiny", Precision::Half),
        ("ppo-afterstate-small", Precision::Full),
        ("ppo-afterstate", Precision::Full),
    ] {
        let weights = Weights::new(named(name).unwrap(), 1).unwrap();
        for patches in [true, false] {
            let network = Network::new(&weights, precision);
            let network = if patches { network } else { network.without_patches() };
            let value = NetworkValue::new(network).unwrap();
            let before = REQUESTS.get();
            // Batches of every size that a search has, also the very first.
            for size in [1, 4, 64, 65, 300, 2, 1] {
                for (boards, out) in boards.chunks(size).zip(out.chunks_mut(size)) {
                    value.values(boards, out);
                }
            }
            assert_eq!(REQUESTS.get() - before, 0, "{name} {precision:?} patches {patches}");
            assert!(out.iter().all(|value| value.is_finite()));
        }
    }
}
