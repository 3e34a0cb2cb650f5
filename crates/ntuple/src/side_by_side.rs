//! The same work on several threads.

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
