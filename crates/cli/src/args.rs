//! Every verb and flag, once: parser, help, completions and man pages come from here.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use maxtile_game::{Board, Rules, Shape, SpawnLaw, Variant};
use maxtile_lab::Mark;
use maxtile_lab::training::{FIELDS, Field};
use maxtile_search::MAX_DEPTH;
use maxtile_solve::{Aim, Region};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// The laboratory for the game 2048.
#[derive(Parser)]
#[command(name = "maxtile", version, styles = STYLES, disable_help_subcommand = false)]
#[command(after_help = "\
The first minute:
  maxtile serve --open             the page: play with hints, review, watch, explore, train
  maxtile play                     play in the terminal
  maxtile play --size 3x3 --seed 7 a small board, a named game
  maxtile watch                    watch the program play
  maxtile hint 1234000000000000    what the moves of a position are worth
  maxtile record show GAME         look at a recorded game
  maxtile review GAME              what each move cost, and what luck did
  maxtile train tc-4x6             learn a player; Ctrl-C saves
  maxtile eval AGENT               how strong it is, with an interval
  maxtile perft --depth 3          count the ways to play
  maxtile bench                    the signature of this build

Exit codes: 0 done, 1 the check said no, 2 error.")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What every verb takes.
#[derive(ClapArgs)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Print results as JSON lines, the last one a summary
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Do not talk: results and errors only
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Seed of everything random; the same seed gives the same result
    #[arg(long, global = true, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// How many threads to use [default: as many as the machine has; train: as the recipe says, 1]
    #[arg(long, global = true, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Colour in messages
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
}

impl Common {
    /// The number of threads to use.
    pub(crate) fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(all, usize::from)
    }
}

/// When to use colour.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that can, unless `NO_COLOR` is set
    Auto,
    /// In any case
    Always,
    /// Not at all
    Never,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    Play(Play),
    Hint(Hint),
    Watch(Watch),
    Serve(Serve),
    Review(Review),
    Engine(Engine),
    /// Look at, check, convert and cut game records
    #[command(subcommand)]
    Record(Record),
    /// Count the ways to play from a position
    Perft(Perft),
    Solve(Solve),
    Query(Query),
    /// Train a network by a recipe
    Train(Train),
    /// Look at, import, export, pack and compare networks
    #[command(subcommand)]
    Net(Net),
    Eval(Eval),
    Match(Match),
    Duel(Duel),
    /// List the agents and their parameters
    Agents,
    Plot(Plot),
    Reproduce(Reproduce),
    /// Count, draw and rank the tuples of a board
    #[command(subcommand)]
    Tuples(Tuples),
    /// Compute the signature of this build: one number for its behaviour
    Bench(Bench),
    /// Print shell completions
    #[command(
        after_help = "Example: maxtile completions bash > ~/.local/share/bash-completion/completions/maxtile"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page, or write the pages of all verbs into a folder
    Man {
        /// The folder; it must exist
        #[arg(value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

/// Play in the terminal
///
/// Arrows, WASD or hjkl move, U takes back, R begins anew, ? lists the keys, Q leaves. The game is
/// saved after every move and goes on the next time, unless the flags ask for another one. Games
/// that ended or were given up are kept in games.mtg in the data folder: `MAXTILE_DATA`, or the
/// place the system has for it.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile play                      go on with the last 4x4 game, or begin one
  maxtile play --size 3x3 --seed 7  the 3x3 game named 7
  maxtile play --save game.mtg      keep the record in a file of your own")]
pub(crate) struct Play {
    /// Board size, rows by columns [default: 4x4]
    #[arg(long, value_name = "RxC")]
    pub(crate) size: Option<Shape>,
    /// Probability that a new tile is a 4 [default: 0.1]
    #[arg(long, value_parser = parse_law, value_name = "P")]
    pub(crate) p4: Option<SpawnLaw>,
    /// Begin a new game even if one is unfinished
    #[arg(long)]
    pub(crate) new: bool,
    /// Begin from this position
    #[arg(long, value_name = "POSITION", conflicts_with = "size")]
    pub(crate) position: Option<Board>,
    /// Keep the record in this file (.mtg binary, .jsonl JSON) instead of the data folder
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Keep nothing
    #[arg(long, conflicts_with = "save")]
    pub(crate) no_save: bool,
}

/// What the moves of a position are worth
///
/// The value of a move is the points to be expected from it on: its reward, and what an agent
/// expects to make after it. The spread is what the next tile alone makes of that.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile hint ba98000012340001
  maxtile hint '2 4 0 0/0 0 0 0/0 0 8 0/0 0 0 2'
  maxtile hint ba98000012340001 --agent 'expectimax(net=default, time=100ms)' --json")]
pub(crate) struct Hint {
    /// The position, for example ba98000012340001 or 3x3:120000000
    pub(crate) position: Board,
    /// The agent that judges; `maxtile agents` lists them [default: expectimax, heuristic off 4x4]
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Probability that a new tile is a 4
    #[arg(long, default_value = "0.1", value_parser = parse_law, value_name = "P")]
    pub(crate) p4: SpawnLaw,
}

/// Watch an agent play
///
/// Space pauses, N makes a single move, + and - change the speed, G begins the next game, Q leaves.
/// With --json every move is a line, the last one a summary, and no terminal is needed.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile watch
  maxtile watch 'expectimax(net=default, time=10ms)' --speed 0 --seed 7
  maxtile watch 'greedy(net=default)' --json")]
pub(crate) struct Watch {
    /// The agent; `maxtile agents` lists them [default: expectimax, heuristic off 4x4]
    pub(crate) agent: Option<String>,
    /// Moves a second, 0 for as many as possible
    #[arg(long, default_value_t = 10, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub(crate) speed: u32,
    #[command(flatten)]
    pub(crate) board: BoardFlags,
}

/// Serve the page: play with hints, review, watch, explore, train
///
/// The first line printed is the address. Only this machine can ask, unless --host names another
/// address. Records, solved boards and training runs are kept in the data folder: `MAXTILE_DATA`, or
/// the place the system has for it. Programs find the same under /api/, described in docs/protocol.md.
/// Ctrl-C ends it.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile serve --open
  maxtile serve --port 0            any free port
  maxtile serve --host 0.0.0.0      for others in the network too")]
pub(crate) struct Serve {
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// The name or address to listen on; everybody who reaches it can use the server
    #[arg(long, default_value = "127.0.0.1", value_name = "HOST")]
    pub(crate) host: String,
    /// The port, 0 for any free one [default: 2048, or the next free one]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) port: Option<u16>,
    /// The longest time for a position, whatever a request says, in milliseconds
    #[arg(long, default_value_t = 10_000, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=50_000))]
    pub(crate) max_ms: u32,
}

/// Look at recorded games again: what each move cost, and what luck did
///
/// Files of records, text of 2048verse, pasted moves or positions. For every move the values of all
/// legal ones; the error is what was lost to the best, the luck is what the new tile brought, and the
/// score is the value of the start minus all errors plus all luck. docs/review.md explains grades
/// and accuracy. Small boards that are solved are judged by the truth.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile review game.mtg
  maxtile review game.mtg --html game.html    a page with graph, worst moves and all moves
  maxtile review game.mtg --agent 'greedy(net=default)' --json
  maxtile review replay.txt --ms 20           20 ms for each move")]
pub(crate) struct Review {
    /// Files with games, - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The agent that judges, or exact [default: exact where solved, expectimax, heuristic off 4x4]
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Plies that each move is searched
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_DEPTH)))]
    pub(crate) depth: Option<u8>,
    /// Afterstates judged for each move
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Milliseconds for each move; the values then depend on the machine
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    pub(crate) ms: Option<u32>,
    /// Only this game of each file, counted from 1
    #[arg(long, value_name = "NUMBER")]
    pub(crate) record: Option<usize>,
    /// Also write a page that needs nothing else to this file, - for standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Replace the file if there is one
    #[arg(long, requires = "html")]
    pub(crate) force: bool,
}

/// Answer questions of other programs: JSON lines on standard input and output
///
/// Every line is a query with an id; the answers carry it and come when they are ready. An error
/// names the field and ends nothing. When standard input is closed, the queries that wait are
/// answered and the program ends. docs/protocol.md describes the objects.
#[derive(ClapArgs)]
#[command(after_help = "\
Example:
  echo '{\"id\":1,\"position\":\"ba98000012340001\"}' | maxtile engine")]
pub(crate) struct Engine {
    /// The agent that answers queries which name none [default: expectimax, heuristic off 4x4]
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// The longest time for a position, whatever a query says, in milliseconds
    #[arg(long, default_value_t = 60_000, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    pub(crate) max_ms: u32,
}

/// Count the ways to play from a position.
///
/// A ply is a legal move and a 2 or a 4 in an empty cell. Without a position the counts are summed
/// over all boards a game can start from.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile perft --size 2x2 --depth 6
  maxtile perft gg00000000000000 --depth 2 --by-move")]
pub(crate) struct Perft {
    /// The position, for example 1200000000000000 or 3x3:120000000
    pub(crate) position: Option<Board>,
    /// Board size, rows by columns, when no position is given
    #[arg(long, default_value_t = Shape::CLASSIC, value_name = "RxC", conflicts_with = "position")]
    pub(crate) size: Shape,
    /// How many plies deep; every depth up to this one is printed
    #[arg(long, short, default_value_t = 2, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) depth: u32,
    /// Split the deepest count by the first move
    #[arg(long, requires = "position")]
    pub(crate) by_move: bool,
}

/// Solve a small board completely
///
/// Counts every state that a game can get to and computes its exact value. A board is a size, or rows
/// of cells: . free, # wall, x a fixed tile. Boards of seven to nine cells are kept in the data folder
/// for `maxtile query`; --out keeps larger ones. Ctrl-C keeps what is done, and the same command
/// continues it.
#[derive(ClapArgs)]
#[allow(clippy::struct_excessive_bools, reason = "flags are what they are")]
#[command(after_help = "\
Examples:
  maxtile solve 3x3                          into the data folder, some 560 MB
  maxtile solve 3x3 --objective reach=512 --no-file
  maxtile solve 2x5 --out 2x5.mts            two minutes and 14 GB
  maxtile solve 3x4 --objective reach=256 --until-tile --out 3x4.mts --no-values
  maxtile solve '#.#/.../#.#' --layers       a plus
  maxtile solve 3x3 --verify                 check every byte of the file")]
pub(crate) struct Solve {
    /// The board, for example 3x3 or '#.#/.../#.#'
    #[arg(value_parser = crate::solve::parse_region, value_name = "BOARD")]
    pub(crate) board: Region,
    /// What is played for: score, reach=TILE, hostile, hostile-drawn, hostile-twos, friendly,
    /// forced-tile, forced-tile-twos
    #[arg(long, default_value_t = Aim::Score, value_name = "AIM")]
    pub(crate) objective: Aim,
    /// Probability that a new tile is a 4
    #[arg(long, default_value = "0.1", value_parser = parse_law, value_name = "P")]
    pub(crate) p4: SpawnLaw,
    /// The game ends when the tile to reach stands: far fewer states
    #[arg(long = "until-tile")]
    pub(crate) until: bool,
    /// Keep the solved board in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Keep nothing
    #[arg(long, conflicts_with = "out")]
    pub(crate) no_file: bool,
    /// Keep the states but not their values
    #[arg(long)]
    pub(crate) no_values: bool,
    /// Print the counts and checksums of every layer
    #[arg(long)]
    pub(crate) layers: bool,
    /// The value alone: without deviation, moves and tile chances
    #[arg(long)]
    pub(crate) value_only: bool,
    /// Every objective, one after the other, and nothing kept
    #[arg(long, conflicts_with_all = ["out", "objective", "until", "value_only"])]
    pub(crate) all: bool,
    /// What the best player does with his choices instead: unique best moves, corner habits
    #[arg(long, conflicts_with_all = ["all", "out", "objective", "until", "judge", "scores"])]
    pub(crate) census: bool,
    /// The distribution of the best player's score instead
    #[arg(long, conflicts_with_all = ["all", "objective", "until", "judge"])]
    pub(crate) scores: bool,
    /// Let the best player play so many games instead and compare them with the exact numbers; exit
    /// with 1 when one is not in its interval
    #[arg(
        long,
        value_name = "GAMES",
        value_parser = clap::value_parser!(u64).range(2..),
        conflicts_with_all = ["all", "objective", "until", "judge", "census", "scores", "verify"]
    )]
    pub(crate) play: Option<u64>,
    /// Judge an agent by the truth instead: the exact expected score of its play; may be repeated
    #[arg(long, value_name = "AGENT", conflicts_with_all = ["all", "out", "objective", "until"])]
    pub(crate) judge: Option<Vec<String>>,
    /// Show judged agents only one of the boards that differ by symmetry, which is faster
    #[arg(long, requires = "judge")]
    pub(crate) up_to_symmetry: bool,
    /// Ask judged agents only where their own games get, and count agreement, loss and bias by the
    /// moves of these games instead of by states
    #[arg(long, requires = "judge")]
    pub(crate) own_play: bool,
    /// Judge agents by so many games instead, the luck taken out of them by the truth: for searches
    /// too slow to be asked in every state
    #[arg(
        long,
        value_name = "GAMES",
        requires = "judge",
        value_parser = clap::value_parser!(u64).range(3..),
        conflicts_with_all = ["own_play", "up_to_symmetry", "layers", "figure"]
    )]
    pub(crate) games: Option<u64>,
    /// Draw what --census, --scores or --judge found into this SVG file
    #[arg(long, value_name = "FILE")]
    pub(crate) figure: Option<PathBuf>,
    /// Check every byte of the file instead; exit with 1 when one is wrong
    #[arg(long)]
    pub(crate) verify: bool,
}

/// Ask a solved board about a position
///
/// The answer is exact. Boards of up to six cells are solved at once; larger ones need a file that
/// `maxtile solve` made.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile query 2x3:100100
  maxtile query 3x3:120000000 --spawns
  maxtile query 2x2:1001 --objective hostile --line 20
  maxtile query 2x5:1100000000 --table 2x5.mts")]
pub(crate) struct Query {
    /// The position, for example 3x3:120000000
    pub(crate) position: Board,
    /// What is played for: score, reach=TILE, hostile, hostile-drawn, hostile-twos, friendly,
    /// forced-tile, forced-tile-twos
    #[arg(long, default_value_t = Aim::Score, value_name = "AIM", conflicts_with = "table")]
    pub(crate) objective: Aim,
    /// Probability that a new tile is a 4
    #[arg(long, default_value = "0.1", value_parser = parse_law, value_name = "P", conflicts_with = "table")]
    pub(crate) p4: SpawnLaw,
    /// The file of the solved board [default: the one in the data folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,
    /// Show what each spawn after each move is worth
    #[arg(long)]
    pub(crate) spawns: bool,
    /// Show the line of best play, so many plies long at most
    #[arg(long, default_value_t = 0, value_name = "PLIES")]
    pub(crate) line: usize,
    /// Ask about a random state of the position's board instead
    #[arg(long)]
    pub(crate) random: bool,
}

/// Compute the signature of this build: one number for its behaviour.
///
/// Fixed seeds and budgets run through everything that decides; the results are hashed. A change
/// that does not change behaviour does not change the number.
#[derive(ClapArgs)]
pub(crate) struct Bench {
    /// Exit with 1 unless the signature is this one
    #[arg(long, value_name = "SIGNATURE")]
    pub(crate) expect: Option<String>,
}

/// Train a network by a recipe
///
/// A recipe is a TOML file or the name of one that comes with the program; every field of it is
/// also a flag. The run's folder holds the recipe, the metrics and the checkpoints, and can be used
/// wherever a network can. Ctrl-C saves; --resume goes on.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile train tc-4x6 --games 20000 --out runs/first
  maxtile train --resume runs/first --games 50000
  maxtile train my-recipe.toml --rate 0.5 --seed 2

Recipes: default, td-4x6, tc-4x6, tc-delayed-4x6, tc-backward-4x6, tc-restart-4x6, quick-4x6, td-8x6, tc-8x6,
szubert-17x4, q-17x4, state-17x4, otd-4x6, otd-tc-4x6, autostep-42-33, yeh-lambda, wu-stages,
jaskowski-final, kanazawa-corner, whole-2x2, whole-2x3, small-3x3; of neural networks cnn-small, cnn22, ppo-afterstate, ppo-small.")]
pub(crate) struct Train {
    /// A recipe by name, or a TOML file
    pub(crate) recipe: Option<String>,
    /// The run's folder [default: runs/NAME-seedSEED]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with the run in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) fields: RecipeFields,
}

impl Train {
    /// The recipe's fields that flags set; seed and threads are common flags.
    pub(crate) fn changes(&self, common: &Common) -> Vec<(String, String)> {
        let mut changes = self.fields.0.clone();
        changes.extend(common.seed.map(|seed| ("seed".to_owned(), seed.to_string())));
        changes.extend(common.threads.map(|n| ("threads".to_owned(), n.to_string())));
        changes
    }
}

/// Flags for the fields of a recipe, made from the recipe's own definition.
pub(crate) struct RecipeFields(Vec<(String, String)>);

impl RecipeFields {
    fn fields() -> impl Iterator<Item = &'static Field> {
        FIELDS.iter().filter(|field| !matches!(field.name, "seed" | "threads"))
    }
}

impl clap::Args for RecipeFields {
    fn augment_args(command: clap::Command) -> clap::Command {
        RecipeFields::fields().fold(command, |command, field| {
            let value = if field.number { "NUMBER" } else { "TEXT" };
            let flag = clap::Arg::new(field.name).long(field.key()).value_name(value);
            let flag = flag.help(field.help.trim()).allow_negative_numbers(true);
            command.arg(flag.help_heading("Fields of the recipe"))
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        RecipeFields::augment_args(command)
    }
}

impl clap::FromArgMatches for RecipeFields {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<RecipeFields, clap::Error> {
        let set =
            |field: &Field| Some((field.key(), matches.get_one::<String>(field.name)?.clone()));
        Ok(RecipeFields(RecipeFields::fields().filter_map(set).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = RecipeFields::from_arg_matches(matches)?;
        Ok(())
    }
}

#[derive(Subcommand)]
pub(crate) enum Net {
    /// List the networks that have a name
    List,
    /// Show what a network file, or a run's folder, says about its network
    Info {
        /// A network file, a run's folder, or default for the network inside the program
        net: PathBuf,
    },
    /// Read a .w file of TDL2048+
    #[command(after_help = "Example: maxtile net import 4x6patt.w 4x6.safetensors")]
    Import {
        /// The .w file
        file: PathBuf,
        /// Where to write the network
        out: PathBuf,
        /// A name for it
        #[arg(long, default_value = "imported")]
        name: String,
        /// Replace the file if there is one
        #[arg(long)]
        force: bool,
    },
    /// Write a .w file for TDL2048+
    Export {
        /// A network file or a run's folder
        net: PathBuf,
        /// Where to write the .w file
        out: PathBuf,
        /// Replace the file if there is one
        #[arg(long)]
        force: bool,
    },
    /// Write a small file for play: weights rounded to whole steps, compressed
    #[command(after_help = "\
Examples:
  maxtile net pack runs/first first.mtx
  maxtile net pack runs/first small.mtx --games 1000  without what 1,000 games do not ask for

A step of 16 points costs about a byte for each weight that is not zero, and no strength that could be
measured; docs/formats.md has the layout.")]
    Pack(Pack),
    /// Compare the weights of two networks; exit with 1 when they differ
    Diff {
        /// A network file or a run's folder
        a: PathBuf,
        /// Another one
        b: PathBuf,
    },
}

/// Write a small file for play: weights rounded to whole steps, compressed
#[derive(ClapArgs)]
pub(crate) struct Pack {
    /// A network file or a run's folder
    pub(crate) net: PathBuf,
    /// Where to write the packed network
    pub(crate) out: PathBuf,
    /// Points that one unit of a weight stands for
    #[arg(long, default_value_t = 16.0, value_parser = parse_step)]
    pub(crate) step: f32,
    /// Leave out weights that are not asked for in this many games, and four times as many of each
    /// ply less; 0 keeps all that a board can ask for
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) games: u64,
    /// The plies of the search in those games
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub(crate) plies: u8,
    /// How often a weight must have been asked for to stay
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=200))]
    pub(crate) least: u8,
    /// Megabytes that the file may have: of what was asked for, the rarest is left out until it fits
    #[arg(long, value_name = "MB", requires = "games", value_parser = parse_megabytes)]
    pub(crate) within: Option<f64>,
    /// Note a fact about the network, may be given several times
    #[arg(long, value_name = "KEY=TEXT", value_parser = parse_note)]
    pub(crate) note: Vec<(String, String)>,
    /// Replace the file if there is one
    #[arg(long)]
    pub(crate) force: bool,
}

/// Measure how well an agent plays
///
/// Game 0, 1, 2, … of a seed are the same games for every agent and any number of threads. Ctrl-C
/// ends the play at once and reports the games that were complete, without gaps; the summary then
/// says "interrupted". The seed is 1 unless --seed says another.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile eval random
  maxtile eval 'greedy(net=empties)' --games 5000 --seed 7
  maxtile eval 'greedy(net=empties)' --until 1%
  maxtile eval random --size 3x3 --games 100 --save games.mtg

The interval is the 95 % interval of the mean; docs/measuring.md says how it is made.")]
pub(crate) struct Eval {
    /// The agent, for example random or greedy(net=empties); `maxtile agents` lists them
    pub(crate) agent: String,
    /// How many games [default: 1000]
    #[arg(long, value_name = "NUMBER", conflicts_with = "until", value_parser = games())]
    pub(crate) games: Option<u64>,
    /// Play until the interval is this narrow on either side of the mean, for example 1%
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub(crate) until: Option<f64>,
    #[command(flatten)]
    pub(crate) board: BoardFlags,
    /// Keep the games in this file (.mtg binary, .jsonl JSON lines)
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Replace the file if there is one
    #[arg(long, requires = "save")]
    pub(crate) force: bool,
}

/// Find out which of two agents plays better
///
/// Both play the same games. The match ends as soon as one is better, with an error of 5 % however
/// often it looked, or undecided after --games games each.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile match 'greedy(net=empties)' random
  maxtile match 'greedy(net=empties)' 'greedy(net=zero)' --games 50000 --seed 7

docs/measuring.md says when a match ends and what its verdict is worth.")]
pub(crate) struct Match {
    /// An agent, for example random or greedy(net=empties); `maxtile agents` lists them
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// Another agent
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// How many games each at most
    #[arg(long, value_name = "NUMBER", default_value = "10000", value_parser = games())]
    pub(crate) games: u64,
    #[command(flatten)]
    pub(crate) board: BoardFlags,
}

/// On which board, with which spawns.
#[derive(ClapArgs)]
pub(crate) struct BoardFlags {
    /// Board size, rows by columns
    #[arg(long, default_value_t = Shape::CLASSIC, value_name = "RxC")]
    size: Shape,
    /// Probability that a new tile is a 4
    #[arg(long, default_value = "0.1", value_parser = parse_law, value_name = "P")]
    p4: SpawnLaw,
}

impl BoardFlags {
    pub(crate) fn rules(&self) -> Rules {
        Rules { shape: self.size, law: self.p4 }
    }
}

/// Let agents duel: one places the tiles, the other slides
///
/// Two agents play a match in both roles from the same openings: what each makes as defender less what
/// it concedes as attacker. More of them, or --square, play all against all. `human` plays against an
/// agent in the terminal.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile duel 'alphabeta(depth=3)' 'alphabeta(depth=1)' --games 50
  maxtile duel 'alphabeta(depth=1)' 'alphabeta(depth=3)' 'alphabeta(depth=5)' --out square.jsonl
  maxtile duel exact 'alphabeta(net=heuristic)' --size 2x3 --opening 0
  maxtile duel human 'alphabeta(depth=5)' --side attacker

docs/duel.md explains rules, agents and training.")]
pub(crate) struct Duel {
    /// Agents, for example 'alphabeta(depth=3)' or random; `maxtile agents` lists them
    #[arg(value_name = "AGENT", required = true, num_args = 2..)]
    pub(crate) agents: Vec<String>,
    /// What the attacker may place: free (2 or 4), drawn (by chance) or twos
    #[arg(long, default_value_t = Variant::Free, value_name = "NAME")]
    pub(crate) variant: Variant,
    /// How many of the attacker's first placements are random
    #[arg(long, default_value_t = 20, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) opening: u32,
    /// How many openings
    #[arg(long, value_name = "NUMBER", default_value = "100", value_parser = games())]
    pub(crate) games: u64,
    /// All against all, also with themselves, for two agents as for more
    #[arg(long)]
    pub(crate) square: bool,
    /// Keep the results in this file, and go on with those it holds
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// The side of `human`: attacker or defender
    #[arg(long, default_value = "defender", value_parser = ["attacker", "defender"], value_name = "SIDE")]
    pub(crate) side: String,
    #[command(flatten)]
    pub(crate) board: BoardFlags,
}

/// Draw the learning curves of runs
///
/// Reads the metrics of each run: the evaluations, or the scores of the training games where a run
/// was evaluated less than twice.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile plot runs/td-4x6 runs/tc-4x6 --out curves.svg
  maxtile plot runs/* --x seconds --log --title 'By wall time'
  maxtile plot runs/tc-4x6 --mark '1e6,234136,a published result'")]
pub(crate) struct Plot {
    /// Run folders, or files like their metrics.jsonl
    #[arg(required = true, value_name = "RUN")]
    pub(crate) runs: Vec<PathBuf>,
    /// Where to write the figure: NAME.png is a PNG, anything else an SVG; - for standard output
    #[arg(long, default_value = "plot.svg", value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// What runs to the right
    #[arg(long, value_enum, default_value_t = PlotX::Games)]
    pub(crate) x: PlotX,
    /// What runs upwards
    #[arg(long, value_enum, default_value_t = PlotY::Score)]
    pub(crate) y: PlotY,
    /// Use a logarithmic scale to the right
    #[arg(long)]
    pub(crate) log: bool,
    /// Use a logarithmic scale upwards
    #[arg(long)]
    pub(crate) log_y: bool,
    /// A title
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Mark a point by name; may be given several times
    #[arg(long, value_name = "X,SCORE,NAME", value_parser = parse_mark)]
    pub(crate) mark: Vec<Mark>,
    /// Replace the file if there is one
    #[arg(long)]
    pub(crate) force: bool,
}

/// What runs to the right in a plot.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum PlotX {
    /// Games learned from
    Games,
    /// Moves made
    Moves,
    /// Time spent
    Seconds,
    /// Positions judged in learning
    Positions,
}

/// What runs upwards in a plot.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum PlotY {
    /// The mean score
    Score,
    /// What the network promises for the afterstates that were played
    Estimate,
    /// What was really made from there
    Realised,
    /// The one over the other: above 1 it promises too much
    Ratio,
    /// Promises less exact values, on small boards
    Bias,
}

impl PlotY {
    pub(crate) fn label(self) -> &'static str {
        match self {
            PlotY::Score => "mean score",
            PlotY::Estimate => "estimate",
            PlotY::Realised => "realised return",
            PlotY::Ratio => "estimate over realised return",
            PlotY::Bias => "estimate less exact value",
        }
    }
}

impl PlotX {
    pub(crate) fn label(self) -> &'static str {
        match self {
            PlotX::Games => "games",
            PlotX::Moves => "moves",
            PlotX::Seconds => "seconds",
            PlotX::Positions => "positions judged",
        }
    }
}

/// Run a paper's experiment and write its page
///
/// Prints what the paper says beside what came out here, with the interval over the seeds and a
/// verdict. Only what is missing runs: the results of finished runs are kept beside the page, and
/// Ctrl-C saves those in progress. Without a name the experiments are listed.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  maxtile reproduce                              the experiments there are
  maxtile reproduce szubert-2014 --scale small   a size for this machine
  maxtile reproduce my-experiment.toml --dry-run what is missing")]
pub(crate) struct Reproduce {
    /// The experiment, by name or as a TOML file
    pub(crate) name: Option<String>,
    /// Its scale: full is the paper's, small fits a small machine
    #[arg(long, default_value = "full")]
    pub(crate) scale: String,
    /// Where page, figure and raw results are
    #[arg(long, value_name = "FOLDER", default_value = "docs/results")]
    pub(crate) out: PathBuf,
    /// Where runs in progress are kept
    #[arg(long, value_name = "FOLDER", default_value = "runs/reproduce")]
    pub(crate) work: PathBuf,
    /// A study of players over this network instead of the one inside the program: a file or a run
    #[arg(long, value_name = "FILE")]
    pub(crate) net: Option<String>,
    /// Say what is missing and show what is there, without running or writing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Subcommand)]
pub(crate) enum Tuples {
    /// Count the tuples of each size, all and connected, up to symmetry
    Count {
        /// Board size, rows by columns
        #[arg(long, default_value_t = Shape::CLASSIC, value_name = "RxC")]
        size: Shape,
    },
    /// Draw the tuples of a size
    #[command(after_help = "\
Examples:
  maxtile tuples list 6
  maxtile tuples list 4 --all --svg tuples.svg")]
    List {
        /// How many cells
        #[arg(value_parser = clap::value_parser!(u16).range(1..=16))]
        cells: u16,
        /// Also those that do not hang together
        #[arg(long)]
        all: bool,
        /// Board size, rows by columns
        #[arg(long, default_value_t = Shape::CLASSIC, value_name = "RxC")]
        size: Shape,
        /// Also draw them into this SVG file
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        /// Replace the file if there is one
        #[arg(long, requires = "svg")]
        force: bool,
    },
    Study(StudyFlags),
}

/// Rank the connected tuples of a size by networks of random subsets
///
/// Every network has tuples drawn at random, learns by TD(0) and plays (Oka & Matsuzaki 2016: 680
/// networks of 10, a million games each). A tuple is ranked by the mean score of its networks; its
/// mean part in their values stands beside it. Ctrl-C stops, the same command goes on.
#[derive(ClapArgs)]
#[command(after_help = "\
Example: maxtile tuples study 5 --networks 330 --games 20000 --out runs/tuples-5")]
pub(crate) struct StudyFlags {
    /// How many cells
    #[arg(value_parser = clap::value_parser!(u16).range(1..=8))]
    pub(crate) cells: u16,
    /// How many networks
    #[arg(long, value_name = "NUMBER", default_value = "680", value_parser = games())]
    pub(crate) networks: u64,
    /// How many tuples each has
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    pub(crate) choose: u16,
    /// How many games each learns from
    #[arg(long, value_name = "NUMBER", default_value = "1000000", value_parser = games())]
    pub(crate) games: u64,
    /// How many games each is judged by
    #[arg(long, value_name = "NUMBER", default_value = "100", value_parser = games())]
    pub(crate) eval_games: u64,
    /// The learning rate, shared by the active weights
    #[arg(long, value_name = "NUMBER", default_value_t = 0.1)]
    pub(crate) rate: f64,
    /// The folder of the study [default: runs/tuples-CELLS]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum Record {
    /// Show the games of a file
    #[command(after_help = "\
Examples:
  maxtile record show game.mtg              the end of each game
  maxtile record show game.mtg --ply 100    the position after 100 plies
  maxtile record show game.mtg --all        every position")]
    Show {
        /// A file of records, - for standard input
        file: PathBuf,
        /// Only this game, counted from 1
        #[arg(long, value_name = "NUMBER")]
        record: Option<usize>,
        /// The position after this many plies instead of the last one
        #[arg(long, value_name = "PLIES", conflicts_with = "all")]
        ply: Option<usize>,
        /// Every position
        #[arg(long)]
        all: bool,
    },
    /// Check that every game replays; exit with 1 when one does not
    Verify {
        /// Files of records, - for standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Write the games of a file in the other form
    #[command(after_help = "\
Examples:
  maxtile record convert game.mtg game.jsonl
  maxtile record convert game.mtg - --to json")]
    Convert {
        /// A file of records, - for standard input
        file: PathBuf,
        /// Where to write, - for standard output
        out: PathBuf,
        /// The form [default: by the name, .mtg or .jsonl]
        #[arg(long, value_enum)]
        to: Option<Form>,
        /// Replace the file if there is one
        #[arg(long)]
        force: bool,
    },
    /// Cut a part out of a game
    #[command(after_help = "Example: maxtile record cut game.mtg end.mtg --from 100")]
    Cut {
        /// A file of records, - for standard input
        file: PathBuf,
        /// Where to write, - for standard output
        out: PathBuf,
        /// The game, counted from 1
        #[arg(long, default_value_t = 1, value_name = "NUMBER")]
        record: usize,
        /// Plies before the part
        #[arg(long, default_value_t = 0, value_name = "PLIES")]
        from: usize,
        /// Plies up to its end [default: all]
        #[arg(long, value_name = "PLIES")]
        to: Option<usize>,
        /// The form [default: by the name, .mtg or .jsonl]
        #[arg(long, value_enum)]
        form: Option<Form>,
        /// Replace the file if there is one
        #[arg(long)]
        force: bool,
    },
}

/// How records are written.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Form {
    /// One byte a ply
    Binary,
    /// JSON lines
    Json,
}

fn parse_law(text: &str) -> Result<SpawnLaw, String> {
    let p4 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    SpawnLaw::new(p4).map_err(|e| e.to_string())
}

fn games() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(1..=100_000_000)
}

fn parse_step(text: &str) -> Result<f32, String> {
    let step = text.parse::<f32>().ok().filter(|step| (1e-6..=1e6).contains(step));
    step.ok_or_else(|| "a step lies between 0.000001 and 1000000".to_owned())
}

fn parse_megabytes(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "megabytes are a number above 0".to_owned())
}

fn parse_note(text: &str) -> Result<(String, String), String> {
    let note = text.split_once('=').filter(|(key, _)| !key.is_empty());
    let note = note.map(|(key, text)| (key.to_owned(), text.to_owned()));
    note.ok_or_else(|| "write KEY=TEXT".to_owned())
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim_end().parse::<f64>().ok());
    let number = number.filter(|number| *number > 0.0 && *number <= 100.0);
    let share = number.map(|number| number / 100.0);
    share.ok_or_else(|| "write a percentage, for example 1%".to_owned())
}

fn parse_mark(text: &str) -> Result<Mark, String> {
    let mut parts = text.splitn(3, ',');
    let mut number = || {
        let number = parts.next().and_then(|part| part.trim().parse::<f64>().ok());
        number.filter(|number| number.is_finite() && *number >= 0.0)
    };
    let (x, y) = (number(), number());
    match (x, y, parts.next()) {
        (Some(x), Some(y), Some(label)) => Ok(Mark { x, y, label: label.trim().to_owned() }),
        _ => Err("write X,SCORE,NAME, for example 1e6,234136,a paper".to_owned()),
    }
}
