//! Parts of paths and queries, with our own words for what is wrong.

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{FromRequestParts, Path as AxumPath, Query as AxumQuery};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::refuse::Refused;

/// The variable parts of a path.
pub(super) struct Path<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let found = AxumPath::<T>::from_request_parts(parts, state).await;
        let wrong = |cause: PathRejection| Refused::field("path", cause.body_text());
        found.map(|AxumPath(found)| Path(found)).map_err(wrong)
    }
}

/// What stands behind the question mark.
pub(super) struct Options<T>(pub(super) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Options<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let found = AxumQuery::<T>::from_request_parts(parts, state).await;
        let wrong = |cause: QueryRejection| Refused::field("query", cause.body_text());
        found.map(|AxumQuery(found)| Options(found)).map_err(wrong)
    }
}
