//! Networks of tuples as what a run teaches.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use maxtile_game::{Board, Rules};
use maxtile_ntuple::course::{
    Corner, CornerOf, Course, Exam, Examined, Lesson, RatioSearch, Reward, Starts, examine,
};
use maxtile_ntuple::td::{
    Autostep, Backward, Coherence, Delayed, Forward, OneStep, Rate, Step, StepSizes, Tc, Td,
};
use maxtile_ntuple::{
    Block, DuelBlock, FileError, Learns, Network, Played, learn_duels, learn_states, load,
};
use maxtile_search::Greedy;

use super::checkpoint::second_of;
use super::extras::{Extras, Saved};
use super::folder::RunError;
use super::lesson::{StepMemory, Stretch, fresh, play};
use super::phases::{learns_in, phases};
use super::recipe::{CreditRule, Learner, Recipe, RewardRule, Shaping, StepRule, Switch};
use super::report::{played_of, shares};
use super::student::{Learned, Tested, tested};
use super::trees::{self, Second};
use crate::catalog::Agent;
use crate::stats::Summary;

/// Boards that a stage must have stored before it learns beside the others.
const LEAST_BOARDS: usize = 1000;

/// Games of a block that start alike and teach the same.
struct Task {
    stretch: Stretch,
    block: Block,
    boards: Vec<Board>,
}

/// A network of tuples with what its step rule and its run remember.
pub(super) struct Tuples {
    pub(super) network: Arc<Network>,
    memory: StepMemory,
    pub(super) extras: Extras,
    second: Option<Second>,
}

impl Tuples {
    /// A network at its start.
    pub(super) fn new(recipe: &Recipe, path: &Path) -> Result<Tuples, RunError> {
        let network = fresh(recipe, path)?;
        let extras = Extras::new(recipe, &network);
        let mut memory = StepMemory::Nothing;
        prepared(&mut memory, &network, recipe, 0).map_err(|e| RunError::Network(e.to_string()))?;
        let second = Second::new(recipe, path)?;
        Ok(Tuples { network: Arc::new(network), memory, extras, second })
    }

    /// A network from a checkpoint.
    pub(super) fn open(
        recipe: &Recipe,
        file: &Path,
        saved: Option<Saved>,
    ) -> Result<Tuples, String> {
        let loaded = load(file, true).map_err(|e| e.to_string())?;
        let mut extras = Extras::new(recipe, &loaded.network);
        if let Some(saved) = saved {
            extras.restore(saved);
        }
        let memory = memory_of(loaded.coherence, loaded.step_sizes);
        let second = Second::open(recipe, file)?;
        Ok(Tuples { network: Arc::new(loaded.network), memory, extras, second })
    }

    pub(super) fn describe(&self) -> String {
        let pages = if self.network.huge_pages() { "huge pages" } else { "ordinary pages" };
        format!("{} weights on {pages}", self.network.spec().weights())
    }

    /// Writes the network's file.
    pub(super) fn save(
        &self,
        file: &Path,
        notes: BTreeMap<String, serde_json::Value>,
    ) -> io::Result<()> {
        let failed = |cause: FileError| io::Error::other(cause.to_string());
        if let Some(Second { network, memory }) = &self.second {
            let notes = notes.clone();
            network.save(&second_of(file), memory.per_weight(), notes).map_err(failed)?;
        }
        self.network.save(file, self.memory.per_weight(), notes).map_err(failed)
    }

    /// The corner ratios that the run has found, by the largest tile.
    pub(super) fn ratios(&self) -> Vec<(u32, f32)> {
        self.extras.search.as_ref().map_or_else(Vec::new, |search| search.ratios().collect())
    }

    /// Plays and learns from some games.
    pub(super) fn learn(
        &mut self,
        recipe: &Recipe,
        rules: Rules,
        games: Range<u64>,
        remark: &mut dyn FnMut(String),
    ) -> Result<Learned, RunError> {
        if recipe.learner == Learner::Tree {
            let first = (&*self.network, &mut self.memory);
            return trees::learn(first, self.second.as_mut(), recipe, rules, games);
        }
        let first = games.start;
        prepared(&mut self.memory, &self.network, recipe, first)
            .map_err(|e| RunError::Network(e.to_string()))?;
        let rate = rate_at(recipe, first);
        let stretches = self.stretches(recipe, games, remark);
        // Sets that learn together have a thread each, also while there is only one.
        let together = recipe.shaping == Shaping::Together;
        let threads = if together { 1 } else { recipe.threads as usize };
        let restart = (recipe.restart > 0).then_some(recipe.restart as u32);
        let mut tasks = Vec::new();
        for (stretch, games) in stretches {
            let (first, seed, count) = (games.start, recipe.seed, games.end - games.start);
            let block = Block { rules, seed, first, games: count, threads, restart };
            let boards = self.extras.carousel.pools.boards(stretch.boards_of.unwrap_or(0));
            tasks.push(Task { stretch, block, boards: boards.to_vec() });
        }
        let corner = recipe.corner_rule(true);
        let (network, memory) = (&self.network, &self.memory);
        let learned = match memory {
            StepMemory::Coherence(sums) => {
                let step = Tc::new(rate, network, sums);
                self.lessons(recipe, &step, &tasks, corner.as_ref())
            }
            StepMemory::StepSizes(sizes) => {
                let step = Autostep::new(rate, recipe.meta_rate, network, sizes);
                self.lessons(recipe, &step, &tasks, corner.as_ref())
            }
            StepMemory::Nothing => {
                let step = Td::new(rate, network);
                self.lessons(recipe, &step, &tasks, corner.as_ref())
            }
        };
        let Lesson { played, reached } = learned;
        if together {
            for Task { stretch, block, .. } in &tasks {
                let games = block.first..block.first + block.games;
                let moves = played.iter().filter(|p| games.contains(&p.game)).map(|p| p.all_moves);
                self.extras.note_pace(stretch.start(), moves.sum::<u64>() / block.games);
            }
        }
        self.extras.reached(recipe, first, &reached);
        if let Some(search) = &mut self.extras.search {
            let arms = |p: &Played| (search.draw(recipe.seed, p.game), p.score, p.largest);
            let games: Vec<_> = played.iter().map(arms).collect();
            search.learn(&games);
        }
        Ok(Learned {
            moves: played.iter().map(|p| p.all_moves).sum(),
            games: played.iter().map(played_of).collect(),
            positions: played.iter().map(|p| p.judged).sum(),
            rate: rate.per_weight(self.network.active()),
            ..Learned::default()
        })
    }

    /// What the recipe's shaping says of these games: which of them start where and teach which set.
    fn stretches(
        &self,
        recipe: &Recipe,
        games: Range<u64>,
        remark: &mut dyn FnMut(String),
    ) -> Vec<(Stretch, Range<u64>)> {
        if recipe.shaping != Shaping::Together {
            return vec![(self.stretch(recipe, games.start, remark), games)];
        }
        let (stages, pools) = (self.network.stages(), &self.extras.carousel.pools);
        let lengths = recipe.stage_lengths(stages).unwrap_or_else(|| vec![1; stages]);
        let first = (recipe.carousel_first as usize).min(stages - 1);
        let alone = if recipe.in_turns(games.start) { first } else { stages };
        // A set waits until there are boards enough that its games differ; its part goes to the set before.
        let least = LEAST_BOARDS.min(recipe.start_boards as usize);
        let ready = |stage: &usize| *stage == 0 || pools.len(*stage) >= least;
        let last = (0..stages).take_while(ready).last().unwrap_or(0);
        let stretch_of = |stage: usize| {
            let round = self.extras.carousel.stage.clamp(alone.min(last), last);
            // Without boards to start from, games of a round would teach the sets that others are teaching.
            let (stage, only) = if stage < alone || last < alone {
                (stage.min(last), Some(stage.min(last)))
            } else {
                (round, None)
            };
            Stretch { boards_of: (stage > 0).then_some(stage), only }
        };
        // Proportions are those of moves, so that threads are done at the same time: more games of those that are short.
        let share = |(stage, length): (usize, u64)| {
            let stretch = stretch_of(stage);
            let games =
                (u128::from(length) << 32) / u128::from(self.extras.pace_of(stretch.start()));
            (stretch, games.max(u128::from(length > 0)))
        };
        let shares: Vec<(Stretch, u128)> = lengths.into_iter().enumerate().map(share).collect();
        let total = shares.iter().map(|(_, share)| share).sum::<u128>().max(1);
        let place = |before: u128| {
            games.start + (u128::from(games.end - games.start) * before / total) as u64
        };
        let mut before = 0;
        let mut stretches: Vec<(Stretch, Range<u64>)> = Vec::new();
        for (stretch, share) in shares {
            let part = place(before)..place(before + share);
            before += share;
            match stretches.last_mut().filter(|(same, _)| *same == stretch) {
                Some((_, games)) => games.end = part.end,
                None => stretches.push((stretch, part)),
            }
        }
        stretches.retain(|(_, games)| !games.is_empty());
        stretches
    }

    /// The lessons of all tasks, as many at once as there are threads. Sets that learn alone share nothing, so it does not matter
    /// how many that are.
    fn lessons<S: Step + Sync>(
        &self,
        recipe: &Recipe,
        step: &S,
        tasks: &[Task],
        corner: Option<&Corner>,
    ) -> Lesson {
        if let [task] = tasks {
            return self.lesson(recipe, step, task, corner);
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some((index, task)) =
                tasks.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed))
            {
                done.push((index, self.lesson(recipe, step, task, corner)));
            }
            done
        };
        let threads = tasks.len().min(recipe.threads as usize);
        let mut lessons: Vec<(usize, Lesson)> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut done = work();
            for other in others {
                done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        });
        lessons.sort_unstable_by_key(|(index, _)| *index);
        let mut whole = Lesson::default();
        for (_, lesson) in lessons {
            whole.played.extend(lesson.played);
            whole.reached.extend(lesson.reached);
        }
        whole
    }

    /// What the recipe's shaping says of the next block.
    fn stretch(&self, recipe: &Recipe, first: u64, remark: &mut dyn FnMut(String)) -> Stretch {
        match recipe.shaping_at(first) {
            Shaping::None | Shaping::Together => Stretch::default(),
            Shaping::Carousel => {
                // The rounds of stages that are left out go to the first that is not.
                let first = recipe.carousel_first as usize;
                let first = first.min(self.network.stages() - 1);
                let stage = self.extras.carousel.stage.max(first);
                Stretch { boards_of: (stage > 0).then_some(stage), only: None }
            }
            Shaping::Sequence => {
                let mut stage = recipe.stage_of(first, self.network.stages());
                while stage > 0 && self.extras.carousel.pools.len(stage) == 0 {
                    remark(format!("no start board of stage {stage} has been reached"));
                    stage -= 1;
                }
                Stretch { boards_of: (stage > 0).then_some(stage), only: Some(stage) }
            }
        }
    }

    fn lesson<S: Step>(
        &self,
        recipe: &Recipe,
        step: &S,
        task: &Task,
        corner: Option<&Corner>,
    ) -> Lesson {
        let (network, Task { block, stretch, boards }) = (&*self.network, task);
        if recipe.learner == Learner::Duel {
            let phases = phases(&recipe.phases, recipe.block).unwrap_or_default();
            let learns = learns_in(&phases, block.first);
            let played = learn_duels(network, step, &self.duels(recipe, block, learns));
            return Lesson { played, reached: Vec::new() };
        }
        if recipe.learner != Learner::Afterstate {
            let played = learn_states(network, step, block, recipe.explore);
            return Lesson { played, reached: Vec::new() };
        }
        let starts = match (stretch.boards_of, recipe.shaping_at(block.first)) {
            (None, _) => Starts::Fresh,
            (_, Shaping::Sequence) => Starts::InTurn(boards),
            _ => Starts::AnyOf(boards),
        };
        let corner = match (corner, &self.extras.search) {
            (None, _) => CornerOf::Off,
            (Some(_), Some(search)) => CornerOf::Search(search),
            (Some(corner), None) => CornerOf::Rule(corner),
        };
        let course = Course {
            block: *block,
            reward: reward(recipe),
            explore: recipe.explore,
            corner,
            starts,
            only: stretch.only,
        };
        let plain = network.stages() == 1
            && course.reward == Reward::Score
            && recipe.explore == 0.0
            && matches!(corner, CornerOf::Off);
        let (lambda, steps) = (recipe.lambda_at(block.first), recipe.steps as usize);
        match recipe.credit {
            CreditRule::OneStep => play(plain, network, step, &OneStep, &course),
            CreditRule::Delayed => play(plain, network, step, &Delayed::new(lambda), &course),
            CreditRule::Backward => play(plain, network, step, &Backward::new(lambda), &course),
            CreditRule::Forward => {
                play(plain, network, step, &Forward::lambda(lambda, steps), &course)
            }
            CreditRule::NStep => play(plain, network, step, &Forward::n_step(steps), &course),
        }
    }

    /// Duels of this run's board and variant.
    fn duels(&self, recipe: &Recipe, block: &Block, learns: Learns) -> DuelBlock {
        let Block { seed, first, games, threads, .. } = *block;
        let rules = recipe.duel_rules(&self.network.spec().board);
        let (opening, whole_opening) = (recipe.opening as u32, learns == Learns::Nobody);
        DuelBlock { rules, seed, first, games, threads, learns, opening, whole_opening }
    }

    /// Test duels: both sides play greedily, from whole openings.
    fn examine_duels(&self, recipe: &Recipe, rules: Rules, stop: &AtomicBool) -> Option<Tested> {
        let step = Td::new(Rate::PerWeight(0.0), &self.network);
        let (games, threads) = (recipe.eval_games, recipe.threads as usize);
        let seed = !recipe.seed;
        let mut played = Vec::new();
        // In parts, so that a stop need not wait for all of them.
        for first in (0..games).step_by(64) {
            let games = (games - first).min(64);
            let block = Block { rules, seed, first, games, threads, restart: None };
            let duels = self.duels(recipe, &block, Learns::Nobody);
            played.extend(learn_duels(&self.network, &step, &duels));
            if stop.load(Ordering::Relaxed) {
                return None;
            }
        }
        let games: Vec<crate::stats::Played> = played.iter().map(played_of).collect();
        let summary = Summary::of(&games, rules.shape);
        Some(Tested { summary, habits: Vec::new(), fallacy: None, estimates: None })
    }

    /// Test games under the rules of a recipe that learns like this run.
    pub(super) fn examine(
        &self,
        recipe: &Recipe,
        rules: Rules,
        stop: &AtomicBool,
    ) -> Option<Tested> {
        if recipe.learner == Learner::Duel {
            return self.examine_duels(recipe, rules, stop);
        }
        // Other games than those learned from: the complement of the seed.
        let (seed, threads) = (!recipe.seed, recipe.threads as usize);
        let corner = recipe.corner_rule(false);
        let plain = self.network.stages() == 1
            && matches!(recipe.learner, Learner::Afterstate | Learner::Tree)
            && reward(recipe) == Reward::Score
            && corner.is_none()
            && recipe.habits == Switch::Off;
        if !plain {
            let found = self.extras.search.as_ref().map(RatioSearch::best_corner);
            let corner = corner.map(|rule| found.unwrap_or(rule));
            let exam = Exam {
                rules,
                seed,
                games: recipe.eval_games,
                threads,
                reward: reward(recipe),
                corner: corner.as_ref(),
            };
            let Examined { played, habits, fallacy } = examine(&self.network, &exam, stop)?;
            let games: Vec<crate::stats::Played> = played.iter().map(played_of).collect();
            let summary = Summary::of(&games, rules.shape);
            let counts = [fallacy.moves, fallacy.changed, fallacy.wrong];
            let fallacy = exam.corner.map(|_| counts);
            let habits = if recipe.habits == Switch::On { shares(&habits) } else { Vec::new() };
            return Some(Tested { summary, habits, fallacy, estimates: None });
        }
        let network = Arc::clone(&self.network);
        let agent = Agent::new("greedy", move || Greedy::new(Arc::clone(&network)));
        tested(&agent, Some(&self.network), recipe, rules, stop)
    }
}

/// What a file says that a step rule remembers.
pub(super) fn memory_of(sums: Option<Coherence>, sizes: Option<StepSizes>) -> StepMemory {
    match (sums, sizes) {
        (Some(sums), _) => StepMemory::Coherence(sums),
        (_, Some(sizes)) => StepMemory::StepSizes(sizes),
        _ => StepMemory::Nothing,
    }
}

/// Makes room for what the step rule of a game remembers; tc that takes over from td begins with
/// fresh sums.
pub(super) fn prepared(
    memory: &mut StepMemory,
    network: &Network,
    recipe: &Recipe,
    game: u64,
) -> io::Result<()> {
    let before = std::mem::replace(memory, StepMemory::Nothing);
    *memory = match (step_at(recipe, game), before) {
        (StepRule::Td, _) => StepMemory::Nothing,
        (StepRule::Tc, StepMemory::Coherence(sums)) => StepMemory::Coherence(sums),
        (StepRule::Tc, _) => StepMemory::Coherence(Coherence::new(network)?),
        (StepRule::Autostep, StepMemory::StepSizes(sizes)) => StepMemory::StepSizes(sizes),
        (StepRule::Autostep, _) => StepMemory::StepSizes(StepSizes::new(network)?),
    };
    Ok(())
}

/// The step rule of a game.
fn step_at(recipe: &Recipe, game: u64) -> StepRule {
    let switched = recipe.tc_at > 0 && game >= recipe.tc_at;
    if switched { StepRule::Tc } else { recipe.step }
}

/// The rate of a game.
pub(super) fn rate_at(recipe: &Recipe, game: u64) -> Rate {
    if step_at(recipe, game) == recipe.step {
        return recipe.rate_at(game);
    }
    Rate::Distributed(recipe.tc_rate as f32)
}

fn reward(recipe: &Recipe) -> Reward {
    match recipe.reward {
        RewardRule::Score => Reward::Score,
        RewardRule::Step => Reward::Step,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block is cut into these parts: which set, how many games, to one that is cut where it is not whole.
    fn cut(tuples: &Tuples, recipe: &Recipe, first: u64, expected: &[(Option<usize>, u64)]) {
        let games = first..first + 400;
        let stretches = tuples.stretches(recipe, games.clone(), &mut |_| ());
        assert_eq!(stretches.first().map(|(_, part)| part.start), Some(games.start));
        assert_eq!(stretches.last().map(|(_, part)| part.end), Some(games.end));
        let touching = |pair: &[(Stretch, Range<u64>)]| pair[0].1.end == pair[1].1.start;
        assert!(stretches.windows(2).all(touching), "no game is left out or played twice");
        assert_eq!(stretches.len(), expected.len(), "{stretches:?}");
        for ((stretch, part), (only, games)) in stretches.iter().zip(expected) {
            assert_eq!(stretch.only, *only);
            assert!((part.end - part.start).abs_diff(*games) <= 1, "{part:?} and {games} games");
        }
    }

    /// Sets that learn together share a block by moves, which threads need time for, and not by games.
    #[test]
    fn sets_that_learn_together_share_the_moves() {
        let text = "network = \"0123 4567\"\nstages = \"64 64+32\"\nshaping = \"together\"\nstage-games = \"400 200 200\"\n\
                    carousel-at = 800\ncarousel-first = 1\nstart-boards = 10\ngames = 1200\nblock = 400";
        let recipe = Recipe::parse(text, &[]).unwrap();
        let mut tuples = Tuples::new(&recipe, Path::new("recipe")).unwrap();
        // Nobody has reached anything: all is the first set's.
        cut(&tuples, &recipe, 0, &[(Some(0), 400)]);
        // The second set has boards, and that of the third waits with it; how long games are is not known.
        let store = |tuples: &mut Tuples, stage| {
            let board: Board = "6500000000000000".parse().unwrap();
            (0..10).for_each(|_| tuples.extras.carousel.pools.push(stage, board));
        };
        store(&mut tuples, 1);
        cut(&tuples, &recipe, 0, &[(Some(0), 200), (Some(1), 200)]);
        // Games of the second set are a third as long: three times as many of them.
        tuples.extras.note_pace(0, 300);
        tuples.extras.note_pace(1, 100);
        cut(&tuples, &recipe, 0, &[(Some(0), 100), (Some(1), 300)]);
        // The third set's games are taken to be like the second's until there are some.
        store(&mut tuples, 2);
        cut(&tuples, &recipe, 0, &[(Some(0), 100), (Some(1), 150), (Some(2), 150)]);
        tuples.extras.note_pace(2, 300);
        cut(&tuples, &recipe, 0, &[(Some(0), 133), (Some(1), 200), (Some(2), 67)]);
        // The carousel has both shares, at the pace of the stage where it starts.
        tuples.extras.carousel.stage = 2;
        cut(&tuples, &recipe, 800, &[(Some(0), 200), (None, 200)]);
    }
}
