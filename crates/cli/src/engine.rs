//! `maxtile engine`: the conversation with programs, JSON lines on standard input and output.
//!
//! One thread reads, several answer, this one prints. Answers come when they are ready, each with
//! the id of its query.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use maxtile_game::Rules;
use maxtile_lab::protocol::{Desk, Helper, Reply};

use crate::Verdict;
use crate::args::{Common, Engine};
use crate::error::{Stop, error, reason};
use crate::eval::agent;
use crate::output::Output;

/// A longer line is no query.
const LONGEST: u64 = 8 << 20;

pub(crate) fn run(args: &Engine, common: &Common, out: &mut Output) -> Result<Verdict, Stop> {
    // A misspelt agent is better noticed now than in every answer.
    if let Some(text) = &args.agent {
        agent(text, Rules::default())?;
    }
    let desk =
        Arc::new(Desk::new(args.agent.as_deref(), Duration::from_millis(args.max_ms.into())));
    let (queries, waiting) = channel();
    let waiting = Arc::new(Mutex::new(waiting));
    let (replies, answers) = channel();
    let reader = std::thread::spawn(move || read(&mut io::stdin().lock(), &queries));
    // Not scoped: when nobody reads the answers any more, nobody waits for the threads either.
    for _ in 0..common.threads() {
        let (desk, waiting, replies) = (Arc::clone(&desk), Arc::clone(&waiting), replies.clone());
        std::thread::spawn(move || help(&desk, &waiting, &replies));
    }
    drop(replies);
    // Ends when standard input has, and every query is answered.
    for reply in answers {
        out.line(&reply)?;
    }
    match reader.join() {
        Ok(Err(cause)) => Err(error(format!("cannot read standard input: {}", reason(&cause)))),
        _ => Ok(Verdict::Done),
    }
}

/// Hands on every line; empty ones are nobody's question.
fn read(input: &mut impl BufRead, queries: &Sender<Vec<u8>>) -> io::Result<()> {
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.len() as u64 == LONGEST && line.last() != Some(&b'\n') {
            // What is left of the line goes with it, and the part that was read is not JSON.
            skip_line(input)?;
        }
        if !line.trim_ascii().is_empty() && queries.send(line).is_err() {
            return Ok(());
        }
    }
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (length, end) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(length);
        if end {
            return Ok(());
        }
    }
}

/// Answers until there are no more queries, or nobody wants the answers.
fn help(desk: &Desk, waiting: &Mutex<Receiver<Vec<u8>>>, replies: &Sender<Reply>) {
    let mut helper = Helper::new(desk);
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(line) = next else { return };
        let mut heard = true;
        helper.answer(&line, |reply| heard &= replies.send(reply).is_ok());
        if !heard {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_long_ones_skipped() {
        let (sender, receiver) = channel();
        let long = vec![b'x'; LONGEST as usize + 10];
        let text = [b"one\n\n  \ntwo\r\n", &long[..], b"\nthree"].concat();
        read(&mut &text[..], &sender).unwrap();
        drop(sender);
        let lines: Vec<Vec<u8>> = receiver.iter().collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(
            (&lines[0][..], &lines[1][..], &lines[3][..]),
            (&b"one\n"[..], &b"two\r\n"[..], &b"three"[..])
        );
        assert_eq!(lines[2].len() as u64, LONGEST);
    }
}
