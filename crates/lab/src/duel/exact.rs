//! Who knows the duel: a board solved for the score of a variant.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use maxtile_game::{Afterstate, Board, DuelRules, Move, Random, Spawn, Tiles};
use maxtile_search::{Choice, Counts, Duelist};
use maxtile_solve::{Aim, Analysis, Problem, Region, Table, Watch};

/// Boards of at most this many cells are solved when they are asked about.
const AT_ONCE: usize = 6;

/// Plays both sides best.
#[derive(Clone)]
pub struct ExactDuelist(Arc<Table>);

impl ExactDuelist {
    /// The player of a file of `maxtile solve`, or without one of a board small enough to be solved
    /// at once. The error is what must be instead.
    pub fn open(path: Option<&Path>, rules: DuelRules) -> Result<ExactDuelist, String> {
        let aim = Aim::duel(rules.variant);
        let Some(path) = path else { return ExactDuelist::at_once(rules) };
        let table = Table::open(path).map_err(|cause| cause.to_string())?;
        if table.region().shape() != rules.shape {
            return Err(format!("its board is {}, not {}", table.region().shape(), rules.shape));
        }
        if table.aim() != aim || !table.header().values {
            return Err(format!("it does not hold the values of {aim}"));
        }
        table.verify().map_err(|cause| cause.to_string())?;
        Ok(ExactDuelist(Arc::new(table)))
    }

    /// The player of a board that was solved already, for the score of a variant.
    pub fn of(table: Arc<Table>) -> ExactDuelist {
        ExactDuelist(table)
    }

    fn at_once(rules: DuelRules) -> Result<ExactDuelist, String> {
        let aim = Aim::duel(rules.variant);
        if rules.shape.cells() > AT_ONCE {
            let what = "a file of maxtile solve --objective";
            return Err(format!("{what} {aim} on a board of more than six cells"));
        }
        let region = Region::full(rules.shape).map_err(|cause| cause.to_string())?;
        let problem = Problem { p4: rules.law.p4(), aim, ..Problem::score(region) };
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let table = Table::in_memory(&problem, 1, watch).map_err(|cause| cause.to_string())?;
        Ok(ExactDuelist(Arc::new(table)))
    }

    /// What a position with the defender to move is worth; `None` where no game gets to.
    pub fn value(&self, board: Board) -> Option<f64> {
        self.0.query(board).ok().map(|answer| answer.value)
    }

    /// What a position with the attacker to place one of these tiles is worth by each placement,
    /// the worst for the defender first. On the empty board that is the first of two tiles.
    pub fn placements(&self, afterstate: Afterstate, tiles: Tiles) -> Option<Vec<(Spawn, f64)>> {
        let cells = afterstate.shape().cells();
        let opens = afterstate.empty_count() == cells && cells > 1;
        let mut all = Vec::new();
        for spawn in tiles.placements(afterstate) {
            let board = afterstate.spawn(spawn).ok()?;
            let value = if opens { self.half_open(board) } else { self.value(board) };
            all.push((spawn, value?));
        }
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        Some(all)
    }

    /// What the first of two tiles leaves: the second one is placed where it harms most.
    fn half_open(&self, board: Board) -> Option<f64> {
        let half = Afterstate::from(board.grid());
        let worst = |tiles| self.placements(half, tiles)?.first().map(|(_, value)| *value);
        let p4 = self.0.header().p4;
        match self.0.aim() {
            Aim::HostileDrawn => Some((1.0 - p4) * worst(Tiles::Two)? + p4 * worst(Tiles::Four)?),
            Aim::HostileTwos => worst(Tiles::Two),
            _ => worst(Tiles::Any),
        }
    }
}

/// What the duel is worth from the empty board and the tile that can be forced, on boards small
/// enough to be solved at once.
pub fn exact_verdict(rules: DuelRules) -> Option<(f64, u32)> {
    if rules.shape.cells() > AT_ONCE {
        return None;
    }
    let region = Region::full(rules.shape).ok()?;
    let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
    let analysis = Analysis::new(&region, None, true, 1, watch)?;
    let value = analysis.value(Aim::duel(rules.variant), rules.law.p4(), watch)?;
    let exponent = analysis.value(Aim::forced(rules.variant), rules.law.p4(), watch)?;
    Some((value, 1 << exponent as u32))
}

impl Duelist for ExactDuelist {
    fn slide(&mut self, board: Board, _: &mut Random) -> Option<Move> {
        match self.0.query(board) {
            Ok(answer) => answer.moves.first().map(|best| best.mv),
            // A position that no game gets to has no exact values, but must be played.
            Err(_) => board.legal_moves().nth(0),
        }
    }

    fn place(&mut self, afterstate: Afterstate, tiles: Tiles, _: &mut Random) -> Option<Spawn> {
        let known = self.placements(afterstate, tiles);
        let first = known.and_then(|all| all.first().map(|(spawn, _)| *spawn));
        first.or_else(|| tiles.placements(afterstate).next())
    }

    fn weigh_slides(&mut self, board: Board) -> Option<Choice<Move>> {
        let clock = Instant::now();
        let moves = self.0.query(board).ok()?.moves;
        known(moves.into_iter().map(|found| (found.mv, found.value)).collect(), clock)
    }

    fn weigh_placements(&mut self, afterstate: Afterstate, tiles: Tiles) -> Option<Choice<Spawn>> {
        let clock = Instant::now();
        known(self.placements(afterstate, tiles)?, clock)
    }
}

/// Nothing is searched: the first ply is the best.
fn known<P: Copy>(worths: Vec<(P, f64)>, since: Instant) -> Option<Choice<P>> {
    let (best, value) = *worths.first()?;
    let counts = Counts::default();
    Some(Choice { best, value, worths, depth: 0, exact: true, counts, time: since.elapsed() })
}
