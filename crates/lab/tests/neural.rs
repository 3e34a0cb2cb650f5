//! Players over a neural network: games from the start to the end, by every kind of search.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use maxtile_game::{Board, Rules, SpawnLaw};
use maxtile_lab::{Agent, Evaluation, Setting, Until, Watch, evaluate, open_value};
use maxtile_neural::{Weights, named};
use maxtile_search::{Expectimax, Limits, Settings};

fn play(agent: &str, file: &Path, games: u64, threads: usize) -> Evaluation {
    let rules = Rules::of(Weights::load(file).unwrap().0.shape());
    let text = agent.replace("FILE", &format!("\"{}\"", file.display()));
    let agent = Agent::parse(&text, rules).unwrap();
    let setting = Setting { rules, seed: 1, threads };
    let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
    evaluate(&agent, &setting, Until::Games(games), true, &watch)
}

fn network(folder: &Path, name: &str) -> std::path::PathBuf {
    let path = folder.join(format!("{name}.safetensors"));
    let weights = Weights::new(named(name).unwrap(), 1).unwrap();
    weights.save(&path, BTreeMap::new()).unwrap();
    path
}

#[test]
fn whole_games_by_every_search_over_a_neural_network() {
    let folder = tempfile::tempdir().unwrap();
    // The smallest boards that the networks fit: one with patches to remember, one padded.
    let files = [
        network(folder.path(), "cnn-tiny-3x3"),
        network(folder.path(), "ppo-afterstate-small-3x3"),
    ];
    for file in &files {
        for agent in [
            "greedy(net=FILE)",
            "expectimax(net=FILE, depth=2)",
            "mcss(net=FILE, sims=20, batch=4)",
            "alphabeta(net=FILE, depth=2)",
            "corner(agent=greedy(net=FILE), rho=1.2)",
            "greedy(net=mean(a=FILE, b=FILE))",
            "policy(net=FILE)",
        ] {
            let one = play(agent, file, 6, 1);
            let summary = one.summary.as_ref().unwrap();
            assert!(summary.scores.mean() > 0.0, "{agent}");
            assert_eq!(one.games.len(), 6, "{agent}");
            // The context of a thread is nobody else's, so games are the same on any number of them.
            assert_eq!(one.games, play(agent, file, 6, 3).games, "{agent}");
        }
    }
}

#[test]
fn a_network_of_positions_to_move_plays_what_it_prefers() {
    let folder = tempfile::tempdir().unwrap();
    let file = network(folder.path(), "ppo-normal-small-3x3");
    assert_eq!(
        play("policy(net=FILE)", &file, 4, 1).games,
        play("policy(net=FILE)", &file, 4, 2).games
    );
    let rules = Rules::of("3x3".parse().unwrap());
    let error = |text: &str| {
        let text = text.replace("FILE", &format!("\"{}\"", file.display()));
        Agent::parse(&text, rules).err().unwrap().to_string()
    };
    assert!(error("greedy(net=FILE)").ends_with("it judges positions to move, not afterstates"));
    assert!(error("policy(net=nosuch)").contains("cannot open nosuch: no such file"));
    assert!(error("policy(net=zero)").ends_with("cannot open zero: it is no neural network"));
    let board: Board = "3x3:121013210".parse().unwrap();
    let agent = Agent::parse(&format!("policy(net=\"{}\")", file.display()), rules).unwrap();
    let worths = agent.policy().worths(board).unwrap();
    for mv in maxtile_game::Move::ALL {
        assert_eq!(worths[mv.index()].is_some(), board.slide(mv).is_some());
    }
}

#[test]
fn two_plies_are_the_mean_over_spawns_of_the_best_replies() {
    let folder = tempfile::tempdir().unwrap();
    let file = network(folder.path(), "cnn-tiny-3x3");
    let board: Board = "3x3:121013210".parse().unwrap();
    let value = open_value(file.to_str().unwrap(), board.shape()).unwrap();
    let best = |board: Board| {
        let afterstates = board.afterstates();
        let worths =
            afterstates.iter().map(|(_, after, reward)| reward as f32 + value.value(after));
        worths.reduce(f32::max).unwrap_or(0.0)
    };
    let mut search = Expectimax::new(&*value, Settings::new(Limits::depth(2))).unwrap();
    let found = search.search(board).unwrap();
    for (mv, afterstate, reward) in board.afterstates().iter() {
        let after = |(spawn, chance)| chance * f64::from(best(afterstate.spawn(spawn).unwrap()));
        let mean: f64 = SpawnLaw::default().outcomes(afterstate).map(after).sum();
        let worth = found.worths[mv as usize].unwrap();
        assert!((f64::from(worth) - f64::from(reward) - mean).abs() < 1e-4, "{mv:?}");
    }
}
