//! What is said instead of an answer: a status, one sentence, the field it is about.

use std::borrow::Cow;
use std::fmt::Display;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maxtile_lab::protocol::Refusal;
use maxtile_solve::TableError;

/// A request that gets no answer.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    pub(super) error: String,
    pub(super) field: Cow<'static, str>,
}

/// How long to wait before asking a busy server again, in seconds.
const RETRY: HeaderValue = HeaderValue::from_static("1");

impl Refused {
    pub(super) fn new(status: StatusCode, error: impl Display) -> Refused {
        Refused { status, error: error.to_string(), field: "query".into() }
    }

    /// Something is wrong with this field.
    pub(super) fn field(field: impl Into<Cow<'static, str>>, error: impl Display) -> Refused {
        Refused { field: field.into(), ..Refused::new(StatusCode::BAD_REQUEST, error) }
    }

    pub(super) fn not_found(error: impl Display) -> Refused {
        Refused::new(StatusCode::NOT_FOUND, error)
    }

    /// Things are not as the request needs them to be.
    pub(super) fn conflict(error: impl Display) -> Refused {
        Refused::new(StatusCode::CONFLICT, error)
    }

    /// Too much to do; later it may work.
    pub(super) fn busy(error: impl Display) -> Refused {
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, error)
    }

    /// Nobody's fault but ours.
    pub(super) fn ours(error: impl Display) -> Refused {
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let body = serde_json::json!({"error": self.error, "field": self.field});
        let mut response = (self.status, axum::Json(body)).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, RETRY);
        }
        response
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        Refused { field: refusal.field, ..Refused::new(StatusCode::BAD_REQUEST, refusal.error) }
    }
}

impl From<TableError> for Refused {
    fn from(cause: TableError) -> Refused {
        match cause {
            TableError::Unreachable | TableError::OtherBoard { .. } => {
                Refused::field("position", cause)
            }
            TableError::Io(_) | TableError::Damaged(_) => Refused::ours(cause),
            _ => Refused::conflict(cause),
        }
    }
}
