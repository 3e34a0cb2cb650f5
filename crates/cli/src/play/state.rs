//! The game on the screen and what an action makes of it; nothing here draws or saves.

use maxtile_game::{Board, Game, GameSeed, Record, Rules};

use super::keys::{Action, Mode};

/// A restart asks first when the unfinished game has more plies than this.
const FEW_PLIES: usize = 10;
/// The tile the game is named after, and for how many plies it is celebrated.
const GOAL_EXPONENT: u8 = 11;
const CELEBRATED: usize = 20;
/// How records name the one at the keyboard.
const PLAYER: &str = "human";

/// What is left to do after an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Nothing,
    /// The record has changed: save it.
    Changed,
    /// Put the game away, then [`State::restart`].
    Restart,
    Redraw,
    Leave,
}

pub(super) struct State {
    game: Game,
    /// Points of the last move.
    gain: u32,
    /// Best score of the earlier games with the same rules.
    best: u32,
    mode: Mode,
    message: Option<Message>,
    /// Why the game could not be saved.
    failure: Option<String>,
}

/// Shown until so many plies are played.
struct Message {
    text: String,
    until: usize,
}

impl State {
    pub(super) fn new(game: Game, best: u32, message: Option<String>) -> State {
        let mut state =
            State { game, gain: 0, best, mode: Mode::Playing, message: None, failure: None };
        if let Some(text) = message {
            state.say(text, 1);
        }
        state
    }

    /// Does what the player wants, as far as it is the game's to do.
    pub(super) fn apply(&mut self, action: Action) -> Effect {
        match action {
            Action::Move(mv) => {
                let before = (self.game.score(), self.board().max_exponent());
                if self.game.play(mv).is_none() {
                    return Effect::Nothing;
                }
                self.gain = self.game.score() - before.0;
                let moves = self.moves();
                self.message.take_if(|message| message.until <= moves);
                if before.1 < GOAL_EXPONENT && self.board().max_exponent() >= GOAL_EXPONENT {
                    self.say("2048! keep going".to_owned(), CELEBRATED);
                }
                Effect::Changed
            }
            Action::Undo => {
                if !self.game.undo() {
                    self.say("this is the start".to_owned(), 1);
                    return Effect::Nothing;
                }
                self.gain = 0;
                self.say("taken back".to_owned(), 1);
                Effect::Changed
            }
            Action::Restart if self.moves() > FEW_PLIES && !self.board().is_over() => {
                self.mode = Mode::Asking;
                Effect::Nothing
            }
            Action::Restart | Action::Yes => {
                self.mode = Mode::Playing;
                Effect::Restart
            }
            Action::Help => {
                self.mode = Mode::Help;
                Effect::Nothing
            }
            Action::Back => {
                self.mode = Mode::Playing;
                Effect::Nothing
            }
            Action::Redraw => Effect::Redraw,
            Action::Leave => Effect::Leave,
        }
    }

    /// The next game with the same rules, and from the same position if it was a given one.
    pub(super) fn restart(&mut self, seed: GameSeed, message: String) {
        self.best = self.best();
        self.game = match self.record().seed {
            Some(_) => new_game(self.record().rules(), seed),
            None => game_from(self.record().rules(), self.record().start, seed),
        };
        self.gain = 0;
        self.message = None;
        self.say(message, 1);
    }

    /// The game could not be saved, or could be again.
    pub(super) fn set_failure(&mut self, failure: Option<String>) {
        self.failure = failure;
    }

    pub(super) fn record(&self) -> &Record {
        self.game.record()
    }

    pub(super) fn board(&self) -> Board {
        self.game.board()
    }

    pub(super) fn score(&self) -> u32 {
        self.game.score()
    }

    pub(super) fn moves(&self) -> usize {
        self.record().plies.len()
    }

    pub(super) fn gain(&self) -> u32 {
        self.gain
    }

    /// Best score, this game included unless it began from a position of one's own.
    pub(super) fn best(&self) -> u32 {
        if self.record().seed.is_some() { self.best.max(self.score()) } else { self.best }
    }

    /// The cell of the tile that appeared last.
    pub(super) fn newest(&self) -> Option<usize> {
        self.record().plies.last().map(|ply| ply.spawn.cell as usize)
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// The sentence under the board.
    pub(super) fn status(&self) -> &str {
        if self.mode == Mode::Asking {
            "begin a new game? y/n"
        } else if let Some(failure) = &self.failure {
            failure
        } else if self.board().is_over() && self.moves() == 0 {
            "game over: R begins anew, Q leaves"
        } else if self.board().is_over() {
            "game over: U takes back, R begins anew, Q leaves"
        } else {
            self.message.as_ref().map_or("", |message| &message.text)
        }
    }

    fn say(&mut self, text: String, plies: usize) {
        self.message = Some(Message { text, until: self.moves() + plies });
    }
}

/// A game by a person from a start that the seed draws.
pub(super) fn new_game(rules: Rules, seed: GameSeed) -> Game {
    signed(Game::new(rules, seed))
}

/// A game by a person from a given position.
pub(super) fn game_from(rules: Rules, start: Board, seed: GameSeed) -> Game {
    signed(Game::from_position(rules.law, start, seed))
}

fn signed(mut game: Game) -> Game {
    game.set_player(PLAYER);
    game
}

/// The seed as people type it: the game's number only where it is not the first.
pub(super) fn seed_text(seed: GameSeed) -> String {
    if seed.index == 0 { seed.run.to_string() } else { seed.to_string() }
}

#[cfg(test)]
mod tests {
    use maxtile_game::Move;

    use super::*;

    fn seed(run: u64) -> GameSeed {
        GameSeed { run, index: 0 }
    }

    fn begun() -> State {
        State::new(new_game(Rules::default(), seed(7)), 0, None)
    }

    fn from(position: &str) -> State {
        let start = position.parse().expect("a position");
        State::new(game_from(Rules::default(), start, seed(7)), 50, None)
    }

    fn play(state: &mut State, plies: usize) {
        while state.moves() < plies {
            let mv = state.board().legal_moves().nth(0).expect("a legal move");
            assert_eq!(state.apply(Action::Move(mv)), Effect::Changed);
        }
    }

    #[test]
    fn a_move_scores_and_an_illegal_one_does_nothing() {
        let mut state = from("1100000000000000");
        assert_eq!(state.apply(Action::Move(Move::Up)), Effect::Nothing);
        assert_eq!(state.apply(Action::Move(Move::Left)), Effect::Changed);
        assert_eq!((state.score(), state.gain(), state.moves()), (4, 4, 1));
        let newest = state.newest().expect("a new tile");
        assert!(newest != 0 && state.board().exponent(newest) > 0);
    }

    #[test]
    fn undo_goes_back_to_the_start_and_no_further() {
        let mut state = begun();
        let start = state.board();
        play(&mut state, 30);
        for _ in 0..30 {
            assert_eq!(state.apply(Action::Undo), Effect::Changed);
        }
        assert_eq!((state.board(), state.score(), state.best()), (start, 0, 0));
        assert_eq!(state.apply(Action::Undo), Effect::Nothing);
        assert_eq!(state.status(), "this is the start");
    }

    #[test]
    fn a_restart_asks_when_there_is_something_to_lose() {
        let mut state = begun();
        play(&mut state, FEW_PLIES);
        assert_eq!(state.apply(Action::Restart), Effect::Restart);
        play(&mut state, FEW_PLIES + 1);
        assert_eq!(state.apply(Action::Restart), Effect::Nothing);
        assert_eq!((state.mode(), state.status()), (Mode::Asking, "begin a new game? y/n"));
        assert_eq!(state.apply(Action::Back), Effect::Nothing);
        assert_eq!(state.mode(), Mode::Playing);
        state.apply(Action::Restart);
        assert_eq!(state.apply(Action::Yes), Effect::Restart);
        assert_eq!(state.mode(), Mode::Playing);
    }

    #[test]
    fn the_best_outlives_a_restart() {
        let mut state = begun();
        play(&mut state, 60);
        let best = state.score();
        assert!(best > 0);
        state.restart(seed(8), String::new());
        assert_eq!((state.score(), state.best(), state.moves()), (0, best, 0));
        assert_eq!(state.record().seed, Some(seed(8)));
    }

    #[test]
    fn a_given_position_restarts_from_itself_and_sets_no_best() {
        let mut state = from("aa00000000000000");
        state.apply(Action::Move(Move::Left));
        assert_eq!((state.score(), state.best()), (2048, 50));
        state.restart(seed(8), String::new());
        assert_eq!(state.board().to_string(), "aa00000000000000");
        assert_eq!(state.record().seed, None);
    }

    #[test]
    fn the_first_2048_is_celebrated_for_a_while() {
        let mut state = from("aa00000000000000");
        state.apply(Action::Move(Move::Left));
        assert_eq!(state.status(), "2048! keep going");
        play(&mut state, 1 + CELEBRATED);
        assert_eq!(state.status(), "");
        let mut state = from("b110000000000000");
        state.apply(Action::Move(Move::Left));
        assert_eq!(state.status(), "");
    }

    #[test]
    fn a_failure_stays_until_a_save_succeeds() {
        let mut state = begun();
        state.set_failure(Some("not saved".to_owned()));
        play(&mut state, 3);
        assert_eq!(state.status(), "not saved");
        state.set_failure(None);
        assert_eq!(state.status(), "");
    }

    #[test]
    fn the_end_is_said_and_can_be_taken_back() {
        let mut state = State::new(new_game(Rules::of("2x2".parse().unwrap()), seed(7)), 0, None);
        while let Some(mv) = state.board().legal_moves().nth(0) {
            state.apply(Action::Move(mv));
        }
        assert!(state.status().starts_with("game over"));
        state.apply(Action::Undo);
        assert_eq!(state.status(), "taken back");
    }
}
