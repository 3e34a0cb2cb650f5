//! The recursion: alpha-beta with the principal variation first.
//!
//! A ply is a slide or a placement; a draw costs none. Values are the points from the node on, so
//! a window moves by the reward of the slide it goes through. All values are fail-soft: a result at
//! or below alpha is a bound from above, one at or above beta a bound from below.

use std::sync::atomic::Ordering::Relaxed;

use maxtile_game::{Afterstate, Board, Grid, Move, Spawn, Tiles, Variant};

use super::leaf_rule::LeafRule;
use super::memory::{Bound, Known, Memory};
use super::plies::{
    FOUR, MOST_PLACEMENTS, Placement, Placements, Slide, best_slide, least_placement, ply_of,
    slides,
};
use super::points::{LEAST, MOST, Mix, Points, points};
use super::values::{DuelValue, best_answers};
use crate::tree::{Counts, Watch};

/// The depth of a search that looks at every game to its end.
pub const WHOLE_GAME: u8 = 63;
/// The largest depth of a search that stops somewhere.
pub const MAX_DUEL_DEPTH: u8 = 62;

/// Leaves between two looks at the clock.
const LOOK: u64 = 512;

/// How the tree looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) variant: Variant,
    pub(super) mix: Mix,
    pub(super) leaves: LeafRule,
    /// Are children sorted by their judgement?
    pub(super) ordering: bool,
    /// Are the last two plies judged at once, without cuts?
    pub(super) wide: bool,
    pub(super) symmetric: bool,
}

/// One search.
pub(super) struct Tree<'a, V: ?Sized> {
    pub(super) value: &'a V,
    pub(super) memory: Option<&'a Memory>,
    pub(super) watch: &'a Watch,
    pub(super) form: Form,
    pub(super) counts: Counts,
    reported: u64,
    /// Has anything been judged instead of played to its end?
    pub(super) judged: bool,
}

impl<'a, V: DuelValue + ?Sized> Tree<'a, V> {
    pub(super) fn new(
        value: &'a V,
        memory: Option<&'a Memory>,
        watch: &'a Watch,
        form: Form,
    ) -> Tree<'a, V> {
        let counts = Counts::default();
        Tree { value, memory, watch, form, counts, reported: 0, judged: false }
    }

    /// The plies left for a child of the other side. Where the rule judges only the other kind of
    /// position there is one more.
    pub(super) fn below(&self, depth: u8, child_attacks: bool) -> u8 {
        match depth {
            WHOLE_GAME => WHOLE_GAME,
            1 => match self.form.leaves {
                LeafRule::Defender if !child_attacks => 1,
                LeafRule::Attacker if child_attacks => 1,
                _ => 0,
            },
            _ => depth - 1,
        }
    }

    /// The value of a position with the defender to move, however many plies are left.
    pub(super) fn defended(
        &mut self,
        board: Board,
        depth: u8,
        alpha: Points,
        beta: Points,
    ) -> Points {
        if depth > 0 {
            return self.defend(board, depth, alpha, beta);
        }
        if board.is_over() {
            return 0;
        }
        let mut value = [0.0];
        self.value.placed(&[board], &mut value);
        self.judged = true;
        self.spent(1);
        points(value[0])
    }

    /// The value of a position with the attacker to move, however many plies are left.
    pub(super) fn attacked(
        &mut self,
        afterstate: Afterstate,
        depth: u8,
        alpha: Points,
        beta: Points,
    ) -> Points {
        if depth > 0 {
            return self.attack(afterstate, depth, alpha, beta);
        }
        let mut value = [0.0];
        self.value.slid(&[afterstate], &mut value);
        self.judged = true;
        self.spent(1);
        points(value[0])
    }

    /// As above; at least one ply is left.
    fn defend(&mut self, board: Board, depth: u8, alpha: Points, beta: Points) -> Points {
        let board = if self.form.symmetric { board.canonical() } else { board };
        let mut slides = slides(board);
        let slides = slides.all();
        if slides.is_empty() {
            return 0;
        }
        let known = self.recall(board.grid(), false);
        if let Some(known) = known.filter(|known| known.answers(depth, alpha, beta)) {
            self.counts.hits += 1;
            self.judged = true;
            return known.value;
        }
        self.counts.nodes += 1;
        let below = self.below(depth, true);
        let (value, mv) = if below == 0 {
            self.judge_slides(slides);
            best_slide(slides)
        } else if below == 1 && self.form.wide && self.form.leaves != LeafRule::Defender {
            self.judge_threats(slides);
            best_slide(slides)
        } else {
            self.order_slides(slides, known.map(|known| known.ply));
            self.best_of(slides, below, alpha, beta)
        };
        self.keep(board.grid(), false, depth, (alpha, beta), value, mv as u8);
        value
    }

    /// The best of some slides in their order.
    pub(super) fn best_of(
        &mut self,
        slides: &[Slide],
        below: u8,
        alpha: Points,
        beta: Points,
    ) -> (Points, Move) {
        let mut best = (LEAST, slides[0].mv);
        for (index, slide) in slides.iter().enumerate() {
            let low = alpha.max(best.0);
            let (a, b) = (low - slide.reward, beta - slide.reward);
            let mut value = if index == 0 || b - a <= 1 {
                self.attack(slide.afterstate, below, a, b)
            } else {
                // Is it better than the best at all? Most are not.
                self.attack(slide.afterstate, below, a, a + 1)
            };
            if index > 0 && value > a && value < b && b - a > 1 {
                value = self.attack(slide.afterstate, below, a, b);
            }
            if self.watch.is_over() {
                return best;
            }
            if value + slide.reward > best.0 {
                best = (value + slide.reward, slide.mv);
            }
            if best.0 >= beta {
                break;
            }
        }
        best
    }

    /// The value of a position with the attacker to move, before a tile is drawn where one is; at
    /// least one ply is left.
    fn attack(&mut self, afterstate: Afterstate, depth: u8, alpha: Points, beta: Points) -> Points {
        let afterstate = if self.form.symmetric { afterstate.canonical() } else { afterstate };
        let known = self.recall(afterstate.grid(), true);
        if let Some(known) = known.filter(|known| known.answers(depth, alpha, beta)) {
            self.counts.hits += 1;
            self.judged = true;
            return known.value;
        }
        self.counts.nodes += 1;
        let below = self.below(depth, false);
        let hint = known.map(|known| known.ply);
        let (value, spawn) = match self.form.variant {
            Variant::Free => self.place(afterstate, Tiles::Any, below, (alpha, beta), hint),
            Variant::Twos => self.place(afterstate, Tiles::Two, below, (alpha, beta), hint),
            Variant::Drawn => self.draw(afterstate, below, alpha, beta, hint),
        };
        self.keep(afterstate.grid(), true, depth, (alpha, beta), value, ply_of(spawn));
        value
    }

    fn place(
        &mut self,
        afterstate: Afterstate,
        tiles: Tiles,
        below: u8,
        (alpha, beta): (Points, Points),
        hint: Option<u8>,
    ) -> (Points, Spawn) {
        let mut placements = Placements::of(afterstate, tiles);
        let placements = placements.all();
        if self.settles(placements, below) {
            return least_placement(placements);
        }
        self.order_placements(placements, hint);
        self.least_of(placements, below, alpha, beta)
    }

    /// Judges placements that are leaves, or whose answers are; `false` when they must be searched.
    pub(super) fn settles(&mut self, placements: &mut [Placement], below: u8) -> bool {
        if below == 0 {
            self.judge_placements(placements);
        } else if below == 1 && (self.form.wide || self.value.answers()) && self.ends_slid() {
            self.judge_answers(placements);
        } else {
            return false;
        }
        self.judged = self.judged || placements.iter().any(|placement| !placement.board.is_over());
        true
    }

    /// Is a slide that is the last ply judged itself?
    fn ends_slid(&self) -> bool {
        self.form.leaves != LeafRule::Attacker
    }

    /// The worst, for the defender, of some placements in their order.
    pub(super) fn least_of(
        &mut self,
        placements: &[Placement],
        below: u8,
        alpha: Points,
        beta: Points,
    ) -> (Points, Spawn) {
        let mut least = (MOST, placements[0].spawn);
        for (index, placement) in placements.iter().enumerate() {
            let (a, b) = (alpha, beta.min(least.0));
            let mut value = if index == 0 || b - a <= 1 {
                self.defend(placement.board, below, a, b)
            } else {
                self.defend(placement.board, below, b - 1, b)
            };
            if index > 0 && value > a && value < b && b - a > 1 {
                value = self.defend(placement.board, below, a, b);
            }
            if self.watch.is_over() {
                return least;
            }
            if value < least.0 {
                least = (value, placement.spawn);
            }
            if least.0 <= alpha {
                break;
            }
        }
        least
    }

    /// A tile is drawn and the attacker chooses its cell. Before all placements are searched, one of
    /// each tile is (Ballard's *-minimax): it bounds what the defender can hope for.
    fn draw(
        &mut self,
        afterstate: Afterstate,
        below: u8,
        alpha: Points,
        beta: Points,
        hint: Option<u8>,
    ) -> (Points, Spawn) {
        let mix = self.form.mix;
        match mix.comes() {
            [_, false] => {
                return self.place(afterstate, Tiles::Two, below, (alpha, beta), hint);
            }
            [false, _] => {
                return self.place(afterstate, Tiles::Four, below, (alpha, beta), hint);
            }
            _ => {}
        }
        let mut twos = Placements::of(afterstate, Tiles::Two);
        let mut fours = Placements::of(afterstate, Tiles::Four);
        let (twos, fours) = (twos.all(), fours.all());
        if self.settles(twos, below) && self.settles(fours, below) {
            let (two, four) = (least_placement(twos), least_placement(fours));
            return (mix.mean(two.0, four.0), two.1);
        }
        self.order_placements(twos, hint);
        self.order_placements(fours, hint.map(|ply| ply | FOUR));
        let two = self.defend(twos[0].board, below, LEAST, MOST);
        let four = self.defend(fours[0].board, below, LEAST, MOST);
        let spawn = twos[0].spawn;
        if mix.mean(two, four) <= alpha || self.watch.is_over() {
            return (mix.mean(two, four), spawn);
        }
        // A 2 worth at most this settles it, whatever a 4 brings.
        let enough = mix.most_of_two(four, alpha);
        let (two, spawn) = self.fewer((two, spawn), &twos[1..], below, enough, MOST);
        if mix.mean(two, four) <= alpha || self.watch.is_over() {
            return (mix.mean(two, four), spawn);
        }
        let low = mix.most_of_four(two, alpha);
        let high = mix.most_of_four(two, beta - 1) + 1;
        let first = (four, fours[0].spawn);
        let (four, _) = self.fewer(first, &fours[1..], below, low, high);
        (mix.mean(two, four), spawn)
    }

    /// The least of what is known and of more placements.
    fn fewer(
        &mut self,
        known: (Points, Spawn),
        rest: &[Placement],
        below: u8,
        alpha: Points,
        beta: Points,
    ) -> (Points, Spawn) {
        if rest.is_empty() || known.0 <= alpha {
            return known;
        }
        let found = self.least_of(rest, below, alpha, beta.min(known.0));
        if found.0 < known.0 { found } else { known }
    }

    fn judge_slides(&mut self, slides: &mut [Slide]) {
        let mut boards = [slides[0].afterstate; 4];
        let mut values = [0.0; 4];
        let count = slides.len();
        for (board, slide) in boards.iter_mut().zip(&*slides) {
            *board = slide.afterstate;
        }
        self.value.slid(&boards[..count], &mut values[..count]);
        self.spent(count);
        self.judged = true;
        for (slide, value) in slides.iter_mut().zip(values) {
            slide.order = slide.reward + points(value);
        }
    }

    /// Judges slides by the attacker's best placement after them.
    fn judge_threats(&mut self, slides: &mut [Slide]) {
        self.judged = true;
        let form = self.form;
        for slide in slides {
            let mut least = |tiles| {
                let mut placements = Placements::of(slide.afterstate, tiles);
                self.judge_placements(placements.all());
                least_placement(placements.all()).0
            };
            let value = match form.variant {
                Variant::Free => least(Tiles::Any),
                Variant::Twos => least(Tiles::Two),
                Variant::Drawn => match form.mix.comes() {
                    [_, false] => least(Tiles::Two),
                    [false, _] => least(Tiles::Four),
                    _ => {
                        let (two, four) = (least(Tiles::Two), least(Tiles::Four));
                        form.mix.mean(two, four)
                    }
                },
            };
            slide.order = slide.reward + value;
        }
    }

    /// The judgement of each placement; 0 where the game is over.
    fn judge_placements(&mut self, placements: &mut [Placement]) {
        let mut values = [0.0; MOST_PLACEMENTS];
        self.with_boards(placements, |tree, boards| {
            tree.value.placed(boards, &mut values[..boards.len()]);
            tree.spent(boards.len());
        });
        // Only a full board can be the end.
        let ends = placements.first().is_some_and(|first| first.board.empty_count() == 0);
        for (placement, value) in placements.iter_mut().zip(values) {
            placement.value = if ends && placement.board.is_over() { 0 } else { points(value) };
        }
    }

    /// The best answer to each placement, all of them judged at once.
    fn judge_answers(&mut self, placements: &mut [Placement]) {
        let mut values = [0.0; MOST_PLACEMENTS];
        self.with_boards(placements, |tree, boards| {
            let mut judged = 0;
            best_answers(boards, &mut values[..boards.len()], |afterstates, out| {
                judged = afterstates.len();
                tree.value.slid(afterstates, out);
            });
            tree.spent(judged);
        });
        for (placement, value) in placements.iter_mut().zip(values) {
            placement.value = points(value);
        }
    }

    fn with_boards(&mut self, placements: &[Placement], judge: impl FnOnce(&mut Self, &[Board])) {
        let Some(first) = placements.first() else { return };
        let mut boards = [first.board; MOST_PLACEMENTS];
        for (board, placement) in boards.iter_mut().zip(placements) {
            *board = placement.board;
        }
        judge(self, &boards[..placements.len()]);
    }

    pub(super) fn order_slides(&mut self, slides: &mut [Slide], hint: Option<u8>) {
        if self.form.ordering {
            let before = self.judged;
            self.judge_slides(slides);
            self.judged = before;
        }
        let hinted = |slide: &Slide| Some(slide.mv as u8) == hint;
        slides.sort_by_key(|slide| (!hinted(slide), -slide.order));
    }

    pub(super) fn order_placements(&mut self, placements: &mut [Placement], hint: Option<u8>) {
        if self.form.ordering {
            self.judge_placements(placements);
        }
        let hinted = |placement: &Placement| Some(ply_of(placement.spawn)) == hint;
        placements.sort_by_key(|placement| (!hinted(placement), placement.value));
    }

    fn spent(&mut self, leaves: usize) {
        self.counts.leaves += leaves as u64;
        if self.counts.leaves - self.reported >= LOOK {
            let new = self.counts.leaves - self.reported;
            self.reported = self.counts.leaves;
            let used = self.watch.used.fetch_add(new, Relaxed) + new;
            let late = self.watch.deadline.is_some_and(|deadline| deadline.is_past());
            let spent = self.watch.leaves.is_some_and(|most| used >= most);
            if late || spent || self.watch.is_stopped() {
                self.watch.over.store(true, Relaxed);
            }
        }
    }

    fn recall(&mut self, grid: Grid, attacks: bool) -> Option<Known> {
        let memory = self.memory?;
        self.counts.lookups += 1;
        memory.get(grid, attacks)
    }

    fn keep(
        &mut self,
        grid: Grid,
        attacks: bool,
        depth: u8,
        (alpha, beta): (Points, Points),
        value: Points,
        ply: u8,
    ) {
        let Some(memory) = self.memory else { return };
        if self.watch.is_over() {
            return;
        }
        let bound = match value {
            value if value <= alpha => Bound::AtMost,
            value if value >= beta => Bound::AtLeast,
            _ => Bound::Exact,
        };
        memory.put(grid, attacks, Known { value, bound, depth, ply });
    }
}
