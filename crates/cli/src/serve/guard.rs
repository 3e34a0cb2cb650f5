//! Who may ask, and what browsers are told to allow.
//!
//! A page of another site can make a browser send requests here. It cannot choose the `Host` header
//! unless its own name leads here (DNS rebinding), nor hide its origin.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Shared;
use super::refuse::Refused;

/// No answer, streams apart, takes longer.
const LONGEST: Duration = Duration::from_mins(1);

/// No script but the page's own files. Charts set the style of their parts, so styles may be inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; \
    manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The names this server answers to.
pub(super) struct Hosts {
    /// The name it was told to bind.
    name: String,
    /// Does it listen on addresses that are not the machine's own alone?
    open: bool,
}

impl Hosts {
    pub(super) fn new(name: &str, open: bool) -> Hosts {
        Hosts { name: name.trim_matches(['[', ']']).to_ascii_lowercase(), open }
    }

    fn allow(&self, authority: &str) -> bool {
        let host = without_port(authority).to_ascii_lowercase();
        if host == "localhost" || host == self.name {
            return true;
        }
        // No other site has a number for a name.
        host.parse::<IpAddr>().is_ok_and(|address| self.open || address.is_loopback())
    }
}

/// The host of `host`, `host:port`, `[address]` or `[address]:port`.
fn without_port(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return match rest.split_once(']') {
            Some((address, port)) if port.is_empty() || port.starts_with(':') => address,
            _ => "",
        };
    }
    authority.split_once(':').map_or(authority, |(host, _)| host)
}

/// Refuses what other sites ask, bounds the time, and adds the headers that every answer has.
pub(super) async fn guard(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let api = request.uri().path().starts_with("/api/");
    let mut response = match check(&shared.hosts, request.headers(), api) {
        Err(refused) => refused.into_response(),
        Ok(()) => match tokio::time::timeout(LONGEST, next.run(request)).await {
            Ok(response) => response,
            Err(_) => Refused::busy("the answer took too long").into_response(),
        },
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn check(hosts: &Hosts, headers: &HeaderMap, api: bool) -> Result<(), Refused> {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let mut named = headers.get_all(header::HOST).iter();
    let host = match (named.next().and_then(|value| value.to_str().ok()), named.next()) {
        (Some(host), None) if hosts.allow(host) => host,
        _ => {
            return Err(Refused::new(
                StatusCode::MISDIRECTED_REQUEST,
                "this server does not answer to that Host; --host NAME makes it",
            ));
        }
    };
    let foreign = || Refused::new(StatusCode::FORBIDDEN, "other sites may not ask this server");
    if let Some(origin) = text(&header::ORIGIN) {
        let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if !own.is_some_and(|own| own.eq_ignore_ascii_case(host)) {
            return Err(foreign());
        }
    }
    let site = text(&HeaderName::from_static("sec-fetch-site"));
    if api && matches!(site, Some("cross-site" | "same-site")) {
        return Err(foreign());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_here() {
        let (closed, open) = (Hosts::new("127.0.0.1", false), Hosts::new("box.lan", true));
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:2048", "[::1]:1", "[::1]", "127.9.9.9"]
        {
            assert!(closed.allow(host) && open.allow(host), "{host}");
        }
        for host in ["example.org", "127.0.0.1.example.org", "", "[::1", "[::1]x", "10.0.0.1:80"] {
            assert!(!closed.allow(host), "{host}");
        }
        assert!(open.allow("10.0.0.1:80") && open.allow("box.lan:80") && !open.allow("evil.lan"));
    }

    #[test]
    fn other_sites_are_refused() {
        let hosts = Hosts::new("127.0.0.1", false);
        let status = |pairs: &[(&'static str, &'static str)], api| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, HeaderValue::from_static(value));
            }
            check(&hosts, &headers, api).err().map(|refused| refused.status.as_u16())
        };
        let host = ("host", "localhost:2048");
        assert_eq!(status(&[host], true), None);
        assert_eq!(status(&[], true), Some(421));
        assert_eq!(status(&[host, host], true), Some(421));
        assert_eq!(status(&[host, ("origin", "http://localhost:2048")], true), None);
        for origin in
            ["http://localhost:3000", "null", "http://evil.org", "localhost:2048", "file://"]
        {
            assert_eq!(status(&[host, ("origin", origin)], false), Some(403), "{origin}");
        }
        assert_eq!(status(&[host, ("sec-fetch-site", "cross-site")], true), Some(403));
        // A link from elsewhere to the page itself is welcome.
        assert_eq!(status(&[host, ("sec-fetch-site", "cross-site")], false), None);
    }
}
