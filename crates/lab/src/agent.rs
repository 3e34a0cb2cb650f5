//! The textual form of agents: `name` or `name(key=value, …)`.
//!
//! ```text
//! agent = name [ "(" [ pair { "," pair } ] ")" ]
//! pair  = name "=" ( word | agent )
//! name  = a lower-case letter, then lower-case letters, digits and "-"
//! word  = characters other than space ( ) , = "   or   "…" with \" and \\ inside
//! ```
//!
//! Spaces may stand between all of these. A word alone and an agent without parameters look the
//! same; the parameter's kind decides which it is.

use std::fmt;
use std::str::FromStr;

use crate::error::{AgentError, AgentProblem};
use crate::parse::Parser;

/// An agent as it was written, not yet checked against the catalog.
///
/// ```
/// use maxtile_lab::Call;
///
/// let call: Call = "corner( rho = 1.2,agent=greedy(net=a.mtx) )".parse()?;
/// assert_eq!(call.to_string(), "corner(rho=1.2, agent=greedy(net=a.mtx))");
/// let error = "greedy(net=)".parse::<Call>().unwrap_err();
/// assert_eq!(error.to_string(), "column 12: expected a value, found ')'");
/// # Ok::<(), maxtile_lab::AgentError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The agent's name.
    pub name: String,
    /// Its parameters in the order in which they were written; no name occurs twice.
    pub arguments: Vec<Argument>,
    pub(crate) column: Column,
}

/// One parameter with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The parameter's name.
    pub key: String,
    /// Its value.
    pub value: Term,
    pub(crate) column: Column,
    pub(crate) value_column: Column,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A number, a name, a path, or an agent without parameters.
    Word(String),
    /// An agent with parameters.
    Call(Call),
}

/// Where something was written, for error messages. It does not count in comparisons: what was
/// written is the same wherever it stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Column(pub(crate) usize);

impl PartialEq for Column {
    fn eq(&self, _: &Column) -> bool {
        true
    }
}

impl Eq for Column {}

impl Call {
    /// An agent without parameters.
    pub fn plain(name: &str) -> Call {
        Call { name: name.to_owned(), arguments: Vec::new(), column: Column(1) }
    }

    /// The parameter of this name.
    pub fn argument(&self, key: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.key == key)
    }
}

impl FromStr for Call {
    type Err = AgentError;

    fn from_str(text: &str) -> Result<Call, AgentError> {
        Parser::new(text).whole()
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, argument) in self.arguments.iter().enumerate() {
            f.write_str(if index == 0 { "(" } else { ", " })?;
            write!(f, "{}={}", argument.key, argument.value)?;
        }
        f.write_str(if self.arguments.is_empty() { "" } else { ")" })
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Call(call) => call.fmt(f),
            Term::Word(word) if !word.is_empty() && word.chars().all(is_bare) => f.write_str(word),
            Term::Word(word) => {
                write!(f, "\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
            }
        }
    }
}

/// May the character stand in a word without quotes?
pub(crate) fn is_bare(c: char) -> bool {
    !c.is_whitespace() && !c.is_control() && !matches!(c, '(' | ')' | ',' | '=' | '"')
}

/// Is the word the name of an agent or of a parameter?
pub(crate) fn check_name(word: &str, column: usize) -> Result<(), AgentError> {
    let mut chars = word.chars();
    let good = chars.next().is_some_and(|c| c.is_ascii_lowercase())
        && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if good { Ok(()) } else { Err(AgentError::at(column, AgentProblem::BadName(word.to_owned()))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name() -> impl Strategy<Value = String> {
        "[a-z][a-z0-9-]{0,8}"
    }

    fn term() -> impl Strategy<Value = Term> {
        let word = prop_oneof!["[a-zA-Z0-9./_:-]{1,12}", "[^\\p{Cc}]{0,12}"].prop_map(Term::Word);
        word.prop_recursive(4, 24, 4, |inner| {
            (name(), arguments(inner)).prop_map(|(name, arguments)| {
                if arguments.is_empty() {
                    return Term::Word(name);
                }
                Term::Call(Call { arguments, ..Call::plain(&name) })
            })
        })
    }

    fn arguments(value: impl Strategy<Value = Term>) -> impl Strategy<Value = Vec<Argument>> {
        prop::collection::btree_map(name(), value, 0..4).prop_map(|map| {
            let argument = |(key, value)| {
                let (column, value_column) = Default::default();
                Argument { key, value, column, value_column }
            };
            map.into_iter().map(argument).collect()
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(name in name(), arguments in arguments(term())) {
            let call = Call { arguments, ..Call::plain(&name) };
            let text = call.to_string();
            let read: Call = text.parse().map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
            prop_assert_eq!(&read, &call);
            prop_assert_eq!(read.to_string(), text);
        }

        #[test]
        fn any_text_is_read_or_refused_at_a_place_within_it(text in "\\PC{0,20}|[a-c(=,) \"\\\\]{0,20}") {
            match text.parse::<Call>() {
                Ok(call) => prop_assert_eq!(&call.to_string().parse::<Call>().unwrap(), &call),
                Err(e) => prop_assert!((1..=text.chars().count() + 1).contains(&e.column.unwrap())),
            }
        }
    }
}
