//! A tree asks for no memory while it grows. One test in its own program, because it counts every allocation.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use maxtile_game::{Random, Rules};
use maxtile_search::{Heuristic, Mcss, McssSettings, Policy, Query};

struct Counting;
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The allocations of a search for one move.
fn allocations(simulations: u64) -> u64 {
    let mut random = Random::new(1);
    let mut query = Query::new(Rules::default().start(&mut random), Random::new(2));
    let settings = McssSettings { batch: 4, ..McssSettings::new(simulations) };
    let mut search = Mcss::new(Heuristic::default(), settings);
    let before = ALLOCATIONS.load(Relaxed);
    search.choose(std::slice::from_mut(&mut query));
    assert!(query.answer.is_some());
    ALLOCATIONS.load(Relaxed) - before
}

#[test]
fn as_many_for_a_thousand_simulations_as_for_ten() {
    let (few, many) = (allocations(10), allocations(1000));
    assert!(few > 0 && many == few, "{few} and {many} allocations");
}
