//! Two hundred people at once.

use std::io::{BufRead, BufReader, Read, Write};

use maxtile_game::{Game, GameSeed, Rules};
use serde_json::Value;

use crate::client::Server;

const CLIENTS: u64 = 200;
const MOVES: usize = 5;

/// Asks on an open connection and reads one answer.
fn ask(stream: &mut BufReader<std::net::TcpStream>, host: &str, body: &str) -> (u16, Value) {
    let request = format!(
        "POST /api/analyse HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.get_mut().write_all(request.as_bytes()).unwrap();
    let (mut status, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the connection was lost");
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if line.starts_with("http/") {
            status = line.split(' ').nth(1).unwrap().parse().unwrap();
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    (status, serde_json::from_slice(&body).unwrap())
}

#[test]
fn two_hundred_clients_with_hints_lose_nothing() {
    let server = Server::start();
    std::thread::scope(|scope| {
        let play = |client: u64| {
            let mut stream = BufReader::new(server.connect());
            let mut game = Game::new(Rules::default(), GameSeed { run: client, index: 0 });
            for turn in 0..MOVES {
                let body = format!(
                    r#"{{"id":{turn},"position":"{}","limits":{{"depth":2}}}}"#,
                    game.board()
                );
                let (status, answer) = ask(&mut stream, &server.address, &body);
                assert_eq!((status, &answer["id"]), (200, &turn.into()), "{answer}");
                assert_eq!(answer["position"], game.board().to_string());
                game.play(answer["best"].as_str().unwrap().parse().unwrap()).unwrap();
            }
        };
        let clients: Vec<_> =
            (0..CLIENTS).map(|client| scope.spawn(move || play(client))).collect();
        // The page itself stays there for others.
        for _ in 0..5 {
            assert_eq!(server.get("/api/about").status, 200);
        }
        for client in clients {
            client.join().unwrap();
        }
    });
}
