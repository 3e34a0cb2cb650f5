//! The data folder: one unfinished game per board size, and all the games that ended.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use maxtile_game::{Record, Rules, Shape};
use maxtile_records::{read, to_binary};

use crate::error::{Stop, error, reason};
use crate::files::{cannot_write, replace};

/// The games of one board size in the data folder, in the hands of one program at a time.
pub(super) struct Folder {
    /// The unfinished game.
    unfinished: PathBuf,
    /// The games that ended or were given up, one after the other.
    games: PathBuf,
    /// Held for as long as the game is on the screen.
    _lock: Option<File>,
}

/// What the place of the unfinished game holds.
pub(super) enum Unfinished {
    Nothing,
    Game(Record),
    /// Something else; it was moved there.
    Broken(PathBuf),
}

impl Folder {
    pub(super) fn open(folder: &Path, shape: Shape) -> Result<Folder, Stop> {
        let lock = folder.join(format!("play-{shape}.lock"));
        let file = File::create(&lock).map_err(|cause| cannot_write(&lock, &cause))?;
        let lock = match file.try_lock() {
            Ok(()) => Some(file),
            Err(TryLockError::WouldBlock) => {
                let sentence = format!("the {shape} game is open in another window");
                return Err(error(sentence).hint(
                    "leave it there, or play with --no-save, --save FILE or another --size",
                ));
            }
            // A file system without locks is no reason not to play.
            Err(TryLockError::Error(_)) => None,
        };
        let unfinished = folder.join(format!("play-{shape}.mtg"));
        Ok(Folder { unfinished, games: folder.join("games.mtg"), _lock: lock })
    }

    pub(super) fn unfinished_path(&self) -> &Path {
        &self.unfinished
    }

    pub(super) fn games_path(&self) -> &Path {
        &self.games
    }

    /// The unfinished game. What does not read as one is moved aside, never deleted.
    pub(super) fn unfinished(&self, shape: Shape) -> Result<Unfinished, Stop> {
        let bytes = bytes_or_none(&self.unfinished)?;
        if bytes.is_empty() {
            return Ok(Unfinished::Nothing);
        }
        let mut records = read(&bytes);
        match (records.next(), records.next()) {
            (Some(Ok(record)), None) if record.start.shape() == shape => {
                Ok(Unfinished::Game(record))
            }
            _ => move_aside(&self.unfinished).map(Unfinished::Broken),
        }
    }

    pub(super) fn save(&self, record: &Record) -> Result<(), Stop> {
        let bytes = to_binary(record).map_err(error)?;
        replace(&self.unfinished, &bytes).map_err(|cause| cannot_write(&self.unfinished, &cause))
    }

    /// Forgets the unfinished game, which must be kept elsewhere or be empty.
    pub(super) fn remove_unfinished(&self) -> Result<(), Stop> {
        match std::fs::remove_file(&self.unfinished) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                let path = self.unfinished.display();
                Err(error(format!("cannot remove {path}: {}", reason(&cause))))
            }
            _ => Ok(()),
        }
    }

    /// All games that ended.
    pub(super) fn games(&self) -> Result<Vec<Record>, Stop> {
        self.records(&bytes_or_none(&self.games)?)
    }

    /// Adds an ended game. The file is replaced in one step and only by one that reads as before
    /// with one game more, so no crash and no foreign content can cost an older game.
    pub(super) fn add(&self, record: &Record) -> Result<(), Stop> {
        let cannot = |cause: &io::Error| cannot_write(&self.games, cause);
        let lock = File::create(self.games.with_extension("lock")).map_err(|e| cannot(&e))?;
        // Games of other sizes end in other windows; waiting for them takes a moment at most.
        let _ = lock.lock();
        let mut bytes = bytes_or_none(&self.games)?;
        let before = self.records(&bytes)?.len();
        let new = to_binary(record).map_err(error)?;
        if bytes.ends_with(&new) {
            // The program ended between adding the game and forgetting it as the unfinished one.
            return Ok(());
        }
        bytes.extend(new);
        if self.records(&bytes)?.len() != before + 1 {
            return Err(self.unreadable("it is not a file of binary records"));
        }
        replace(&self.games, &bytes).map_err(|e| cannot(&e))
    }

    fn records(&self, bytes: &[u8]) -> Result<Vec<Record>, Stop> {
        let records: Result<Vec<_>, _> = read(bytes).collect();
        records.map_err(|cause| self.unreadable(&cause.to_string()))
    }

    fn unreadable(&self, why: &str) -> Stop {
        error(format!("no game can be added to {}: {why}", self.games.display()))
            .hint("move that file away, or play with --no-save or --save FILE")
    }
}

/// The best score of the games with these rules that began as the rules say.
pub(super) fn best(games: &[Record], rules: Rules) -> u32 {
    let same = games.iter().filter(|game| game.rules() == rules && game.seed.is_some());
    same.filter_map(|game| Some(game.replay().ok()?.score)).max().unwrap_or(0)
}

/// The bytes of a file, none when there is no file.
fn bytes_or_none(path: &Path) -> Result<Vec<u8>, Stop> {
    match std::fs::read(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        result => result
            .map_err(|cause| error(format!("cannot read {}: {}", path.display(), reason(&cause)))),
    }
}

/// The first of the names, counted from `number`, that no file has.
pub(super) fn first_free(mut number: u32, named: impl Fn(u32) -> PathBuf) -> PathBuf {
    while named(number).exists() {
        number += 1;
    }
    named(number)
}

/// Renames a file to the first free of `….broken`, `….broken-2`, ….
fn move_aside(path: &Path) -> Result<PathBuf, Stop> {
    let named = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { ".broken".to_owned() } else { format!(".broken-{number}") });
        PathBuf::from(name)
    };
    let free = first_free(1, named);
    std::fs::rename(path, &free).map_err(|cause| cannot_write(&free, &cause))?;
    Ok(free)
}

#[cfg(test)]
mod tests {
    use maxtile_game::{Game, GameSeed};

    use super::*;

    fn game(run: u64, plies: usize) -> Record {
        let mut game = Game::new(Rules::default(), GameSeed { run, index: 0 });
        for _ in 0..plies {
            let mv = game.board().legal_moves().nth(0).expect("a legal move");
            game.play(mv);
        }
        game.record().clone()
    }

    fn open(dir: &tempfile::TempDir) -> Folder {
        Folder::open(dir.path(), Shape::CLASSIC).expect("a folder")
    }

    fn sentence<T>(result: Result<T, Stop>) -> String {
        match result {
            Err(Stop::Error(error)) => error.sentence,
            _ => panic!("an error"),
        }
    }

    #[test]
    fn games_are_added_and_the_best_is_found_among_them() {
        let dir = tempfile::tempdir().unwrap();
        let folder = open(&dir);
        assert_eq!(best(&folder.games().unwrap(), Rules::default()), 0);
        let (short, long) = (game(1, 5), game(2, 50));
        folder.add(&long).unwrap();
        folder.add(&short).unwrap();
        folder.add(&short).unwrap();
        folder.add(&Record { seed: None, ..game(3, 60) }).unwrap();
        let games = folder.games().unwrap();
        assert_eq!(games.len(), 3);
        assert_eq!(best(&games, Rules::default()), long.replay().unwrap().score);
        assert_eq!(best(&games, Rules::of("3x3".parse().unwrap())), 0);
    }

    #[test]
    fn a_torn_or_foreign_file_of_games_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let folder = open(&dir);
        let binary = to_binary(&game(1, 5)).unwrap();
        let json = maxtile_records::to_json(&game(1, 5)).unwrap();
        for bytes in [&binary[..binary.len() - 1], b"hello", json.as_bytes()] {
            std::fs::write(folder.games_path(), bytes).unwrap();
            assert!(sentence(folder.add(&game(2, 5))).contains("no game can be added"));
            assert_eq!(std::fs::read(folder.games_path()).unwrap(), bytes);
        }
    }

    #[test]
    fn a_broken_unfinished_game_is_moved_aside_each_time() {
        let dir = tempfile::tempdir().unwrap();
        let folder = open(&dir);
        let mut two = to_binary(&game(1, 5)).unwrap();
        two.extend(two.clone());
        for (bytes, name) in [
            (b"hello".as_slice(), "play-4x4.mtg.broken"),
            (&two, "play-4x4.mtg.broken-2"),
            (&two[..9], "play-4x4.mtg.broken-3"),
        ] {
            std::fs::write(folder.unfinished_path(), bytes).unwrap();
            let Unfinished::Broken(path) = folder.unfinished(Shape::CLASSIC).unwrap() else {
                panic!("moved aside");
            };
            assert_eq!(path, dir.path().join(name));
            assert_eq!(std::fs::read(path).unwrap(), bytes);
            assert!(!folder.unfinished_path().exists());
        }
    }

    #[test]
    fn one_window_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let folder = open(&dir);
        let second = Folder::open(dir.path(), Shape::CLASSIC);
        assert_eq!(sentence(second), "the 4x4 game is open in another window");
        assert!(Folder::open(dir.path(), "3x3".parse().unwrap()).is_ok());
        drop(folder);
        open(&dir);
    }
}
