//! Checkpoints: a network with all that learning needs to go on, written whole or not at all.
//!
//! A checkpoint is a folder `checkpoint-GAMES` with `network.safetensors` (where two learn from each other, also
//! `second.safetensors`) and `state.json`, which holds the counters, the checksums of the networks, and as its last field its own. It is written under another name, synced
//! and renamed; the last two are kept. Nothing else needs saving: every game draws from its own
//! stream of random numbers, and checkpoints stand between blocks, when no game is in progress.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::extras::Saved;
use super::recipe::Recipe;

const NETWORK: &str = "network.safetensors";
const SECOND: &str = "second.safetensors";
const STATE: &str = "state.json";
/// The note that says which side of a duel a neural network plays.
pub(crate) const SIDE: &str = "side";
const KEPT: usize = 2;

/// The counters of a run at a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Games learned.
    pub games: u64,
    /// Moves learned, restarts included.
    pub moves: u64,
    /// Seconds spent learning.
    pub seconds: f64,
    /// The length of the metrics file.
    pub metrics: u64,
    /// Positions judged in learning, where they are counted.
    #[serde(default)]
    pub positions: u64,
}

impl Checkpoint {
    /// Has a run of this recipe come to its end?
    pub fn finished(&self, recipe: &Recipe) -> bool {
        self.games >= recipe.games || recipe.positions > 0 && self.positions >= recipe.positions
    }

    /// How much of a run is done, in the measure of [`Recipe::length`].
    pub fn done(&self, recipe: &Recipe) -> u64 {
        if recipe.positions > 0 { self.positions } else { self.games }
    }
}

/// The file of a second network beside that of the first.
pub(crate) fn second_of(network: &Path) -> PathBuf {
    network.with_file_name(SECOND)
}

#[derive(Serialize, Deserialize)]
struct State {
    version: u32,
    #[serde(flatten)]
    counters: Checkpoint,
    /// CRC-32 of the network file, eight hexadecimal digits.
    network_crc32: String,
    /// The same of the second network, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    second_crc32: Option<String>,
    /// Start boards and the like, where a run has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    extras: Option<Saved>,
}

/// The last field of the state: CRC-32 of all that stands before it.
const OWN_CRC: &str = "\"state_crc32\"";

impl State {
    fn to_text(&self) -> io::Result<String> {
        let mut text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        text.truncate(text.len() - "\n}".len());
        text.push_str(",\n  ");
        let crc = crc32fast::hash(text.as_bytes());
        Ok(format!("{text}{OWN_CRC}: \"{crc:08x}\"\n}}\n"))
    }

    fn of_text(text: &str) -> Result<State, String> {
        let state: State = serde_json::from_str(text).map_err(|e| format!("{STATE}: {e}"))?;
        if state.version != 2 {
            return Err(format!("{STATE}: version {} is not known here", state.version));
        }
        let (before, after) = text.rsplit_once(OWN_CRC).unwrap_or(("", ""));
        let crc = format!(": \"{:08x}\"\n}}\n", crc32fast::hash(before.as_bytes()));
        if after != crc {
            return Err(format!("the checksum of {STATE} does not match"));
        }
        Ok(state)
    }
}

/// Writes a checkpoint into a run's folder and removes all but the last two. `network` writes the
/// network's file, with what its learning rule remembers.
pub(super) fn write(
    run: &Path,
    counters: Checkpoint,
    extras: Option<Saved>,
    network: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = run.join("checkpoint.tmp");
    let whole = || -> io::Result<()> {
        remove(&temporary)?;
        fs::create_dir(&temporary)?;
        let file = temporary.join(NETWORK);
        network(&file)?;
        let network_crc32 = checksum(&file)?;
        File::open(&file)?.sync_all()?;
        let second = second_of(&file);
        let second_crc32 = second.exists().then(|| checksum(&second)).transpose()?;
        if second_crc32.is_some() {
            File::open(&second)?.sync_all()?;
        }
        let state = State { version: 2, counters, network_crc32, second_crc32, extras };
        fs::write(temporary.join(STATE), state.to_text()?)?;
        File::open(temporary.join(STATE))?.sync_all()?;
        let target = run.join(format!("checkpoint-{:012}", counters.games));
        remove(&target)?;
        fs::rename(&temporary, target)?;
        File::open(run)?.sync_all()
    };
    // What is half written must not fill the disk that was too small for it.
    whole().inspect_err(|_| drop(remove(&temporary)))?;
    for old in list(run)?.iter().rev().skip(KEPT) {
        remove(old)?;
    }
    Ok(())
}

/// The newest checkpoint that is whole, with what `open` makes of its network's file, and what is wrong
/// with newer ones.
pub(super) fn newest<S>(
    run: &Path,
    open: &impl Fn(&Path, Option<Saved>) -> Result<S, String>,
) -> io::Result<(Option<(Checkpoint, S)>, Vec<String>)> {
    let mut remarks = Vec::new();
    for folder in list(run)?.iter().rev() {
        let read = || {
            let State { counters, extras, .. } = check(folder)?;
            Ok::<_, String>((counters, open(&folder.join(NETWORK), extras)?))
        };
        match read() {
            Ok(found) => return Ok((Some(found), remarks)),
            Err(why) => {
                let name = folder.file_name().unwrap_or_default().to_string_lossy();
                remarks.push(format!("{name} is damaged ({why})"));
            }
        }
    }
    Ok((None, remarks))
}

/// The network file of a run's newest whole checkpoint.
pub fn newest_network(run: &Path) -> io::Result<Option<PathBuf>> {
    let good = |folder: &&PathBuf| check(folder).is_ok();
    Ok(list(run)?.iter().rev().find(good).map(|folder| folder.join(NETWORK)))
}

/// The network file of a run's newest checkpoint and when it was written, without looking whether it is
/// whole.
pub fn latest_network(run: &Path) -> io::Result<Option<(PathBuf, SystemTime)>> {
    let Some(folder) = list(run)?.pop() else { return Ok(None) };
    let file = folder.join(NETWORK);
    let written = fs::metadata(&file)?.modified()?;
    Ok(Some((file, written)))
}

/// The state of a checkpoint whose checksum is right.
fn check(folder: &Path) -> Result<State, String> {
    let text = fs::read_to_string(folder.join(STATE)).map_err(|e| format!("{STATE}: {e}"))?;
    let state = State::of_text(&text)?;
    let crc = checksum(&folder.join(NETWORK)).map_err(|e| format!("{NETWORK}: {e}"))?;
    if crc != state.network_crc32 {
        return Err("the checksum of its network does not match".to_owned());
    }
    if let Some(expected) = &state.second_crc32 {
        let crc = checksum(&folder.join(SECOND)).map_err(|e| format!("{SECOND}: {e}"))?;
        if crc != *expected {
            return Err("the checksum of its second network does not match".to_owned());
        }
    }
    Ok(state)
}

fn checksum(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(format!("{:08x}", hasher.finalize())),
            n => hasher.update(&buffer[..n]),
        }
    }
}

/// The checkpoints of a run, oldest first.
fn list(run: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(run)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.strip_prefix("checkpoint-").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}
