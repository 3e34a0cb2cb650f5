//! `maxtile play`.

use crate::Verdict;
use crate::args::{Common, Play};
use crate::error::{Stop, error};
use crate::output::Output;

pub(crate) fn run(_args: &Play, _common: &Common, _out: &mut Output) -> Result<Verdict, Stop> {
    Err(error("not yet"))
}
