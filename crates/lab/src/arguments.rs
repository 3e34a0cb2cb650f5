//! The parameters of one agent, checked and with defaults, as its builder asks for them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use maxtile_game::Rules;
use maxtile_search::{Ensemble, Value};

use crate::agent::{Argument, Call, Term};
use crate::catalog::{Agent, AgentKind, Kind, Parameter, as_call};
use crate::error::{AgentError, AgentProblem};
use crate::value::{open_preferring, open_value};

/// What was written for an agent, seen through its entry in the catalog.
///
/// # Panics
/// Every method panics when the entry has no such parameter, or one of another kind: the catalog
/// itself would be wrong.
pub struct Arguments<'a> {
    pub(crate) call: &'a Call,
    pub(crate) kind: &'a AgentKind,
    pub(crate) kinds: &'static [AgentKind],
    pub(crate) rules: Rules,
}

impl Arguments<'_> {
    /// The rules the agent is to play by.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// A parameter of kind [`Kind::Net`].
    pub fn net(&self, name: &str) -> Result<Arc<dyn Value>, AgentError> {
        let given = self.given(name)?;
        match &given.term {
            Term::Word(word) => {
                open_value(word, self.rules.shape).map_err(|e| e.or_at(given.column))
            }
            Term::Call(call) if call.name == "mean" => self.mean(call),
            Term::Call(_) => Err(given.bad("a name, a path or mean(a=…, b=…)")),
        }
    }

    /// A parameter of kind [`Kind::Net`] that is a neural network, for what it prefers.
    pub(crate) fn preferring(
        &self,
        name: &str,
    ) -> Result<Arc<maxtile_neural::Network>, AgentError> {
        let given = self.given(name)?;
        let word = given.word().ok_or_else(|| given.bad("a path"))?;
        open_preferring(word, self.rules.shape).map_err(|e| e.or_at(given.column))
    }

    /// The word that was written for a parameter; `None` when it is an agent.
    pub(crate) fn word(&self, name: &str) -> Result<Option<String>, AgentError> {
        Ok(self.given(name)?.word().map(str::to_owned))
    }

    /// The mean of several values: `mean(a=…, b=…)`, under any names.
    fn mean(&self, call: &Call) -> Result<Arc<dyn Value>, AgentError> {
        let member = |argument: &Argument| match &argument.value {
            Term::Word(word) => open_value(word, self.rules.shape)
                .map_err(|error| error.or_at(argument.value_column.0)),
            Term::Call(inner) => {
                let must = "a name or a path".to_owned();
                let (parameter, value) = ("a member of mean", inner.to_string());
                let problem = AgentProblem::BadValue { parameter, value, must };
                Err(AgentError::at(argument.value_column.0, problem))
            }
        };
        let members: Result<Vec<_>, _> = call.arguments.iter().map(member).collect();
        Ok(Arc::new(Ensemble::new(members?)))
    }

    /// A parameter of kind [`Kind::Time`]; `None` for 0.
    pub fn time(&self, name: &str) -> Result<Option<Duration>, AgentError> {
        let given = self.given(name)?;
        assert!(given.parameter.kind == Kind::Time, "{name} is no time");
        let time = given.word().and_then(parse_time);
        let time =
            time.ok_or_else(|| given.bad("a time up to 1h, for example 500us, 10ms or 2s"))?;
        Ok(Some(time).filter(|time| !time.is_zero()))
    }

    /// A parameter of kind [`Kind::Agent`].
    pub fn agent(&self, name: &str) -> Result<Agent, AgentError> {
        let given = self.given(name)?;
        Agent::of_call(&as_call(&given.term, given.column), self.kinds, self.rules)
    }

    /// A parameter of kind [`Kind::Whole`].
    pub fn whole(&self, name: &str) -> Result<u64, AgentError> {
        let given = self.given(name)?;
        let Kind::Whole(least, most) = given.parameter.kind else { panic!("{name} is no number") };
        let number = given.word().and_then(|word| word.parse().ok());
        let number = number.filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| given.bad(&format!("a whole number from {least} to {most}")))
    }

    /// A parameter of kind [`Kind::Number`].
    pub fn number(&self, name: &str) -> Result<f64, AgentError> {
        let given = self.given(name)?;
        let Kind::Number(least, most) = given.parameter.kind else { panic!("{name} is no number") };
        let number = given.word().and_then(|word| word.parse().ok());
        let number = number.filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| given.bad(&format!("a number from {least} to {most}")))
    }

    /// A parameter of kind [`Kind::Choice`].
    pub fn choice(&self, name: &str) -> Result<&'static str, AgentError> {
        let given = self.given(name)?;
        let Kind::Choice(words) = given.parameter.kind else { panic!("{name} is no choice") };
        let word = words.iter().find(|word| given.word() == Some(**word));
        word.copied().ok_or_else(|| given.bad(&words.join(" or ")))
    }

    /// A parameter of kind [`Kind::File`]; `None` for `none`.
    pub fn file(&self, name: &str) -> Result<Option<PathBuf>, AgentError> {
        let given = self.given(name)?;
        assert!(given.parameter.kind == Kind::File, "{name} is no file");
        let word = given.word().ok_or_else(|| given.bad("a path"))?;
        Ok(Some(PathBuf::from(word)).filter(|_| word != "none"))
    }

    /// The error that the file of this parameter cannot be used.
    pub(crate) fn refused(&self, name: &str, why: String) -> AgentError {
        let given = match self.given(name) {
            Ok(given) => given,
            Err(error) => return error,
        };
        let what = given.word().unwrap_or_default().to_owned();
        AgentError::at(given.column, AgentProblem::CannotOpen { what, why })
    }

    /// The error that this parameter must be something else.
    pub(crate) fn bad(&self, name: &str, must: &str) -> AgentError {
        self.given(name).map_or_else(|error| error, |given| given.bad(must))
    }

    /// The value of a parameter, or its default.
    fn given(&self, name: &str) -> Result<Given, AgentError> {
        let parameter = self.kind.parameters.iter().find(|parameter| parameter.name == name);
        let parameter = parameter.expect("a builder asks for the parameters its entry has");
        if let Some(Argument { value, value_column, .. }) = self.call.argument(name) {
            return Ok(Given { parameter, term: value.clone(), column: value_column.0 });
        }
        let column = self.call.column.0;
        let Some(default) = parameter.default else {
            let problem =
                AgentProblem::Missing { agent: self.kind.name, parameter: parameter.name };
            return Err(AgentError::at(column, problem));
        };
        let term = match default.parse::<Call>() {
            Ok(call) if !call.arguments.is_empty() => Term::Call(call),
            _ => Term::Word(default.to_owned()),
        };
        Ok(Given { parameter, term, column })
    }
}

/// A number and a unit, not more than an hour; 0 needs no unit.
fn parse_time(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().ok()?;
    let seconds = match unit {
        "us" => number * 1e-6,
        "ms" => number * 1e-3,
        "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        "" if number == 0.0 => 0.0,
        _ => return None,
    };
    (0.0..=3600.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// The value of a parameter and where it stands.
struct Given {
    parameter: &'static Parameter,
    term: Term,
    column: usize,
}

impl Given {
    fn word(&self) -> Option<&str> {
        match &self.term {
            Term::Word(word) => Some(word),
            Term::Call(_) => None,
        }
    }

    fn bad(&self, must: &str) -> AgentError {
        let (parameter, value) = (self.parameter.name, self.term.to_string());
        let problem = AgentProblem::BadValue { parameter, value, must: must.to_owned() };
        AgentError::at(self.column, problem)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use maxtile_game::Rules;
    use maxtile_search::Uniform;

    use crate::agents::AGENTS;
    use crate::catalog::{Agent, AgentKind, Kind, Parameter};

    const fn parameter(name: &'static str, kind: Kind, default: Option<&'static str>) -> Parameter {
        Parameter { name, meaning: "", kind, default }
    }

    static KINDS: &[AgentKind] = &[
        AgentKind {
            name: "random",
            meaning: "",
            parameters: &[],
            side_by_side: 1,
            build: |_| Ok(Arc::new(|| Box::new(Uniform))),
        },
        AgentKind {
            name: "wrap",
            meaning: "",
            parameters: &[
                parameter("agent", Kind::Agent, Some("wrap(agent=random, depth=1)")),
                parameter("depth", Kind::Whole(1, 9), Some("3")),
                parameter("rho", Kind::Number(0.5, 2.0), Some("1")),
                parameter("select", Kind::Choice(&["first", "best"]), Some("best")),
                parameter("net", Kind::Net, Some("zero")),
            ],
            side_by_side: 1,
            build: |arguments| {
                let _inner = match arguments.whole("depth")? {
                    1 => None,
                    _ => Some(arguments.agent("agent")?),
                };
                arguments.number("rho")?;
                arguments.choice("select")?;
                arguments.net("net")?;
                Ok(Arc::new(|| Box::new(Uniform)))
            },
        },
    ];

    fn text(text: &str) -> String {
        let agent = text.parse().and_then(|call| Agent::of_call(&call, KINDS, Rules::default()));
        agent.map_or_else(|e| e.to_string(), |agent| agent.text().to_owned())
    }

    #[test]
    fn parameters_take_the_order_of_the_catalog() {
        assert_eq!(text("wrap(rho=1.5,depth=2)"), "wrap(depth=2, rho=1.5)");
        assert_eq!(text("wrap(agent=wrap(agent=random))"), "wrap(agent=wrap(agent=random))");
    }

    #[test]
    fn values_are_checked() {
        let cases = [
            ("wrap(depth=0)", "column 12: depth must be a whole number from 1 to 9, not \"0\""),
            ("wrap(depth=1.5)", "column 12: depth must be a whole number from 1 to 9, not \"1.5\""),
            ("wrap(rho=nan)", "column 10: rho must be a number from 0.5 to 2, not \"nan\""),
            ("wrap(select=worst)", "column 13: select must be first or best, not \"worst\""),
            (
                "wrap(net=zero(a=1))",
                "column 10: net must be a name, a path or mean(a=…, b=…), not \"zero(a=1)\"",
            ),
            (
                "wrap(agent=wrap(agent=ramdom))",
                "column 23: there is no agent \"ramdom\", did you mean \"random\"?",
            ),
            ("wrap(agent=9)", "column 12: there is no agent \"9\", the agents are random, wrap"),
            ("random(a=1)", "column 8: random has no parameter \"a\", it has none at all"),
            (
                "wrap(zzz=1)",
                "column 6: wrap has no parameter \"zzz\", it has agent, depth, rho, select, net",
            ),
        ];
        for (written, error) in cases {
            assert_eq!(text(written), error);
        }
    }

    #[test]
    fn times_have_units() {
        use super::parse_time;
        use std::time::Duration;
        assert_eq!(parse_time("10ms"), Some(Duration::from_millis(10)));
        assert_eq!(parse_time("0.5s"), Some(Duration::from_millis(500)));
        assert_eq!(parse_time("250us"), Some(Duration::from_micros(250)));
        assert_eq!(parse_time("0"), Some(Duration::ZERO));
        for bad in ["10", "ms", "-1s", "2h", "nans", "infs", "1 s", "1ms2", ""] {
            assert_eq!(parse_time(bad), None, "{bad}");
        }
    }

    #[test]
    fn means_of_values() {
        assert_eq!(text("wrap(net=mean(a=zero, b=empties))"), "wrap(net=mean(a=zero, b=empties))");
        assert_eq!(
            text("wrap(net=mean(a=zero, b=mean(c=zero)))"),
            "column 25: a member of mean must be a name or a path, not \"mean(c=zero)\""
        );
        assert!(text("wrap(net=mean(a=nosuch))").starts_with("column 17: cannot open nosuch"));
    }

    #[test]
    fn every_agent_of_the_catalog_can_be_built() {
        let folder = tempfile::tempdir().unwrap();
        let network = folder.path().join("network.safetensors");
        let spec = maxtile_neural::named("cnn-tiny").unwrap();
        let weights = maxtile_neural::Weights::new(spec, 1).unwrap();
        weights.save(&network, std::collections::BTreeMap::new()).unwrap();
        for kind in AGENTS {
            // The least that must be given.
            let required = kind.parameters.iter().filter(|p| p.default.is_none());
            let given: Vec<String> = required
                .map(|p| match p.kind {
                    // Only a neural network prefers anything.
                    Kind::Net if kind.name == "policy" => {
                        format!("{}={}", p.name, network.display())
                    }
                    Kind::Net => format!("{}=zero", p.name),
                    Kind::Agent => format!("{}=greedy(net=zero)", p.name),
                    Kind::Whole(least, _) => format!("{}={least}", p.name),
                    Kind::Number(least, _) => format!("{}={least}", p.name),
                    Kind::Time => format!("{}=1ms", p.name),
                    Kind::File => format!("{}=none", p.name),
                    Kind::Choice(words) => format!("{}={}", p.name, words[0]),
                })
                .collect();
            let brackets = if given.is_empty() { ["", ""] } else { ["(", ")"] };
            let text = format!("{}{}{}{}", kind.name, brackets[0], given.join(", "), brackets[1]);
            // The exact player has nothing to say about 4x4.
            let small = Rules { shape: "2x2".parse().unwrap(), ..Rules::default() };
            let rules = if kind.name == "exact" { small } else { Rules::default() };
            assert_eq!(Agent::parse(&text, rules).unwrap().text(), text);
        }
    }

    #[test]
    fn the_exact_player_says_what_it_needs() {
        let refused = |text: &str| Agent::parse(text, Rules::default()).unwrap_err().to_string();
        assert_eq!(
            refused("exact"),
            "column 1: table must be a file of maxtile solve on a board of more than six cells, not \"none\""
        );
        assert!(
            refused("exact(table=nosuch.mts)").starts_with("column 13: cannot open nosuch.mts")
        );
    }
}
