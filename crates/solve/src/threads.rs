//! Sharing a layer out to threads. The unit of work is (pass, layer, range of 64-bit words of the
//! bitmap): it reads finished layers only, and doing it twice does no harm.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Pieces smaller than this are not worth a thread.
const LEAST_WORDS: usize = 2048;

/// Cuts so many words into ranges, several for each thread, so that none waits long for the last.
pub(crate) fn ranges(words: usize, threads: usize) -> Vec<(usize, usize)> {
    if threads == 1 || words < 2 * LEAST_WORDS {
        return vec![(0, words)];
    }
    let pieces = (16 * threads).min(words / LEAST_WORDS).max(1);
    (0..pieces).map(|i| (words * i / pieces, words * (i + 1) / pieces)).collect()
}

/// Does every job once, on so many threads; the results in the order of the jobs.
pub(crate) fn share<J: Send, T: Send>(
    jobs: Vec<J>,
    threads: usize,
    work: impl Fn(J) -> T + Sync,
) -> Vec<T> {
    share_with(jobs, threads, || (), |(), job| work(job)).0
}

/// Does every job once, on so many threads, each of which has something of its own; the results in
/// the order of the jobs, and what each thread had.
pub(crate) fn share_with<J: Send, T: Send, S: Send>(
    jobs: Vec<J>,
    threads: usize,
    own: impl Fn() -> S + Sync,
    work: impl Fn(&S, J) -> T + Sync,
) -> (Vec<T>, Vec<S>) {
    if jobs.len() == 1 || threads == 1 {
        let own = own();
        return (jobs.into_iter().map(|job| work(&own, job)).collect(), vec![own]);
    }
    let slots: Vec<_> = jobs.into_iter().map(|job| Mutex::new(Slot::Job(job))).collect();
    let (next, owns) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    on_threads(threads.min(slots.len()), &|| {
        let own = own();
        while let Some(slot) = slots.get(next.fetch_add(1, Ordering::Relaxed)) {
            // Each slot is met by one thread alone, which does not wait here.
            let job = std::mem::replace(&mut *lock(slot), Slot::Taken);
            if let Slot::Job(job) = job {
                let done = work(&own, job);
                *lock(slot) = Slot::Done(done);
            }
        }
        lock(&owns).push(own);
    });
    let results = slots.into_iter().map(|slot| match into_inner(slot) {
        Slot::Done(result) => result,
        _ => unreachable!("every job was done, or a thread had failed"),
    });
    (results.collect(), into_inner(owns))
}

enum Slot<J, T> {
    Job(J),
    Taken,
    Done(T),
}

/// Nothing is left half done under these locks, so one that a failing thread held is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Runs this on so many threads, of which the caller's is one. Not generic: there are dozens of kinds of work, and
/// threads for each of them would be a third of what the compiler has to do here.
fn on_threads(threads: usize, worker: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
}
