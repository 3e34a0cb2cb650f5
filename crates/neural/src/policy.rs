//! A network as a player: the move it prefers by itself, without adding points.

use std::fmt;
use std::sync::Arc;

use maxtile_game::{Afterstates, Board, Grid, Move};
use maxtile_search::{Policy, Query, Worths, best};

use crate::network::{Context, Network};
use crate::spec::{Head, Judges};

/// Plays the move that a network prefers: by its preferences where it has any, else by its values. No
/// reward is added, so values may count anything.
#[derive(Debug)]
pub struct NetworkPolicy {
    network: Arc<Network>,
    by: Preferring,
    context: Context,
    // Room to work, kept from call to call.
    slides: Vec<Afterstates>,
    boards: Vec<Grid>,
    worths: Vec<Worths>,
}

/// Where preferences stand among the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preferring {
    /// One for each afterstate.
    Afterstates(usize),
    /// Four for each position to move.
    Moves(usize),
}

impl NetworkPolicy {
    /// Takes a network that prefers moves or judges afterstates.
    pub fn new(network: Arc<Network>) -> Result<NetworkPolicy, NoPreference> {
        let by = match network.spec().judges {
            Judges::Afterstates => {
                let head = network.head(Head::Preference).or_else(|| network.head(Head::Value));
                head.map(Preferring::Afterstates)
            }
            Judges::States => network.head(Head::Moves).map(Preferring::Moves),
        };
        let (by, context) = (by.ok_or(NoPreference)?, network.context());
        let (slides, boards, worths) = Default::default();
        Ok(NetworkPolicy { network, by, context, slides, boards, worths })
    }

    /// What moves of these boards are worth to the network.
    fn weigh(&mut self, boards: impl Iterator<Item = Board>) -> &[Worths] {
        self.slides.clear();
        self.boards.clear();
        for board in boards {
            let slides = board.afterstates();
            match self.by {
                Preferring::Moves(_) => self.boards.push(board.grid()),
                Preferring::Afterstates(_) => {
                    self.boards.extend(slides.iter().map(|(_, afterstate, _)| afterstate.grid()));
                }
            }
            self.slides.push(slides);
        }
        self.worths.clear();
        self.worths.resize(self.slides.len(), [None; 4]);
        // Which board and move an output belongs to: the order in which they were asked.
        let slides = &self.slides;
        let mut asked = (0..slides.len())
            .flat_map(|board| slides[board].legal().iter().map(move |mv| (board, mv)));
        let (worths, by) = (&mut self.worths, self.by);
        self.network.run(
            &mut self.context,
            self.boards.iter().copied(),
            |number, outputs| match by {
                Preferring::Afterstates(head) => {
                    if let Some((board, mv)) = asked.next() {
                        worths[board][mv.index()] = Some(outputs[head]);
                    }
                }
                Preferring::Moves(head) => {
                    for mv in slides[number].legal().iter() {
                        worths[number][mv.index()] = Some(outputs[head + mv.index()]);
                    }
                }
            },
        );
        &self.worths
    }
}

impl Policy for NetworkPolicy {
    fn choose(&mut self, queries: &mut [Query]) {
        let boards: Vec<Board> = queries.iter().map(|query| query.board).collect();
        let worths = self.weigh(boards.into_iter());
        let answers: Vec<Option<Move>> = worths.iter().map(best).collect();
        for (query, answer) in queries.iter_mut().zip(answers) {
            query.answer = answer;
        }
    }

    fn worths(&mut self, board: Board) -> Option<Worths> {
        Some(self.weigh(std::iter::once(board))[0])
    }
}

/// A network that judges positions to move and has no preference among the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPreference;

impl fmt::Display for NoPreference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it prefers no move to another")
    }
}

impl std::error::Error for NoPreference {}
