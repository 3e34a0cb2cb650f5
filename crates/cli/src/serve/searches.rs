//! The searches: some threads that answer questions, and a queue before them that has an end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use maxtile_game::{Random, Rules};
use maxtile_lab::protocol::{Answer, Desk, Helper, Query, Reply};
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::lines::StopOnDrop;
use super::refuse::Refused;

/// Questions that may wait.
const WAITING: usize = 512;

/// The threads that search.
pub(super) struct Searches {
    queue: SyncSender<Job>,
    pub(super) desk: Arc<Desk>,
    pub(super) threads: usize,
}

/// What a thread does for a question, with the flag that is set when nobody wants the answer any more.
type Work = Box<dyn FnOnce(&mut Helper<'_>, &Arc<AtomicBool>) + Send>;

struct Job {
    work: Work,
    stop: Arc<AtomicBool>,
}

impl Searches {
    pub(super) fn new(desk: Desk, threads: usize) -> Searches {
        let desk = Arc::new(desk);
        let (queue, waiting) = sync_channel(WAITING);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..threads {
            let (desk, waiting) = (Arc::clone(&desk), Arc::clone(&waiting));
            std::thread::spawn(move || help(&desk, &waiting));
        }
        Searches { queue, desk, threads }
    }

    /// Asks, and waits for the answer. Who stops waiting stops the search.
    pub(super) async fn ask(&self, query: Query) -> Result<Answer, Refused> {
        let last = self.run(move |helper, stop| {
            let mut last = None;
            helper.answer_query(&query, Some(stop), |reply| last = Some(reply));
            last
        });
        match last.await? {
            Some(Reply::Answer(answer)) => Ok(*answer),
            Some(Reply::Refusal(refusal)) => Err(refusal.into()),
            None => Err(nothing()),
        }
    }

    /// Lets one of the threads work, and waits for what comes of it. Who stops waiting sets the flag.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Helper<'_>, &Arc<AtomicBool>) -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let stop = Arc::new(AtomicBool::new(false));
        let _guard = StopOnDrop(Arc::clone(&stop));
        let (reply, answer) = oneshot::channel();
        let work: Work = Box::new(move |helper, stop| {
            // Nobody may be waiting any more, and that is fine.
            let _ = reply.send(work(helper, stop));
        });
        match self.queue.try_send(Job { work, stop }) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Err(Refused::busy("too many questions at once")),
            Err(TrySendError::Disconnected(_)) => return Err(Refused::ours("no thread searches")),
        }
        answer.await.map_err(|_| nothing())
    }
}

fn nothing() -> Refused {
    Refused::ours("the search ended without an answer")
}

fn help(desk: &Desk, waiting: &Mutex<Receiver<Job>>) {
    let mut helper = Helper::new(desk);
    // Unpacking the network takes longer than any hint: better now than before the first one.
    let start = Rules::default().start(&mut Random::new(0)).to_string();
    let first = Map::from_iter([("position".to_owned(), Value::from(start))]);
    if let Ok(query) = Query::of(&first, Value::Null) {
        helper.answer_query(&query, None, |_| ());
    }
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { work, stop }) = next else { return };
        if stop.load(Ordering::Relaxed) {
            continue;
        }
        // A thread that died would be missed by all who come later.
        if catch_unwind(AssertUnwindSafe(|| work(&mut helper, &stop))).is_err() {
            helper = Helper::new(desk);
        }
    }
}
