use super::*;
use crate::stats::Played;

fn block(agent: &str, number: u64, score: u32) -> Block {
    let games: Vec<Played> = (0..10)
        .map(|i| Played { score: score + i, moves: 100, max_exponent: 11 + (i % 2) as u8 })
        .collect();
    Block::new(agent, number, &games, 0.5, None)
}

fn entry(agent: &str, games: u64) -> Entry {
    let (name, agent) = (agent.to_owned(), agent.to_owned());
    Entry { name, agent, games, block: 10, x: None, curve: 0 }
}

fn over(net: u32) -> Fingerprints {
    Fingerprints { net, run: 1 }
}

#[test]
fn the_named_studies_are_whole() {
    for (name, text) in NAMED_STUDIES {
        assert!(Study::is_one(text));
        let study = Study::parse(text, None).unwrap_or_else(|why| panic!("{name}: {why}"));
        let games = study.games("small").unwrap();
        for part in &study.part {
            for entry in part.entries(games) {
                // `default` judges 4×4 only, and a run is not there yet: any value will do.
                let text = entry.agent.replace("RUN", "empties").replace("default", "empties");
                crate::Agent::parse(&text, part.rules())
                    .unwrap_or_else(|why| panic!("{text}: {why}"));
                assert!(entry.games >= 1);
            }
        }
    }
    let grid = &Study::parse(NAMED_STUDIES[0].1, None).unwrap().part[0];
    assert_eq!(grid.rows.len() * grid.columns.len(), 36);
}

#[test]
fn a_study_over_a_network_of_ones_own() {
    let study = Study::parse(NAMED_STUDIES[0].1, Some("runs/X and NET.safetensors")).unwrap();
    let games = study.games("tiny").unwrap();
    let agents = study.part.iter().flat_map(|part| part.entries(games)).map(|entry| entry.agent);
    for agent in agents {
        assert!(agent.contains("(net=\"runs/X and NET.safetensors\""), "{agent}");
    }
    // The solved board has a network of its own.
    let whole = Study::parse(NAMED_STUDIES[0].1, None).unwrap();
    assert_eq!(study.part.len() + 1, whole.part.len());
    let timed = whole.part.iter().find(|part| part.name == "At equal time").unwrap();
    let entries = timed.entries(games);
    let mcss = entries
        .iter()
        .find(|entry| entry.agent == "mcss(net=default, time=1000us, clock=cpu)")
        .unwrap();
    let plies = entries
        .iter()
        .find(|e| e.agent == "expectimax(net=default, time=1000us, clock=cpu)")
        .unwrap();
    assert_eq!((mcss.x, mcss.curve, plies.x, plies.curve), (Some(1000), 0, Some(1000), 1));
    // At most so many games in the whole part.
    assert_eq!(timed.entries(whole.games("full").unwrap())[0].games, 50);
}

#[test]
fn blocks_are_kept_and_damage_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("blocks.jsonl");
    let mut blocks = Blocks::open(&path, over(7)).unwrap();
    for number in 0..3 {
        blocks.add(block("a", number, 1000)).unwrap();
        blocks.add(block("b", number, 900)).unwrap();
    }
    let tally = Blocks::open(&path, over(7)).unwrap().tally(&entry("a", 30));
    assert_eq!((tally.scores.len(), tally.moves), (30, 3000));
    assert_eq!(tally.moments().mean(), 1004.5);
    assert_eq!((tally.reached(11), tally.reached(12), tally.reached(13)), (1.0, 0.5, 0.0));
    let ahead = tally.ahead_of(&blocks.tally(&entry("b", 20)));
    assert_eq!((ahead.mean(), ahead.count()), (100.0, 20));
    // A digit changed, and the last line cut.
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replacen("[1003,", "[1004,", 1);
    std::fs::write(&path, &text[..text.len() - 9]).unwrap();
    let mut blocks = Blocks::open(&path, over(7)).unwrap();
    assert!(!blocks.has("a", 0) && blocks.has("a", 1) && !blocks.has("b", 2));
    blocks.add(block("b", 2, 900)).unwrap();
    assert!(Blocks::open(&path, over(7)).unwrap().has("b", 2));
    // Nothing of another network counts, and what a recipe makes stays.
    blocks.add(block("greedy(net=RUN)", 0, 900)).unwrap();
    let others = Blocks::open(&path, over(8)).unwrap();
    assert!(!others.has("b", 2) && others.has("greedy(net=RUN)", 0));
    assert_eq!((others.aside(), Blocks::open(&path, over(7)).unwrap().aside()), (5, 0));
    let changed = Fingerprints { net: 7, run: 2 };
    assert!(!Blocks::open(&path, changed).unwrap().has("greedy(net=RUN)", 0));
}

#[test]
fn a_page_shows_grid_curve_and_truth() {
    let folder = tempfile::tempdir().unwrap();
    let study = Study::parse(NAMED_STUDIES[0].1, None).unwrap();
    let games = study.games("tiny").unwrap();
    let mut blocks = Blocks::open(&folder.path().join("blocks.jsonl"), over(26)).unwrap();
    for part in &study.part {
        for (place, entry) in part.entries(games).iter().enumerate() {
            let mut block = block(&entry.agent, 0, 100_000 + 10 * place as u32);
            if part.train.is_some() {
                block.truth = Some(((0..10).map(f64::from).collect(), 100, 75));
            }
            blocks.add(block).unwrap();
        }
    }
    let pictures: Vec<Option<String>> =
        study.part.iter().map(|part| (!part.x.is_empty()).then(|| "x.svg".to_owned())).collect();
    let page = study_page(&study, "mcss-2022", "tiny", &blocks, &pictures);
    assert!(page.contains("The network has the checksum 0000001a."), "{page}");
    assert!(page.contains("| best | 100004 ± 2 | 100014 ± 2 |"), "{page}");
    assert!(
        page.contains("10 games a cell. The best of a row is `uniform` in 6 of 6 rows."),
        "{page}"
    );
    assert!(
        page.contains("| best | 50 ± 0 | 40 ± 0 | 30 ± 0 | 20 ± 0 | 10 ± 0 | best |"),
        "{page}"
    );
    // The last row is the best of every column.
    assert!(page.contains("| best | 300 ± 0 | 300 ± 0 | 300 ± 0 |"), "{page}");
    assert!(page.contains("| uniform | best | best | best | best | best | best |"), "{page}");
    assert!(page.contains("| score | 1024 | 2048 | 4096 | 8192 | moves/s |"), "{page}");
    assert!(page.contains("75.0 %") && page.contains("| 3-ply | 10 |"), "{page}");
    let figure = part_figure(&study.part[1], games, &blocks).unwrap();
    assert_eq!((figure.series.len(), figure.series[0].points.len()), (4, 7));
    assert!(part_figure(&study.part[0], games, &blocks).is_none());
}

#[test]
fn players_may_have_fewer_games_and_smaller_blocks() {
    let study = Study::parse(
        "title = \"t\"\nseed = 1\n[scale.full]\ngames = 30\nslow-games = 20\n[[part]]\nname = \"p\"\nabout = \"\"\n\
         [[part.beside]]\nname = \"a\"\nagent = \"greedy(net=NET)\"\n\
         [[part.beside]]\nname = \"b\"\nagent = \"random\"\ngames = 5\nblock = 2\n",
        None,
    )
    .unwrap();
    let entries = study.part[0].entries(study.games("full").unwrap());
    let sizes: Vec<_> = entries.iter().map(|e| (e.games, e.block, e.blocks())).collect();
    assert_eq!(sizes, [(30, 10, 3), (5, 2, 3)]);
    assert_eq!(entries[0].agent, "greedy(net=default)");
    let inside = study.fingerprints();
    assert_ne!(inside.net, 0);
    // What is trained for a study does not hang on the network inside the program.
    assert_eq!(inside.of("greedy(net=RUN)"), inside.run);
    assert_eq!(inside.of("greedy(net=default)"), inside.net);
    let nobody = "title = \"t\"\nseed = 1\n[scale]\n[[part]]\nname = \"p\"\nabout = \"\"\n";
    assert_eq!(Study::parse(nobody, None).unwrap_err(), "part \"p\" has no players");
}
