//! What `maxtile net` says about neural networks.

use std::path::Path;

use maxtile_neural::{About, Judges, Layer, NAMES, named};
use serde::Serialize;

use crate::Verdict;
use crate::error::Stop;
use crate::output::Output;

#[derive(Serialize)]
struct Listed {
    r#type: &'static str,
    name: &'static str,
    meaning: &'static str,
    parameters: Option<usize>,
}

pub(crate) fn neural_list(out: &mut Output) -> Result<Verdict, Stop> {
    for (name, meaning) in NAMES {
        let parameters = named(name).map(|spec| spec.parameters());
        let count = parameters.map_or(String::new(), |count| format!("{count} parameters"));
        out.text(format!("{name:<23} {count:>18}  {meaning}"))?;
        out.object(&Listed { r#type: "neural-network", name, meaning, parameters })?;
    }
    Ok(Verdict::Done)
}

#[derive(Serialize)]
struct Info<'a> {
    r#type: &'static str,
    file: String,
    bytes: u64,
    parameters: usize,
    norm_parameters: usize,
    #[serde(flatten)]
    about: &'a About,
}

pub(crate) fn neural_info(file: &Path, about: &About, out: &mut Output) -> Result<Verdict, Stop> {
    let spec = &about.spec;
    let bytes = std::fs::metadata(file).map_or(0, |m| m.len());
    let (parameters, norm_parameters) = (spec.parameters(), spec.norm_parameters());
    out.text(format!("file      {} ({} MB)", file.display(), bytes >> 20))?;
    let judged = match spec.judges {
        Judges::Afterstates => "afterstates",
        Judges::States => "positions to move",
    };
    out.text(format!("network   {} on {}, judges {judged}", spec.name, spec.board))?;
    out.text(format!("planes    {}", spec.planes))?;
    for layer in &spec.layers {
        out.text(format!("layer     {}", described(*layer)))?;
    }
    for head in &spec.heads {
        out.text(format!("head      {}", head.name()))?;
    }
    out.text(format!("scale     {} points", spec.scale))?;
    out.text(format!("weights   {parameters}, and {norm_parameters} of normalisation"))?;
    for (key, value) in &about.notes {
        out.text(format!("{key:<9} {value}"))?;
    }
    let file = file.display().to_string();
    let info = Info { r#type: "summary", file, bytes, parameters, norm_parameters, about };
    out.object(&info)?;
    Ok(Verdict::Done)
}

fn described(layer: Layer) -> String {
    let norm = if layer.norm() { ", normalised" } else { "" };
    match layer {
        Layer::Conv { kernel: [rows, cols], padding, channels, .. } => {
            let padded = if padding == [0, 0] { "" } else { ", padded" };
            format!("convolution {rows}×{cols} to {channels} channels{padded}{norm}")
        }
        Layer::Dense { outputs, .. } => format!("dense to {outputs}{norm}"),
    }
}
