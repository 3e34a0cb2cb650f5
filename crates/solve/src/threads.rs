//! Sharing a layer out to threads. The unit of work is (pass, layer, range of 64-bit words of the
//! bitmap): it reads finished layers only, and doing it twice does no harm.

use std::sync::atomic::{AtomicUsize, Ordering};

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
    let slots: Vec<_> = jobs.into_iter().map(|job| std::sync::Mutex::new(Some(job))).collect();
    let next = AtomicUsize::new(0);
    let worker = || {
        let (mut done, own) = (Vec::new(), own());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = slots.get(at) else { break };
            if let Some(job) = slot.lock().ok().and_then(|mut job| job.take()) {
                done.push((at, work(&own, job)));
            }
        }
        (done, own)
    };
    let (mut done, owns) = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(slots.len())).map(|_| scope.spawn(worker)).collect();
        let (mut done, own) = worker();
        let mut owns = vec![own];
        for other in others {
            let (more, own) = other.join().expect("a thread of the analysis failed");
            done.extend(more);
            owns.push(own);
        }
        (done, owns)
    });
    done.sort_unstable_by_key(|&(at, _)| at);
    (done.into_iter().map(|(_, result)| result).collect(), owns)
}
