//! The page, out of the program itself.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::refuse::Refused;

/// A file of the page.
pub(super) struct File {
    /// Its path, from `/` on.
    name: &'static str,
    media: &'static str,
    /// Changes with the bytes.
    tag: &'static str,
    bytes: &'static [u8],
    /// The same compressed, where that is shorter.
    gzip: Option<&'static [u8]>,
}

mod embedded {
    use super::File;

    include!(concat!(env!("OUT_DIR"), "/pages.rs"));
}

/// Everything that is not the interface for programs.
pub(super) async fn get(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path();
    if path.starts_with("/api/") || path == "/api" {
        return Refused::not_found(format!("there is no {path}")).into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        let mut response = not_allowed().await;
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET,HEAD"));
        return response;
    }
    if let Some(why) = embedded::MISSING {
        return missing(why);
    }
    let name = if is_screen(path) { "/index.html" } else { path };
    match embedded::FILES.iter().find(|file| file.name == name) {
        Some(file) => send(file, &headers),
        None => Refused::not_found(format!("there is no {path}")).into_response(),
    }
}

/// The answer to a method that a path does not have.
pub(super) async fn not_allowed() -> Response {
    Refused::new(StatusCode::METHOD_NOT_ALLOWED, "this path has other methods").into_response()
}

/// Is it one of the paths that the page itself reads?
fn is_screen(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    matches!(
        parts[..],
        ["" | "watch" | "duel" | "train" | "about" | "review" | "explore"]
            | ["review" | "explore", _]
            | ["explore", _, _]
    )
}

fn send(file: &File, headers: &HeaderMap) -> Response {
    // Names of assets change with their content, so a browser need not ask twice.
    let lasting = file.name.starts_with("/assets/");
    let cache = if lasting { "public, max-age=31536000, immutable" } else { "no-cache" };
    let common = [
        (header::ETAG, file.tag),
        (header::CACHE_CONTROL, cache),
        (header::VARY, "Accept-Encoding"),
    ];
    let list = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let known = list(header::IF_NONE_MATCH).is_some_and(|tags| {
        tags.split(',')
            .map(str::trim)
            .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == file.tag)
    });
    if known {
        return (StatusCode::NOT_MODIFIED, common).into_response();
    }
    let media = [(header::CONTENT_TYPE, file.media)];
    let accepts = list(header::ACCEPT_ENCODING).is_some_and(accepts_gzip);
    match file.gzip.filter(|_| accepts) {
        Some(gzip) => (common, media, [(header::CONTENT_ENCODING, "gzip")], gzip).into_response(),
        None => (common, media, file.bytes).into_response(),
    }
}

fn accepts_gzip(list: &str) -> bool {
    list.split(',').any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let named = matches!(parts.next(), Some("gzip" | "x-gzip" | "*"));
        let zero = |part: &str| part.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        named && !parts.any(zero)
    })
}

/// The program has no page: say so, and what to do.
fn missing(why: &str) -> Response {
    let text = format!(
        "This maxtile has no page inside: {why}.\n\n\
         Install Node 20 or newer (https://nodejs.org), then build again:\n\n    \
         cargo build --release\n\n\
         The interface for programs under /api/ works without it.\n"
    );
    let media = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    (StatusCode::SERVICE_UNAVAILABLE, media, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screens_and_nothing_else() {
        for path in ["/", "/review", "/review/abc", "/explore/3x3/3x3:120000000", "/train"] {
            assert!(is_screen(path), "{path}");
        }
        for path in ["/reviews", "/a/b", "/explore/a/b/c", "/train/x", "/../x", "//"] {
            assert!(!is_screen(path), "{path}");
        }
    }

    #[tokio::test]
    async fn a_program_without_its_page_says_why() {
        let response = missing("Node (npm) was not there when it was built");
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/plain; charset=utf-8");
        let text = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let text = std::str::from_utf8(&text).unwrap();
        assert!(text.contains("no page inside: Node (npm) was not there when it was built.\n"));
        assert!(text.contains("Install Node") && text.contains("cargo build --release"), "{text}");
    }

    #[test]
    fn who_takes_gzip() {
        for list in ["gzip", "br, gzip;q=0.5", "*"] {
            assert!(accepts_gzip(list), "{list}");
        }
        for list in ["", "br", "gzip;q=0", "identity"] {
            assert!(!accepts_gzip(list), "{list}");
        }
    }
}
