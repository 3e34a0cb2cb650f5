//! Pairs of neural networks in a duel: each side asks its own network, and a run of both is a player.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use maxtile_game::DuelRules;
use maxtile_lab::duel::DuelAgent;
use maxtile_neural::{Head, Judges, Layer, Spec, Weights};

fn spec(board: &str, judges: Judges) -> Spec {
    let dense = |outputs| Layer::Dense { outputs, bias: true, norm: false };
    Spec {
        name: "dense".to_owned(),
        board: board.to_owned(),
        planes: 8,
        layers: vec![dense(48), dense(24)],
        heads: vec![Head::Value],
        judges,
        scale: 1.0,
    }
}

/// Writes a network that says the same of every board.
fn saying(file: &Path, judges: Judges, value: f32, side: &str) {
    let mut weights = Weights::new(spec("2x3", judges), 1).unwrap();
    weights.get_mut("heads.value.weight").unwrap().fill(0.0);
    weights.get_mut("heads.value.bias").unwrap().fill(value);
    weights.save(file, BTreeMap::from([("side".to_owned(), side.into())])).unwrap();
}

fn files(folder: &Path) -> [PathBuf; 2] {
    ["network.safetensors", "second.safetensors"].map(|name| folder.join(name))
}

fn rules() -> DuelRules {
    DuelRules { shape: "2x3".parse().unwrap(), ..DuelRules::default() }
}

fn agent(net: &Path, more: &str) -> Result<DuelAgent, String> {
    let text = format!("alphabeta(net=\"{}\"{more})", net.display());
    DuelAgent::parse(&text, rules()).map_err(|error| error.to_string())
}

/// The parity of the depth says whose network judges, on both sides, with and without `wide`.
#[test]
fn each_side_asks_its_own_network() {
    let folder = tempfile::tempdir().unwrap();
    let [defender, attacker] = files(folder.path());
    saying(&defender, Judges::Afterstates, 1000.0, "defender");
    saying(&attacker, Judges::States, 5000.0, "attacker");
    // Nothing merges here within two slides.
    let board = "2x3:120000".parse().unwrap();
    let afterstate = "2x3:120000".parse().unwrap();
    for wide in ["", ", wide=on"] {
        let player = |depth: u8| agent(&defender, &format!(", depth={depth}{wide}")).unwrap();
        for (depth, slides, places) in [(1, 1000.0, 5000.0), (2, 5000.0, 1000.0)] {
            let mut player = player(depth).player();
            let found = player.weigh_slides(board).unwrap().value;
            assert_eq!(found, slides, "slides at depth {depth}{wide}");
            let tiles = maxtile_game::Tiles::Any;
            let found = player.weigh_placements(afterstate, tiles).unwrap().value;
            assert_eq!(found, places, "placements at depth {depth}{wide}");
        }
    }
}

#[test]
fn a_pair_that_is_none_is_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let [defender, attacker] = files(folder.path());
    saying(&defender, Judges::Afterstates, 1.0, "defender");
    let why = |net: &Path| {
        let error = agent(net, "").unwrap_err();
        error.split_once("safetensors: ").unwrap().1.to_owned()
    };
    assert_eq!(why(&defender), "the attacker's network second.safetensors is not beside it");
    std::fs::write(&attacker, "nothing").unwrap();
    assert!(why(&defender).starts_with("the attacker's network: "), "{}", why(&defender));
    saying(&attacker, Judges::Afterstates, 1.0, "attacker");
    assert_eq!(
        why(&defender),
        "the attacker's network: it judges afterstates, not positions to move"
    );
    saying(&attacker, Judges::States, 1.0, "attacker");
    assert_eq!(why(&attacker), "it judges positions to move, not afterstates");
    let text = format!("alphabeta(net=\"{}\")", defender.display());
    let error = DuelAgent::parse(&text, DuelRules::default()).unwrap_err().to_string();
    assert!(error.ends_with("its board is 2x3, not 4x4"), "{error}");
}

#[cfg(feature = "neural-train")]
mod taught {
    use std::sync::atomic::{AtomicBool, Ordering};

    use maxtile_lab::duel::{DuelJob, DuelSetting, play_jobs};
    use maxtile_lab::training::{
        Event, Origin, Recipe, Report, ReportKind, Session, newest_network,
    };

    use super::*;

    fn recipe(folder: &Path, more: &str) -> Recipe {
        let path = folder.join("network.json");
        let spec = spec("2x3", Judges::Afterstates);
        std::fs::write(&path, serde_json::to_string(&spec).unwrap()).unwrap();
        let network = path.display().to_string();
        let text = format!(
            "network = {network:?}\nlearner = \"duel\"\nopening = 4\np4 = 0.5\nrate = 0.003\nbatch = 64\n\
             seats = 16\nvalue-scale = 10.0\nimages = \"random\"\neval-games = 50\n{more}"
        );
        Recipe::parse(&text, &[]).unwrap()
    }

    fn run(session: &mut Session, until: u64) -> Option<Report> {
        let stop = AtomicBool::new(false);
        let mut watch = |event: Event<'_>| {
            if let Event::Learned(report) = event
                && report.games >= until
            {
                stop.store(true, Ordering::Relaxed);
            }
        };
        session.run(&mut watch, &stop).unwrap()
    }

    /// Both networks, with what the optimisers know.
    fn bytes(run: &Path) -> [Weights; 2] {
        let file = newest_network(run).unwrap().unwrap();
        files(file.parent().unwrap()).map(|file| Weights::load(&file).unwrap().0)
    }

    /// The metrics without what depends on the clock.
    fn curve(run: &Path) -> Vec<Report> {
        let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
        let line = |line: &str| Report {
            seconds: 0.0,
            games_per_s: 0.0,
            moves_per_s: 0.0,
            ..serde_json::from_str(line).unwrap()
        };
        text.lines().map(line).collect()
    }

    /// Both at once, and in turns.
    #[test]
    fn a_run_that_was_stopped_continues_the_same_curve() {
        let schedule = "phases = \"chance:40 attacker:40 defender:40\"";
        for phases in ["", schedule] {
            let folder = tempfile::tempdir().unwrap();
            let (whole, stopped) = (folder.path().join("whole"), folder.path().join("stopped"));
            let more =
                format!("block = 40\ngames = 200\neval-every = 80\nsave-every = 80\n{phases}");
            let recipe = recipe(folder.path(), &more);
            let mut session = Session::begin(recipe.clone(), &whole, &Origin::default()).unwrap();
            assert_eq!(session.describe(), "two networks of 3553 parameters");
            let report = run(&mut session, u64::MAX).unwrap();
            assert_eq!((report.r#type, report.games), (ReportKind::Eval, 200));
            let mut session = Session::begin(recipe, &stopped, &Origin::default()).unwrap();
            for until in [80, 120, u64::MAX] {
                run(&mut session, until);
                drop(session);
                let (found, remarks) = Session::resume(&stopped).unwrap();
                assert!(remarks.is_empty(), "{remarks:?}");
                session = found;
                session.change(None, Some(2));
            }
            assert_eq!(session.counters().games, 200);
            assert_eq!(bytes(&stopped), bytes(&whole));
            assert_eq!(curve(&stopped), curve(&whole));
        }
    }

    /// Against one who knows the board both networks do far better than chance.
    #[test]
    fn a_short_run_comes_nearer_to_the_truth_than_chance() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let recipe = recipe(folder.path(), "games = 6000\nblock = 1000\neval-every = 6000");
        let mut session = Session::begin(recipe, &path, &Origin::default()).unwrap();
        run(&mut session, u64::MAX);
        let named = |text| DuelAgent::parse(text, rules()).unwrap();
        let agents = [agent(&path, ", depth=3").unwrap(), named("exact"), named("random")];
        let mean = |attacker, defender| {
            let setting = DuelSetting { rules: rules(), seed: 1, opening: 3 };
            let jobs: Vec<DuelJob> =
                (0..40).map(|game| DuelJob { attacker, defender, game }).collect();
            let (mut sum, stop) = (0, AtomicBool::new(false));
            play_jobs(&agents, &jobs, &setting, 1, &stop, |_, game| sum += game.score);
            f64::from(sum) / 40.0
        };
        let (learned, exact, random) = (0, 1, 2);
        let best = mean(exact, exact);
        let (conceded, by_chance) = (mean(learned, exact), mean(random, exact));
        assert!(conceded - best < 0.5 * (by_chance - best), "{best} {conceded} {by_chance}");
        let (made, by_chance) = (mean(exact, learned), mean(exact, random));
        assert!(best - made < 0.5 * (best - by_chance), "{best} {made} {by_chance}");
    }

    #[test]
    fn a_checkpoint_without_its_second_network_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let recipe = recipe(folder.path(), "block = 40\ngames = 120\nsave-every = 40");
        let mut session = Session::begin(recipe, &path, &Origin::default()).unwrap();
        run(&mut session, u64::MAX);
        drop(session);
        let newest = newest_network(&path).unwrap().unwrap();
        std::fs::remove_file(newest.with_file_name("second.safetensors")).unwrap();
        let (session, remarks) = Session::resume(&path).unwrap();
        assert_eq!((session.counters().games, remarks.len()), (80, 2), "{remarks:?}");
    }
}
