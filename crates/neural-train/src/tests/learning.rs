//! Learners on boards so small that the best is known.

use maxtile_game::{Random, Rules, Shape};
use maxtile_neural::{
    Extra, Head, Judges, Layer, Network, NetworkPolicy, Precision, Spec, Weights,
};
use maxtile_search::{Policy, Query};

use crate::{
    Images, Loss, Optimizer, Place, PolicyRule, PpoLearner, PpoSettings, Reward, Starts, TdLearner,
    TdSettings, TrainError, Trainer,
};

/// The mean score of best play on 2×2 from a start by chance.
const BEST: f64 = 66.964;

fn rules() -> Rules {
    Rules::of(Shape::new(2, 2).unwrap())
}

fn dense(heads: &[Head]) -> Spec {
    let dense = |outputs| Layer::Dense { outputs, bias: true, norm: false };
    Spec {
        name: "dense".to_owned(),
        board: "2x2".to_owned(),
        planes: 6,
        layers: vec![dense(64), dense(32)],
        heads: heads.to_vec(),
        judges: Judges::Afterstates,
        scale: 10.0,
    }
}

fn td() -> TdSettings {
    TdSettings {
        rules: rules(),
        seed: 1,
        reward: Reward::Score,
        discount: 1.0,
        explore: 0.0,
        starts: Starts::Usual,
        restart: None,
        batch: 64,
        loss: Loss::Squared,
        images: Images::Random,
        seats: 8,
        threads: 1,
    }
}

fn td_learner(weights: &Weights, settings: TdSettings) -> TdLearner {
    let trainer = Trainer::new(weights, Optimizer::Adam, Place::Cpu, 1).unwrap();
    TdLearner::new(trainer, settings).unwrap()
}

fn ppo() -> PpoSettings {
    let rule = PolicyRule { discount: 0.99, lambda: 0.99, clip: 0.2, entropy: 0.0, masked: true };
    PpoSettings {
        rules: rules(),
        seed: 1,
        reward: Reward::Score,
        rule,
        epochs: 10,
        least_moves: 300,
        least_games: 10,
        batch: 0,
        kl_stop: 0.0,
        seats: 8,
        threads: 1,
    }
}

fn ppo_learner(weights: &Weights, settings: PpoSettings) -> PpoLearner {
    let optimizer = Optimizer::Sgd { momentum: 0.9, decay: 1e-4 };
    let trainer = Trainer::new(weights, optimizer, Place::Cpu, 1).unwrap();
    PpoLearner::new(trainer, settings).unwrap()
}

/// The mean score of games by what the network prefers, or with points added to its values.
fn played(weights: &Weights, greedy: bool, games: u64) -> f64 {
    let network = Network::new(weights, Precision::Full);
    let mut policy: Box<dyn Policy> = if greedy {
        let value = maxtile_neural::NetworkValue::new(network).unwrap();
        Box::new(maxtile_search::Greedy::new(value))
    } else {
        Box::new(NetworkPolicy::new(network.into()).unwrap())
    };
    let mut sum = 0;
    for game in 0..games {
        let mut random = Random::stream(99, game);
        let mut board = rules().start(&mut random);
        loop {
            let mut query = [Query::new(board, Random::new(game))];
            policy.choose(&mut query);
            let Some((afterstate, points)) = query[0].answer.and_then(|mv| board.slide(mv)) else {
                break;
            };
            sum += u64::from(points);
            board = rules().law.spawn(afterstate, &mut random);
        }
    }
    sum as f64 / games as f64
}

#[test]
fn values_of_the_smallest_board_are_learned() {
    let weights = Weights::new(dense(&[Head::Value]), 1).unwrap();
    let mut learner = td_learner(&weights, td());
    let learned = learner.learn(0, 3000, 0.003).unwrap();
    assert_eq!(learned.games.len(), 3000);
    assert!(learned.games.iter().enumerate().all(|(i, game)| game.game == i as u64));
    let mean = played(&learner.weights().unwrap(), true, 2000);
    assert!(mean > 0.9 * BEST, "{mean}");
}

#[test]
fn values_count_moves_where_moves_are_the_reward() {
    let weights = Weights::new(dense(&[Head::Value]), 1).unwrap();
    let mut learner = td_learner(&weights, TdSettings { reward: Reward::Step, ..td() });
    learner.learn(0, 3000, 0.003).unwrap();
    let last = learner.learn(3000, 3000, 0.0002).unwrap().games;
    let moves = last.iter().map(|game| f64::from(game.moves)).sum::<f64>() / last.len() as f64;
    let network = Network::new(&learner.weights().unwrap(), Precision::Full);
    let value = maxtile_neural::NetworkValue::new(network).unwrap();
    let promised: f64 = (0..1000)
        .map(|game| {
            let afterstates = rules().start(&mut Random::stream(99, game)).afterstates();
            let afterstates: Vec<_> = afterstates.iter().map(|(_, after, _)| after).collect();
            let mut values = vec![0.0; afterstates.len()];
            maxtile_search::Value::values(&value, &afterstates, &mut values);
            1.0 + f64::from(values.into_iter().fold(f32::MIN, f32::max))
        })
        .sum::<f64>()
        / 1000.0;
    assert!((promised / moves - 1.0).abs() < 0.1, "{promised} of {moves} moves");
}

#[test]
fn a_policy_of_the_smallest_board_is_learned() {
    for batch in [0, 100] {
        let weights = Weights::new(dense(&[Head::Preference, Head::Value]), 1).unwrap();
        let before = played(&weights, false, 1000);
        let settings =
            PpoSettings { batch, rule: PolicyRule { entropy: 0.01, ..ppo().rule }, ..ppo() };
        let mut learner = ppo_learner(&weights, settings);
        let learned = learner.learn(0, 3000, 0.05).unwrap();
        assert!(learned.updates > 20 && learned.last.largest > 1.0);
        let mean = played(&learner.weights().unwrap(), false, 1000);
        assert!(mean > 0.8 * BEST && mean > before + 2.0, "{before} to {mean}, batch {batch}");
    }
}

#[test]
fn an_update_ends_before_a_step_too_far() {
    let weights = Weights::new(dense(&[Head::Preference, Head::Value]), 1).unwrap();
    let learn = |kl_stop: f64| {
        let mut learner = ppo_learner(&weights, PpoSettings { kl_stop, ..ppo() });
        learner.learn(0, 600, 0.05).unwrap()
    };
    let (free, bound) = (learn(0.0), learn(1e-7));
    assert!(free.updates > 3);
    assert_eq!(free.steps, 10 * free.updates);
    // The policy that played is not far from itself; after a step it is.
    assert_eq!(bound.steps, bound.updates);
    assert!(bound.last.kl > 1e-7);
    let never = learn(1e3);
    assert_eq!((never.steps, never.loss.to_bits()), (free.steps, free.loss.to_bits()));
}

/// Parts take the same softmax as the whole: over all four moves where none is masked.
#[test]
fn parts_of_an_update_are_masked_as_the_whole() {
    let weights = Weights::new(dense(&[Head::Preference, Head::Value]), 1).unwrap();
    let values = |masked: bool| {
        let rule = PolicyRule { masked, ..ppo().rule };
        // All moves in one part, so that only where the values come from differs.
        let settings = PpoSettings { rule, epochs: 1, batch: 100_000, ..ppo() };
        let parts = ppo_learner(&weights, settings).learn(0, 60, 0.0).unwrap().loss;
        let whole = PpoSettings { batch: 0, ..settings };
        (parts, ppo_learner(&weights, whole).learn(0, 60, 0.0).unwrap().loss)
    };
    for masked in [true, false] {
        let (parts, whole) = values(masked);
        assert!((parts - whole).abs() < 1e-4 * whole.abs(), "{parts} and {whole}, {masked}");
    }
    assert_ne!(values(true).0.to_bits(), values(false).0.to_bits());
}

/// A learner that was stopped goes on to the same numbers, whatever the threads.
#[test]
fn a_stopped_learner_goes_on_to_the_bit() {
    let weights = Weights::new(dense(&[Head::Preference, Head::Value]), 1).unwrap();
    let settings = TdSettings { explore: 0.1, restart: Some(10), batch: 23, ..td() };
    let mut whole = td_learner(&weights, settings);
    whole.learn(0, 30, 0.003).unwrap();
    whole.learn(30, 30, 0.003).unwrap();
    let mut first = td_learner(&weights, settings);
    first.learn(0, 30, 0.003).unwrap();
    let (halfway, extras, steps) =
        (first.weights().unwrap(), first.extras().unwrap(), first.steps());
    let waiting = |extra: &Extra| extra.name == "waiting.boards";
    assert!(steps > 3, "{steps} steps");
    assert!(extras.iter().any(waiting), "no pairs are left over after {steps} steps");
    let mut second = td_learner(&halfway, TdSettings { threads: 3, ..settings });
    second.restore(steps, &extras).unwrap();
    second.learn(30, 30, 0.003).unwrap();
    assert_eq!(second.weights().unwrap(), whole.weights().unwrap());
    assert_eq!(second.extras().unwrap(), whole.extras().unwrap());

    let settings = PpoSettings { least_moves: 200, ..ppo() };
    let mut whole = ppo_learner(&weights, settings);
    whole.learn(0, 48, 0.02).unwrap();
    whole.learn(48, 48, 0.02).unwrap();
    let mut first = ppo_learner(&weights, settings);
    first.learn(0, 48, 0.02).unwrap();
    let (halfway, extras, steps) =
        (first.weights().unwrap(), first.extras().unwrap(), first.steps());
    let waiting = |extra: &Extra| extra.name == "waiting.moves";
    assert!(steps > 0 && extras.iter().any(waiting), "no moves are left over after {steps} steps");
    let mut second = ppo_learner(&halfway, PpoSettings { threads: 3, ..settings });
    second.restore(steps, &extras).unwrap();
    second.learn(48, 48, 0.02).unwrap();
    assert_eq!(second.weights().unwrap(), whole.weights().unwrap());
    assert_eq!(second.extras().unwrap(), whole.extras().unwrap());
    assert!(matches!(second.restore(1, &[]), Err(TrainError::Checkpoint(_))));
}

#[test]
fn a_step_of_each_game_has_all_its_moves() {
    let weights = Weights::new(dense(&[Head::Value]), 1).unwrap();
    let settings = TdSettings { batch: 0, seats: 1, images: Images::All, ..td() };
    let mut learner = td_learner(&weights, settings);
    let learned = learner.learn(0, 25, 0.001).unwrap();
    assert_eq!((learned.steps, learner.steps()), (25, 25));
    assert!(learner.extras().unwrap().iter().all(|extra| !extra.name.starts_with("waiting")));
}

#[test]
fn explosions_are_seen() {
    let weights = Weights::new(dense(&[Head::Value]), 1).unwrap();
    let mut learner = td_learner(&weights, td());
    let error = learner.learn(0, 500, 1e6).unwrap_err();
    assert!(matches!(error, TrainError::Exploded { .. }), "{error}");
    let weights = Weights::new(dense(&[Head::Preference, Head::Value]), 1).unwrap();
    // A rate a little too large: found out by what no game is worth, or by a leap of the loss.
    let slow = td_learner(&Weights::new(dense(&[Head::Value]), 1).unwrap(), td());
    let error = { slow }.learn(0, 5000, 3.0).unwrap_err();
    assert!(matches!(error, TrainError::Exploded { size, .. } if size.is_finite()), "{error}");
    let error = ppo_learner(&weights, ppo()).learn(0, 500, 1e6).unwrap_err();
    assert!(error.to_string().starts_with("learning has exploded: "), "{error}");
}
