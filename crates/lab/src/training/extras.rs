//! What a run remembers besides weights and counters: start boards, where the carousel stands, what
//! the search for a corner ratio knows. Part of every checkpoint.

use maxtile_game::Board;
use maxtile_ntuple::Network;
use maxtile_ntuple::course::{Carousel, Pools, RatioSearch, Reached};
use serde::{Deserialize, Serialize};

use super::recipe::{Recipe, Shaping, Switch};

/// The memory of a run.
#[derive(Clone, Debug)]
pub(super) struct Extras {
    pub(super) carousel: Carousel,
    pub(super) search: Option<RatioSearch>,
}

/// The same for a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Saved {
    stage: usize,
    boards: Vec<(usize, SavedBoard)>,
    search: Option<RatioSearch>,
}

impl Extras {
    pub(super) fn new(recipe: &Recipe, network: &Network) -> Extras {
        let stages = network.stages();
        let mut carousel = Carousel::new(stages);
        if matches!(recipe.shaping, Shaping::Sequence | Shaping::Together) {
            carousel.pools = Pools::new(stages, recipe.start_boards as usize);
        }
        let search = (recipe.corner_search == Switch::On).then(RatioSearch::default);
        Extras { carousel, search }
    }

    /// Boards that a block has reached whose first game is this one.
    pub(super) fn reached(&mut self, recipe: &Recipe, first: u64, reached: &[Reached]) {
        match recipe.shaping_at(first) {
            Shaping::None => {}
            Shaping::Carousel => self.carousel.turn(reached),
            Shaping::Sequence => {
                for first in reached {
                    self.carousel.pools.keep(first.stage, first.board);
                }
            }
            Shaping::Together => {
                for first in reached {
                    self.carousel.pools.push(first.stage, first.board);
                }
                if recipe.in_turns(first) {
                    self.carousel.advance();
                }
            }
        }
    }

    pub(super) fn save(&self) -> Option<Saved> {
        let boards = self.carousel.pools.all().map(|(stage, board)| (stage, SavedBoard(board)));
        let (stage, boards) = (self.carousel.stage, boards.collect());
        let saved = Saved { stage, boards, search: self.search.clone() };
        (saved != Saved::default()).then_some(saved)
    }

    pub(super) fn restore(&mut self, saved: Saved) {
        self.carousel.stage = saved.stage;
        for (stage, board) in saved.boards {
            self.carousel.pools.push(stage, board.0);
        }
        self.search = saved.search.or(self.search.take());
    }
}

/// A board as its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct SavedBoard(Board);

impl TryFrom<String> for SavedBoard {
    type Error = String;

    fn try_from(text: String) -> Result<SavedBoard, String> {
        text.parse().map(SavedBoard).map_err(|e| format!("{text}: {e}"))
    }
}

impl From<SavedBoard> for String {
    fn from(board: SavedBoard) -> String {
        board.0.to_string()
    }
}
