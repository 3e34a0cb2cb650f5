//! What each table of a network contributes to a value.

use maxtile_game::Afterstate;

use crate::network::Network;

impl Network {
    /// The part of each tuple, then of each feature, in the value of an afterstate in the first
    /// stage; they sum to the value.
    pub fn parts(&self, afterstate: Afterstate) -> Vec<f32> {
        let mut octets = vec![[0; 8]; self.plan.octets()];
        self.plan.indices(&[self.word(afterstate.grid())], &mut octets);
        let active = self.active_of(&octets);
        let weights: Vec<f32> = active.iter().map(|&index| self.weights.get(index)).collect();
        // The lookups stand in the order of the tables, each tuple with all its symmetric images.
        let (tuples, features) = weights.split_at(weights.len() - self.spec().features.len());
        let images = tuples.chunks(tuples.len() / self.spec().tuples.len());
        images.map(|images| images.iter().sum()).chain(features.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named;
    use maxtile_search::Value;

    #[test]
    fn parts_sum_to_the_value_and_follow_their_table() {
        for (name, images) in [("wu-4x6-large", 8.0), ("szubert-17x4", 1.0)] {
            let network = Network::new(named(name).unwrap()).unwrap();
            let (tables, tuples) = (network.tables(), network.spec().tuples.len());
            for table in 0..tables {
                let length = network.table(table).len();
                network.set_table(table, &vec![table as f32 + 1.0; length]).unwrap();
            }
            let afterstate: Afterstate = "1234321012000000".parse().unwrap();
            let parts = network.parts(afterstate);
            let times = |n: usize| if n > tuples { 1.0 } else { images };
            let expected: Vec<f32> = (1..=tables).map(|n| n as f32 * times(n)).collect();
            assert_eq!(parts, expected, "{name}");
            assert_eq!(parts.iter().sum::<f32>(), network.value(afterstate));
        }
    }
}
