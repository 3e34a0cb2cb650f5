//! A server of one's own, and a client that can do everything wrong.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// A server with a data folder of its own; it ends with the test.
pub(crate) struct Server {
    pub(crate) child: Child,
    /// Host and port.
    pub(crate) address: String,
    pub(crate) data: TempDir,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Server {
    pub(crate) fn start() -> Server {
        Server::with(&[])
    }

    pub(crate) fn with(arguments: &[&str]) -> Server {
        let data = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_maxtile"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .env("MAXTILE_DATA", data.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        assert!(address.contains(':'), "the first line is the address, not {line:?}");
        Server { child, address, data }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(90))).unwrap();
        stream
    }

    /// Sends these bytes and reads until the server closes the connection.
    pub(crate) fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A server that has refused already may not read the rest.
        let _ = stream.write_all(request);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        Reply::parse(&all)
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
        self.raw(&request(&self.address, method, path, headers, body))
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, "", b"")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, "Content-Type: application/json\r\n", body.as_bytes())
    }

    /// Asks the server to end as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    }
}

/// A whole request.
pub(crate) fn request(host: &str, method: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length =
        if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{length}{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    fn parse(all: &[u8]) -> Reply {
        let end = all.windows(4).position(|part| part == b"\r\n\r\n");
        let Some(end) = end else {
            return Reply { status: 0, head: String::new(), body: all.to_vec() };
        };
        let head = String::from_utf8_lossy(&all[..end]).to_lowercase();
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        let mut body = all[end + 4..].to_vec();
        if head.contains("transfer-encoding: chunked") {
            body = unchunk(&body);
        }
        Reply { status, head, body }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|cause| panic!("{cause}: {self:?}"))
    }

    /// The objects of a stream.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let text = self.text();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines();
        lines.filter_map(|line| line.split_once(": ")).find(|(n, _)| *n == name).map(|(_, v)| v)
    }

    /// The status, after making sure that an error is a sentence about a field.
    pub(crate) fn refused(&self) -> (u16, String) {
        let object = self.json();
        let sentence = object["error"].as_str().unwrap_or_default();
        assert!(sentence.len() > 5 && !sentence.contains("panicked"), "{self:?}");
        (self.status, object["field"].as_str().unwrap().to_owned())
    }
}

/// The content of a chunked body, as far as it came.
fn unchunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|part| part == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).ok();
        let size = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok()).unwrap_or(0);
        let chunk = &rest[end + 2..];
        if size == 0 || chunk.len() < size {
            body.extend_from_slice(&chunk[..if size == 0 { 0 } else { chunk.len() }]);
            break;
        }
        body.extend_from_slice(&chunk[..size]);
        rest = chunk.get(size + 2..).unwrap_or_default();
    }
    body
}
