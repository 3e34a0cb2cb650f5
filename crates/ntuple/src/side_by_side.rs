//! The same work on several threads, and several games on one.

/// Does the work once on each of so many threads, this one among them, and gives all results.
pub(crate) fn side_by_side<R: Send>(threads: usize, work: impl Fn() -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut results = vec![work()];
        for other in others {
            // A panic of a thread goes on in this one: half a block must not pass for a whole.
            results.push(other.join().unwrap_or_else(|p| std::panic::resume_unwind(p)));
        }
        results
    })
}

/// Lets games take turns until the last of them leaves, which `turn` says by `false`. It is given the game whose turn it
/// is and the one that comes next, so that the next one's weights are on their way while this one moves.
#[inline(always)]
pub(crate) fn take_turns<T>(mut games: Vec<T>, mut turn: impl FnMut(&mut T, Option<&T>) -> bool) {
    let mut here = 0;
    while games.len() > 1 {
        let next = if here + 1 < games.len() { here + 1 } else { 0 };
        let Ok([game, other]) = games.get_disjoint_mut([here, next]) else { break };
        if turn(game, Some(other)) {
            here = next;
        } else {
            games.remove(here);
            here = 0;
        }
    }
    if let Some(last) = games.first_mut() {
        while turn(last, None) {}
    }
}
