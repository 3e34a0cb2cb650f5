//! Where the game on the screen is kept.

use std::path::{Path, PathBuf};

use maxtile_game::{Game, Record};
use maxtile_records::{Form, write};

use super::folder::{Folder, Unfinished, best, first_free};
use super::wish::{Wish, fresh_seed};
use crate::args::Play;
use crate::data;
use crate::error::{Error, Stop, error};
use crate::files::{cannot_write, form_by_name, read_records, replace};

const WHERE_ELSE: &str =
    "set MAXTILE_DATA to a folder you can write to, or play with --save FILE or --no-save";

const ANOTHER_FILE: &str = "name a file in a folder you can write to, or play with --no-save";

/// The place of the record.
pub(super) enum Store {
    /// Nothing is kept.
    Nowhere,
    /// A file of the player's own for each game.
    File {
        /// The file of the first game.
        first: PathBuf,
        path: PathBuf,
        form: Form,
    },
    Folder(Folder),
}

/// What to begin with.
pub(super) struct Opened {
    pub(super) store: Store,
    pub(super) game: Game,
    /// The best score of earlier games.
    pub(super) best: u32,
    /// What happened to the game that was there.
    pub(super) note: Option<String>,
    /// The note is about something that went wrong.
    pub(super) warning: bool,
}

/// Finds the game the flags ask for, puts another one that was there away, and saves the game
/// once: what cannot be kept is told before it is played.
pub(super) fn open(args: &Play, wish: &Wish) -> Result<Opened, Stop> {
    let opened = if args.no_save {
        let game = wish.game();
        Opened { store: Store::Nowhere, game, best: 0, note: None, warning: false }
    } else if let Some(path) = &args.save {
        open_file(path, wish)?
    } else {
        open_folder(wish)?
    };
    let hint = if args.save.is_some() { ANOTHER_FILE } else { WHERE_ELSE };
    opened.store.save(opened.game.record()).map_err(|stop| or_hint(stop, hint))?;
    Ok(opened)
}

fn open_file(path: &Path, wish: &Wish) -> Result<Opened, Stop> {
    if path.as_os_str() == "-" {
        return Err(error("--save needs a file: the game cannot be kept in standard output"));
    }
    if path.is_dir() {
        return Err(error(format!("{} is a folder, not a file", path.display())));
    }
    let form = form_by_name(path)
        .map_err(|stop| stop.hint("end it with .mtg (binary) or .jsonl (JSON lines)"))?;
    let (game, note) = if path.exists() {
        (resume_file(path, wish)?, Some(format!("the game in {} goes on", path.display())))
    } else {
        (wish.game(), None)
    };
    let store = Store::File { first: path.to_owned(), path: path.to_owned(), form };
    Ok(Opened { store, game, best: 0, note, warning: false })
}

fn resume_file(path: &Path, wish: &Wish) -> Result<Game, Stop> {
    let name = path.display();
    let mut records = read_records(path)?;
    if records.len() > 1 {
        return Err(error(format!("{name} holds {} games, not one", records.len()))
            .hint("maxtile record cut FILE OUT --record NUMBER takes one out"));
    }
    let record = records.remove(0);
    if let Some(flag) = wish.flag_against(&record) {
        let sentence = match flag {
            "--new" => format!("{name} holds a game already"),
            _ => format!("{name} holds another game than {flag} asks for"),
        };
        return Err(error(sentence)
            .hint(format!("name another file, or go on with this game without {flag}")));
    }
    if let Some(attacker) = &record.attacker {
        let sentence = format!("the tiles of {name} were placed by {attacker:?}, not by chance");
        return Err(error(sentence).hint("maxtile play has chance for an opponent only"));
    }
    Game::resume(record, fresh_seed()).map_err(error)
}

fn open_folder(wish: &Wish) -> Result<Opened, Stop> {
    let path = data::folder().map_err(|stop| stop.hint(WHERE_ELSE))?;
    find_in(&path, wish).map_err(|stop| or_hint(stop, WHERE_ELSE))
}

fn find_in(path: &Path, wish: &Wish) -> Result<Opened, Stop> {
    let shape = wish.shape();
    let folder = Folder::open(path, shape)?;
    let mut games = folder.games()?;
    let (game, note, warning) = match folder.unfinished(shape)? {
        Unfinished::Nothing => (wish.game(), None, false),
        Unfinished::Broken(path) => {
            let text = "the unfinished game did not read and was moved to";
            (wish.game(), Some(format!("{text} {}", path.display())), true)
        }
        Unfinished::Game(record) if wish.flag_against(&record).is_none() => {
            let begun = !record.plies.is_empty();
            let note = begun.then(|| "your game goes on; R begins another".to_owned());
            (Game::resume(record, fresh_seed()).map_err(error)?, note, false)
        }
        Unfinished::Game(record) => {
            let note = put_away(&folder, &record)?;
            games.push(record);
            (wish.game(), note, false)
        }
    };
    let best = best(&games, game.record().rules());
    Ok(Opened { store: Store::Folder(folder), game, best, note, warning })
}

/// Adds a hint where nothing better was said.
fn or_hint(stop: Stop, hint: &str) -> Stop {
    match stop {
        Stop::Error(Error { hint: None, .. }) => stop.hint(hint),
        _ => stop,
    }
}

/// A game nobody moved in is no loss.
fn put_away(folder: &Folder, record: &Record) -> Result<Option<String>, Stop> {
    if record.plies.is_empty() {
        return Ok(None);
    }
    folder.add(record)?;
    Ok(Some(format!("the last game is kept in {}", folder.games_path().display())))
}

/// Where a game was left, and what went wrong on the way there.
pub(super) struct Left {
    pub(super) file: Option<PathBuf>,
    pub(super) result: Result<(), Stop>,
}

impl Left {
    /// Is the game on the screen the only one there is?
    pub(super) fn is_lost(&self) -> bool {
        self.file.is_none() && self.result.is_err()
    }
}

impl Store {
    /// A sentence for the line under the board: files by their names alone.
    pub(super) fn shortened(&self, sentence: &str) -> String {
        let paths = match self {
            Store::Nowhere => vec![],
            Store::File { path, .. } => vec![path.as_path()],
            Store::Folder(folder) => vec![folder.unfinished_path(), folder.games_path()],
        };
        paths.iter().fold(sentence.to_owned(), |sentence, path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            sentence.replace(&path.display().to_string(), &name)
        })
    }

    pub(super) fn save(&self, record: &Record) -> Result<(), Stop> {
        match self {
            Store::Nowhere => Ok(()),
            Store::File { path, form, .. } => {
                let bytes = write(record, *form).map_err(error)?;
                replace(path, &bytes).map_err(|cause| cannot_write(path, &cause))
            }
            Store::Folder(folder) => folder.save(record),
        }
    }

    /// Puts a game away so that the next save may be of another one; says where it is.
    pub(super) fn put_away(&mut self, record: &Record) -> Result<Option<String>, Stop> {
        if let Store::Folder(folder) = self {
            return put_away(folder, record);
        }
        self.save(record)?;
        match self {
            Store::File { first, path, .. } if !record.plies.is_empty() => {
                *path = free_sibling(first);
                Ok(Some(format!("this game is kept in {}", path.display())))
            }
            _ => Ok(None),
        }
    }

    /// Saves for the last time: an unfinished game to go on with, one that is over for good.
    pub(super) fn leave(&self, record: &Record, over: bool) -> Left {
        let (file, mut result) = match self {
            Store::Nowhere => (None, Ok(())),
            Store::File { path, .. } => (Some(path.clone()), Ok(())),
            Store::Folder(folder) if over => match leave_ended(folder, record) {
                Ok(file) => return Left { file, result: Ok(()) },
                Err(stop) => (Some(folder.unfinished_path().to_owned()), Err(stop)),
            },
            Store::Folder(folder) => (Some(folder.unfinished_path().to_owned()), Ok(())),
        };
        match self.save(record) {
            Ok(()) => Left { file, result },
            Err(stop) => {
                result = Err(stop);
                Left { file: None, result }
            }
        }
    }
}

fn leave_ended(folder: &Folder, record: &Record) -> Result<Option<PathBuf>, Stop> {
    let kept = put_away(folder, record)?.map(|_| folder.games_path().to_owned());
    folder.remove_unfinished()?;
    Ok(kept)
}

/// The first of `name-2.mtg`, `name-3.mtg`, … that is free.
fn free_sibling(first: &Path) -> PathBuf {
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_os_string();
    let named = |number: u32| {
        let mut name = part(first.file_stem());
        name.push(format!("-{number}."));
        name.push(part(first.extension()));
        first.with_file_name(name)
    };
    first_free(2, named)
}
