//! Expectimax against a slow twin, exact values, and itself under other circumstances.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use maxtile_game::{Afterstate, Board, Move, Random, Rules, Shape, SpawnLaw};
use maxtile_search::{
    Clock, Expectimax, Heuristic, Limits, Policy, Query, Settings, TreeShape, Value, best,
};

/// Different for all positions that do not differ by symmetry only, and of the size of real values.
struct Hashed;

impl Value for Hashed {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        for (afterstate, value) in afterstates.iter().zip(out) {
            let form = afterstate.canonical();
            let mut random = Random::new(form.nibbles() ^ u64::from(form.high()) << 32);
            *value = (2000.0 * random.unit()) as f32;
        }
    }

    fn symmetric(&self) -> bool {
        true
    }
}

/// Different for all positions, also for symmetric ones.
struct Lopsided;

impl Value for Lopsided {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        for (afterstate, value) in afterstates.iter().zip(out) {
            *value = (2000.0 * Random::new(afterstate.nibbles()).unit()) as f32;
        }
    }
}

struct Zero;

impl Value for Zero {
    fn values(&self, _: &[Afterstate], out: &mut [f32]) {
        out.fill(0.0);
    }

    fn symmetric(&self) -> bool {
        true
    }
}

/// The definition, without table, batches, symmetry or shared children.
struct Twin<'a> {
    value: &'a dyn Value,
    shape: TreeShape,
}

impl Twin<'_> {
    fn max(&self, board: Board, plies: u8, bits: Option<u8>) -> f64 {
        let moves = Move::ALL.into_iter().filter_map(|mv| board.slide(mv));
        let worths = moves.map(|(node, reward)| reward as f64 + self.chance(node, plies - 1, bits));
        worths.fold(None, |most: Option<f64>, w| Some(most.map_or(w, |m| m.max(w)))).unwrap_or(0.0)
    }

    fn chance(&self, node: Afterstate, plies: u8, bits: Option<u8>) -> f64 {
        if plies == 0 {
            return self.value.value(node) as f64;
        }
        let empties = node.empty_count();
        let outcome = |(spawn, p): (maxtile_game::Spawn, f64)| {
            let board = node.spawn(spawn).unwrap();
            let fewer = if spawn.exponent == 2 && empties >= 3 { self.shape.fours } else { 0 };
            let plies = (plies - 1).saturating_sub(fewer);
            let left = bits.map(|bits| bits as i32 - ((-p.log2()).ceil() as i32).max(1));
            match left {
                Some(left) if left < 0 => p * self.max(board, 1, None),
                Some(left) if plies > 0 => p * self.max(board, plies + 1, Some(left as u8)),
                _ => p * self.max(board, plies + 1, None),
            }
        };
        self.shape.law.outcomes(node).map(outcome).sum()
    }
}

fn positions(seed: u64, count: usize, shape: Shape) -> Vec<Board> {
    let mut random = Random::new(seed);
    let mut boards = Vec::new();
    while boards.len() < count {
        // From open to crowded, and mostly small tiles, so that there is something to merge.
        let empty = random.below(6);
        let mut cell = || match random.below(8) {
            n if n < empty => 0,
            7 => 1 + random.below(shape.max_exponent() as u64 - 1) as u8,
            _ => 1 + random.below(4) as u8,
        };
        let cells: Vec<u8> = (0..shape.cells()).map(|_| cell()).collect();
        boards.extend(Board::from_exponents(shape, &cells).ok().filter(|b| !b.is_over()));
    }
    boards
}

fn settings(depth: u8) -> Settings {
    Settings { table: 1 << 16, ..Settings::new(Limits::depth(depth)) }
}

#[track_caller]
fn assert_near(found: f64, expected: f64, board: Board) {
    assert!(
        (found - expected).abs() <= 1e-5 * expected.abs().max(1.0),
        "{board}: {found}, not {expected}"
    );
}

fn check_against_twin(value: &dyn Value, boards: &[Board], settings: Settings) {
    let mut search = Expectimax::new(value, settings).unwrap();
    let (shape, depth) = (settings.shape, settings.limits.depth);
    let twin = Twin { value, shape };
    let bits = (shape.cut > 0).then_some(shape.cut);
    for &board in boards {
        let found = search.search(board).unwrap();
        for mv in Move::ALL {
            let expected = board.slide(mv);
            assert_eq!(expected.is_some(), found.worths[mv.index()].is_some());
            let Some((node, reward)) = expected else { continue };
            let expected = reward as f64 + twin.chance(node, depth - 1, bits);
            assert_near(found.worths[mv.index()].unwrap() as f64, expected, board);
        }
        assert_eq!(Some(found.best), best(&found.worths));
    }
}

#[test]
fn equals_the_twin_on_two_thousand_positions() {
    let boards = positions(1, 2000, Shape::CLASSIC);
    for depth in 1..=3 {
        check_against_twin(&Hashed, &boards, settings(depth));
    }
    for depth in 1..=2 {
        check_against_twin(&Lopsided, &boards, settings(depth));
    }
}

#[test]
fn equals_the_twin_on_other_boards_and_laws() {
    for (shape, depth) in [("2x3", 4), ("3x3", 3), ("1x4", 5), ("2x6", 2)] {
        let boards = positions(3, 60, shape.parse().unwrap());
        for p4 in [0.0, 0.1, 0.5, 1.0] {
            let law = SpawnLaw::new(p4).unwrap();
            let shape = TreeShape { law, fours: 0, cut: 0 };
            check_against_twin(&Hashed, &boards, Settings { shape, ..settings(depth) });
        }
    }
}

#[test]
fn thinner_trees_equal_their_twins() {
    let boards: Vec<Board> = positions(4, 400, Shape::CLASSIC)
        .into_iter()
        .filter(|board| board.empty_count() <= 5)
        .collect();
    let law = SpawnLaw::default();
    for (fours, cut) in [(1, 0), (2, 0), (0, 4), (0, 6), (1, 5)] {
        let shape = TreeShape { law, fours, cut };
        check_against_twin(&Hashed, &boards, Settings { shape, ..settings(3) });
    }
    for p4 in [0.0, 1.0] {
        let shape = TreeShape { law: SpawnLaw::new(p4).unwrap(), fours: 0, cut: 5 };
        check_against_twin(&Hashed, &boards, Settings { shape, ..settings(3) });
    }
}

/// No number of plies, but all that is probable enough.
#[test]
fn a_search_without_plies_equals_its_twin() {
    let boards: Vec<Board> = positions(9, 200, Shape::CLASSIC)
        .into_iter()
        .filter(|board| board.empty_count() <= 4 && board.legal_moves().len() > 1)
        .collect();
    let (mut longest, mut whole) = (0, 0);
    // 4s never, as usual, always.
    for (cut, p4) in [(2, 0.1), (4, 0.1), (5, 0.1), (6, 0.1), (7, 0.1), (7, 0.0), (7, 1.0)] {
        let law = SpawnLaw::new(p4).unwrap();
        let shape = TreeShape { law, fours: 0, cut };
        let settings = Settings { shape, limits: Limits::nodes(u64::MAX), ..settings(1) };
        let mut search = Expectimax::new(Hashed, settings).unwrap();
        let twin = Twin { value: &Hashed, shape };
        for &board in &boards {
            let found = search.search(board).unwrap();
            longest = longest.max(found.depth);
            let agrees = |bits: u8| {
                board.legal_moves().iter().all(|mv| {
                    let (node, reward) = board.slide(mv).unwrap();
                    let expected = reward as f64 + twin.chance(node, 99, Some(bits));
                    let found = found.worths[mv.index()].unwrap() as f64;
                    (found - expected).abs() <= 1e-5 * expected.abs().max(1.0)
                })
            };
            // Less where one move was out of reach of the others before.
            whole += usize::from(agrees(cut));
            assert!((4.min(cut)..=cut).any(agrees), "{board}, {cut}: {found:?}");
        }
    }
    assert!(longest > 4 && whole > 7 * boards.len() * 9 / 10, "{longest} {whole}");
}

/// The table and the threads change nothing there either, whatever was searched before.
#[test]
fn a_search_without_plies_is_the_same_with_any_table() {
    let boards = positions(10, 60, Shape::CLASSIC);
    let search = |table, threads| {
        let shape = TreeShape { law: SpawnLaw::default(), fours: 0, cut: 7 };
        // More time than it takes: a limit that does not clear the table.
        let limits = Limits::time(Duration::from_hours(1));
        let settings = Settings { limits, shape, table, threads };
        let mut search = Expectimax::new(Hashed, settings).unwrap();
        // Each a second time: the table then knows some of it, or all.
        let twice = boards.iter().chain(&boards);
        twice.map(|&board| search.search(board).unwrap().worths).collect::<Vec<_>>()
    };
    let without = search(0, 1);
    for (table, threads) in [(64, 1), (1 << 22, 1), (1 << 22, 2)] {
        // To the last bit.
        assert_eq!(search(table, threads), without, "{table} bytes, {threads} threads");
    }
}

/// The exact values of 2x3, by plain memoised recursion.
#[test]
fn a_search_to_the_end_of_the_game_is_exact() {
    fn exact(board: Board, known: &mut HashMap<Board, f64>) -> f64 {
        if let Some(value) = known.get(&board) {
            return *value;
        }
        let law = SpawnLaw::default();
        let mut most: Option<f64> = None;
        for mv in Move::ALL {
            let Some((node, reward)) = board.slide(mv) else { continue };
            let spawns =
                law.outcomes(node).map(|(spawn, p)| p * exact(node.spawn(spawn).unwrap(), known));
            let worth = reward as f64 + spawns.sum::<f64>();
            most = Some(most.map_or(worth, |most| most.max(worth)));
        }
        known.insert(board, most.unwrap_or(0.0));
        most.unwrap_or(0.0)
    }
    let mut known = HashMap::new();
    let rules = Rules::of("2x3".parse().unwrap());
    let mut random = Random::new(7);
    let start = rules.start(&mut random);
    // SYSTEMS: 480.98 from a start with two 2s, 480.26 on average.
    assert!((470.0..490.0).contains(&exact(start, &mut known)));
    // Ends of games: whatever the depth covers is known exactly, with any value at the leaves.
    let mut ends: Vec<Board> =
        known.keys().copied().filter(|board| board.tile_sum() >= 216).collect();
    ends.sort_unstable();
    assert!(ends.len() > 300, "{}", ends.len());
    let mut search = Expectimax::new(Hashed, settings(18)).unwrap();
    let mut checked = 0;
    // The last layer is 252, and every ply adds at least 2.
    for &board in ends.iter().filter(|board| !board.is_over()) {
        let found = search.search(board).unwrap();
        let worth = found.worths[found.best.index()].unwrap();
        assert_near(worth as f64, known[&board], board);
        checked += 1;
    }
    assert!(checked > 200, "{checked}");
}

#[test]
fn the_table_and_the_threads_change_nothing() {
    let boards = positions(5, 60, Shape::CLASSIC);
    for shape in [
        TreeShape { law: SpawnLaw::default(), fours: 0, cut: 0 },
        TreeShape { law: SpawnLaw::default(), fours: 1, cut: 9 },
    ] {
        let search = |table, threads| {
            let settings = Settings { shape, table, threads, ..settings(3) };
            let mut search = Expectimax::new(Hashed, settings).unwrap();
            // One table for all positions, as in a game.
            boards.iter().map(|&board| search.search(board).unwrap().worths).collect::<Vec<_>>()
        };
        let without = search(0, 1);
        for (table, threads) in [(64, 1), (1 << 12, 1), (1 << 22, 1), (1 << 22, 2), (1 << 14, 3)] {
            let with = search(table, threads);
            // To the last bit.
            assert_eq!(with, without, "{table} bytes, {threads} threads");
        }
    }
}

#[test]
fn a_table_saves_work() {
    let leaves = |table| {
        let mut search = Expectimax::new(Hashed, Settings { table, ..settings(4) }).unwrap();
        let mut random = Random::new(6);
        let mut board = positions(6, 1, Shape::CLASSIC)[0];
        let mut leaves = 0;
        for _ in 0..10 {
            let Some(found) = search.search(board) else { break };
            leaves += found.counts.leaves;
            board = SpawnLaw::default().spawn(board.slide(found.best).unwrap().0, &mut random);
        }
        leaves
    };
    assert!(leaves(1 << 22) * 10 < leaves(0) * 9, "{} {}", leaves(1 << 22), leaves(0));
}

#[test]
fn a_time_limit_is_kept_and_used() {
    let board: Board = "3456234512340120".parse().unwrap();
    let time = Duration::from_millis(20);
    // The processor's time: a machine that is busy may give a thread nothing for 20 ms.
    let limits = Limits { clock: Clock::Cpu, ..Limits::time(time) };
    // A large table would take the half of it for its first pages.
    let settings = Settings { table: 1 << 18, ..Settings::new(limits) };
    let mut search = Expectimax::new(Hashed, settings).unwrap();
    let clock = Instant::now();
    let found = search.search(board).unwrap();
    // Generous, as the machine may be busy.
    assert!(clock.elapsed() < Duration::from_millis(500), "{:?}", clock.elapsed());
    assert!(found.depth >= 3, "{found:?}");
    assert!(found.worths[found.best.index()].is_some());
}

#[test]
fn only_the_deepest_values_decide() {
    for nodes in [1, 100, 1000, 10_000, 100_000] {
        for board in positions(8, 20, Shape::CLASSIC) {
            let mut search = Expectimax::new(Hashed, Settings::new(Limits::nodes(nodes))).unwrap();
            let found = search.search(board).unwrap();
            let deepest = *found.depths.iter().max().unwrap();
            assert_eq!(found.depths[found.best.index()], deepest);
            // The same again, whatever the table has seen meanwhile.
            search.search("1200000000000000".parse().unwrap());
            assert_eq!(search.search(board).unwrap(), found);
            // What is judged at once is judged whole.
            assert!(found.counts.leaves < nodes + 1000, "{}", found.counts.leaves);
        }
    }
}

/// Who plays does not search on when a move is out of reach; who asks for a depth gets it.
#[test]
fn a_clear_decision_ends_a_search() {
    let board: Board = "0231000430003430".parse().unwrap();
    let limits = Limits { depth: 6, ..Limits::nodes(1 << 40) };
    let mut search = Expectimax::new(Heuristic::default(), Settings::new(limits)).unwrap();
    let found = search.search(board).unwrap();
    assert_eq!(found.depth, 6);
    let mut query = Query::new(board, Random::new(0));
    search.choose(std::slice::from_mut(&mut query));
    let searched = search.searched().unwrap();
    assert!(searched.depth < 6 && searched.leaves < found.counts.leaves, "{searched:?}");
    assert_eq!(query.answer, Some(found.best));
}

/// An afterstate in the table does not say which board it lies on.
#[test]
fn boards_of_two_shapes_do_not_share_a_table() {
    let mut both = Expectimax::new(Lopsided, settings(3)).unwrap();
    for text in ["2x3:110211", "3x2:110211", "2x3:110211"] {
        let board: Board = text.parse().unwrap();
        let mut alone = Expectimax::new(Lopsided, settings(3)).unwrap();
        assert_eq!(both.search(board).unwrap().worths, alone.search(board).unwrap().worths);
    }
}

/// What has to be loaded is loaded before the time runs.
#[test]
fn loading_is_not_a_part_of_the_time() {
    /// Takes long to judge anything before it is awake.
    struct Sleepy(AtomicBool);
    impl Value for Sleepy {
        fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
            assert!(self.0.load(Ordering::Relaxed), "judged in its sleep");
            Hashed.values(afterstates, out);
        }

        fn wake(&self, _: &[Afterstate]) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let board: Board = "3456234512340120".parse().unwrap();
    let value = Arc::new(Sleepy(AtomicBool::new(false)));
    let limits = Limits::time(Duration::from_millis(1));
    let mut search = Expectimax::new(value, Settings::new(limits)).unwrap();
    assert!(search.search(board).is_some());
}

#[test]
fn one_legal_move_is_not_searched() {
    struct Counting(AtomicU64);
    impl Value for Counting {
        fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
            self.0.fetch_add(afterstates.len() as u64, Ordering::Relaxed);
            out.fill(0.0);
        }
    }
    let board: Board = "1000200010002000".parse().unwrap();
    assert_eq!(board.legal_moves().len(), 1);
    let counting = Counting(AtomicU64::new(0));
    let mut search = Expectimax::new(&counting, settings(3)).unwrap();
    let mut query = Query::new(board, Random::new(0));
    search.choose(std::slice::from_mut(&mut query));
    assert_eq!((query.answer, counting.0.load(Ordering::Relaxed)), (Some(Move::Right), 0));
}

#[test]
fn the_processors_time_does_not_run_while_others_compute() {
    /// Waits at every question, as a thread does that is not let near a processor.
    struct Waiting;
    impl Value for Waiting {
        fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
            std::thread::sleep(Duration::from_millis(4));
            Hashed.values(afterstates, out);
        }
    }
    let board: Board = "3456234512340120".parse().unwrap();
    let time = Duration::from_millis(100);
    let mut found = [Clock::Wall, Clock::Cpu].map(|clock| {
        let limits = Limits { clock, depth: 4, ..Limits::time(time) };
        let mut search = Expectimax::new(Waiting, Settings { limits, ..settings(4) }).unwrap();
        let now = Instant::now();
        (search.search(board).unwrap().depth, now.elapsed())
    });
    let [(wall, _), (cpu, waited)] = &mut found;
    assert!(*wall < 4, "the wall clock was not looked at");
    assert_eq!(*cpu, 4);
    assert!(*waited > time, "there was nothing to wait for");
}

#[test]
fn crowded_boards_get_a_ply_more() {
    let limits = Limits { crowded: 4, ..Limits::depth(2) };
    let mut search = Expectimax::new(Hashed, Settings { limits, ..settings(2) }).unwrap();
    let depth = |search: &mut Expectimax<Hashed>, text: &str| {
        search.search(text.parse().unwrap()).unwrap().depth
    };
    assert_eq!(depth(&mut search, "1234123412341200"), 3);
    assert_eq!(depth(&mut search, "1234123412000000"), 2);
}

#[test]
fn a_report_explains_the_values() {
    let board: Board = "3456234512340120".parse().unwrap();
    let mut search = Expectimax::new(Hashed, settings(3)).unwrap();
    let found = search.search(board).unwrap();
    let report = search.report(board);
    assert_eq!(report.best(), Some(found.best));
    assert_eq!(report.moves.len(), board.legal_moves().len());
    assert!(report.moves.is_sorted_by(|a, b| a.value >= b.value));
    for entry in &report.moves {
        assert_eq!(Some(entry.value), found.worths[entry.mv.index()]);
        assert!(entry.spread.unwrap() > 0.0);
        // The line can be played.
        assert_eq!((entry.line.len(), entry.line[0].mv), (3, entry.mv));
        let mut at = board;
        for step in &entry.line {
            let (node, _) = at.slide(step.mv).unwrap();
            let Some(spawn) = step.spawn else { break };
            at = node.spawn(spawn).unwrap();
        }
    }
    let over: Board = "1212212112122121".parse().unwrap();
    let report = search.report(over);
    assert_eq!((report.best(), report.value(), report.moves.len()), (None, 0.0, 0));
}

#[test]
fn rewards_count_and_the_end_is_worth_nothing() {
    // The last merge of a game: 8 points, then nothing is left to do in most continuations.
    let board: Board = "1x4:2213".parse().unwrap();
    let mut search = Expectimax::new(Zero, settings(1)).unwrap();
    let found = search.search(board).unwrap();
    assert_eq!(found.worths[Move::Left.index()], Some(8.0));
}

#[test]
fn somebody_else_ends_a_search() {
    let stop = Arc::new(AtomicBool::new(false));
    let board: Board = "0123456789ab0000".parse().unwrap();
    let mut search = Expectimax::new(Hashed, Settings::new(Limits::depth(12))).unwrap();
    search.stop_by(Arc::clone(&stop));
    std::thread::scope(|scope| {
        // Twelve plies would take for ever.
        let searching = scope.spawn(|| search.explain(board, None));
        std::thread::sleep(Duration::from_millis(20));
        assert!(!searching.is_finished());
        stop.store(true, Ordering::Relaxed);
        assert!(searching.join().unwrap().is_some());
    });
    // The next one is not stopped by what was, and finds what it would have found.
    search.stop_by(Arc::default());
    let again = search.explain(board, Some(Limits::depth(2))).unwrap();
    let mut fresh = Expectimax::new(Hashed, Settings::new(Limits::depth(2))).unwrap();
    let fresh = fresh.explain(board, None).unwrap();
    let values = |report: &maxtile_search::Report| -> Vec<(Move, u32)> {
        report.moves.iter().map(|found| (found.mv, found.value.to_bits())).collect()
    };
    assert_eq!(values(&again), values(&fresh));
}
