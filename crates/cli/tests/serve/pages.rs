//! The page out of the program. A build without Node has none and must say so; `./check` builds with
//! `MAXTILE_WEB=require`, so there the page is always there.

use std::process::{Command, Stdio};

use crate::client::Server;

#[test]
fn the_page_or_what_is_missing() {
    let server = Server::start();
    let page = server.get("/");
    if page.status == 503 {
        let text = page.text();
        assert!(text.contains("This maxtile has no page inside") && text.contains("cargo build"));
        assert_eq!(server.get("/api/about").status, 200);
        return;
    }
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let html = page.text();
    // The policy allows no inline script, so the page must not need one.
    assert!(html.contains("<script") && !html.contains("<script>"), "{html}");
    assert_eq!(page.header("cache-control"), Some("no-cache"));
    // Every screen is the same file, and what is none is not found.
    for path in
        ["/review", "/review/0123456789abcdef", "/watch", "/explore/3x3/120000000", "/train"]
    {
        assert_eq!(server.get(path).body, page.body, "{path}");
    }
    assert_eq!(server.get("/nothing").refused().0, 404);

    let start = html.find("/assets/").expect("an asset");
    let asset = &html[start..start + html[start..].find('"').unwrap()];
    let plain = server.get(asset);
    assert_eq!(plain.status, 200, "{asset}");
    assert!(plain.header("cache-control").unwrap().contains("immutable"));
    let gzip = server.send("GET", asset, "Accept-Encoding: br, gzip\r\n", b"");
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    assert!(gzip.body.starts_with(&[0x1f, 0x8b]) && gzip.body.len() < plain.body.len());
    let tag = plain.header("etag").unwrap();
    for tags in [tag.to_owned(), format!("W/{tag}, \"x\""), "*".to_owned()] {
        let again = server.send("GET", asset, &format!("If-None-Match: {tags}\r\n"), b"");
        assert_eq!((again.status, again.body.len()), (304, 0), "{tags}");
        assert_eq!(again.header("etag"), Some(tag));
    }
    let other = server.send("GET", asset, "If-None-Match: \"x\"\r\n", b"");
    assert_eq!(other.status, 200);
}

#[test]
fn everything_together_is_small() {
    let server = Server::start();
    let page = server.get("/");
    if page.status == 503 {
        return;
    }
    let html = page.text();
    let mut names: Vec<&str> = html
        .match_indices("/assets/")
        .map(|(at, _)| {
            let rest = &html[at..];
            &rest[..rest.find('"').unwrap()]
        })
        .collect();
    names.push("/");
    names.push("/api/about");
    let get = |name: &&str| server.send("GET", name, "Accept-Encoding: gzip\r\n", b"").body.len();
    let sum: usize = names.iter().map(get).sum();
    assert!(sum < 100_000, "{sum} bytes: {names:?}");
}

#[test]
fn ports_that_are_taken() {
    let server = Server::start();
    let port = server.address.rsplit(':').next().unwrap().to_owned();
    let run = Command::new(env!("CARGO_BIN_EXE_maxtile"))
        .args(["serve", "--port", &port])
        .env("MAXTILE_DATA", server.data.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(run.stderr).unwrap();
    assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0), "{text}");
    assert!(text.starts_with("error: cannot listen on") && text.contains("--port 0"), "{text}");
}
