//! A game with 65536 on the board is played on by every agent.

use maxtile_game::{Board, Game, GameSeed, SpawnLaw};
use maxtile_lab::{AGENTS, Agent, player_random};
use maxtile_search::Query;

#[test]
fn every_agent_plays_on_with_65536() {
    let folder = tempfile::tempdir().unwrap();
    let network = folder.path().join("network.safetensors");
    let weights = maxtile_neural::Weights::new(maxtile_neural::named("cnn-tiny").unwrap(), 1);
    weights.unwrap().save(&network, std::collections::BTreeMap::new()).unwrap();
    let neural = format!("policy(net={})", network.display());
    let searches = [
        neural.as_str(),
        "mcss(sims=30, spawn=draw)",
        "expectimax(depth=2)",
        "expectimax(depth=3, fours=1, cut=8)",
        "expectimax(time=1ms)",
        "expectimax(nodes=2000)",
        "expectimax(depth=3, threads=2)",
        "expectimax(net=mean(a=default, b=heuristic), depth=2)",
        "corner(agent=expectimax(depth=2), then=1.1, tile=4096)",
        "greedy(net=heuristic)",
    ];
    // No 4×4 board is solved, so the exact player has none to play; a policy needs a network.
    let names = AGENTS.iter().map(|kind| kind.name);
    let names = names.filter(|&name| name != "exact" && name != "policy");
    let all = names.chain(searches);
    // Two 65536 that can meet, one that stands alone, and the way to it.
    for position in ["gfedcba900001234", "gg00fedcba987000", "ff00edcba9876543"] {
        let start: Board = position.parse().unwrap();
        for text in all.clone() {
            let agent = Agent::parse(text, maxtile_game::Rules::default()).unwrap();
            let mut policy = agent.policy();
            let seed = GameSeed { run: 1, index: 0 };
            let mut game = Game::from_position(SpawnLaw::default(), start, seed);
            let mut query = Query::new(start, player_random(1, 0));
            for _ in 0..60 {
                query.board = game.board();
                policy.choose(std::slice::from_mut(&mut query));
                let Some(mv) = query.answer else {
                    assert!(game.board().is_over(), "{text} gives up in {}", game.board());
                    break;
                };
                assert!(game.play(mv).is_some(), "{text} plays illegally in {}", query.board);
            }
            assert!(game.record().plies.len() >= 2, "{text} from {position}");
            assert!(game.board().max_tile() >= 65536 || position.starts_with('f'));
        }
    }
}

/// The value of a board beyond the alphabet is that of the board it is downgraded to.
#[test]
fn large_boards_are_judged_as_the_ones_they_are_downgraded_to() {
    use maxtile_game::{Afterstate, Shape};
    let value = maxtile_lab::open_value("default", Shape::CLASSIC).unwrap();
    let at = |text: &str| value.value(text.parse::<Afterstate>().unwrap());
    assert_eq!(at("gfdc000000001200"), at("fedc000000001200"));
    assert!(at("hg00000000000012").is_finite());
}
