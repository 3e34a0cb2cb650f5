//! Path counts in `perft/*.txt`: made by the slow twin, met by the crate.
//!
//! A line of such a file is `position depth count`; the position `start` means the sum over all
//! boards a game can start from. To add a line leave its count out and run this test with
//! `MAXTILE_BLESS=1`: the twin writes the counts.

mod twin;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use maxtile_game::{Board, Rules, Shape, perft, perft_by_move, perft_from_start};
use twin::Twin;

/// One question of a file, with the count if there is one.
struct Line<'a> {
    position: &'a str,
    depth: u32,
    count: Option<u64>,
}

fn parse(line: &str) -> Option<Line<'_>> {
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let mut words = line.split(' ');
    let position = words.next().expect("a position");
    let depth = words.next().expect("a depth").parse().expect("a depth is a number");
    let count = words.next().map(|count| count.parse().expect("a count is a number"));
    assert!(words.next().is_none(), "more than three words: {line}");
    Some(Line { position, depth, count })
}

/// The files with the shapes that name them.
fn files() -> Vec<(Shape, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("perft");
    let entries = std::fs::read_dir(folder).expect("the folder of counts");
    let mut files: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
            (name.parse().expect("a file is named for a shape"), path)
        })
        .collect();
    files.sort();
    assert!(files.len() >= 9, "files are missing");
    files
}

fn twin_count(shape: Shape, line: &Line) -> u64 {
    if line.position == "start" {
        let starts = Twin::starts(shape.rows(), shape.cols());
        starts.iter().map(|board| board.perft(line.depth)).sum()
    } else {
        Twin::parse(line.position).perft(line.depth)
    }
}

#[test]
fn twin_makes_the_counts() {
    for (shape, path) in files() {
        let old = std::fs::read_to_string(&path).expect("readable");
        let mut new = String::new();
        for text in old.lines() {
            match parse(text) {
                Some(line) => {
                    let count = twin_count(shape, &line);
                    writeln!(new, "{} {} {count}", line.position, line.depth)
                }
                None => writeln!(new, "{text}"),
            }
            .expect("strings take everything");
        }
        if std::env::var_os("MAXTILE_BLESS").is_some() {
            std::fs::write(&path, new).expect("writable");
        } else {
            assert_eq!(
                new, old,
                "{shape}: counts differ from the twin's (MAXTILE_BLESS=1 to take them)"
            );
        }
    }
}

#[test]
fn crate_meets_the_counts() {
    for (shape, path) in files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let mut lines = 0;
        for line in text.lines().filter_map(parse) {
            lines += 1;
            let (position, depth) = (line.position, line.depth);
            let count = if position == "start" {
                perft_from_start(Rules::of(shape), depth)
            } else {
                let board: Board = position.parse().expect("a position");
                assert_eq!(board.shape(), shape, "{position} stands in the wrong file");
                let by_move: u64 = perft_by_move(board, depth).iter().map(|&(_, n)| n).sum();
                assert_eq!(by_move, perft(board, depth), "{position} by move");
                by_move
            };
            assert_eq!(Some(count), line.count, "{position} to depth {depth}");
        }
        assert!(lines >= 3, "{shape}: {lines} lines");
    }
}
