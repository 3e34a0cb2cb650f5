//! Softmax search asks for no memory while its tree grows, over the packed network or the heuristic. One test in its own program,
//! because it counts every allocation.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use maxtile_game::{Random, Rules};
use maxtile_lab::Agent;
use maxtile_search::{Policy as _, Query};

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

/// The allocations of a search for one move, when the network has been unpacked.
fn allocations(agent: &str) -> u64 {
    let agent = Agent::parse(agent, Rules::default()).expect("an agent");
    let start = Rules::default().start(&mut Random::new(1));
    let choose = || {
        let mut policy = agent.policy();
        let mut query = Query::new(start, Random::new(2));
        let before = ALLOCATIONS.load(Relaxed);
        policy.choose(std::slice::from_mut(&mut query));
        assert!(query.answer.is_some());
        ALLOCATIONS.load(Relaxed) - before
    };
    choose();
    choose()
}

#[test]
fn as_many_for_a_thousand_simulations_as_for_ten() {
    for player in ["net=default, batch=1", "net=default, batch=8", "net=heuristic, batch=4"] {
        let of = |sims: u64| allocations(&format!("mcss({player}, sims={sims})"));
        let (few, many) = (of(10), of(1000));
        assert!(few > 0 && many == few, "{few} and {many} allocations, {player}");
    }
}
