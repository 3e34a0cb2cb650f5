//! What afterstates are worth.

use maxtile_game::Afterstate;

/// A judgement of afterstates: the points still to be expected after the slide, its own reward
/// not counted.
///
/// Asked about many afterstates at once, so that an implementation can overlap their memory
/// accesses or fill its batches. Implemented by everything that was learned or worked out by hand.
pub trait Value: Send + Sync {
    /// Writes the value of each afterstate to the same place of `out`, which has the same length.
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]);

    /// Are positions that differ by symmetry only worth the same? A search then looks into one of
    /// them. To be on the safe side, no.
    fn symmetric(&self) -> bool {
        false
    }

    /// Called before the clock of a search runs: whatever has to be loaded to judge positions near these is loaded now.
    fn wake(&self, afterstates: &[Afterstate]) {
        let _ = afterstates;
    }

    /// The value of one afterstate.
    fn value(&self, afterstate: Afterstate) -> f32 {
        let mut out = [0.0];
        self.values(&[afterstate], &mut out);
        out[0]
    }
}

impl<V: Value + ?Sized> Value for &V {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        (**self).values(afterstates, out);
    }

    fn symmetric(&self) -> bool {
        (**self).symmetric()
    }

    fn wake(&self, afterstates: &[Afterstate]) {
        (**self).wake(afterstates);
    }
}

impl<V: Value + ?Sized> Value for Box<V> {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        (**self).values(afterstates, out);
    }

    fn symmetric(&self) -> bool {
        (**self).symmetric()
    }

    fn wake(&self, afterstates: &[Afterstate]) {
        (**self).wake(afterstates);
    }
}

impl<V: Value + ?Sized> Value for std::sync::Arc<V> {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        (**self).values(afterstates, out);
    }

    fn symmetric(&self) -> bool {
        (**self).symmetric()
    }

    fn wake(&self, afterstates: &[Afterstate]) {
        (**self).wake(afterstates);
    }
}
