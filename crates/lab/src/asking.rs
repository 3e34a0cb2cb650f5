//! Games that show which weights of a network a player asks for.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use maxtile_game::Random;
use maxtile_ntuple::Asked;
use maxtile_search::{Expectimax, Limits, Settings};

use crate::rounds::{Progress, Setting, Watch};
use crate::stats::Moments;

/// Plays games of this many plies over the network, which counts what it is asked; gives how many
/// were played to their end.
pub fn ask(
    asked: &Asked,
    setting: &Setting,
    plies: u8,
    games: u64,
    watch: &Watch<'_>,
) -> io::Result<u64> {
    let next = AtomicU64::new(0);
    let (tell, told) = mpsc::channel();
    let work = |tell: mpsc::Sender<u32>| -> io::Result<()> {
        let mut search = Expectimax::new(asked, Settings::new(Limits::depth(plies)))?;
        loop {
            let game = next.fetch_add(1, Ordering::Relaxed);
            if game >= games {
                return Ok(());
            }
            let mut spawns = Random::stream(setting.seed, game);
            let (mut board, mut score) = (setting.rules.start(&mut spawns), 0);
            while let Some(found) = search.search(board) {
                if watch.stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                let Some((afterstate, points)) = board.afterstates().get(found.best) else { break };
                score += points;
                board = setting.rules.law.spawn(afterstate, &mut spawns);
            }
            // Who does not listen any more has what it wanted.
            let _ = tell.send(score);
        }
    };
    std::thread::scope(|scope| {
        let start = |_| {
            let tell = tell.clone();
            scope.spawn(|| work(tell))
        };
        let workers: Vec<_> = (0..setting.threads.max(1)).map(start).collect();
        drop(tell);
        let mut scores = Moments::default();
        for score in told {
            scores.add(i64::from(score));
            (watch.progress)(&Progress {
                games: scores.count(),
                most: games,
                mean: scores.mean(),
                half_width: scores.half_width(),
            });
        }
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(scores.count())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use maxtile_game::{Rules, Shape};
    use maxtile_ntuple::{Network, named};

    use super::*;

    #[test]
    fn games_are_played_until_somebody_stops_them() {
        let network = Network::new(named("lines-3x3").unwrap()).unwrap();
        let asked = Asked::of(&network, 1.0).unwrap();
        let rules = Rules { shape: Shape::new(3, 3).unwrap(), ..Rules::default() };
        let setting = Setting { rules, seed: 1, threads: 2 };
        let stop = AtomicBool::new(false);
        let watch = Watch { progress: &|_| {}, stop: &stop };
        assert_eq!(ask(&asked, &setting, 2, 5, &watch).unwrap(), 5);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(ask(&asked, &setting, 2, 5, &watch).unwrap(), 0);
    }
}
