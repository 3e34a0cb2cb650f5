//! `/api/records`: recorded games kept in the data folder under the hash of their content.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maxtile_game::Record;
use maxtile_records::{import, to_json};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shared;
use super::input::{Input, LONG};
use super::refuse::Refused;
use super::route::Path as Parts;
use crate::files::replace;

/// The newest so many are kept.
const KEPT: usize = 10_000;

/// A game in a request: text, or the binary form in base 64.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    pub(super) record: Option<String>,
    pub(super) record_base64: Option<String>,
}

impl Given {
    pub(super) fn bytes(self) -> Result<(Vec<u8>, &'static str), Refused> {
        match (self.record, self.record_base64) {
            (Some(text), None) => Ok((text.into_bytes(), "record")),
            (None, Some(text)) => {
                let bytes = STANDARD.decode(text.trim());
                let bytes = bytes.map_err(|cause| Refused::field("record_base64", cause))?;
                Ok((bytes, "record_base64"))
            }
            _ => Err(Refused::field("record", "one of record and record_base64 must be given")),
        }
    }

    /// The first game in it, and the form it has.
    pub(super) fn read(self) -> Result<(Record, &'static str), Refused> {
        let (bytes, field) = self.bytes()?;
        let found = import(&bytes).map_err(|cause| Refused::field(field, cause))?;
        let (format, mut records) = (found.format, found.records.into_iter());
        records
            .next()
            .map(|record| (record, format))
            .ok_or_else(|| Refused::field(field, "there is no game in it"))
    }
}

pub(super) async fn post(
    State(shared): State<Arc<Shared>>,
    input: Input<LONG>,
) -> Result<Json<Value>, Refused> {
    let given: Given = input.read()?;
    let keep = move || -> Result<String, Refused> {
        let text = to_json(&given.read()?.0).map_err(|cause| Refused::field("record", cause))?;
        let (folder, id) = (shared.data.join("records"), format!("{:016x}", fnv(text.as_bytes())));
        let path = file(&folder, &id);
        let failed = |cause: std::io::Error| {
            Refused::ours(format!("the game could not be kept: {}", crate::error::reason(&cause)))
        };
        std::fs::create_dir_all(&folder).map_err(failed)?;
        if !path.exists() {
            replace(&path, text.as_bytes()).map_err(failed)?;
            thin(&folder);
        }
        Ok(id)
    };
    let id = tokio::task::spawn_blocking(keep).await;
    let id = id.map_err(|_| Refused::ours("the game could not be kept"))??;
    Ok(Json(json!({"id": id})))
}

pub(super) async fn get(
    State(shared): State<Arc<Shared>>,
    Parts(id): Parts<String>,
) -> Result<Response, Refused> {
    let unknown = || Refused::not_found("there is no such game");
    let hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if id.len() != 16 || !id.bytes().all(hexadecimal) {
        return Err(unknown());
    }
    let path = file(&shared.data.join("records"), &id);
    let text = tokio::task::spawn_blocking(move || std::fs::read(path)).await;
    let text = text.ok().and_then(Result::ok).ok_or_else(unknown)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

fn file(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.jsonl"))
}

/// Removes the oldest games when there are too many.
fn thin(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
        })
        .collect();
    files.sort();
    let extra = files.len().saturating_sub(KEPT);
    for (_, path) in files.into_iter().take(extra) {
        let _ = std::fs::remove_file(path);
    }
}

/// FNV-1a: the same game gets the same name.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
