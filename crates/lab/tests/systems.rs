//! Every system runs from its recipe, and a run that was stopped and resumed comes to the same end.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use maxtile_lab::training::{Event, Origin, Recipe, Report, ReportKind, Session};
use maxtile_ntuple::Network;

const SMALL: &str = "network = \"0123 4567 0145\"\nblock = 40\neval-every = 0\neval-games = 20\n\
                     save-every = 0\ngames = 400\n";

const SYSTEMS: [(&str, &str); 15] = [
    ("autostep", "step = \"autostep\""),
    ("forward", "step = \"td\"\nrate = 0.1\ncredit = \"forward\""),
    ("n-step", "step = \"td\"\nrate = 0.1\ncredit = \"n-step\"\nsteps = 3"),
    ("otd-tc", "step = \"td\"\nrate = 0.1\ninitial-value = 5000\ntc-at = 200"),
    ("explore", "explore = 0.05"),
    ("step-reward", "reward = \"step\""),
    ("state", "learner = \"state\"\nstep = \"td\"\nrate = 0.1\nnetwork = \"0123\"\ngames = 80"),
    ("q", "learner = \"q\"\nstep = \"td\"\nrate = 0.1\nnetwork = \"0123\""),
    (
        "sequence",
        "stages = \"64 64+32\"\nshaping = \"sequence\"\nstage-games = \"200 120 80\"\nstart-boards = 50",
    ),
    (
        "together",
        "stages = \"64 64+32\"\nshaping = \"together\"\nstage-games = \"200 60 60\"\nstart-boards = 50\n\
         carousel-at = 320\ncarousel-first = 1\nthreads = 2\ncredit = \"backward\"\nrestart = 10",
    ),
    ("carousel", "stages = \"tiles-2@128\"\npromotion = \"on\"\nshaping = \"carousel\""),
    ("backward-stages", "stages = \"tiles-2@128\"\ncredit = \"backward\"\nrestart = 10"),
    ("corner", "corner = \"both\"\ncorner-score = 1000"),
    ("corner-search", "corner = \"both\"\ncorner-search = \"on\""),
    ("features", "network = \"FILE\"\nhabits = \"on\""),
];

const FEATURES: &str = r#"{"name":"small","board":"4x4","tuples":[[0,1,2,3]],"values":16,
    "symmetric":true,"features":["large-tiles","empty","distinct","mergeable","doubles"]}"#;

fn recipe(text: &str) -> Recipe {
    // Keys that a system sets take the place of those of the small run.
    let keys: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    let small: Vec<&str> =
        SMALL.lines().filter(|l| !keys.contains(&l.split(' ').next().unwrap_or(""))).collect();
    let whole = format!("{}\n{text}\n", small.join("\n"));
    Recipe::parse(&whole, &[]).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Runs to the end, or to the first block at or after a game.
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

fn weights(network: &Network) -> Vec<Vec<u32>> {
    let bits = |table| network.table(table).iter().map(|w| w.to_bits()).collect();
    (0..network.tables()).map(bits).collect()
}

#[test]
fn a_run_is_trained_by_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let recipe = recipe("name = \"one\"\nnetwork = \"lines-3x3\"\ngames = 100");
    let mut first = Session::begin(recipe, &path, &Origin::default()).unwrap();
    let busy = format!("another process is training in {}", path.display());
    assert_eq!(Session::resume(&path).err().unwrap().to_string(), busy);
    first.run(&mut |_| (), &AtomicBool::new(false)).unwrap();
    // It came to its end, so the folder is free.
    let (mut second, _) = Session::resume(&path).unwrap();
    assert!(second.finished());
    assert_eq!(first.run(&mut |_| (), &AtomicBool::new(false)).unwrap_err().to_string(), busy);
    second.run(&mut |_| (), &AtomicBool::new(false)).unwrap();
}

#[test]
fn every_system_learns_and_survives_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("network.json");
    std::fs::write(&file, FEATURES).unwrap();
    for (name, text) in SYSTEMS {
        let recipe = recipe(&text.replace("FILE", file.to_str().unwrap()));
        let path = |what: &str| folder.path().join(format!("{name}-{what}"));
        let begin = |path: &Path| {
            Session::begin(recipe.clone(), path, &Origin::default())
                .unwrap_or_else(|e| panic!("{e}"))
        };
        let mut whole = begin(&path("whole"));
        let report = run(&mut whole, u64::MAX).unwrap();
        assert_eq!((report.r#type, report.games), (ReportKind::Eval, recipe.games), "{name}");
        // Random play has 1,120 points, play for the largest reward, which is what an untrained
        // network of afterstates does, 3,100.
        let least = if ["state", "q"].contains(&name) { 1_300.0 } else { 4_500.0 };
        assert!(report.mean > least, "{name}: {}", report.mean);
        let changed =
            weights(whole.network().unwrap()).iter().flatten().filter(|&&bits| bits != 0).count();
        assert!(changed > 100, "{name}: {changed} weights");

        let mut session = begin(&path("stopped"));
        for until in [recipe.games / 4, recipe.games * 3 / 4, u64::MAX] {
            run(&mut session, until);
            drop(session);
            session = Session::resume(&path("stopped")).unwrap().0;
        }
        assert_eq!(session.counters().games, recipe.games, "{name}");
        assert!(
            weights(session.network().unwrap()) == weights(whole.network().unwrap()),
            "{name} differs"
        );
    }
}

/// In a sequence every set learns in its own time and judges from then on.
#[test]
fn a_sequence_trains_stage_after_stage() {
    let folder = tempfile::tempdir().unwrap();
    let (_, text) = SYSTEMS.iter().find(|(name, _)| *name == "sequence").unwrap();
    let origin = Origin::default();
    let mut session = Session::begin(recipe(text), &folder.path().join("run"), &origin).unwrap();
    run(&mut session, 200);
    let learned =
        |session: &Session| [0, 1, 2].map(|stage| session.network().unwrap().has_learned(stage));
    assert_eq!(learned(&session), [true, false, false]);
    let before = session.network().unwrap().table(0);
    run(&mut session, 320);
    assert_eq!(learned(&session), [true, true, false]);
    assert_eq!(session.network().unwrap().table(0), before, "the first set is left as it was");
    run(&mut session, u64::MAX);
    assert_eq!(learned(&session), [true, true, true]);
}

/// Stages that learn together have a thread each, and learn the same on one.
#[test]
fn threads_change_nothing_in_stages_together() {
    let folder = tempfile::tempdir().unwrap();
    let (_, text) = SYSTEMS.iter().find(|(name, _)| *name == "together").unwrap();
    let learned = [1, 2, 3].map(|threads| {
        let recipe = recipe(&text.replace("threads = 2", &format!("threads = {threads}")));
        let path = folder.path().join(threads.to_string());
        let mut session = Session::begin(recipe, &path, &Origin::default()).unwrap();
        run(&mut session, 320);
        let network = session.network().unwrap();
        assert_eq!([0, 1, 2].map(|stage| network.has_learned(stage)), [true; 3]);
        let before = weights(network);
        run(&mut session, u64::MAX);
        let after = weights(session.network().unwrap());
        assert_ne!(before, after);
        (before, after)
    });
    assert!(learned[0] == learned[1] && learned[1] == learned[2]);
}

/// Optimistic values are drawn down by td, then tc takes over with fresh sums at its game.
#[test]
fn tc_takes_over_at_its_game() {
    let folder = tempfile::tempdir().unwrap();
    let (_, text) = SYSTEMS.iter().find(|(name, _)| *name == "otd-tc").unwrap();
    let origin = Origin::default();
    let mut session = Session::begin(recipe(text), &folder.path().join("run"), &origin).unwrap();
    let mut rates = Vec::new();
    let mut watch = |event: Event<'_>| {
        if let Event::Learned(report) = event {
            rates.push((report.games, report.rate));
        }
    };
    session.run(&mut watch, &AtomicBool::new(false)).unwrap();
    // 24 active weights share the rate.
    let at = |games| rates.iter().find(|(g, _)| *g == games).unwrap().1;
    assert!((at(200) - 0.1 / 24.0).abs() < 1e-7 && (at(240) - 1.0 / 24.0).abs() < 1e-7);
}

/// Games learned and mean score of the test games in a run's metrics.
fn tests(run: &Path, under: Option<&str>) -> Vec<(u64, f64)> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    let reports = text.lines().map(|line| serde_json::from_str::<Report>(line).unwrap());
    let wanted =
        |report: &Report| report.r#type != ReportKind::Train && report.under.as_deref() == under;
    reports.filter(wanted).map(|report| (report.games, report.mean)).collect()
}

#[test]
fn test_games_that_a_stop_cut_off_are_played_when_the_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = |what: &str| folder.path().join(what);
    let recipe = recipe("eval-every = 200");
    let begin = |path: &Path| Session::begin(recipe.clone(), path, &Origin::default()).unwrap();
    run(&mut begin(&path("whole")), u64::MAX);
    // The stop comes right before the test games after 200 games, then before those at the end.
    run(&mut begin(&path("stopped")), 200);
    assert_eq!(tests(&path("stopped"), None), []);
    run(&mut Session::resume(&path("stopped")).unwrap().0, 400);
    let last = run(&mut Session::resume(&path("stopped")).unwrap().0, u64::MAX).unwrap();
    let whole = tests(&path("whole"), None);
    assert_eq!(tests(&path("stopped"), None), whole);
    assert_eq!((last.games, last.mean), whole[1]);
    // Once more there is nothing to do, and the last report is known.
    let again = run(&mut Session::resume(&path("stopped")).unwrap().0, u64::MAX).unwrap();
    assert_eq!((again.r#type, again.mean), (ReportKind::Eval, last.mean));
}

#[test]
fn a_run_that_serves_two_recipes_tests_as_two_runs_would() {
    let folder = tempfile::tempdir().unwrap();
    let path = |what: &str| folder.path().join(what);
    let off = recipe("name = \"off\"\neval-every = 200");
    let test = recipe("name = \"test\"\neval-every = 200\ncorner = \"test\"\ncorner-ratio = 2");
    let begin = |recipe: &Recipe, what: &str| {
        Session::begin(recipe.clone(), &path(what), &Origin::default()).unwrap()
    };
    run(&mut begin(&off, "off"), u64::MAX);
    run(&mut begin(&test, "test"), u64::MAX);
    let mut both = begin(&off, "both");
    both.also_test(vec![test]);
    run(&mut both, u64::MAX);
    let (own, other) = (tests(&path("both"), None), tests(&path("both"), Some("test")));
    assert_eq!(own, tests(&path("off"), None));
    assert_eq!(other, tests(&path("test"), None));
    assert_ne!(own, other);
}
