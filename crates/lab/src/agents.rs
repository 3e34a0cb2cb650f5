//! The agents there are, as data.

use std::sync::Arc;

use maxtile_neural::NetworkPolicy;
use maxtile_search::{
    AtRoot, Clock, Corner, CornerRatio, Decide, Expectimax, Greedy, Heuristic, Limits, MAX_DEPTH,
    MOST_POSITIONS, Mcss, McssSettings, Rule, Select, Settings, Spawns, TreeShape, Uniform, Value,
};

use crate::arguments::Arguments;
use crate::catalog::{AgentKind, Kind, Make, Parameter};
use crate::error::{AgentError, AgentProblem};
use crate::exact::ExactPlayer;

/// Decisions at once that hide the memory's latency.
pub(crate) const SIDE_BY_SIDE: usize = 32;

const NET: Parameter = parameter("net", "what afterstates are worth", Kind::Net, Some("default"));

const fn parameter(
    name: &'static str,
    meaning: &'static str,
    kind: Kind,
    default: Option<&'static str>,
) -> Parameter {
    Parameter { name, meaning, kind, default }
}

/// All agents.
pub const AGENTS: &[AgentKind] = &[
    AgentKind {
        name: "random",
        meaning: "plays every legal move with the same probability",
        parameters: &[],
        side_by_side: SIDE_BY_SIDE,
        build: |_| Ok(Arc::new(|| Box::new(Uniform))),
    },
    AgentKind {
        name: "greedy",
        meaning: "takes the move whose reward and afterstate value sum to the most",
        parameters: &[NET],
        side_by_side: SIDE_BY_SIDE,
        build: |arguments| {
            let value = arguments.net("net")?;
            Ok(Arc::new(move || Box::new(Greedy::new(Arc::clone(&value)))))
        },
    },
    AgentKind {
        name: "expectimax",
        meaning: "looks some plies ahead, at every spawn and every answer",
        parameters: &[
            NET,
            DEPTH,
            parameter(
                "crowded",
                "one ply more where at most so many cells are empty",
                Kind::Whole(0, 16),
                Some("0"),
            ),
            parameter(
                "time",
                "time for a move, such as 10ms, in the mean of a game: up to four times as much where it may decide; 0 for no limit",
                Kind::Time,
                Some("0"),
            ),
            CLOCK,
            parameter(
                "nodes",
                "afterstates judged for a move; 0 for no limit",
                Kind::Whole(0, u64::MAX),
                Some("0"),
            ),
            FOURS,
            parameter(
                "cut",
                "branches less probable than 2^-cut are not looked into; 0 for all",
                Kind::Whole(0, 62),
                Some("0"),
            ),
            parameter(
                "table",
                "megabytes of the transposition table of each thread of play",
                Kind::Whole(0, 1 << 20),
                Some("16"),
            ),
            parameter("threads", "threads of one search", Kind::Whole(1, 256), Some("1")),
        ],
        side_by_side: 1,
        build: |arguments| expectimax(arguments, arguments.net("net")?),
    },
    AgentKind {
        name: "mcss",
        meaning: "Monte-Carlo softmax search: a tree that grows where moves promise most",
        parameters: &[
            NET,
            parameter(
                "sims",
                "simulations for a move; 0 for as many as the time allows, or 100 without time",
                Kind::Whole(0, MOST_POSITIONS as u64),
                Some("0"),
            ),
            parameter(
                "time",
                "time for a move, such as 10ms; 0 for no limit",
                Kind::Time,
                Some("0"),
            ),
            CLOCK,
            parameter(
                "select",
                "how moves are drawn on the way down",
                Kind::Choice(&[
                    "lmax", "best", "ratio", "range", "points", "uniform", "ucb", "puct",
                ]),
                Some("lmax"),
            ),
            parameter(
                "backup",
                "what a position is worth on the way up",
                Kind::Choice(&["best", "lmax", "ratio", "range", "points", "uniform"]),
                Some("best"),
            ),
            parameter(
                "t",
                "the temperature of ratio, range and points (times 10,000 points), or the constant of ucb and puct",
                Kind::Number(0.001, 1000.0),
                Some("0.1"),
            ),
            parameter(
                "spawn",
                "which spawn is followed: the most due, or one drawn",
                Kind::Choice(&["least", "draw"]),
                Some("least"),
            ),
            parameter(
                "root",
                "how the first moves share the simulations",
                Kind::Choice(&["select", "halving"]),
                Some("select"),
            ),
            parameter(
                "decide",
                "which move is played: the one worth or visited most",
                Kind::Choice(&["worth", "visits"]),
                Some("worth"),
            ),
            parameter("reuse", "keep the tree for the next move", Kind::Whole(0, 1), Some("1")),
            parameter("batch", "new positions judged together", Kind::Whole(1, 4096), Some("1")),
            parameter("threads", "threads of one search", Kind::Whole(1, 256), Some("1")),
        ],
        side_by_side: 1,
        build: mcss,
    },
    AgentKind {
        name: "heuristic",
        meaning: "expectimax over a value worked out by hand: empty cells, order, smoothness, edges",
        parameters: &[
            parameter("depth", "plies; 0 for 3", Kind::Whole(0, MAX_DEPTH as u64), Some("0")),
            FOURS,
        ],
        side_by_side: 1,
        build: |arguments| {
            let depth = match arguments.whole("depth")? {
                0 => 3,
                depth => depth as u8,
            };
            let shape = TreeShape {
                law: arguments.rules().law,
                fours: arguments.whole("fours")? as u8,
                cut: 0,
            };
            search(
                Arc::new(Heuristic::default()),
                Settings { shape, ..Settings::new(Limits::depth(depth)) },
            )
        },
    },
    AgentKind {
        name: "exact",
        meaning: "plays best on a solved board",
        parameters: &[parameter(
            "table",
            "a file of maxtile solve; without one, boards of up to six cells are solved at once",
            Kind::File,
            Some("none"),
        )],
        side_by_side: 1,
        build: |arguments| {
            let path = arguments.file("table")?;
            let player = ExactPlayer::open(path.as_deref(), arguments.rules());
            let player = player.map_err(|why| match path {
                Some(_) => arguments.refused("table", why),
                None => arguments.bad("table", &why),
            })?;
            Ok(Arc::new(move || Box::new(player.clone())))
        },
    },
    AgentKind {
        name: "policy",
        meaning: "the move that a neural network prefers by itself, no points added",
        parameters: &[parameter("net", "the network", Kind::Net, None)],
        side_by_side: SIDE_BY_SIDE,
        build: |arguments| {
            let network = arguments.preferring("net")?;
            let make = move || NetworkPolicy::new(Arc::clone(&network));
            Ok(Arc::new(move || Box::new(make().expect("it was opened as one"))))
        },
    },
    AgentKind {
        name: "corner",
        meaning: "another agent; moves that leave the largest tile in a corner are worth rho times as much",
        parameters: &[
            parameter("agent", "the agent, one that weighs moves", Kind::Agent, Some("greedy")),
            parameter("rho", "the corner ratio", Kind::Number(0.1, 10.0), Some("1.2")),
            parameter(
                "then",
                "the corner ratio later in the game",
                Kind::Number(0.1, 10.0),
                Some("1.1"),
            ),
            parameter(
                "score",
                "later is from this score on; 0 for never",
                Kind::Whole(0, 10_000_000),
                Some("0"),
            ),
            parameter(
                "tile",
                "later is from this largest tile on; 0 for never",
                Kind::Whole(0, 131_072),
                Some("0"),
            ),
        ],
        side_by_side: 1,
        build: corner,
    },
    crate::duel::ALPHABETA,
];

const DEPTH: Parameter = parameter(
    "depth",
    "plies; 0 for all that is probable as far as time or nodes allow, or 3 without those",
    Kind::Whole(0, MAX_DEPTH as u64),
    Some("0"),
);
const CLOCK: Parameter = parameter(
    "clock",
    "what the time is measured by: the wall, or the processor's time of a search on one thread",
    Kind::Choice(&["wall", "cpu"]),
    Some("wall"),
);
const FOURS: Parameter = parameter(
    "fours",
    "plies less behind a spawned 4, where plies are counted",
    Kind::Whole(0, 4),
    Some("0"),
);

/// The clock of a search on so many threads.
fn clock(arguments: &Arguments<'_>, threads: usize) -> Result<Clock, AgentError> {
    match arguments.choice("clock")? {
        "cpu" if threads > 1 => {
            Err(arguments.bad("clock", "wall where a search has several threads"))
        }
        "cpu" => Ok(Clock::Cpu),
        _ => Ok(Clock::Wall),
    }
}

fn expectimax(arguments: &Arguments<'_>, value: Arc<dyn Value>) -> Result<Make, AgentError> {
    let time = arguments.time("time")?;
    let nodes = Some(arguments.whole("nodes")?).filter(|nodes| *nodes > 0);
    let depth = match arguments.whole("depth")? {
        0 if time.is_none() && nodes.is_none() => 3,
        0 => MAX_DEPTH,
        depth => depth as u8,
    };
    let crowded = arguments.whole("crowded")? as u8;
    let shape = TreeShape {
        law: arguments.rules().law,
        fours: arguments.whole("fours")? as u8,
        cut: arguments.whole("cut")? as u8,
    };
    let threads = arguments.whole("threads")? as usize;
    let clock = clock(arguments, threads)?;
    let settings = Settings {
        limits: Limits { depth, crowded, nodes, time, clock },
        shape,
        table: (arguments.whole("table")? as usize) << 20,
        threads,
    };
    search(value, settings)
}

/// Searches by these settings, one for each thread of play.
fn search(value: Arc<dyn Value>, settings: Settings) -> Result<Make, AgentError> {
    let make = move |settings| Expectimax::new(Arc::clone(&value), settings);
    // The memory is there, or is not, before the first game.
    make(settings).map_err(|cause| {
        let megabytes = settings.table >> 20;
        AgentProblem::CannotOpen {
            what: format!("a table of {megabytes} MB"),
            why: cause.to_string(),
        }
    })?;
    Ok(Arc::new(move || match make(settings) {
        Ok(search) => Box::new(search),
        // Another thread got the last of the memory: slower, but with the same result.
        Err(_) => Box::new(make(Settings { table: 0, ..settings }).expect("needs no memory")),
    }))
}

/// Points of a temperature of 1 where worths are taken as they are.
const POINTS: f32 = 10_000.0;

fn mcss(arguments: &Arguments<'_>) -> Result<Make, AgentError> {
    let value = arguments.net("net")?;
    let time = arguments.time("time")?;
    let simulations = match arguments.whole("sims")? {
        0 if time.is_none() => Some(100),
        0 => None,
        simulations => Some(simulations),
    };
    let t = arguments.number("t")? as f32;
    let rule = |name: &str| match name {
        "best" => Rule::Best,
        "ratio" => Rule::Ratio(t),
        "range" => Rule::Range(t),
        "points" => Rule::Points(t * POINTS),
        "uniform" => Rule::Uniform,
        _ => Rule::LMax,
    };
    let select = match arguments.choice("select")? {
        "ucb" => Select::Ucb(t),
        "puct" => Select::Puct(t),
        name => Select::Softmax(rule(name)),
    };
    let root = match arguments.choice("root")? {
        "halving" if simulations.is_none() => {
            return Err(arguments.bad("root", "select where only the time is limited"));
        }
        "halving" => AtRoot::Halving,
        _ => AtRoot::Select,
    };
    let threads = arguments.whole("threads")? as usize;
    if root == AtRoot::Halving && threads > 1 {
        return Err(arguments.bad("root", "select on several threads"));
    }
    let settings = McssSettings {
        simulations,
        time,
        clock: clock(arguments, threads)?,
        select,
        backup: rule(arguments.choice("backup")?),
        spawns: if arguments.choice("spawn")? == "draw" { Spawns::Drawn } else { Spawns::Least },
        root,
        decide: if arguments.choice("decide")? == "visits" {
            Decide::Visits
        } else {
            Decide::Worth
        },
        law: arguments.rules().law,
        reuse: arguments.whole("reuse")? == 1,
        batch: arguments.whole("batch")? as usize,
        threads,
        ..McssSettings::new(0)
    };
    Ok(Arc::new(move || Box::new(Mcss::new(Arc::clone(&value), settings))))
}

fn corner(arguments: &Arguments<'_>) -> Result<Make, AgentError> {
    let agent = arguments.agent("agent")?;
    if agent.policy().worths(arguments.rules().start(&mut maxtile_game::Random::new(0))).is_none() {
        return Err(arguments.bad("agent", "an agent that weighs moves"));
    }
    let bound = |name| -> Result<Option<u32>, AgentError> {
        Ok(Some(arguments.whole(name)? as u32).filter(|bound| *bound > 0))
    };
    let ratio = CornerRatio {
        first: arguments.number("rho")? as f32,
        then: arguments.number("then")? as f32,
        score: bound("score")?,
        tile: bound("tile")?,
    };
    let law = arguments.rules().law;
    Ok(Arc::new(move || Box::new(Corner::new(agent.policy(), ratio, law))))
}
