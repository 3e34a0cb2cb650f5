//! Runs of neural networks: the same folders, metrics and resumption as for tables, or one sentence where the
//! program cannot teach them.

use std::path::Path;

use maxtile_lab::training::{Origin, Recipe, Session};

#[cfg(not(feature = "neural-train"))]
#[test]
fn a_program_without_the_framework_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = Recipe::parse("network = \"cnn-tiny-3x3\"\nrate = 0.001", &[]).unwrap();
    let path = folder.path().join("run");
    let error = Session::begin(recipe, &path, &Origin::default()).err().unwrap().to_string();
    assert_eq!(
        error,
        "cnn-tiny-3x3: this program was built without the training of neural networks (cargo build \
         --release --features neural-train)"
    );
    assert!(!Path::new(&path).exists());
}

#[cfg(feature = "neural-train")]
mod taught {
    use std::sync::atomic::{AtomicBool, Ordering};

    use maxtile_lab::training::{Event, Report, ReportKind, newest_network};
    use maxtile_lab::{Agent, Setting, Until, Watch, evaluate};
    use maxtile_neural::{Weights, named};

    use super::{Origin, Path, Recipe, Session};

    /// A network for 2×2, as a file, and a recipe over it.
    fn recipe(folder: &Path, more: &str) -> Recipe {
        let mut spec = named("ppo-afterstate-small-3x3").unwrap();
        let dense = |outputs| maxtile_neural::Layer::Dense { outputs, bias: true, norm: false };
        (spec.board, spec.planes, spec.layers) = ("2x2".to_owned(), 6, vec![dense(32), dense(16)]);
        let path = folder.join("network.json");
        std::fs::write(&path, serde_json::to_string(&spec).unwrap()).unwrap();
        let network = path.display().to_string();
        let text = format!(
            "network = {network:?}\nblock = 40\ngames = 200\neval-every = 80\neval-games = 50\n\
             save-every = 80\nvalue-scale = 10.0\n{more}"
        );
        Recipe::parse(&text, &[]).unwrap()
    }

    const TD: &str = "rate = 0.003\nbatch = 64\nseats = 8\nimages = \"random\"";
    const PPO: &str = "learner = \"ppo\"\nrate = 0.02\ndiscount = 0.99\nlambda = 0.99\nepochs = 4\n\
                       update-moves = 250\nseats = 8";

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

    fn weights(run: &Path) -> Weights {
        let file = newest_network(run).unwrap().unwrap();
        Weights::load(&file).unwrap().0
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

    #[test]
    fn a_run_that_was_stopped_continues_the_same_curve() {
        for text in [TD, PPO] {
            let folder = tempfile::tempdir().unwrap();
            let (whole, stopped) = (folder.path().join("whole"), folder.path().join("stopped"));
            let recipe = recipe(folder.path(), text);
            let mut session = Session::begin(recipe.clone(), &whole, &Origin::default()).unwrap();
            let report = run(&mut session, u64::MAX).unwrap();
            assert_eq!((report.r#type, report.games), (ReportKind::Eval, 200));
            assert!(report.mean > 20.0);
            let mut session = Session::begin(recipe, &stopped, &Origin::default()).unwrap();
            for until in [80, 120, u64::MAX] {
                run(&mut session, until);
                drop(session);
                // What a kill leaves behind: whole lines after the checkpoint, and a half-written one.
                if until == 120 {
                    std::fs::remove_dir_all(stopped.join("checkpoint-000000000120")).unwrap();
                }
                let metrics = stopped.join("metrics.jsonl");
                let text = std::fs::read_to_string(&metrics).unwrap();
                std::fs::write(&metrics, text + "{\"type\":\"train\"").unwrap();
                std::fs::create_dir_all(stopped.join("checkpoint.tmp")).unwrap();
                let (found, remarks) = Session::resume(&stopped).unwrap();
                assert!(remarks.is_empty(), "{remarks:?}");
                session = found;
                assert_eq!(session.counters().games, if until > 200 { 200 } else { 80 });
                session.change(None, Some(2));
            }
            assert_eq!(session.counters().games, 200);
            assert_eq!(weights(&stopped), weights(&whole));
            assert_eq!(curve(&stopped), curve(&whole));
            let steps = curve(&whole).iter().filter_map(|r| r.optimizer).map(|o| o.steps).max();
            assert!(steps.unwrap() > 3);
        }
    }

    #[test]
    fn a_run_is_a_player() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let recipe = recipe(folder.path(), PPO);
        let rules = recipe.rules().unwrap();
        let mut session = Session::begin(recipe, &path, &Origin::default()).unwrap();
        assert_eq!(session.describe(), "1362 parameters");
        let report = run(&mut session, u64::MAX).unwrap();
        let agent = Agent::parse(&format!("policy(net=\"{}\")", path.display()), rules).unwrap();
        // The same games as those of the run's own last evaluation.
        let setting = Setting { rules, seed: !1, threads: 1 };
        let watch = Watch { progress: &|_| (), stop: &AtomicBool::new(false) };
        let found = evaluate(&agent, &setting, Until::Games(50), false, &watch);
        assert_eq!(found.summary.unwrap().scores.mean(), report.mean);
    }

    #[test]
    fn an_explosion_keeps_the_last_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let recipe = Recipe { games: 80, save_every: 40, ..recipe(folder.path(), TD) };
        let mut session = Session::begin(recipe.clone(), &path, &Origin::default()).unwrap();
        run(&mut session, u64::MAX);
        let good = weights(&path);
        drop(session);
        // The same run with a rate at which it cannot go well.
        let toml = Recipe { rate: 10.0, games: 4000, save_every: 4000, ..recipe }.to_toml();
        std::fs::write(path.join("recipe.toml"), toml).unwrap();
        let mut session = Session::resume(&path).unwrap().0;
        let error = session.run(&mut |_| (), &AtomicBool::new(false)).unwrap_err().to_string();
        assert!(error.starts_with("learning has exploded: "), "{error}");
        assert!(error.ends_with("try a smaller rate or a larger value-scale"), "{error}");
        assert_eq!(weights(&path), good);
        assert_eq!(Session::resume(&path).unwrap().0.counters().games, 80);
    }

    #[test]
    fn a_network_that_was_described_anew_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let recipe = recipe(folder.path(), TD);
        let file = recipe.network.clone();
        run(&mut Session::begin(recipe, &path, &Origin::default()).unwrap(), u64::MAX);
        let text = std::fs::read_to_string(&file).unwrap();
        for (from, to) in [("2x2", "2x3"), ("\"outputs\":16", "\"outputs\":17")] {
            std::fs::write(&file, text.replace(from, to)).unwrap();
            let error = Session::resume(&path).err().unwrap().to_string();
            assert!(error.contains("its network is not the one that"), "{error}");
        }
        std::fs::write(&file, text).unwrap();
        assert!(Session::resume(&path).is_ok());
    }

    #[test]
    fn a_damaged_checkpoint_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let recipe = recipe(folder.path(), TD);
        let mut session = Session::begin(recipe, &path, &Origin::default()).unwrap();
        run(&mut session, u64::MAX);
        drop(session);
        let newest = newest_network(&path).unwrap().unwrap();
        let mut bytes = std::fs::read(&newest).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&newest, bytes).unwrap();
        let (session, remarks) = Session::resume(&path).unwrap();
        assert_eq!(session.counters().games, 160);
        assert_eq!(remarks.len(), 2, "{remarks:?}");
    }
}
