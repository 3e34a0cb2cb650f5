//! Which turns are worth another try.

use super::grade::Grade;
use super::line::TurnLine;

/// A drill has at most so many positions.
const MOST: usize = 20;
/// Of turns nearer to each other than this only the worst is asked: the position is the same one.
const APART: usize = 3;

/// A turn that may be asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) turn: usize,
    pub(super) loss: f64,
}

impl Candidate {
    /// Worth a question is what was no good move where there was a better one.
    pub(super) fn of(turn: &TurnLine) -> Option<Candidate> {
        let wrong = turn.grade > Grade::Good;
        wrong.then_some(Candidate { turn: turn.turn, loss: turn.loss })
    }
}

/// The turns to be asked about, worst first.
pub(super) fn drill(mut candidates: Vec<Candidate>) -> Vec<usize> {
    candidates.sort_by(|a, b| b.loss.total_cmp(&a.loss).then(a.turn.cmp(&b.turn)));
    let mut chosen: Vec<usize> = Vec::new();
    for candidate in candidates {
        if chosen.len() == MOST {
            break;
        }
        if chosen.iter().all(|turn| turn.abs_diff(candidate.turn) >= APART) {
            chosen.push(candidate.turn);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worst_first_and_apart() {
        let losses = [0.1, 0.5, 0.4, 0.02, 0.3, 0.5];
        let all = losses.iter().enumerate().map(|(turn, &loss)| Candidate { turn, loss });
        // 0 and 2 are too near to 1, 4 too near to 5, 3 to both.
        assert_eq!(drill(all.collect()), [1, 5]);
        let many = (0..1000).map(|turn| Candidate { turn, loss: 0.2 });
        let chosen = drill(many.collect());
        assert_eq!(chosen.len(), MOST);
        assert_eq!(chosen[..3], [0, 3, 6]);
    }
}
