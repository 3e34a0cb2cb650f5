use std::collections::HashMap;
use std::sync::Mutex;

use maxtile_game::{Afterstate, Board, Random, Rules, SpawnLaw};
use proptest::prelude::*;

use super::*;
use crate::heuristic::Heuristic;
use crate::{Expectimax, Settings};

/// Expected points of best play by plain memoised recursion.
fn exact(board: Board, known: &mut HashMap<Board, f64>) -> f64 {
    if let Some(&value) = known.get(&board) {
        return value;
    }
    let moves: Vec<_> = board.afterstates().iter().collect();
    let worths = moves.into_iter().map(|(_, a, reward)| f64::from(reward) + mean(a, known));
    let value = worths.fold(0.0, f64::max);
    known.insert(board, value);
    value
}

fn mean(afterstate: Afterstate, known: &mut HashMap<Board, f64>) -> f64 {
    let spawns: Vec<_> = SpawnLaw::default().outcomes(afterstate).collect();
    spawns.into_iter().map(|(s, p)| p * exact(afterstate.spawn(s).unwrap(), known)).sum()
}

/// What afterstates are worth exactly, and so many points more, which are never made.
struct Known {
    more: f32,
    values: Mutex<HashMap<Board, f64>>,
}

impl Value for Known {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        let mut known = self.values.lock().unwrap();
        for (&afterstate, value) in afterstates.iter().zip(out) {
            *value = self.more + mean(afterstate, &mut known) as f32;
        }
    }
}

/// All positions of 2×3 that have a move, with their exact values.
fn positions() -> Vec<(Board, f64)> {
    let rules = Rules { shape: "2x3".parse().unwrap(), ..Rules::default() };
    let mut known = HashMap::new();
    for start in rules.starts() {
        exact(start, &mut known);
    }
    let mut all: Vec<_> = known.into_iter().filter(|(board, _)| !board.is_over()).collect();
    all.sort_by_key(|(board, _)| board.nibbles());
    all
}

/// How many positions the whole tree below this one has, if there are fewer than `most`.
fn tree_size(board: Board, most: usize) -> Option<usize> {
    let mut size = 1;
    for (_, afterstate, _) in board.afterstates().iter() {
        for spawn in afterstate.spawns() {
            size += tree_size(afterstate.spawn(spawn).unwrap(), most.checked_sub(size)?)?;
        }
    }
    (size < most).then_some(size)
}

/// The root's value after so many simulations, best first.
fn best_first(board: Board, more: f32, simulations: u64) -> f64 {
    let settings = McssSettings {
        select: Select::Softmax(Rule::Best),
        reuse: false,
        ..McssSettings::new(simulations)
    };
    let mut search = Mcss::new(Known { more, values: Mutex::default() }, settings);
    search.search(board, &mut Random::new(1));
    f64::from(search.tree.root().unwrap().value)
}

#[test]
fn best_first_converges_to_the_exact_values() {
    // A value that promises far too much everywhere: best first goes where most of the promise is
    // left, until nothing is. In a tree small enough that comes soon.
    let late = positions()
        .into_iter()
        .filter(|&(board, value)| value >= 8.0 && tree_size(board, 300).is_some());
    let late: Vec<_> = late.collect();
    assert!(late.len() > 40, "{} positions", late.len());
    let late_step = late.len() / 20;
    for (board, value) in late.into_iter().step_by(late_step) {
        let [early, found] = [2, 100_000].map(|n| best_first(board, 300.0, n));
        assert!((found - value).abs() <= 0.01 * value, "{board}: {found} {value}");
        assert!(early > found, "{board}: {early}");
    }
}

#[test]
fn right_values_stay_nearly_right() {
    // Not quite: spawns not yet looked at count with the mean of all, those looked at are not a mean
    // sample, and of moves whose worths err the largest is taken.
    let [mut before, mut after] = [0.0; 2];
    for (board, value) in positions().into_iter().step_by(200) {
        before += value;
        after += best_first(board, 0.0, 500);
    }
    assert!((after / before - 1.0).abs() < 0.01, "{after} {before}");
}

#[test]
fn every_spawn_once_is_expectimax_of_two_plies() {
    // Where 2s and 4s are alike, the most due spawn is one not yet looked at: a round of all of them.
    let law = SpawnLaw::new(0.5).unwrap();
    let value = Heuristic::default();
    let mut deep = Settings::new(Limits::depth(2));
    deep.shape.law = law;
    let mut deep = Expectimax::new(&value, deep).unwrap();
    for board in ["5431321020001000", "3300200010000000", "5432123412345000"] {
        let board: Board = board.parse().unwrap();
        let expected = deep.search(board).unwrap().worths;
        let settings = McssSettings { law, ..McssSettings::new(100) };
        let mut search = Mcss::new(&value, settings);
        search.tree.reserve(200);
        search.tree.most = 200;
        let root = search.tree.plant(board);
        search.leaves.push(root);
        search.judge_leaves();
        for (index, (mv, afterstate, _)) in board.afterstates().iter().enumerate() {
            let left = 2 * afterstate.empty_count() as u64;
            let mut budget = Budget { deadline: None, left, until_look: LOOK };
            search.simulate(Some(index), &mut budget, &mut Random::new(1));
            let found = search.tree.moves(0)[index].worth;
            let expected = expected[mv.index()].unwrap();
            assert!((found - expected).abs() < 1e-5 * expected.abs(), "{board} {found} {expected}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_tree_is_consistent(seed: u64, moves in 0usize..60, batch in 1usize..9, drawn: bool, rule in 0usize..6) {
        let rules = Rules::default();
        let mut random = Random::new(seed);
        let mut board = rules.start(&mut random);
        for _ in 0..moves {
            let Some((_, afterstate, _)) = board.afterstates().iter().next() else { break };
            board = rules.law.spawn(afterstate, &mut random);
        }
        prop_assume!(!board.is_over());
        let all = [Rule::Best, Rule::LMax, Rule::Ratio(1.0), Rule::Range(0.3), Rule::Points(500.0), Rule::Uniform];
        let settings = McssSettings {
            backup: all[rule],
            spawns: if drawn { Spawns::Drawn } else { Spawns::Least },
            batch,
            ..McssSettings::new(200)
        };
        let mut search = Mcss::new(Heuristic::default(), settings);
        search.search(board, &mut random);
        search.tree.check(all[rule]);
        if !drawn {
            search.tree.check_least(settings.law.p4());
        }
        prop_assert_eq!(search.tree.root().unwrap().visits, 201);
        // What is kept for the next move is a tree of its own.
        let next = search.tree.moves(0).iter().find_map(|chance| search.tree.most_visited(chance));
        let next = search.tree.state(next.unwrap()).board;
        let (mut other, mut old) = (Tree::default(), Vec::new());
        prop_assert!(search.tree.follow(next, &mut other, &mut old));
        prop_assert_eq!(other.root().unwrap().board, next);
        other.check(all[rule]);
    }
}

#[test]
fn the_same_seed_makes_the_same_tree_and_threads_make_a_good_one() {
    let board: Board = "5431321020001000".parse().unwrap();
    let settings = McssSettings { spawns: Spawns::Drawn, ..McssSettings::new(500) };
    let worths = |settings: McssSettings, seed| {
        let mut search = Mcss::new(Heuristic::default(), settings);
        search.search(board, &mut Random::new(seed));
        search.tree.check(settings.backup);
        (search.decision().0, search.tree.root().unwrap().visits)
    };
    assert_eq!(worths(settings, 1), worths(settings, 1));
    assert_ne!(worths(settings, 1), worths(settings, 2));
    let (_, visits) = worths(McssSettings { threads: 3, batch: 4, ..settings }, 1);
    assert_eq!(visits, 501);
}

#[test]
fn halving_spends_the_budget_and_leaves_the_best() {
    let board: Board = "0000021001200000".parse().unwrap();
    assert_eq!(board.legal_moves().len(), 4);
    let settings = McssSettings { root: AtRoot::Halving, ..McssSettings::new(400) };
    let mut search = Mcss::new(Heuristic::default(), settings);
    search.search(board, &mut Random::new(1));
    let mut visits: Vec<u32> = search.tree.moves(0).iter().map(|chance| chance.visits).collect();
    visits.sort_unstable();
    assert_eq!(visits, [50, 50, 150, 150]);
    search.tree.check(settings.backup);
}

#[test]
fn explains_and_stops() {
    let board: Board = "5431321020001000".parse().unwrap();
    let mut search = Mcss::new(Heuristic::default(), McssSettings::new(300));
    let report = search.explain(board, None).unwrap();
    assert_eq!(report.moves.len(), board.legal_moves().len());
    assert!(report.depth >= 2 && report.counts.nodes > 200);
    for found in &report.moves {
        let mut at = board;
        for step in &found.line {
            let (afterstate, _) = at.slide(step.mv).unwrap();
            let Some(spawn) = step.spawn else { break };
            at = afterstate.spawn(spawn).unwrap();
        }
    }
    let stop = Arc::new(AtomicBool::new(true));
    search.stop_by(stop);
    let limits = Limits { nodes: Some(1 << 40), ..Limits::depth(1) };
    assert!(search.explain(board, Some(limits)).unwrap().counts.nodes < 100);
}

#[test]
fn limits_of_plies_leave_the_simulations_as_they_are() {
    let board: Board = "5431321020001000".parse().unwrap();
    let nodes = |settings: McssSettings, limits: Option<Limits>| {
        let mut search = Mcss::new(Heuristic::default(), settings);
        search.explain(board, limits).unwrap().counts.nodes
    };
    let own = nodes(McssSettings::new(200), None);
    let long = Some(Duration::from_mins(1));
    let plies = Limits { time: long, ..Limits::depth(1) };
    assert_eq!(nodes(McssSettings::new(200), Some(plies)), own);
    assert_eq!(nodes(McssSettings::new(200), Some(Limits::depth(2))), own);
    assert!(nodes(McssSettings::new(200), Some(Limits::nodes(400))) > own);
    // Who has a time of his own keeps it.
    let timed =
        McssSettings { simulations: None, time: Some(Duration::ZERO), ..McssSettings::new(0) };
    assert!(nodes(timed, Some(plies)) <= LOOK + 1);
}

#[test]
fn a_full_tree_ends_the_search() {
    let board: Board = "5431321020001000".parse().unwrap();
    let settings = McssSettings { most: 50, ..McssSettings::new(1000) };
    for threads in [1, 2] {
        let mut search = Mcss::new(Heuristic::default(), McssSettings { threads, ..settings });
        search.search(board, &mut Random::new(1));
        assert_eq!(search.tree.len(), 50);
        search.tree.check(settings.backup);
    }
}

/// Takes its time, however much it is asked.
struct Slow;

impl Value for Slow {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        std::thread::sleep(Duration::from_millis(5));
        Heuristic::default().values(afterstates, out);
    }
}

#[test]
fn threads_and_halving_look_at_the_clock_by_simulations() {
    let board: Board = "5431321020001000".parse().unwrap();
    let time = Some(Duration::from_millis(1));
    let mut search =
        Mcss::new(Slow, McssSettings { threads: 2, batch: 64, time, ..McssSettings::new(5000) });
    search.search(board, &mut Random::new(1));
    assert!(search.counts.nodes < 600, "{}", search.counts.nodes);
    // Parts of twelve simulations: together they come to a look.
    let settings = McssSettings { root: AtRoot::Halving, time, ..McssSettings::new(100) };
    let mut search = Mcss::new(Slow, settings);
    search.search(board, &mut Random::new(1));
    assert!(search.counts.nodes < 40, "{}", search.counts.nodes);
}
