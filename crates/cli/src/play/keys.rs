//! What a key asks for.

use maxtile_game::Move;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// What is on the screen besides the board, and so what the keys mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Playing,
    /// The list of keys lies over the board.
    Help,
    /// The game asks whether to begin anew.
    Asking,
}

/// What the player wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Move(Move),
    Undo,
    Restart,
    Help,
    /// Back to the board: out of the help, or «no».
    Back,
    Yes,
    Redraw,
    Leave,
}

/// The keys and what they do, for the help and the last line of the screen.
pub(super) const KEYS: [(&str, &str); 6] = [
    ("arrows WASD hjkl", "move"),
    ("U Backspace ^Z", "undo"),
    ("R N", "new game"),
    ("^L", "draw again"),
    ("?", "this help"),
    ("Q Esc ^C", "leave"),
];

/// What this key asks for, if anything.
pub(super) fn action(key: KeyEvent, mode: Mode) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return with_control(key.code, mode);
    }
    if !(key.modifiers - KeyModifiers::SHIFT).is_empty() {
        return None;
    }
    let code = match key.code {
        KeyCode::Char(c) => KeyCode::Char(c.to_ascii_lowercase()),
        other => other,
    };
    match mode {
        Mode::Playing => while_playing(code),
        Mode::Help => Some(Action::Back),
        Mode::Asking => match code {
            KeyCode::Char('y') => Some(Action::Yes),
            KeyCode::Char('n' | 'q') | KeyCode::Esc => Some(Action::Back),
            _ => None,
        },
    }
}

fn with_control(code: KeyCode, mode: Mode) -> Option<Action> {
    match (code, mode) {
        (KeyCode::Char('c'), _) => Some(Action::Leave),
        (KeyCode::Char('l'), _) => Some(Action::Redraw),
        // The backspace key of some terminals is indistinguishable from Ctrl-H.
        (KeyCode::Char('z' | 'h'), Mode::Playing) => Some(Action::Undo),
        _ => None,
    }
}

fn while_playing(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Up | KeyCode::Char('w' | 'k') => Action::Move(Move::Up),
        KeyCode::Right | KeyCode::Char('d' | 'l') => Action::Move(Move::Right),
        KeyCode::Down | KeyCode::Char('s' | 'j') => Action::Move(Move::Down),
        KeyCode::Left | KeyCode::Char('a' | 'h') => Action::Move(Move::Left),
        KeyCode::Char('u') | KeyCode::Backspace => Action::Undo,
        KeyCode::Char('r' | 'n') => Action::Restart,
        KeyCode::Char('?') => Action::Help,
        KeyCode::Char('q') | KeyCode::Esc => Action::Leave,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers, mode: Mode) -> Option<Action> {
        action(KeyEvent::new(code, modifiers), mode)
    }

    #[test]
    fn three_ways_to_move() {
        for (mv, arrow, letters) in [
            (Move::Up, KeyCode::Up, "wkWK"),
            (Move::Right, KeyCode::Right, "dlDL"),
            (Move::Down, KeyCode::Down, "sjSJ"),
            (Move::Left, KeyCode::Left, "ahAH"),
        ] {
            for code in letters.chars().map(KeyCode::Char).chain([arrow]) {
                for modifiers in [KeyModifiers::NONE, KeyModifiers::SHIFT] {
                    assert_eq!(press(code, modifiers, Mode::Playing), Some(Action::Move(mv)));
                }
            }
        }
    }

    #[test]
    fn modified_keys_never_move() {
        let codes = "wasdhjklurnq?".chars().map(KeyCode::Char);
        let arrows = [KeyCode::Up, KeyCode::Right, KeyCode::Down, KeyCode::Left];
        for code in codes.chain(arrows) {
            for modifiers in KeyModifiers::all() - KeyModifiers::SHIFT {
                let found = press(code, modifiers, Mode::Playing);
                assert!(!matches!(found, Some(Action::Move(_))), "{code:?} with {modifiers:?}");
                if modifiers != KeyModifiers::CONTROL {
                    assert_eq!(found, None);
                }
            }
        }
    }

    #[test]
    fn control_keys() {
        let ctrl = |c, mode| press(KeyCode::Char(c), KeyModifiers::CONTROL, mode);
        assert_eq!(ctrl('z', Mode::Playing), Some(Action::Undo));
        assert_eq!(ctrl('z', Mode::Asking), None);
        for mode in [Mode::Playing, Mode::Help, Mode::Asking] {
            assert_eq!(ctrl('c', mode), Some(Action::Leave));
            assert_eq!(ctrl('l', mode), Some(Action::Redraw));
        }
    }

    #[test]
    fn a_question_hears_yes_and_no_only() {
        let plain = |code| press(code, KeyModifiers::NONE, Mode::Asking);
        assert_eq!(plain(KeyCode::Char('y')), Some(Action::Yes));
        assert_eq!(plain(KeyCode::Char('n')), Some(Action::Back));
        assert_eq!(plain(KeyCode::Esc), Some(Action::Back));
        assert_eq!(plain(KeyCode::Left), None);
        assert_eq!(plain(KeyCode::Char('r')), None);
    }

    #[test]
    fn any_key_closes_the_help() {
        assert_eq!(press(KeyCode::Left, KeyModifiers::NONE, Mode::Help), Some(Action::Back));
        assert_eq!(press(KeyCode::Esc, KeyModifiers::NONE, Mode::Help), Some(Action::Back));
    }

    #[test]
    fn a_released_key_does_nothing() {
        let mut key = KeyEvent::new(KeyCode::Left, KeyModifiers::NONE);
        key.kind = KeyEventKind::Release;
        assert_eq!(action(key, Mode::Playing), None);
        key.kind = KeyEventKind::Repeat;
        assert_eq!(action(key, Mode::Playing), Some(Action::Move(Move::Left)));
    }
}
