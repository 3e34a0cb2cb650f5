//! A network that plays while another learns: many boards at once, on a few threads.

use maxtile_game::Grid;
use maxtile_neural::{Context, Network, Precision, Weights};

/// A network packed for play, and the memory of its threads.
pub(crate) struct Judging {
    network: Network,
    contexts: Vec<Context>,
    outputs: Vec<f32>,
}

/// Fewer boards than this are not worth a thread.
const SHARE: usize = 16;

impl Judging {
    pub(crate) fn new(weights: &Weights, threads: usize) -> Judging {
        let network = packed(weights);
        let contexts = (0..threads.max(1)).map(|_| network.context()).collect();
        Judging { network, contexts, outputs: Vec::new() }
    }

    pub(crate) fn set_threads(&mut self, threads: usize) {
        self.contexts.resize_with(threads.max(1), || self.network.context());
    }

    /// The same network with new weights.
    pub(crate) fn refresh(&mut self, weights: &Weights) {
        self.network = packed(weights);
    }

    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    /// The outputs of all heads for each board, one board after the other. They do not depend on the
    /// number of threads.
    pub(crate) fn run(&mut self, boards: &[Grid]) -> &[f32] {
        let (network, width) = (&self.network, self.network.outputs());
        self.outputs.resize(boards.len() * width, 0.0);
        let share = boards.len().div_ceil(self.contexts.len()).max(SHARE);
        let parts = boards.chunks(share).zip(self.outputs.chunks_mut(share * width));
        let mut work: Vec<_> = parts.zip(&mut self.contexts).collect();
        let run = |((boards, outputs), context): ((&[Grid], &mut [f32]), &mut Context)| {
            network.run(context, boards.iter().copied(), |board, found| {
                outputs[board * width..][..width].copy_from_slice(found);
            });
        };
        let first = work.pop();
        std::thread::scope(|scope| {
            for part in work {
                scope.spawn(move || run(part));
            }
            if let Some(part) = first {
                run(part);
            }
        });
        &self.outputs
    }
}

/// Without the memory of patches, which would not live long.
fn packed(weights: &Weights) -> Network {
    Network::new(weights, Precision::Full).without_patches()
}
