//! Completions and man pages, made from the definitions in `args.rs`.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Verdict;
use crate::args::Args;
use crate::error::{Stop, error, reason};
use crate::output::Output;

pub(crate) fn completions(shell: Shell, out: &mut Output) -> Result<Verdict, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "maxtile", &mut script);
    out.raw(&script)?;
    Ok(Verdict::Done)
}

pub(crate) fn pages(folder: Option<&Path>, out: &mut Output) -> Result<Verdict, Stop> {
    match folder {
        Some(folder) => {
            clap_mangen::generate_to(Args::command(), folder).map_err(|cause| {
                error(format!("cannot write into {}: {}", folder.display(), reason(&cause)))
            })?;
            out.talk(format!("man pages written into {}", folder.display()));
        }
        None => {
            let mut page = Vec::new();
            let man = clap_mangen::Man::new(Args::command());
            man.render(&mut page).map_err(error)?;
            out.raw(&page)?;
        }
    }
    Ok(Verdict::Done)
}
