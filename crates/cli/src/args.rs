//! Every verb and flag, once: parser, help, completions and man pages come from here.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use maxtile_game::{Board, Shape, SpawnLaw};

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
  maxtile play                     play in the terminal
  maxtile play --size 3x3 --seed 7 a small board, a named game
  maxtile record show GAME         look at a recorded game
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
    /// How many threads to use [default: as many as the machine has]
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
    /// Look at, check, convert and cut game records
    #[command(subcommand)]
    Record(Record),
    /// Count the ways to play from a position
    Perft(Perft),
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
    /// Board size, ROWSxCOLUMNS, when no position is given
    #[arg(long, default_value_t = Shape::CLASSIC, value_name = "RxC", conflicts_with = "position")]
    pub(crate) size: Shape,
    /// How many plies deep; every depth up to this one is printed
    #[arg(long, short, default_value_t = 2, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) depth: u32,
    /// Split the deepest count by the first move
    #[arg(long, requires = "position")]
    pub(crate) by_move: bool,
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
