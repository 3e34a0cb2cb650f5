//! The agents there are, as data, and how one is made of its text.

use std::fmt;
use std::sync::Arc;

use maxtile_game::Rules;
use maxtile_search::Policy;

use crate::agent::{Call, Term};
use crate::agents::{AGENTS, SIDE_BY_SIDE};
use crate::arguments::Arguments;
use crate::error::{AgentError, AgentProblem};
use crate::nearest::nearest;

/// An agent of the catalog.
pub struct AgentKind {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// Its parameters, in the order in which they are printed.
    pub parameters: &'static [Parameter],
    /// How many games it likes to decide at once: many where that hides the memory's latency, one
    /// where each decision is long, so that games end one after the other.
    pub side_by_side: usize,
    /// Makes the agent of its checked parameters.
    pub build: fn(&Arguments<'_>) -> Result<Make, AgentError>,
}

/// A parameter of an agent.
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub meaning: &'static str,
    /// What may stand there.
    pub kind: Kind,
    /// What is taken when it is not given; `None` when it must be.
    pub default: Option<&'static str>,
}

/// What may stand as the value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A value function: see [`crate::open_value`].
    Net,
    /// Another agent.
    Agent,
    /// A whole number within these bounds.
    Whole(u64, u64),
    /// A number within these bounds.
    Number(f64, f64),
    /// A time with its unit.
    Time,
    /// A file; `none` for none.
    File,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Net => f.write_str("value"),
            Kind::Agent => f.write_str("agent"),
            Kind::Whole(least, most) => write!(f, "{least}…{most}"),
            Kind::Number(least, most) => write!(f, "{least:?}…{most:?}"),
            Kind::Time => f.write_str("time"),
            Kind::File => f.write_str("file"),
            Kind::Choice(words) => f.write_str(&words.join("|")),
        }
    }
}

/// Makes one policy for each thread.
pub type Make = Arc<dyn Fn() -> Box<dyn Policy> + Send + Sync>;

/// A player: its text, and policies that play as it says, one for each thread over shared values.
#[derive(Clone)]
pub struct Agent {
    text: String,
    side_by_side: usize,
    make: Make,
}

impl Agent {
    /// An agent that is not in the catalog, under a name of one's own.
    pub fn new<P: Policy + 'static>(
        text: &str,
        make: impl Fn() -> P + Send + Sync + 'static,
    ) -> Agent {
        let make: Make = Arc::new(move || Box::new(make()));
        Agent { text: text.to_owned(), side_by_side: SIDE_BY_SIDE, make }
    }

    /// The agent that the text describes, ready to play by these rules.
    ///
    /// ```
    /// use maxtile_game::Rules;
    /// use maxtile_lab::Agent;
    ///
    /// let agent = Agent::parse("greedy( net=empties )", Rules::default())?;
    /// assert_eq!(agent.text(), "greedy(net=empties)");
    /// let error = Agent::parse("greedy(nett=empties)", Rules::default()).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "column 8: greedy has no parameter \"nett\", did you mean \"net\"?"
    /// );
    /// # Ok::<(), maxtile_lab::AgentError>(())
    /// ```
    pub fn parse(text: &str, rules: Rules) -> Result<Agent, AgentError> {
        Agent::of_call(&text.parse()?, AGENTS, rules)
    }

    /// The agent that was written, of these kinds: a catalog of one's own, or [`AGENTS`].
    pub fn of_call(
        call: &Call,
        kinds: &'static [AgentKind],
        rules: Rules,
    ) -> Result<Agent, AgentError> {
        let at = call.column.0;
        let Some(kind) = kinds.iter().find(|kind| kind.name == call.name) else {
            let known: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
            let nearest = nearest(&call.name, known.iter().copied());
            let name = call.name.clone();
            return Err(AgentError::at(at, AgentProblem::UnknownAgent { name, nearest, known }));
        };
        kind.check_names(call)?;
        let make = (kind.build)(&Arguments { call, kind, kinds, rules })?;
        let text = kind.in_order(call).to_string();
        Ok(Agent { text, side_by_side: kind.side_by_side, make })
    }

    /// The same agent under another text: for agents whose parameters only the caller can read.
    #[must_use]
    pub fn renamed(self, text: &str) -> Agent {
        Agent { text: text.to_owned(), ..self }
    }

    /// Is it the same agent, opened once, and not only one of the same text?
    pub fn is(&self, other: &Agent) -> bool {
        Arc::ptr_eq(&self.make, &other.make)
    }

    /// The canonical text: parameters in the order of the catalog, defaults left out unless they
    /// were written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many games it likes to decide at once, at least one.
    pub fn side_by_side(&self) -> usize {
        self.side_by_side.max(1)
    }

    /// A policy for one thread.
    pub fn policy(&self) -> Box<dyn Policy> {
        (self.make)()
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Agent({})", self.text)
    }
}

impl AgentKind {
    pub(crate) fn check_names(&self, call: &Call) -> Result<(), AgentError> {
        for argument in &call.arguments {
            if self.parameters.iter().all(|parameter| parameter.name != argument.key) {
                let known: Vec<&str> = self.parameters.iter().map(|p| p.name).collect();
                let nearest = nearest(&argument.key, known.iter().copied());
                let (agent, name) = (self.name, argument.key.clone());
                let problem = AgentProblem::UnknownParameter { agent, name, nearest, known };
                return Err(AgentError::at(argument.column.0, problem));
            }
        }
        Ok(())
    }

    pub(crate) fn in_order(&self, call: &Call) -> Call {
        let written = self.parameters.iter().filter_map(|p| call.argument(p.name));
        Call { arguments: written.cloned().collect(), ..call.clone() }
    }
}

/// A word in the place of an agent is an agent without parameters.
pub(crate) fn as_call(term: &Term, column: usize) -> Call {
    match term {
        Term::Call(call) => call.clone(),
        Term::Word(word) => {
            let mut call = Call::plain(word);
            call.column.0 = column;
            call
        }
    }
}
