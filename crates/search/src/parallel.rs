//! One search on several threads.
//!
//! The children of the root's chance nodes are handed out one by one; all threads share the table.
//! Every node's value is a function of the node and the effort alone, so it does not matter who
//! computes it.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use maxtile_game::Afterstate;

use crate::effort::{Effort, TreeShape};
use crate::expansion::Expansion;
use crate::table::Table;
use crate::tree::{Counts, Levels, Tree, Watch};
use crate::value::Value;

/// As [`Tree::chances`], on as many threads as there is scratch memory for.
#[allow(clippy::too_many_arguments, reason = "the parts of a search, called from one place")]
pub(crate) fn chances_on_threads<V: Value>(
    value: &V,
    table: Option<&Table>,
    watch: &Watch,
    shape: TreeShape,
    levels: &mut [Levels],
    nodes: &[Afterstate],
    effort: Effort,
    out: &mut [f32],
) -> Counts {
    let symmetric = value.symmetric();
    let form = |node: &Afterstate| if symmetric { node.canonical() } else { *node };
    let mut tasks = Vec::new();
    let mut parts = Vec::new();
    for node in nodes.iter().map(form) {
        let below = shape.below(effort, node.empty_count());
        let part = [1, 2].map(|exponent| {
            let mut expansion = Expansion::default();
            let boards = expansion.add(node, exponent);
            let first = tasks.len();
            let effort = below[exponent as usize - 1];
            tasks.extend(expansion.children.iter().map(|&child| (child, effort)));
            (expansion, boards, first)
        });
        parts.push(part);
    }
    let next = AtomicUsize::new(0);
    let values: Vec<AtomicU32> = tasks.iter().map(|_| AtomicU32::new(0)).collect();
    let work = |levels: &mut Levels| {
        let mut tree = Tree::new(value, table, watch, shape, levels);
        let mut found = [0.0];
        while !watch.is_over() {
            let task = next.fetch_add(1, Relaxed);
            let Some(&(child, effort)) = tasks.get(task) else { break };
            tree.chances(&[child], effort, &mut found);
            values[task].store(found[0].to_bits(), Relaxed);
        }
        tree.finish()
    };
    let mut counts = Counts::default();
    std::thread::scope(|scope| {
        let mut levels = levels.iter_mut();
        let own = levels.next();
        let others: Vec<_> = levels.map(|levels| scope.spawn(|| work(levels))).collect();
        if let Some(own) = own {
            counts.add(work(own));
        }
        for other in others {
            match other.join() {
                Ok(part) => counts.add(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    for (part, out) in parts.into_iter().zip(out) {
        let [twos, fours] = part.map(|(mut expansion, boards, first)| {
            let found = &values[first..first + expansion.children.len()];
            expansion.values.extend(found.iter().map(|bits| f32::from_bits(bits.load(Relaxed))));
            expansion.add_up();
            expansion.bests(boards).collect::<Vec<f32>>()
        });
        *out = shape.mean(twos.into_iter(), fours.into_iter());
        counts.nodes += 1;
    }
    counts
}
