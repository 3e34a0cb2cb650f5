//! Agents by their text, for a duel.

use std::fmt;
use std::sync::Arc;

use maxtile_game::{DuelRules, Rules};
use maxtile_search::{Duelist, Judging};

use super::alphabeta::duelist;
use super::exact::ExactDuelist;
use crate::agent::Call;
use crate::agents::AGENTS;
use crate::arguments::Arguments;
use crate::catalog::Agent;
use crate::error::AgentError;

/// Makes one player for each thread.
pub type MakeDuelist = Arc<dyn Fn() -> Box<dyn Duelist> + Send + Sync>;

/// An agent that plays both sides of a duel.
///
/// `alphabeta` searches the duel and `exact` knows it. Every other agent defends as it plays the
/// ordinary game and attacks where its own best answer would be worth least; one that does not
/// weigh moves, like `random`, places by chance.
#[derive(Clone)]
pub struct DuelAgent {
    text: String,
    make: MakeDuelist,
}

impl DuelAgent {
    /// The agent that the text describes.
    ///
    /// ```
    /// use maxtile_game::DuelRules;
    /// use maxtile_lab::duel::DuelAgent;
    ///
    /// let text = "alphabeta(depth=2, net=heuristic)";
    /// let agent = DuelAgent::parse(text, DuelRules::default())?;
    /// assert_eq!(agent.text(), "alphabeta(net=heuristic, depth=2)");
    /// # Ok::<(), maxtile_lab::AgentError>(())
    /// ```
    pub fn parse(text: &str, rules: DuelRules) -> Result<DuelAgent, AgentError> {
        let call: Call = text.parse()?;
        let ordinary = Rules { shape: rules.shape, law: rules.law };
        let own = ["alphabeta", "exact"].contains(&call.name.as_str());
        let kind = AGENTS.iter().find(|kind| own && kind.name == call.name);
        let Some(kind) = kind else {
            let agent = Agent::of_call(&call, AGENTS, ordinary)?;
            let text = agent.text().to_owned();
            return Ok(DuelAgent {
                text,
                make: Arc::new(move || Box::new(Judging::new(agent.policy()))),
            });
        };
        kind.check_names(&call)?;
        let arguments = Arguments { call: &call, kind, kinds: AGENTS, rules: ordinary };
        let text = kind.in_order(&call).to_string();
        let make = if call.name == "exact" {
            let path = arguments.file("table")?;
            let player = ExactDuelist::open(path.as_deref(), rules);
            let player = player.map_err(|why| match path {
                Some(_) => arguments.refused("table", why),
                None => arguments.bad("table", &why),
            })?;
            Arc::new(move || Box::new(player.clone()) as Box<dyn Duelist>)
        } else {
            duelist(&arguments, rules.variant)?
        };
        Ok(DuelAgent { text, make })
    }

    /// Some other player, under a text of one's own.
    pub fn new<D: Duelist + 'static>(
        text: &str,
        player: impl Fn() -> D + Send + Sync + 'static,
    ) -> DuelAgent {
        DuelAgent { text: text.to_owned(), make: Arc::new(move || Box::new(player())) }
    }

    /// The same player under another text.
    #[must_use]
    pub fn renamed(self, text: &str) -> DuelAgent {
        DuelAgent { text: text.to_owned(), ..self }
    }

    /// The canonical text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A player for one thread.
    pub fn player(&self) -> Box<dyn Duelist> {
        (self.make)()
    }
}

impl fmt::Debug for DuelAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DuelAgent({})", self.text)
    }
}
