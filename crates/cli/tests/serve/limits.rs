//! Everything that is refused, and that refusing it harms nobody.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use crate::client::{Server, request};

const JSON: &str = "Content-Type: application/json\r\n";

#[test]
fn other_names_and_other_sites_are_refused() {
    let server = Server::start();
    let ask = |host: &str, headers: &str| {
        server.raw(&request(host, "GET", "/api/about", headers, b"")).status
    };
    let own = server.address.as_str();
    assert_eq!(ask(own, ""), 200);
    assert_eq!(ask("localhost", ""), 200);
    for host in ["evil.example", "127.0.0.1.evil.example:80", "", "192.168.0.1"] {
        assert_eq!(ask(host, ""), 421, "{host}");
    }
    assert_eq!(ask(own, &format!("Origin: http://{own}\r\n")), 200);
    for origin in ["http://evil.example", "null", "http://localhost:1", "https://127.0.0.1"] {
        assert_eq!(ask(own, &format!("Origin: {origin}\r\n")), 403, "{origin}");
    }
    assert_eq!(ask(own, "Sec-Fetch-Site: cross-site\r\n"), 403);
    assert_eq!(ask(own, "Sec-Fetch-Site: same-origin\r\n"), 200);
    // Without any Host, and with two.
    assert_eq!(server.raw(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").status, 421);
    let two = format!("GET / HTTP/1.1\r\nHost: {own}\r\nHost: evil\r\nConnection: close\r\n\r\n");
    assert_eq!(server.raw(two.as_bytes()).status, 421);
    // The page's own rules for browsers are on refusals too.
    let refused = server.raw(&request("evil.example", "GET", "/", "", b""));
    let policy = refused.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'self';") && !policy.contains("unsafe-eval"), "{policy}");
    assert_eq!(refused.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(refused.header("x-frame-options"), Some("deny"));
}

#[test]
fn malformed_bodies_get_a_sentence() {
    let server = Server::start();
    let paths = [
        "/api/analyse",
        "/api/play",
        "/api/duel/analyse",
        "/api/duel/play",
        "/api/review",
        "/api/records",
        "/api/runs",
    ];
    let deep = "[".repeat(100_000);
    for path in paths {
        for body in ["", "{", "[]", "null", "3", "\"x\"", "{\"a\":}", "{}}", "\u{0}", &deep] {
            let (status, field) = server.post(path, body).refused();
            let long = body.len() > 64 << 10 && !path.starts_with("/api/re");
            assert_eq!(
                (status, field.as_str()),
                (if long { 413 } else { 400 }, "query"),
                "{path} {body:.20}"
            );
        }
        assert_eq!(
            server.send("POST", path, JSON, b"{\"position\":\"\xff\xfe\"}").refused().0,
            400
        );
        assert_eq!(server.send("POST", path, "", b"{}").refused().0, 415, "{path}");
        let form = "Content-Type: text/plain\r\n";
        assert_eq!(server.send("POST", path, form, b"{}").refused().0, 415, "{path}");
        // Numbers, lists and texts where others belong.
        for value in ["0", "[]", "{}", "true", "1e999", "\"\\ud800\""] {
            let fields =
                ["position", "record", "preset", "agent", "limits", "rules", "seed", "name", "set"];
            for field in fields {
                let reply = server.post(path, &format!("{{\"{field}\":{value}}}"));
                assert!(matches!(reply.status, 200 | 400), "{path} {field} {value}: {reply:?}");
            }
        }
    }
    assert_eq!(server.get("/api/about").status, 200);
}

#[test]
fn wrong_fields_are_named() {
    let server = Server::start();
    let analyse = |body: &str| server.post("/api/analyse", body).refused();
    assert_eq!(analyse("{}"), (400, "position".into()));
    assert_eq!(analyse(r#"{"position":"xyz"}"#), (400, "position".into()));
    let long = format!(r#"{{"position":"{}"}}"#, "0".repeat(1001));
    assert_eq!(analyse(&long), (400, "position".into()));
    let with = |rest: &str| analyse(&format!(r#"{{"position":"1100000000000000",{rest}}}"#));
    assert_eq!(with(r#""agent":"nosuch""#), (400, "agent".into()));
    assert_eq!(with(r#""agent":"random""#), (400, "agent".into()));
    assert_eq!(with(r#""agent":"exact""#), (409, "agent".into()));
    assert_eq!(with(r#""limits":{"ms":-1}"#), (400, "limits".into()));
    assert_eq!(with(r#""limits":{"speed":1}"#), (400, "limits".into()));
    assert_eq!(with(r#""turns":[0,0]"#), (400, "turns".into()));
    assert_eq!(with(r#""rules":{"size":"3x3"}"#), (400, "position".into()));
    assert_eq!(with(r#""id":[]"#), (400, "id".into()));
    let play = |body: &str| server.post("/api/play", body).refused();
    for seed in ["-1", "18446744073709551616", "", "1e3", "x"] {
        assert_eq!(play(&format!(r#"{{"seed":"{seed}"}}"#)), (400, "seed".into()), "{seed}");
    }
    assert_eq!(play(r#"{"hostility":1.5}"#), (400, "hostility".into()));
    assert_eq!(play(r#"{"draws":3}"#), (400, "draws".into()));
    assert_eq!(play(r#"{"rules":{"size":"9x9"}}"#), (400, "rules".into()));
    assert_eq!(play(r#"{"rules":{"p4":2}}"#), (400, "rules".into()));
    assert_eq!(play(r#"{"position":"11","agent":"random"}"#), (400, "position".into()));
    assert_eq!(play(r#"{"unknown":1}"#), (400, "query".into()));
    let record = |body: &str| server.post("/api/records", body).refused();
    assert_eq!(record(r#"{"record":"nothing of ours"}"#), (400, "record".into()));
    assert_eq!(record(r#"{"record":""}"#), (400, "record".into()));
    assert_eq!(record(r#"{"record_base64":"?"}"#), (400, "record_base64".into()));
    assert_eq!(record(r#"{"record":"x","record_base64":"x"}"#), (400, "record".into()));
    assert_eq!(server.post("/api/review", r#"{"record":"4x4"}"#).refused(), (400, "record".into()));
}

#[test]
fn no_file_outside_the_data_folder() {
    let server = Server::start();
    for net in ["/etc/passwd", "../../etc/passwd", "runs/../../x", "Cargo.toml", "x.mts", "runs/a"]
    {
        for agent in [format!("greedy(net={net})"), format!("exact(table={net})")] {
            let body = format!(r#"{{"position":"1100000000000000","agent":"{agent}"}}"#);
            let reply = server.post("/api/analyse", &body);
            assert_eq!(reply.refused(), (400, "agent".into()), "{agent}");
            let data = server.data.path().display().to_string();
            assert!(!reply.text().contains(&data), "{reply:?}");
        }
        let wrapped = format!("corner(agent=exact(table={net}))");
        let body = format!(r#"{{"position":"1100000000000000","agent":"{wrapped}"}}"#);
        let reply = server.post("/api/analyse", &body);
        assert!(reply.text().contains("names a file"), "{reply:?}");
        let network = format!(r#"{{"preset":"tc-4x6","set":{{"network":"{net}"}}}}"#);
        assert_eq!(server.post("/api/runs", &network).refused(), (400, "set".into()), "{net}");
    }
    for name in ["..", "../x", "a/b", ".hidden", "", "a\\\\b", "-x", "a..b"] {
        let body = format!(r#"{{"preset":"whole-2x2","name":"{name}"}}"#);
        assert_eq!(server.post("/api/runs", &body).refused(), (400, "name".into()), "{name}");
    }
    for path in [
        "/api/records/..%2f..%2fetc",
        "/api/records/../../x",
        "/api/records/%2e%2e",
        "/api/runs/..%2frecords",
        "/api/runs/%2e%2e/metrics",
        "/api/runs/%00/live",
        "/api/explore/..%2f/1",
        "/api/explore/3x3%2f..",
        "/../Cargo.toml",
        "/assets/../index.html",
        "/assets/..%2f..%2fCargo.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/api",
        "/api/",
        "/api/about/",
    ] {
        let status = server.get(path).status;
        // Without a page in the program everything that is no interface answers 503.
        assert!(matches!(status, 400 | 404 | 503), "{path}: {status}");
        assert!(status != 503 || !path.starts_with("/api"), "{path}");
    }
    // A flag in disguise is a value.
    let sly = r#"{"preset":"--resume=/etc"}"#;
    assert_eq!(server.post("/api/runs", sly).refused(), (400, "preset".into()));
    let sly = r#"{"preset":"whole-2x2","set":{"out":"/tmp/x"}}"#;
    assert_eq!(server.post("/api/runs", sly).refused(), (400, "set".into()));
    // Only the folders that the server makes are there.
    let made = std::fs::read_dir(server.data.path()).unwrap().count();
    assert_eq!(made, 0);
}

#[test]
fn bodies_and_heads_have_an_end() {
    let server = Server::start();
    let body = format!(r#"{{"position":"{}"}}"#, "0".repeat(70_000));
    assert_eq!(server.post("/api/analyse", &body).refused().0, 413);
    let body = format!(r#"{{"record":"{}"}}"#, "0".repeat(5 << 20));
    assert_eq!(server.post("/api/review", &body).status, 413);
    // Without a length told before.
    let mut chunks = request(&server.address, "POST", "/api/analyse", JSON, b"");
    chunks.truncate(chunks.len() - 2);
    chunks.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
    for _ in 0..100 {
        chunks.extend_from_slice(b"400\r\n");
        chunks.extend(std::iter::repeat_n(b' ', 1024));
        chunks.extend_from_slice(b"\r\n");
    }
    assert_eq!(server.raw(&chunks).status, 413);
    let long = format!("X: {}\r\n", "x".repeat(100_000));
    let status = server.send("GET", "/", &long, b"").status;
    assert!(matches!(status, 431 | 0), "{status}");
    let many = "X: x\r\n".repeat(200);
    assert!(matches!(server.send("GET", "/", &many, b"").status, 431 | 0));
    for nonsense in [
        &b"\x16\x03\x01\x02\x00"[..],
        b"GET\r\n\r\n",
        b"\r\n\r\n\r\n\r\nx",
        b"PRI * HTTP/2.0\r\n\r\n",
    ] {
        let status = server.raw(nonsense).status;
        assert!(matches!(status, 0 | 400), "{status}");
    }
    assert_eq!(server.get("/api/about").status, 200);
}

#[test]
fn methods_that_a_path_does_not_have() {
    let server = Server::start();
    for (method, path) in
        [("DELETE", "/api/runs"), ("PUT", "/api/about"), ("GET", "/api/analyse"), ("POST", "/")]
    {
        let reply = server.send(method, path, JSON, b"{}");
        assert_eq!(reply.refused().0, 405, "{method} {path}");
        assert!(reply.header("allow").is_some(), "{method} {path}");
    }
    assert_eq!(server.send("HEAD", "/api/about", "", b"").status, 200);
}

#[test]
fn slow_clients_are_not_waited_for() {
    let server = Server::start();
    let slow = |text: &str| {
        let clock = Instant::now();
        let mut stream = server.connect();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        (clock.elapsed(), answer)
    };
    std::thread::scope(|scope| {
        let head = scope.spawn(|| slow("GET /api/about HTTP/1.1\r\nHost: local"));
        let body = scope.spawn(|| {
            slow(&format!(
                "POST /api/analyse HTTP/1.1\r\nHost: {}\r\n{JSON}Content-Length: 50\r\n\r\n{{\"pos",
                server.address
            ))
        });
        let silent = scope.spawn(|| slow(""));
        // Meanwhile others are served.
        assert_eq!(server.get("/api/about").status, 200);
        let (time, _) = head.join().unwrap();
        assert!((Duration::from_secs(3)..Duration::from_secs(30)).contains(&time), "{time:?}");
        let (time, answer) = body.join().unwrap();
        assert!((Duration::from_secs(5)..Duration::from_secs(40)).contains(&time), "{time:?}");
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(silent.join().unwrap().0 < Duration::from_secs(30));
    });
}
