//! Several values as one: their mean.

use maxtile_game::Afterstate;

use crate::value::Value;

/// The mean of some values. Their errors partly cancel.
pub struct Ensemble<V> {
    members: Vec<V>,
}

impl<V: Value> Ensemble<V> {
    /// The mean of these.
    ///
    /// # Panics
    /// Without members.
    pub fn new(members: Vec<V>) -> Ensemble<V> {
        assert!(!members.is_empty(), "a mean of nothing");
        Ensemble { members }
    }
}

impl<V: Value> Value for Ensemble<V> {
    fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
        let mut values = vec![0.0; afterstates.len()];
        out.fill(0.0);
        for member in &self.members {
            member.values(afterstates, &mut values);
            out.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
        }
        let share = 1.0 / self.members.len() as f32;
        for sum in out.iter_mut() {
            *sum *= share;
        }
    }

    fn symmetric(&self) -> bool {
        self.members.iter().all(Value::symmetric)
    }

    fn wake(&self, afterstates: &[Afterstate]) {
        self.members.iter().for_each(|member| member.wake(afterstates));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_mean() {
        struct Times(f32, bool);
        impl Value for Times {
            fn values(&self, afterstates: &[Afterstate], out: &mut [f32]) {
                for (afterstate, value) in afterstates.iter().zip(out) {
                    *value = self.0 * afterstate.empty_count() as f32;
                }
            }
            fn symmetric(&self) -> bool {
                self.1
            }
        }
        let afterstate: Afterstate = "1200000000000000".parse().unwrap();
        let ensemble = Ensemble::new(vec![Times(1.0, true), Times(4.0, true), Times(7.0, true)]);
        assert_eq!((ensemble.value(afterstate), ensemble.symmetric()), (56.0, true));
        assert!(!Ensemble::new(vec![Times(1.0, true), Times(1.0, false)]).symmetric());
    }
}
