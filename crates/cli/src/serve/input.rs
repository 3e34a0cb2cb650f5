//! Bodies of requests: JSON objects of bounded length that arrive in bounded time.

use std::time::Duration;

use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::refuse::Refused;

/// The longest body of a question about positions.
pub(super) const SHORT: usize = 64 << 10;
/// The longest body with a recorded game.
pub(super) const LONG: usize = 4 << 20;
/// A body that takes longer to arrive is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The fields of a JSON body of at most this many bytes.
pub(super) struct Input<const MOST: usize>(pub(super) Map<String, Value>);

impl<const MOST: usize, S: Sync> FromRequest<S> for Input<MOST> {
    type Rejection = Refused;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refused> {
        let media = request.headers().get(header::CONTENT_TYPE);
        let media = media.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim();
        // Browsers ask before they send this type to another site, and are then refused.
        if !media.eq_ignore_ascii_case("application/json") {
            return Err(Refused::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body must be JSON, with Content-Type application/json",
            ));
        }
        let bytes = read::<MOST>(request).await?;
        let value = serde_json::from_slice(&bytes)
            .map_err(|cause| Refused::field("query", format!("not JSON: {cause}")))?;
        let Value::Object(fields) = value else {
            return Err(Refused::field("query", "the body must be a JSON object"));
        };
        Ok(Input(fields))
    }
}

impl<const MOST: usize> Input<MOST> {
    /// The fields as what they should be.
    pub(super) fn read<T: DeserializeOwned>(self) -> Result<T, Refused> {
        serde_json::from_value(Value::Object(self.0))
            .map_err(|cause| Refused::field("query", cause))
    }
}

async fn read<const MOST: usize>(request: Request) -> Result<bytes::Bytes, Refused> {
    let long = || {
        let error = format!("the body is longer than {MOST} bytes");
        Refused::new(StatusCode::PAYLOAD_TOO_LARGE, error)
    };
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length: Option<u64> = length.and_then(|value| value.to_str().ok()?.parse().ok());
    if length.is_some_and(|length| length > MOST as u64) {
        return Err(long());
    }
    let body = Limited::new(request.into_body(), MOST).collect();
    match tokio::time::timeout(PATIENCE, body).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(cause)) if cause.is::<LengthLimitError>() => Err(long()),
        Ok(Err(_)) => Err(Refused::field("query", "the body broke off")),
        Err(_) => Err(Refused::new(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")),
    }
}
