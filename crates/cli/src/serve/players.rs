//! Which agents a client may name: none that reads a file outside the data folder, and none that
//! takes more of the machine than its share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use maxtile_game::{Board, DuelRules, Rules, Shape};
use maxtile_lab::duel::{DuelAgent, ExactDuelist};
use maxtile_lab::training::latest_network;
use maxtile_lab::{AGENTS, Agent, AgentError, Argument, BUILT_IN, Call, ExactPlayer, Kind, Term};
use maxtile_search::{Limits, Policy};

use super::tables::Tables;

/// The agent that plays by a solved board.
pub(super) const EXACT: &str = "exact";
/// The longest text of an agent.
const LONGEST: usize = 500;
/// Megabytes of a search's table.
const TABLE: u64 = 64;
/// Simulations for a move, and positions judged together.
const SIMULATIONS: u64 = 20_000;
const BATCH: u64 = 256;
/// Plies that take a moment at most.
const QUICK: u8 = 3;

/// Makes an agent of what a client wrote.
pub(super) fn open(
    text: &str,
    rules: Rules,
    data: &Path,
    tables: &Tables,
    most: Duration,
) -> Result<Agent, String> {
    let mut call = read(text)?;
    if call.name == EXACT && call.arguments.is_empty() {
        let table = tables.score(rules).map_err(|refused| refused.error)?;
        return Ok(Agent::new(EXACT, move || ExactPlayer::new(Arc::clone(&table))));
    }
    let shown = call.to_string();
    admit(&mut call, data, most)?;
    let agent = Agent::parse(&call.to_string(), rules);
    Ok(agent.map_err(|cause| hide(&cause.to_string(), data))?.renamed(&shown))
}

/// Makes a player of duels of what a client wrote.
pub(super) fn open_duelist(
    text: &str,
    rules: DuelRules,
    data: &Path,
    tables: &Tables,
    most: Duration,
) -> Result<DuelAgent, String> {
    let mut call = read(text)?;
    if call.name == EXACT && call.arguments.is_empty() {
        let table = tables.duel(rules).map_err(|refused| refused.error)?;
        return Ok(DuelAgent::new(EXACT, move || ExactDuelist::of(Arc::clone(&table))));
    }
    let shown = call.to_string();
    admit(&mut call, data, most)?;
    let agent = DuelAgent::parse(&call.to_string(), rules);
    Ok(agent.map_err(|cause| hide(&cause.to_string(), data))?.renamed(&shown))
}

fn read(text: &str) -> Result<Call, String> {
    if text.len() > LONGEST {
        return Err(format!("the text of an agent has at most {LONGEST} bytes"));
    }
    text.parse().map_err(|cause: AgentError| cause.to_string())
}

/// The texts of errors must not show where the data folder is.
fn hide(sentence: &str, data: &Path) -> String {
    sentence.replace(&format!("{}/", data.display()), "")
}

fn admit(call: &mut Call, data: &Path, most: Duration) -> Result<(), String> {
    // An agent that is not known, and parameters it does not have, are refused when it is made.
    let Some(kind) = AGENTS.iter().find(|kind| kind.name == call.name) else { return Ok(()) };
    for Argument { key, value, .. } in &mut call.arguments {
        let parameter = kind.parameters.iter().find(|parameter| parameter.name == key);
        match (parameter.map(|parameter| parameter.kind), value) {
            (Some(Kind::Net), value) => admit_network(value, data)?,
            (Some(Kind::Agent), Term::Call(inner)) => admit(inner, data, most)?,
            (Some(Kind::File), _) => return Err(format!("{key} names a file: not here")),
            // Whatever is no time at all is found out later.
            (Some(Kind::Time), Term::Word(time))
                if milliseconds(time).is_some_and(|time| time > most.as_millis() as f64) =>
            {
                return Err(format!("{key} is at most {} ms here", most.as_millis()));
            }
            (Some(_), Term::Word(size)) if key == "table" && above(size, TABLE) => {
                return Err(format!("table is at most {TABLE} here"));
            }
            (Some(_), Term::Word(count)) if key == "threads" && above(count, 1) => {
                return Err("threads is 1 here: others want to be answered too".to_owned());
            }
            (Some(_), Term::Word(count)) if key == "sims" && above(count, SIMULATIONS) => {
                return Err(format!("sims is at most {SIMULATIONS} here"));
            }
            (Some(_), Term::Word(count)) if key == "batch" && above(count, BATCH) => {
                return Err(format!("batch is at most {BATCH} here"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A network, or a mean of some: every word in it names one.
fn admit_network(value: &mut Term, data: &Path) -> Result<(), String> {
    match value {
        Term::Word(name) if BUILT_IN.iter().any(|known| known.name == name) => Ok(()),
        Term::Word(name) => {
            *name = run_network(name, data)?.display().to_string();
            Ok(())
        }
        Term::Call(call) => {
            call.arguments.iter_mut().try_for_each(|member| admit_network(&mut member.value, data))
        }
    }
}

fn above(text: &str, most: u64) -> bool {
    number(text).is_some_and(|number| number > most)
}

/// A number, the largest where it is larger than any.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u64::MAX))
}

/// A time as agents have it: a number and its unit.
fn milliseconds(text: &str) -> Option<f64> {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let unit = match &text[end..] {
        "us" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        // An unknown unit is refused as too long.
        _ => f64::INFINITY,
    };
    (number > 0.0).then_some(number * unit)
}

/// The network of a run in the data folder: `runs/NAME`, or `runs/NAME/checkpoint-GAMES`.
fn run_network(name: &str, data: &Path) -> Result<PathBuf, String> {
    let refused =
        || format!("net={name}: a network here is default, empties, heuristic, zero or runs/NAME");
    let mut parts = name.split('/');
    let (Some("runs"), Some(run)) = (parts.next(), parts.next()) else { return Err(refused()) };
    if !is_name(run) {
        return Err(refused());
    }
    let folder = data.join("runs").join(run);
    let path = match (parts.next(), parts.next()) {
        (None, _) => folder,
        (Some(checkpoint), None) => {
            let games = checkpoint.strip_prefix("checkpoint-").and_then(number);
            games.ok_or_else(refused)?;
            folder.join(checkpoint).join("network.safetensors")
        }
        _ => return Err(refused()),
    };
    if path.exists() { Ok(path) } else { Err(format!("net={name}: there is no such network")) }
}

/// What the runs in an agent's text have come to: their newest checkpoints, and when these were written.
pub(super) fn edition(text: &str, data: &Path) -> String {
    let runs = text.split(|c: char| c.is_whitespace() || "(),=\"".contains(c));
    let written = |name: &str| -> Option<String> {
        let path = run_network(name, data).ok()?;
        let (file, at) = if path.is_dir() {
            latest_network(&path).ok()??
        } else {
            let at = std::fs::metadata(&path).ok()?.modified().ok()?;
            (path, at)
        };
        Some(format!("{} {at:?}", file.display()))
    };
    let named = runs.filter(|word| word.starts_with("runs/"));
    named.filter_map(written).collect::<Vec<String>>().join(", ")
}

/// The limits of a search for a client: what was asked for, or its own, but bounded in time
/// where that could be long. Within the depth that is never long, time does not come into it, so that
/// games and reviews are the same on every machine.
pub(super) fn bounded(
    own: Option<Limits>,
    asked: Option<Limits>,
    most: Duration,
) -> Option<Limits> {
    let own = own?;
    match asked {
        Some(_) => asked,
        None if own.depth <= QUICK && own.time.is_none() => Some(own),
        None => Some(Limits { time: Some(own.time.map_or(most, |time| time.min(most))), ..own }),
    }
}

/// Does it say what moves are worth? Asked in a position without moves, where nobody has to search.
pub(super) fn weighs(policy: &mut dyn Policy, shape: Shape) -> bool {
    let chequered = |cell| 1 + ((cell / shape.cols() + cell % shape.cols()) % 2) as u8;
    let cells: Vec<u8> = (0..shape.cells()).map(chequered).collect();
    Board::from_exponents(shape, &cells).is_ok_and(|board| policy.worths(board).is_some())
}

/// May a run be called so? Nothing that leads out of its folder, or hides in it.
pub(super) fn is_name(name: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=64).contains(&name.len())
        && name.bytes().all(good)
        && name.as_bytes()[0].is_ascii_alphanumeric()
        && !name.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("runs/mine");
        std::fs::create_dir_all(run).unwrap();
        let tables = Tables::new(folder.path());
        let most = Duration::from_secs(10);
        open(text, Rules::default(), folder.path(), &tables, most).err()
    }

    #[test]
    fn only_networks_of_runs() {
        for path in
            ["/etc/passwd", "../x", "runs/../x", "runs/a/b/c", "runs/", "Cargo.toml", "runs/mine/x"]
        {
            for text in [
                format!("greedy(net={path})"),
                format!("greedy(net=mean(a=zero, b={path}))"),
                format!("corner(agent=expectimax(net={path}))"),
            ] {
                let why = refused(&text).unwrap();
                assert!(why.contains("a network here is"), "{text}: {why}");
            }
        }
        // A run without a checkpoint: found, but nothing to open; and no word of where it lies.
        let why = refused("greedy(net=runs/mine)").unwrap();
        assert!(why.contains("no good checkpoint") && !why.contains("/tmp"), "{why}");
        assert!(refused("greedy(net=runs/none)").unwrap().contains("no such network"));
        assert_eq!(refused("corner(agent=greedy(net=empties))"), None);
    }

    #[test]
    fn only_a_share_of_the_machine() {
        for text in [
            "expectimax(net=empties, table=1000000)",
            "expectimax(net=empties, table=99999999999999999999999)",
            "expectimax(net=empties, threads=2)",
            "mcss(net=empties, sims=20001)",
            "mcss(net=empties, batch=257)",
            "mcss(net=empties, threads=2)",
            "expectimax(net=empties, time=11s)",
            "expectimax(net=empties, time=1h)",
            "corner(agent=expectimax(net=empties, time=11000ms))",
        ] {
            let why = refused(text).unwrap();
            assert!(why.contains(" here") || why.contains("column"), "{text}: {why}");
        }
        assert_eq!(refused("expectimax(net=empties, time=100ms, table=1)"), None);
        assert!(refused(&"x".repeat(600)).unwrap().contains("at most"));
    }

    #[test]
    fn who_weighs_moves() {
        let rules = Rules::default();
        for (text, does) in [
            ("random", false),
            ("greedy(net=zero)", true),
            ("heuristic", true),
            ("corner(agent=expectimax(net=zero, depth=12))", true),
        ] {
            let mut policy = Agent::parse(text, rules).unwrap().policy();
            assert_eq!(weighs(&mut *policy, rules.shape), does, "{text}");
        }
    }

    #[test]
    fn deep_searches_are_bounded() {
        let limits = |text: &str| {
            let policy = Agent::parse(text, Rules::default()).unwrap().policy();
            bounded(policy.limits(), None, Duration::from_secs(1)).map(|limits| limits.time)
        };
        assert_eq!(limits("expectimax(net=zero)"), Some(None));
        assert_eq!(limits("greedy(net=zero)"), None);
        let bound = Some(Some(Duration::from_secs(1)));
        assert_eq!(limits("expectimax(net=zero, depth=9)"), bound);
        assert_eq!(limits("corner(agent=expectimax(net=zero, depth=9))"), bound);
    }

    #[test]
    fn names_stay_in_their_folder() {
        for name in ["tc-4x6", "a", "Run_1.2"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "..", ".x", "a/b", "a\\b", "a..b", "-x", "ä", "a b", "a\0"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
