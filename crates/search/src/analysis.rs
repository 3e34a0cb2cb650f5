//! A search explained: how much each move depends on luck, and how the game may go on.

use maxtile_game::{Afterstate, Board, Spawn};

use crate::effort::Effort;
use crate::expansion::Expansion;
use crate::expectimax::{Expectimax, Root, roots};
use crate::report::{MoveReport, Report, Step};
use crate::tree::{Tree, Watch};
use crate::value::Value;

impl<V: Value> Expectimax<V> {
    /// Searches a position and says everything about it.
    pub fn report(&mut self, board: Board) -> Report {
        let mut report = Report::empty(board);
        let roots = roots(board);
        if roots.is_empty() {
            return report;
        }
        let clock = self.started(&roots);
        let watch = self.watch(clock);
        let found = self.decide(board, roots.clone(), &watch);
        (report.counts, report.depth, report.time) = (found.counts, found.depth, clock.elapsed());
        // What is said beyond the values comes mostly from the table. Where it does not, it must not
        // take longer than the search did.
        let deadline = watch.deadline.map(|_| clock.deadline(2 * clock.elapsed()));
        let watch = Watch { deadline, stop: watch.stop, ..Watch::default() };
        let most = found.efforts.iter().map(|effort| effort.rank()).max().unwrap_or(0);
        for root in roots {
            let (at, reward) = (root.mv.index(), root.reward);
            let (depth, value) = (found.depths[at], found.worths[at].unwrap_or(0.0));
            let spread = self.spread(root.afterstate, found.efforts[at], &watch);
            let line = self.line(root, found.efforts[at], &watch);
            let (mv, compared) = (root.mv, found.efforts[at].rank() == most);
            report.moves.push(MoveReport { mv, reward, value, spread, depth, compared, line });
        }
        report.sort(Some(found.best));
        report
    }

    /// The worth of each next board with a 2 and with a 4, in the order of the empty cells; `None`
    /// when the watch says stop.
    fn next_worths(
        &mut self,
        node: Afterstate,
        effort: Effort,
        watch: &Watch,
    ) -> Option<[Vec<f32>; 2]> {
        let shape = self.settings.shape;
        let below = shape.below(effort, node.empty_count());
        let (value, table) = (&self.value, self.table.as_ref());
        let mut tree = Tree::new(value, table, watch, shape, &mut self.levels[0]);
        let worths = [1, 2].map(|exponent| {
            let mut expansion = Expansion::default();
            let boards = expansion.add(node, exponent);
            tree.solve(&mut expansion, below[exponent as usize - 1]);
            expansion.bests(boards).collect()
        });
        (!watch.is_over()).then_some(worths)
    }

    /// The standard deviation of a move's worth over the next tile.
    fn spread(&mut self, node: Afterstate, effort: Effort, watch: &Watch) -> Option<f32> {
        if effort.plies == 0 {
            return None;
        }
        let worths = self.next_worths(node, effort, watch)?;
        let p4 = self.settings.shape.law.p4();
        let cells = worths[0].len().max(1) as f64;
        let weighted = |f: &dyn Fn(f64) -> f64| -> f64 {
            let sum = |worths: &[f32]| worths.iter().map(|&w| f(w as f64)).sum::<f64>();
            ((1.0 - p4) * sum(&worths[0]) + p4 * sum(&worths[1])) / cells
        };
        let mean = weighted(&|worth| worth);
        Some(weighted(&|worth| (worth - mean).powi(2)).sqrt() as f32)
    }

    /// The move, then a 2 in the cell whose worth is in the middle, then the best answer, and so on.
    fn line(&mut self, root: Root, mut effort: Effort, watch: &Watch) -> Vec<Step> {
        let mut line = vec![Step { mv: root.mv, spawn: None }];
        let mut node = root.afterstate;
        while effort.plies > 0 {
            let Some([twos, _]) = self.next_worths(node, effort, watch) else { break };
            [effort, _] = self.settings.shape.below(effort, node.empty_count());
            let mut order: Vec<(f32, usize)> = twos.into_iter().zip(node.empty_cells()).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let Some(&(_, cell)) = order.get(order.len() / 2) else { break };
            let spawn = Spawn { cell: cell as u8, exponent: 1 };
            let Ok(board) = node.spawn(spawn) else { break };
            let mut answers = roots(board);
            if answers.is_empty() {
                break;
            }
            self.search_roots(&mut answers, effort, watch);
            if watch.is_over() {
                break;
            }
            answers.sort_by(|a, b| b.worth.total_cmp(&a.worth));
            if let Some(last) = line.last_mut() {
                last.spawn = Some(spawn);
            }
            line.push(Step { mv: answers[0].mv, spawn: None });
            node = answers[0].afterstate;
        }
        line
    }
}
