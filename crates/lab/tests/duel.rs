//! Duels between agents: the same for any number of threads, and to be continued from a file.

use std::sync::atomic::AtomicBool;

use maxtile_game::{DuelPly, DuelRules, Phase, Variant};
use maxtile_lab::duel::{
    DuelAgent, DuelJob, DuelResults, DuelSetting, ResultsError, opening, play_duel, play_jobs,
    role_difference,
};

fn setting(size: &str, variant: Variant, opening: u32) -> DuelSetting {
    let shape = size.parse().unwrap();
    let rules = DuelRules { shape, variant, ..DuelRules::default() };
    DuelSetting { rules, seed: 7, opening }
}

fn agents(texts: &[&str], rules: DuelRules) -> Vec<DuelAgent> {
    texts.iter().map(|text| DuelAgent::parse(text, rules).unwrap()).collect()
}

fn jobs(agents: usize, games: u64) -> Vec<DuelJob> {
    let mut jobs = Vec::new();
    for game in 0..games {
        for attacker in 0..agents {
            for defender in 0..agents {
                jobs.push(DuelJob { attacker, defender, game });
            }
        }
    }
    jobs
}

fn play(texts: &[&str], setting: &DuelSetting, games: u64, threads: usize) -> DuelResults {
    let agents = agents(texts, setting.rules);
    let mut results = DuelResults::default();
    let stop = AtomicBool::new(false);
    let jobs = jobs(agents.len(), games);
    play_jobs(&agents, &jobs, setting, threads, &stop, |job, game| results.add(job, game));
    results
}

#[test]
fn openings_have_so_many_random_placements() {
    for variant in Variant::ALL {
        let setting = setting("4x4", variant, 20);
        for game in 0..20 {
            let duel = opening(&setting, game);
            let placed = duel.plies().iter().filter(|ply| matches!(ply, DuelPly::Place(_)));
            assert_eq!(placed.count(), 20);
            assert!(matches!(duel.phase(), Phase::Defend(_)));
            assert_eq!(opening(&setting, game).plies(), duel.plies());
        }
    }
    // On a board too small for that the attacker has the placement that ends it.
    let short = opening(&setting("2x2", Variant::Free, 50), 1);
    assert!(matches!(short.phase(), Phase::Attack(..)));
}

#[test]
fn results_do_not_depend_on_threads() {
    let setting = setting("3x3", Variant::Free, 4);
    let texts = ["random", "alphabeta(net=heuristic, depth=2)", "greedy(net=heuristic)"];
    let one = play(&texts, &setting, 6, 1);
    assert_eq!(one, play(&texts, &setting, 6, 3));
    // Deeper search attacks and defends better than chance.
    let (chance, search) = (one.cell(0, 2, 6).scores.mean(), one.cell(1, 2, 6).scores.mean());
    assert!(search < chance, "{search} {chance}");
    assert!(role_difference(&one, 1, 0, 6).mean() > 0.0);
}

/// The exact players make what is exact: 8 on 2×2 and 40 on 2×3, from the empty board.
#[test]
fn exact_players_make_the_exact_score() {
    for (size, score) in [("2x2", 8.0), ("2x3", 40.0)] {
        let results = play(&["exact"], &setting(size, Variant::Free, 0), 1, 1);
        assert_eq!(results.cell(0, 0, 1).scores.mean(), score, "{size}");
    }
    // Nobody holds the exact defender below it.
    let setting = setting("2x3", Variant::Free, 0);
    let results = play(&["exact", "alphabeta(net=heuristic, depth=4)"], &setting, 1, 1);
    assert!(results.cell(1, 0, 1).scores.mean() >= 40.0);
    assert!(results.cell(0, 1, 1).scores.mean() <= 40.0);
}

#[test]
fn duels_are_records_like_any_other() {
    let setting = setting("3x3", Variant::Drawn, 4);
    let agents =
        agents(&["random", "alphabeta(net=heuristic, depth=1, hostility=0.5)"], setting.rules);
    let (mut a, mut d) = (agents[0].player(), agents[1].player());
    let (game, duel) = play_duel(opening(&setting, 3), &mut *a, &mut *d, &setting, 3);
    let record = duel.record(agents[1].text(), agents[0].text()).unwrap();
    assert_eq!(record.replay().unwrap().score, game.score);
    assert_eq!(record.attacker.as_deref(), Some("random"));
}

#[test]
fn results_in_a_file_can_be_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("duels.jsonl");
    let setting = setting("3x3", Variant::Twos, 2);
    let names = ["random", "greedy(net=heuristic)"];
    let all = play(&names, &setting, 4, 1);
    for job in jobs(2, 3) {
        DuelResults::append(&path, &setting, &names, job, all.get(&job).unwrap()).unwrap();
    }
    // The power goes while a line is written; another line is changed.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 9]).unwrap();
    let read = DuelResults::read(&path, &setting, &names).unwrap();
    let known: Vec<bool> = jobs(2, 3).iter().map(|job| read.has(job)).collect();
    assert_eq!(known.iter().filter(|known| !**known).count(), 1, "the last one is missing");
    for job in jobs(2, 4).into_iter().filter(|job| !read.has(job)) {
        DuelResults::append(&path, &setting, &names, job, all.get(&job).unwrap()).unwrap();
    }
    assert_eq!(DuelResults::read(&path, &setting, &names).unwrap(), all);
    let changed = std::fs::read_to_string(&path).unwrap().replacen("\"score\":", "\"score\":1", 1);
    std::fs::write(&path, changed).unwrap();
    assert_ne!(DuelResults::read(&path, &setting, &names).unwrap(), all);
    let other = DuelSetting { seed: 8, ..setting };
    assert!(matches!(DuelResults::read(&path, &other, &names), Err(ResultsError::OtherSetting)));
    std::fs::write(&path, "something else\n").unwrap();
    assert!(DuelResults::read(&path, &setting, &names).is_err());
}
