//! `maxtile watch`: an agent plays in the terminal, or move by move as JSON lines.

mod screen;
mod show;

use std::io::{self, IsTerminal};

use maxtile_game::{Game, GameSeed, Move, Rules};
use maxtile_lab::protocol::usual_agent;
use maxtile_lab::{Agent, player_random};
use maxtile_search::{Policy, Query, Searched};
use ratatui::crossterm::style::force_color_output;
use serde::Serialize;

use crate::Verdict;
use crate::args::{Common, Watch};
use crate::error::{Stop, error};
use crate::eval::agent;
use crate::interrupt;
use crate::output::{Output, use_color};

#[derive(Serialize)]
struct MoveLine {
    r#type: &'static str,
    r#move: &'static str,
    score: u32,
    position: String,
    /// What the search for it took; not there for who does not search, or had no choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaves: Option<u64>,
}

#[derive(Serialize)]
struct Summary<'a> {
    r#type: &'static str,
    agent: &'a str,
    score: u32,
    max_tile: u32,
    moves: usize,
    over: bool,
    seed: String,
}

pub(crate) fn run(args: &Watch, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    let rules = args.board.rules();
    let agent = agent(args.agent.as_deref().unwrap_or(usual_agent(rules.shape)), rules)?;
    let seed = GameSeed { run: common.seed.unwrap_or_else(fresh), index: 0 };
    let mut show = Show::new(&agent, rules, seed);
    if common.json {
        play_lines(&mut show, out)?;
    } else {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(error("maxtile watch needs a terminal for input and output")
                .hint("--json prints the moves instead, and eval plays many games"));
        }
        let color = use_color(common.color, true);
        // The terminal library obeys NO_COLOR by itself, but --color always is meant to win.
        force_color_output(color);
        show::Show::new(&mut show, args.speed, color).run()?;
    }
    let game = &show.game;
    let (score, max_tile, moves) =
        (game.score(), game.board().max_tile(), game.record().plies.len());
    let over = game.board().is_over();
    let seed = show.seed.to_string();
    out.text(format!(
        "{}: score {score}, largest tile {max_tile}, {moves} moves, seed {seed}",
        agent.text()
    ))?;
    let agent = agent.text();
    out.object(&Summary { r#type: "summary", agent, score, max_tile, moves, over, seed })?;
    Ok(Verdict::Done)
}

/// Every move as a line, until the game is over or somebody stops it.
fn play_lines(show: &mut Show, out: &mut Output) -> Result<(), Stop> {
    let stop = interrupt::flag();
    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
        let Some(mv) = show.step() else { break };
        let (score, position) = (show.game.score(), show.game.board().to_string());
        let searched = show.policy.searched();
        let (depth, leaves) = (searched.map(|s| s.depth), searched.map(|s| s.leaves));
        let r#move = mv.name();
        out.object(&MoveLine { r#type: "move", r#move, score, position, depth, leaves })?;
    }
    Ok(())
}

/// A seed that nobody has seen before.
pub(crate) fn fresh() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0) >> 32
}

/// A game and who plays it.
struct Show {
    policy: Box<dyn Policy>,
    rules: Rules,
    name: String,
    seed: GameSeed,
    game: Game,
    query: Query,
    /// What the last choice took.
    searched: Option<Searched>,
    /// Games that are over, and the best score of them.
    over: u64,
    best: u32,
}

impl Show {
    fn new(agent: &Agent, rules: Rules, seed: GameSeed) -> Show {
        let game = Game::new(rules, seed);
        let query = Query::new(game.board(), player_random(seed.run, seed.index));
        let name = agent.text().to_owned();
        let policy = agent.policy();
        Show { policy, rules, name, seed, game, query, searched: None, over: 0, best: 0 }
    }

    /// The agent's next move; `None` when the game is over.
    fn step(&mut self) -> Option<Move> {
        self.query.board = self.game.board();
        self.policy.choose(std::slice::from_mut(&mut self.query));
        // A move without a choice leaves what was said of the last one.
        self.searched = self.policy.searched().or(self.searched);
        let mv = self.query.answer?;
        self.game.play(mv)?;
        Some(mv)
    }

    /// The next game of the run.
    fn next_game(&mut self) {
        self.over += 1;
        self.best = self.best.max(self.game.score());
        self.seed.index += 1;
        self.game = Game::new(self.rules, self.seed);
        self.query = Query::new(self.game.board(), player_random(self.seed.run, self.seed.index));
    }
}
