//! Duels between agents, on threads; what comes out does not depend on how many.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use maxtile_game::{Board, Duel, DuelPly, DuelRules, Move, Phase, Random, Spawn};
use maxtile_search::{Duelist, Heuristic, Value};

use super::agent::DuelAgent;

/// What all duels of a contest share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelSetting {
    /// Board and variant.
    pub rules: DuelRules,
    /// The seed: duel i has the opening and the draws of number i, whoever plays.
    pub seed: u64,
    /// The attacker's first placements are random, so many of them; during these the defender's
    /// place is taken by one who plays greedily by the value worked out by hand.
    pub opening: u32,
}

/// How a duel ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DuelGame {
    /// The defender's score, that of the opening included.
    pub score: u32,
    /// The exponent of the largest tile.
    pub largest: u8,
    /// How often the defender slid.
    pub slides: u32,
}

/// A duel to be played: the places of attacker and defender in the list, and the opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DuelJob {
    /// The attacker.
    pub attacker: usize,
    /// The defender.
    pub defender: usize,
    /// The number of the duel between the two.
    pub game: u64,
}

/// Tell apart the random numbers of openings and of the players: "open", "atta" and "defe" in ASCII.
const OPENING: u64 = 0x6f70_656e;
const ATTACKER: u64 = 0x6174_7461;
const DEFENDER: u64 = 0x6465_6665;

/// The beginning of a duel, the same whoever plays it: after the random placements it is the turn of
/// whoever comes next. A placement that ends the game is left to the attacker.
pub fn opening(setting: &DuelSetting, game: u64) -> Duel {
    let mut random = Random::stream(setting.seed ^ OPENING, game);
    let mut duel = Duel::new(setting.rules, Random::stream(setting.seed, game));
    let value = Heuristic::default();
    let mut placed = 0;
    while placed < setting.opening {
        match duel.phase() {
            Phase::Attack(afterstate, tiles) => {
                let all: Vec<Spawn> = tiles.placements(afterstate).collect();
                let spawn = all[random.below(all.len() as u64) as usize];
                let legal = duel.place(spawn);
                debug_assert!(legal.is_ok(), "one of the placements there are");
                placed += 1;
            }
            Phase::Defend(board) => {
                let slid = greedy(board, &value).and_then(|mv| duel.slide(mv));
                debug_assert!(slid.is_some(), "the game is not over");
            }
            Phase::Over(_) => break,
        }
    }
    if matches!(duel.phase(), Phase::Over(_)) {
        duel.undo();
    }
    duel
}

fn greedy(board: Board, value: &Heuristic) -> Option<Move> {
    let worth = |(mv, afterstate, reward)| (mv, reward as f32 + value.value(afterstate));
    let better = |a: (Move, f32), b: (Move, f32)| if b.1 > a.1 { b } else { a };
    board.afterstates().iter().map(worth).reduce(better).map(|(mv, _)| mv)
}

/// Plays a duel from its opening to its end.
pub fn play_duel(
    mut duel: Duel,
    attacker: &mut dyn Duelist,
    defender: &mut dyn Duelist,
    setting: &DuelSetting,
    game: u64,
) -> (DuelGame, Duel) {
    let mut attackers = Random::stream(setting.seed ^ ATTACKER, game);
    let mut defenders = Random::stream(setting.seed ^ DEFENDER, game);
    loop {
        let played = match duel.phase() {
            Phase::Attack(afterstate, tiles) => {
                let spawn = attacker.place(afterstate, tiles, &mut attackers);
                spawn.is_some_and(|spawn| duel.place(spawn).is_ok())
            }
            Phase::Defend(board) => {
                let mv = defender.slide(board, &mut defenders);
                mv.is_some_and(|mv| duel.slide(mv).is_some())
            }
            Phase::Over(board) => {
                let slides = duel.plies().iter().filter(|ply| matches!(ply, DuelPly::Slide(_)));
                let slides = slides.count() as u32;
                let largest = board.max_exponent();
                return (DuelGame { score: duel.score(), largest, slides }, duel);
            }
        };
        assert!(played, "a player of the duel answers legally");
    }
}

/// Plays duels on threads, and says each when it is over, in no order. Ends early when `stop` is set.
pub fn play_jobs(
    agents: &[DuelAgent],
    jobs: &[DuelJob],
    setting: &DuelSetting,
    threads: usize,
    stop: &AtomicBool,
    mut done: impl FnMut(DuelJob, DuelGame),
) {
    let next = AtomicUsize::new(0);
    let (sender, results) = mpsc::channel();
    let sender = Mutex::new(sender);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, jobs.len().max(1)) {
            let Ok(sender) = sender.lock().map(|sender| sender.clone()) else { return };
            let next = &next;
            scope.spawn(move || {
                let mut attackers: Vec<Option<Box<dyn Duelist>>> =
                    agents.iter().map(|_| None).collect();
                let mut defenders: Vec<Option<Box<dyn Duelist>>> =
                    agents.iter().map(|_| None).collect();
                while !stop.load(Ordering::Relaxed) {
                    let Some(&job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    let attacker = attackers[job.attacker]
                        .get_or_insert_with(|| agents[job.attacker].player());
                    let defender = defenders[job.defender]
                        .get_or_insert_with(|| agents[job.defender].player());
                    let duel = opening(setting, job.game);
                    let (game, _) =
                        play_duel(duel, &mut **attacker, &mut **defender, setting, job.game);
                    if sender.send((job, game)).is_err() {
                        break;
                    }
                }
            });
        }
        // Only the threads' own senders are left: the channel ends with them.
        drop(sender);
        for (job, game) in results {
            done(job, game);
        }
    });
}
