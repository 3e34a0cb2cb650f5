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
    /// The moves of a game that starts in each stage, a mean over the last block; 0 where there was none.
    pace: Vec<u64>,
}

/// The same for a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Saved {
    stage: usize,
    boards: Vec<(usize, SavedBoard)>,
    search: Option<RatioSearch>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pace: Vec<u64>,
}

impl Extras {
    pub(super) fn new(recipe: &Recipe, network: &Network) -> Extras {
        let stages = network.stages();
        let mut carousel = Carousel::new(stages);
        if matches!(recipe.shaping, Shaping::Sequence | Shaping::Together) {
            carousel.pools = Pools::new(stages, recipe.start_boards as usize);
        }
        let search = (recipe.corner_search == Switch::On).then(RatioSearch::default);
        Extras { carousel, search, pace: Vec::new() }
    }

    /// How many moves a game has that starts in a stage; where nobody knows, as many as one that starts in the stage before.
    pub(super) fn pace_of(&self, stage: usize) -> u64 {
        let known = self.pace.iter().take(stage + 1).rev().find(|&&moves| moves > 0);
        known.copied().unwrap_or(1)
    }

    /// The games of a block that started in a stage had so many moves.
    pub(super) fn note_pace(&mut self, stage: usize, moves: u64) {
        if self.pace.len() <= stage {
            self.pace.resize(stage + 1, 0);
        }
        self.pace[stage] = moves;
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
        let saved = Saved { stage, boards, search: self.search.clone(), pace: self.pace.clone() };
        (saved != Saved::default()).then_some(saved)
    }

    pub(super) fn restore(&mut self, saved: Saved) {
        self.carousel.stage = saved.stage;
        for (stage, board) in saved.boards {
            self.carousel.pools.push(stage, board.0);
        }
        self.search = saved.search.or(self.search.take());
        self.pace = saved.pace;
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
