//! Games of one agent on one thread, played side by side.

use maxtile_game::{Board, GameSeed, Ply, Random, Record};
use maxtile_search::{Policy, Query};

use crate::catalog::Agent;
use crate::rounds::Plan;
use crate::stats::Played;

/// Tells the player's random numbers from the spawns': the letters "players" in ASCII.
const PLAYERS: u64 = 0x0070_6c61_7965_7273;

/// The player's own random numbers in game `index` of the run with this seed.
///
/// The spawns come from `Random::stream(seed, index)`, the player's numbers from the same game of
/// the seed XOR 0x706c6179657273: neither sees the other's.
pub fn player_random(seed: u64, index: u64) -> Random {
    Random::stream(seed ^ PLAYERS, index)
}

/// A policy and the games it is playing. A table and a query at the same place are one game.
pub(crate) struct Seats<'a> {
    plan: &'a Plan<'a>,
    player: Option<String>,
    policy: Box<dyn Policy>,
    queries: Vec<Query>,
    tables: Vec<Table>,
}

/// What the policy need not know of a game.
struct Table {
    index: u64,
    spawns: Random,
    score: u32,
    moves: u32,
    start: Board,
    plies: Vec<Ply>,
}

impl<'a> Seats<'a> {
    pub(crate) fn new(agent: &Agent, plan: &'a Plan<'a>) -> Seats<'a> {
        // A record has no room for longer names.
        let player = Some(agent.text().to_owned()).filter(|name| name.len() <= 255);
        let policy = agent.policy();
        Seats { plan, player, policy, queries: Vec::new(), tables: Vec::new() }
    }

    /// Begins game `index`.
    pub(crate) fn sit(&mut self, index: u64) {
        let (seed, rules) = (self.plan.setting.seed, self.plan.setting.rules);
        let mut spawns = Random::stream(seed, index);
        let start = rules.start(&mut spawns);
        self.queries.push(Query::new(start, player_random(seed, index)));
        self.tables.push(Table { index, spawns, score: 0, moves: 0, start, plies: Vec::new() });
    }

    /// One move in every game; those that were over already are handed out and leave.
    pub(crate) fn move_all(&mut self, mut over: impl FnMut(u64, Played, Option<Record>)) {
        self.policy.choose(&mut self.queries);
        let (law, keep_records) = (self.plan.setting.rules.law, self.plan.keep_records);
        let mut place = 0;
        while let Some(query) = self.queries.get_mut(place) {
            let table = &mut self.tables[place];
            let Some(mv) = query.answer else {
                let board = query.board;
                self.queries.swap_remove(place);
                let table = self.tables.swap_remove(place);
                let (index, played) = (table.index, table.played(board));
                over(index, played, keep_records.then(|| self.record(table)));
                continue;
            };
            let (afterstate, reward) = query.board.slide(mv).expect("a policy answers legally");
            let spawn = law.draw(afterstate, &mut table.spawns);
            query.board = afterstate.spawn(spawn).expect("the law draws an empty cell");
            table.score += reward;
            table.moves += 1;
            if keep_records {
                table.plies.push(Ply { mv, spawn });
            }
            place += 1;
        }
    }

    fn record(&self, table: Table) -> Record {
        let seed = GameSeed { run: self.plan.setting.seed, index: table.index };
        Record {
            plies: table.plies,
            seed: Some(seed),
            player: self.player.clone(),
            ..Record::new(self.plan.setting.rules.law, table.start)
        }
    }
}

impl Table {
    fn played(&self, end: Board) -> Played {
        Played { score: self.score, moves: self.moves, max_exponent: end.max_exponent() }
    }
}
