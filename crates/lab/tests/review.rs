//! Reviews: the identity of skill and luck, the truth on solved boards, stopping, threads.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use maxtile_game::{Board, Game, GameSeed, Move, Ply, Record, Rules, Shape, Spawn, SpawnLaw};
use maxtile_lab::review::{
    Grade, Judge, Judged, JudgedMove, Line, ReviewError, Reviewed, Setting, Summary, TurnLine,
    page, review,
};
use maxtile_lab::{Agent, Setting as Playing, Until, Watch, evaluate};
use maxtile_solve::{Problem, Table};

static NEVER: AtomicBool = AtomicBool::new(false);

fn reviewed(record: &Record, judge: &Judge, threads: usize) -> (Vec<TurnLine>, Summary) {
    let mut turns = Vec::new();
    let setting = Setting { threads, stop: &NEVER };
    let summary = review(record, "json", judge, setting, &mut |line| {
        if let Line::Turn(turn) = line {
            turns.push(*turn);
        }
        ControlFlow::Continue(())
    });
    (turns, summary.unwrap().unwrap())
}

/// The identity, by the summary and by the lines of the turns.
fn check_identity(record: &Record, turns: &[TurnLine], summary: &Summary) {
    let end = record.replay().unwrap();
    let bound = 1e-6 * f64::from(end.score).max(summary.start_value.abs()).max(1.0);
    let explained = summary.start_value - summary.errors + summary.luck - summary.remaining;
    assert_eq!(summary.score, end.score);
    assert!((f64::from(end.score) - explained).abs() <= bound, "{explained} of {}", end.score);
    assert!(summary.identity_residual.abs() <= bound);
    let sum: f64 = turns.iter().map(|turn| turn.luck - turn.error).sum();
    let explained = turns[0].value + sum - summary.remaining;
    assert!((f64::from(end.score) - explained).abs() <= bound);
    assert_eq!(turns.len(), record.plies.len());
    assert!(turns.iter().all(|turn| turn.error >= 0.0 && (0.0..=1.0).contains(&turn.loss)));
    assert_eq!(summary.over, end.board.is_over());
    assert_eq!(summary.grades.values().sum::<usize>() + summary.forced, summary.moves);
}

fn games(agent: &str, rules: Rules, count: u64, seed: u64) -> Vec<Record> {
    let agent = Agent::parse(agent, rules).unwrap();
    let setting = Playing { rules, seed, threads: 2 };
    let watch = Watch { progress: &|_| (), stop: &NEVER };
    evaluate(&agent, &setting, Until::Games(count), true, &watch).records
}

#[test]
fn the_identity_holds_on_a_hundred_games_with_a_learned_value() {
    let rules = Rules::default();
    let learned = Judge::agent(&Agent::parse("greedy(net=default)", rules).unwrap(), None);
    let mut all = games("random", rules, 60, 1);
    all.extend(games("greedy(net=zero)", rules, 20, 2));
    all.extend(games("greedy(net=empties)", rules, 20, 3));
    assert_eq!(all.len(), 100);
    for record in &all {
        let (turns, summary) = reviewed(record, &learned, 2);
        check_identity(record, &turns, &summary);
        assert!(summary.over && summary.remaining == 0.0 && !summary.exact);
        assert!(summary.accuracy.is_some_and(|share| (1.0..100.0).contains(&share)));
        // A part of the game: what is still to come stands for the rest.
        let part = record.cut(10, record.plies.len() / 2).unwrap().unwrap();
        let (turns, summary) = reviewed(&part, &learned, 1);
        check_identity(&part, &turns, &summary);
        assert!(!summary.over && summary.remaining > 0.0);
    }
}

#[test]
fn the_identity_holds_for_searches_and_for_a_value_that_knows_nothing() {
    let rules = Rules::default();
    let record = &games("greedy(net=empties)", rules, 1, 7)[0];
    let judges =
        ["greedy(net=zero)", "heuristic(depth=2)", "expectimax(net=default, depth=2, nodes=40)"];
    for text in judges {
        let judge = Judge::agent(&Agent::parse(text, rules).unwrap(), None);
        let (turns, summary) = reviewed(record, &judge, 2);
        check_identity(record, &turns, &summary);
        assert_eq!(summary.agent, text);
    }
}

fn solved(size: &str) -> Arc<Table> {
    let watch = maxtile_solve::Watch { progress: &|_| (), stop: &NEVER };
    let problem = Problem::score(size.parse().unwrap());
    Arc::new(Table::in_memory(&problem, 2, watch).unwrap())
}

fn best_game(table: &Table, rules: Rules, index: u64) -> Record {
    let mut game = Game::new(rules, GameSeed { run: 4, index });
    while let Some(best) = table.query(game.board()).unwrap().moves.first() {
        game.play(best.mv);
    }
    game.record().clone()
}

/// By the truth the best player makes no errors, and luck is fair to every player.
fn check_truth(size: &str, best_games: u64, random_games: u64) {
    let rules = Rules::of(size.parse::<Shape>().unwrap());
    let table = solved(size);
    let judge = Judge::exact(Arc::clone(&table));
    for index in 0..best_games {
        let record = best_game(&table, rules, index);
        let (turns, summary) = reviewed(&record, &judge, 2);
        check_identity(&record, &turns, &summary);
        assert!(summary.exact && turns.iter().all(|turn| turn.exact));
        assert_eq!(summary.errors, 0.0);
        assert!(summary.accuracy.is_some_and(|accuracy| (accuracy - 100.0).abs() < 1e-9));
        assert!(summary.worst.is_empty() && summary.drill.is_empty());
    }
    let (mut sum, mut squares) = (0.0, 0.0);
    for record in games("random", rules, random_games, 9) {
        let (turns, summary) = reviewed(&record, &judge, 2);
        check_identity(&record, &turns, &summary);
        sum += summary.luck;
        squares += summary.luck * summary.luck;
    }
    let count = random_games as f64;
    let (mean, error) = (sum / count, (squares / count - (sum / count).powi(2)).sqrt());
    // Five standard errors: the true mean is 0, since luck is the surprise of a fair draw.
    assert!(mean.abs() < 5.0 * error / count.sqrt(), "{mean} ± {}", error / count.sqrt());
}

#[test]
fn the_best_player_of_2x3_makes_no_errors_and_luck_is_fair() {
    check_truth("2x3", 50, 2000);
}

/// Takes a minute and a gigabyte: `./check --full`.
#[test]
#[ignore = "solves 3x3"]
fn the_best_player_of_3x3_makes_no_errors_and_luck_is_fair() {
    check_truth("3x3", 100, 100);
}

/// Moves and their values, best first.
type Known = &'static [(Move, f64)];

/// A judge whose every word is written down here.
fn by_hand(known: &'static [(&'static str, Known)]) -> Judge {
    Judge::new("by hand", false, move || {
        move |board: Board| {
            let text = board.to_string();
            let found = known.iter().find(|(position, _)| *position == text);
            let (_, moves) = found.ok_or_else(|| format!("{text} is not written down"))?;
            let moves = moves.iter().map(|&(mv, value)| {
                let reward = board.slide(mv).unwrap().1;
                JudgedMove { mv, reward, value }
            });
            Ok(Judged { moves: moves.collect(), line: Vec::new() })
        }
    })
}

fn three_turns() -> Record {
    let ply = |mv, cell, exponent| Ply { mv, spawn: Spawn { cell, exponent } };
    let mut record = Record::new(SpawnLaw::default(), "2x2:1100".parse().unwrap());
    record.plies = vec![ply(Move::Left, 3, 1), ply(Move::Down, 0, 1), ply(Move::Right, 0, 2)];
    record
}

const BY_HAND: &[(&str, Known)] = &[
    ("2x2:1100", &[(Move::Left, 20.0), (Move::Right, 18.0), (Move::Down, 12.0)]),
    ("2x2:2001", &[(Move::Right, 17.0), (Move::Down, 16.9), (Move::Up, 12.0), (Move::Left, 11.0)]),
    ("2x2:1021", &[(Move::Up, 16.0), (Move::Right, 9.0)]),
    ("2x2:2121", &[(Move::Up, 14.0), (Move::Down, 14.0)]),
];

#[test]
fn three_turns_by_hand() {
    let (turns, summary) = reviewed(&three_turns(), &by_hand(BY_HAND), 3);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    // Left makes 4 points; 17 are to be expected then, of 20 with those: 1 by luck.
    // Down costs 0.1; 16 instead of 16.9: 0.9 of bad luck.
    // Right costs 7; 14 are to be expected instead of 9: 5 by luck.
    for (turn, (error, luck)) in turns.iter().zip([(0.0, 1.0), (0.1, -0.9), (7.0, 5.0)]) {
        close(turn.error, error);
        close(turn.luck, luck);
    }
    let grades: Vec<Grade> = turns.iter().map(|turn| turn.grade).collect();
    assert_eq!(grades, [Grade::Best, Grade::Good, Grade::Blunder]);
    // A tenth of the 4 points made is at stake too.
    close(turns[2].loss, 7.0 / 16.4);
    let accepted: Vec<&[&str]> = turns.iter().map(|turn| &turn.accepted[..]).collect();
    assert_eq!(accepted, [&["left"][..], &["right", "down"], &["up"]]);
    // 20 − 7.1 + 5.1 − 14 = 4.
    close(summary.start_value, 20.0);
    close(summary.errors, 7.1);
    close(summary.luck, 5.1);
    close(summary.remaining, 14.0);
    close(summary.without_luck, 12.9);
    close(summary.errors_by_grade[&Grade::Good], 0.1);
    close(summary.errors_by_grade[&Grade::Blunder], 7.0);
    close(summary.identity_residual, 0.0);
    assert_eq!((summary.score, summary.over, summary.max_tile), (4, false, 4));
    assert_eq!((summary.worst, summary.drill), (vec![2, 1], vec![2]));
    assert_eq!((summary.luckiest, summary.unluckiest), (Some(2), Some(1)));
}

#[test]
fn lines_are_the_objects_that_programs_rely_on() {
    let mut lines = Vec::new();
    let setting = Setting { threads: 1, stop: &NEVER };
    review(&three_turns(), "moves", &by_hand(BY_HAND), setting, &mut |line| {
        lines.push(serde_json::to_string(&line).unwrap());
        ControlFlow::Continue(())
    })
    .unwrap();
    let expected = [
        r#"{"type":"game","rules":{"size":"2x2","p4":0.1},"start":"2x2:1100","plies":[[3,3,1],[2,0,1],[1,0,2]],"score":4,"format":"moves","over":false}"#,
        r#"{"type":"turn","turn":0,"position":"2x2:1100","score":0,"value":20.0,"best":"left","played":"left","spawn":[3,1],"moves":[{"move":"left","reward":4,"value":20.0},{"move":"right","reward":4,"value":18.0},{"move":"down","reward":0,"value":12.0}],"error":0.0,"luck":1.0,"loss":0.0,"accuracy":100.0,"grade":"best","forced":false,"accepted":["left"],"exact":false}"#,
    ];
    assert_eq!(lines[..2], expected);
    assert_eq!(lines.len(), 5);
    assert!(
        lines[4].starts_with(r#"{"type":"summary","score":4,"start_value":20.0,"errors":7.1,"#)
    );
}

#[test]
fn the_lines_do_not_depend_on_the_threads() {
    let rules = Rules::default();
    let judge =
        Judge::agent(&Agent::parse("expectimax(net=default, depth=2)", rules).unwrap(), None);
    for record in games("greedy(net=empties)", rules, 2, 5) {
        let alone = reviewed(&record, &judge, 1);
        for threads in [2, 3, 16] {
            assert_eq!(reviewed(&record, &judge, threads), alone);
        }
    }
}

#[test]
fn a_review_can_be_stopped_in_two_ways() {
    let rules = Rules::default();
    let judge = Judge::agent(&Agent::parse("heuristic(depth=2)", rules).unwrap(), None);
    let record = &games("greedy(net=empties)", rules, 1, 6)[0];
    for by_flag in [true, false] {
        let stop = AtomicBool::new(false);
        let mut turns = 0;
        let result =
            review(record, "json", &judge, Setting { threads: 2, stop: &stop }, &mut |line| {
                turns += usize::from(matches!(line, Line::Turn(_)));
                assert!(!matches!(line, Line::Summary(_)));
                if turns < 5 {
                    return ControlFlow::Continue(());
                }
                stop.store(by_flag, Ordering::Relaxed);
                if by_flag { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
        assert_eq!(result, Ok(None));
        assert_eq!(turns, 5);
    }
}

#[test]
fn what_cannot_be_reviewed_is_said() {
    let setting = Setting { threads: 4, stop: &NEVER };
    let run = |record: &Record, judge: &Judge| {
        review(record, "json", judge, setting, &mut |_| ControlFlow::Continue(())).unwrap_err()
    };
    let mut record = three_turns();
    let random = Judge::agent(&Agent::parse("random", record.rules()).unwrap(), None);
    assert_eq!(run(&record, &random).to_string(), "random does not weigh moves");
    // Two positions are unknown: the first is named, whichever thread was faster.
    let error = run(&record, &by_hand(&BY_HAND[..2]));
    assert_eq!(error.to_string(), "turn 2: 2x2:1021 is not written down");
    // From a start that no game has, the truth is not known.
    let mut strange = Record::new(SpawnLaw::default(), "2x3:660000".parse().unwrap());
    strange.plies = vec![Ply { mv: Move::Left, spawn: Spawn { cell: 1, exponent: 1 } }];
    assert!(matches!(
        run(&strange, &Judge::exact(solved("2x3"))),
        ReviewError::Judge { turn: 0, .. }
    ));
    record.plies[0].mv = Move::Up;
    assert_eq!(run(&record, &by_hand(BY_HAND)).to_string(), "ply 1: up is not a legal move");
    record.plies.clear();
    assert_eq!(run(&record, &by_hand(BY_HAND)), ReviewError::Empty);
}

#[test]
fn the_page_needs_nothing_and_believes_nothing() {
    let mut record = three_turns();
    record.player = Some("<script>alert('&')</script>".to_owned());
    let mut game = None;
    let mut turns = Vec::new();
    let setting = Setting { threads: 1, stop: &NEVER };
    let judge = by_hand(BY_HAND);
    let summary = review(&record, "json", &judge, setting, &mut |line| {
        match line {
            Line::Game(line) => game = Some(line),
            Line::Turn(turn) => turns.push(*turn),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    let (game, summary) = (game.unwrap(), summary.unwrap().unwrap());
    let html = page(&[Reviewed { name: "a \"b\"".to_owned(), game, turns, summary }]);
    for never in ["<script", "http", "src=", "href="] {
        assert!(!html.contains(never), "{never}");
    }
    assert!(html.contains("a &quot;b&quot; by &lt;script&gt;alert('&amp;')&lt;/script&gt;"));
    assert!(html.contains("4 points = 20.0 to be expected at the start − 7.1 lost by errors + 5.1 by luck − 14.0 still to come"));
    assert!(html.contains("<circle class=\"blunder\""));
    // All turns are in the table, and the two that were not best have a picture.
    assert_eq!(html.matches("<td class=\"word\"><code>2x2:").count(), 3);
    assert_eq!(html.matches("<table class=\"board\">").count(), 2);
}
