//! What can be wrong with the text of an agent, and where.

use std::fmt;

/// An agent that cannot be made of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentError {
    /// Where in the text, in characters counted from 1; `None` when the error is about no place.
    pub column: Option<usize>,
    /// What is wrong.
    pub problem: AgentProblem,
}

/// What is wrong with the text of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentProblem {
    /// Something else must stand here.
    Expected {
        /// What must stand here.
        what: &'static str,
        /// What does; `None` at the end of the text.
        found: Option<char>,
    },
    /// A name with characters that names do not have.
    BadName(String),
    /// A parameter that was given already.
    Repeated(String),
    /// Agents within agents within agents.
    TooDeep,
    /// No such agent.
    UnknownAgent {
        /// The name.
        name: String,
        /// The name that may have been meant.
        nearest: Option<&'static str>,
        /// All names there are.
        known: Vec<&'static str>,
    },
    /// The agent has no such parameter.
    UnknownParameter {
        /// The agent.
        agent: &'static str,
        /// The parameter.
        name: String,
        /// The parameter that may have been meant.
        nearest: Option<&'static str>,
        /// All parameters of the agent.
        known: Vec<&'static str>,
    },
    /// A parameter without default was not given.
    Missing {
        /// The agent.
        agent: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
    /// The value is of another kind or out of range.
    BadValue {
        /// The parameter.
        parameter: &'static str,
        /// The value.
        value: String,
        /// What it must be.
        must: String,
    },
    /// The value function could not be opened.
    CannotOpen {
        /// Its name or path.
        what: String,
        /// Why.
        why: String,
    },
}

impl AgentError {
    /// The error at a place.
    pub(crate) fn at(column: usize, problem: AgentProblem) -> AgentError {
        AgentError { column: Some(column), problem }
    }

    /// Says where, unless that is known already.
    #[must_use]
    pub(crate) fn or_at(self, column: usize) -> AgentError {
        AgentError { column: self.column.or(Some(column)), ..self }
    }
}

impl From<AgentProblem> for AgentError {
    fn from(problem: AgentProblem) -> AgentError {
        AgentError { column: None, problem }
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = self.column {
            write!(f, "column {column}: ")?;
        }
        self.problem.fmt(f)
    }
}

impl fmt::Display for AgentProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentProblem::Expected { what, found: Some(found) } => {
                write!(f, "expected {what}, found {found:?}")
            }
            AgentProblem::Expected { what, found: None } => {
                write!(f, "expected {what}, but the text ends")
            }
            AgentProblem::BadName(name) => {
                write!(f, "{name:?} is no name: lower-case letters, digits and - after a letter")
            }
            AgentProblem::Repeated(name) => write!(f, "{name} is given twice"),
            AgentProblem::TooDeep => f.write_str("too many agents within agents"),
            AgentProblem::UnknownAgent { name, nearest, known } => {
                write!(f, "there is no agent {name:?}")?;
                suggest(f, *nearest, "the agents are", known)
            }
            AgentProblem::UnknownParameter { agent, name, nearest, known } => {
                write!(f, "{agent} has no parameter {name:?}")?;
                if known.is_empty() {
                    return f.write_str(", it has none at all");
                }
                suggest(f, *nearest, "it has", known)
            }
            AgentProblem::Missing { agent, parameter } => {
                write!(f, "{agent} needs {parameter}=…")
            }
            AgentProblem::BadValue { parameter, value, must } => {
                write!(f, "{parameter} must be {must}, not {value:?}")
            }
            AgentProblem::CannotOpen { what, why } => write!(f, "cannot open {what}: {why}"),
        }
    }
}

fn suggest(
    f: &mut fmt::Formatter<'_>,
    nearest: Option<&str>,
    list: &str,
    known: &[&str],
) -> fmt::Result {
    match nearest {
        Some(nearest) => write!(f, ", did you mean {nearest:?}?"),
        None => write!(f, ", {list} {}", known.join(", ")),
    }
}

impl std::error::Error for AgentError {}
