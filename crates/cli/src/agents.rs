//! `maxtile agents`: every agent with every parameter.

use maxtile_lab::{AGENTS, AgentKind, BUILT_IN, Kind};
use serde::Serialize;

use crate::Verdict;
use crate::error::Stop;
use crate::output::Output;

#[derive(Serialize)]
struct AgentLine {
    r#type: &'static str,
    name: &'static str,
    meaning: &'static str,
    parameters: Vec<ParameterLine>,
}

#[derive(Serialize)]
struct ParameterLine {
    name: &'static str,
    meaning: &'static str,
    kind: String,
    /// Null when it must be given.
    default: Option<&'static str>,
}

#[derive(Serialize)]
struct ValueLine {
    r#type: &'static str,
    name: &'static str,
    meaning: &'static str,
}

#[derive(Serialize)]
struct Line {
    r#type: &'static str,
    agents: usize,
    values: usize,
}

pub(crate) fn run(out: &mut Output) -> Result<Verdict, Stop> {
    for agent in AGENTS {
        show(agent, out)?;
    }
    out.text("values for net=")?;
    let others = [
        ("PATH", "a network file, or the newest network of a run's folder"),
        ("FILE.mts", "a solved board (maxtile solve --out)"),
        ("mean", "mean(a=VALUE, b=VALUE): the mean of two values"),
    ];
    let values = BUILT_IN.iter().map(|value| (value.name, value.meaning)).chain(others);
    for (name, meaning) in values.clone() {
        out.text(format!("    {name:<10} {meaning}"))?;
        out.object(&ValueLine { r#type: "value", name, meaning })?;
    }
    out.object(&Line { r#type: "summary", agents: AGENTS.len(), values: values.count() })?;
    Ok(Verdict::Done)
}

fn show(agent: &AgentKind, out: &mut Output) -> Result<(), Stop> {
    let AgentKind { name, meaning, parameters, .. } = agent;
    out.text(format!("{name}\n    {meaning}"))?;
    for parameter in *parameters {
        let default = match parameter.default {
            Some(default) => format!("default {default}"),
            None => "must be given".to_owned(),
        };
        let kind = match parameter.kind {
            Kind::Net => "a value".to_owned(),
            Kind::Agent => "an agent".to_owned(),
            kind => kind.to_string(),
        };
        let (name, meaning) = (parameter.name, parameter.meaning);
        out.text(format!("    {name:<10} {meaning} ({kind}; {default})"))?;
    }
    out.text("")?;
    let parameters = parameters.iter().map(|p| ParameterLine {
        name: p.name,
        meaning: p.meaning,
        kind: p.kind.to_string(),
        default: p.default,
    });
    out.object(&AgentLine { r#type: "agent", name, meaning, parameters: parameters.collect() })
}
