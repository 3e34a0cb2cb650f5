//! Many people play with hints at once, and how long each of them waits.
//!
//! `maxtile serve --port 2048`, then
//! `cargo run --release -p maxtile --example load -- 127.0.0.1:2048 --clients 200 --moves 50`.
//! Every client plays a game of its own, asks for a hint before each move and plays what it says;
//! `--think MS` waits between moves as a person does.

use std::io::{BufRead, BufReader, Error, Read, Result, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use maxtile_game::{Game, GameSeed, Rules};
use serde_json::Value;

struct Client<'a> {
    host: &'a str,
    stream: Option<BufReader<TcpStream>>,
}

impl Client<'_> {
    /// One hint. A connection that was closed while nobody used it is opened again, as browsers do.
    fn hint(&mut self, position: &str) -> Result<(u16, Value)> {
        let fresh = self.stream.is_none();
        match self.try_hint(position) {
            Err(_) if !fresh => {
                self.stream = None;
                self.try_hint(position)
            }
            result => result,
        }
    }

    fn try_hint(&mut self, position: &str) -> Result<(u16, Value)> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(self.host)?;
                stream.set_nodelay(true)?;
                self.stream.insert(BufReader::new(stream))
            }
        };
        let body = format!("{{\"position\":\"{position}\"}}");
        let (host, length) = (self.host, body.len());
        write!(
            stream.get_mut(),
            "POST /api/analyse HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )?;
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line)? == 0 {
                return Err(Error::other("the connection was closed"));
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(rest) = line.strip_prefix("http/1.1 ") {
                status = rest.split(' ').next().and_then(|s| s.parse().ok()).unwrap_or(0);
            } else if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        Ok((status, serde_json::from_slice(&body).map_err(Error::other)?))
    }
}

#[allow(clippy::print_stdout, reason = "an example is a program of its own")]
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let host = arguments.get(1).map_or("127.0.0.1:2048", String::as_str);
    let option = |name: &str, usual: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1)?.parse().ok()).unwrap_or(usual)
    };
    let (clients, moves) = (option("--clients", 200), option("--moves", 50));
    let think = Duration::from_millis(option("--think", 0));
    let clock = Instant::now();
    let play = |index: u64| {
        let mut client = Client { host, stream: None };
        let (mut times, mut lost) = (Vec::new(), 0);
        let mut game = Game::new(Rules::default(), GameSeed { run: 1, index });
        for _ in 0..moves {
            let asked = Instant::now();
            let best = match client.hint(&game.board().to_string()) {
                Ok((200, answer)) => answer["best"].as_str().and_then(|best| best.parse().ok()),
                _ => None,
            };
            times.push(asked.elapsed());
            let Some(best) = best else {
                lost += 1;
                continue;
            };
            game.play(best);
            std::thread::sleep(think);
        }
        (times, lost)
    };
    let (mut times, mut lost) = (Vec::new(), 0);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..clients).map(|index| scope.spawn(move || play(index))).collect();
        for (more, missing) in all.into_iter().filter_map(|client| client.join().ok()) {
            times.extend(more);
            lost += missing;
        }
    });
    times.sort();
    let at = |share: f64| {
        let index = (times.len() as f64 * share) as usize;
        times.get(index.min(times.len().max(1) - 1)).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    let seconds = clock.elapsed().as_secs_f64();
    println!(
        "{clients} clients, {} hints, {lost} lost, {:.0} a second; ms: median {:.1}, 95 % {:.1}, 99 % {:.1}, longest {:.1}",
        times.len(),
        times.len() as f64 / seconds,
        at(0.5),
        at(0.95),
        at(0.99),
        at(1.0),
    );
}
