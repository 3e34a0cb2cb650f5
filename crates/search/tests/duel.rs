//! Alpha-beta against plain minimax, which has neither windows nor order nor table, and computes in
//! floating point.

mod duel_twin;

use duel_twin::{Minimax, Noise, positions, tolerance};
use maxtile_game::{Afterstate, Board, Random, Shape, SpawnLaw, Tiles, Variant};
use maxtile_search::{
    Answered, Chance, Dial, DuelSearch, DuelSettings, DuelValue, Duelist, LeafRule, Limits, Pair,
    Value, WHOLE_GAME,
};

const RULES: [LeafRule; 3] = [LeafRule::Paper, LeafRule::Defender, LeafRule::Attacker];

/// Compares all root values of both sides, by every rule of leaves.
fn compare<V: DuelValue + Copy>(value: V, variant: Variant, positions: &[Board], depth: u8) {
    for (index, &board) in positions.iter().enumerate() {
        // Each position by one rule and one way of searching, in turn.
        let leaves = RULES[index % 3];
        let settings = DuelSettings {
            variant,
            leaves,
            table: if index % 5 == 0 { 0 } else { 1 << 20 },
            ordering: index % 7 != 0,
            wide: index % 4 == 1,
            ..DuelSettings::new(Limits::depth(depth))
        };
        let mut search = DuelSearch::new(value, settings).unwrap();
        let twin = Minimax { value: &value, variant, p4: 0.1, leaves };
        let close = |ours: f64, theirs: f64, what: &str| {
            let off = (ours - theirs).abs();
            assert!(
                off <= tolerance(variant, depth),
                "{board} {variant} {leaves} {what}: {ours} {theirs}"
            );
        };
        let Some(best) = search.defend(board, false) else { continue };
        let slides = twin.slides(board, depth);
        let most = slides.iter().map(|slide| slide.1).fold(f64::NEG_INFINITY, f64::max);
        close(best.value, most, "the best slide");
        let played = slides.iter().find(|slide| slide.0 == best.best).unwrap().1;
        close(played, most, "the slide that is played");
        for (mv, worth) in search.defend(board, true).unwrap().worths {
            close(worth, slides.iter().find(|slide| slide.0 == mv).unwrap().1, "each slide");
        }
        // The attacker after one of the slides.
        let (_, afterstate, _) = board.afterstates().iter().next().unwrap();
        let tiles = match variant {
            Variant::Free => Tiles::Any,
            Variant::Twos => Tiles::Two,
            Variant::Drawn if index % 2 == 0 => Tiles::Two,
            Variant::Drawn => Tiles::Four,
        };
        let placements = twin.placements(afterstate, tiles, depth);
        let least = placements.iter().map(|place| place.1).fold(f64::INFINITY, f64::min);
        let best = search.attack(afterstate, tiles, false).unwrap();
        close(best.value, least, "the best placement");
        let played = placements.iter().find(|place| place.0 == best.best).unwrap().1;
        close(played, least, "the placement that is played");
        for (spawn, worth) in search.attack(afterstate, tiles, true).unwrap().worths {
            let theirs = placements.iter().find(|place| place.0 == spawn).unwrap().1;
            close(worth, theirs, "each placement");
        }
    }
}

/// `./check --full` does the same with 2,000 positions at each depth.
#[test]
#[ignore = "minutes"]
fn equals_plain_minimax_on_two_thousand_positions() {
    let pair = Pair { defender: Noise(1), attacker: Noise(2) };
    for variant in Variant::ALL {
        for depth in 1..=4 {
            compare(pair, variant, &positions(10 + u64::from(depth), 2_000, Shape::CLASSIC), depth);
        }
    }
}

#[test]
fn equals_plain_minimax() {
    let pair = Pair { defender: Noise(1), attacker: Noise(2) };
    for variant in Variant::ALL {
        for (depth, count) in [(1, 120), (2, 120), (3, 60), (4, 12)] {
            let positions = positions(u64::from(depth), count, Shape::CLASSIC);
            compare(pair, variant, &positions, depth);
            compare(Answered(Noise(3)), variant, &positions[..count / 3], depth);
        }
    }
}

#[test]
fn other_laws_draw_otherwise() {
    for p4 in [0.0, 0.5, 1.0] {
        let pair = Pair { defender: Noise(1), attacker: Noise(2) };
        let law = SpawnLaw::new(p4).unwrap();
        let settings =
            DuelSettings { variant: Variant::Drawn, law, ..DuelSettings::new(Limits::depth(3)) };
        let mut search = DuelSearch::new(pair, settings).unwrap();
        let leaves = LeafRule::Paper;
        let twin = Minimax { value: &pair, variant: Variant::Drawn, p4, leaves };
        for board in positions(9, 20, Shape::CLASSIC) {
            let ours = search.defend(board, false).unwrap().value;
            let slides = twin.slides(board, 3);
            let theirs = slides.iter().map(|slide| slide.1).fold(f64::NEG_INFINITY, f64::max);
            assert!((ours - theirs).abs() <= tolerance(Variant::Drawn, 3), "{p4} {board}");
        }
    }
}

/// Deeper iterations and a table full of other positions change nothing.
#[test]
fn the_table_never_changes_a_value() {
    let pair = Pair { defender: Noise(5), attacker: Noise(6) };
    let settings = DuelSettings::new(Limits::depth(4));
    let mut small = DuelSearch::new(pair, DuelSettings { table: 1 << 12, ..settings }).unwrap();
    let mut none = DuelSearch::new(pair, DuelSettings { table: 0, ..settings }).unwrap();
    let mut large = DuelSearch::new(pair, DuelSettings { table: 1 << 22, ..settings }).unwrap();
    for board in positions(4, 60, Shape::CLASSIC) {
        let [a, b, c] =
            [&mut small, &mut none, &mut large].map(|search| search.defend(board, false).unwrap());
        assert_eq!((a.value, a.best), (b.value, b.best), "{board}");
        assert_eq!((c.value, c.best), (b.value, b.best), "{board}");
    }
}

/// 8 points on 2×2 and 40 on 2×3 are what the defender can force: known from complete analysis.
#[test]
fn whole_games_have_their_known_values() {
    let limits = Limits { depth: WHOLE_GAME, ..Limits::depth(1) };
    for (shape, value) in [("2x2", 8.0), ("2x3", 40.0)] {
        let settings = DuelSettings { table: 1 << 24, ..DuelSettings::new(limits) };
        let mut search = DuelSearch::new(Answered(Noise(1)), settings).unwrap();
        let empty = Afterstate::empty(shape.parse().unwrap());
        let opening = search.attack(empty, Tiles::Any, false).unwrap();
        assert_eq!((opening.value, opening.exact), (value, true), "{shape}");
    }
}

/// A search that has seen every game to its end says so, and stops deepening.
#[test]
fn short_games_are_known_exactly() {
    for text in ["1x3:110", "1x4:1010"] {
        let board: Board = text.parse().unwrap();
        let settings = DuelSettings { table: 0, ..DuelSettings::new(Limits::depth(60)) };
        let pair = Pair { defender: Noise(1), attacker: Noise(2) };
        let choice = DuelSearch::new(pair, settings).unwrap().defend(board, true).unwrap();
        assert!(choice.exact && choice.depth < 60, "{text}: {choice:?}");
        let limits = Limits { depth: WHOLE_GAME, ..Limits::depth(1) };
        let settings = DuelSettings { limits, ..settings };
        let whole = DuelSearch::new(pair, settings).unwrap().defend(board, true).unwrap();
        // Equal slides may stand in any order.
        let by_move = |mut worths: Vec<(maxtile_game::Move, f64)>| {
            worths.sort_by_key(|(mv, _)| mv.index());
            worths
        };
        assert_eq!(by_move(choice.worths), by_move(whole.worths), "{text}");
    }
}

#[test]
fn limits_of_nodes_are_kept() {
    let pair = Pair { defender: Noise(1), attacker: Noise(2) };
    let mut search = DuelSearch::new(pair, DuelSettings::new(Limits::nodes(20_000))).unwrap();
    for board in positions(1, 10, Shape::CLASSIC) {
        let choice = search.defend(board, false).unwrap();
        assert!(choice.counts.leaves < 24_000 && choice.depth >= 2, "{:?}", choice.counts);
    }
}

/// Hostility 0 is the ordinary game's spawn, 1 the enemy's; between them the share is right.
#[test]
fn the_dial_goes_from_chance_to_enemy() {
    struct Corner;
    impl Duelist for Corner {
        fn slide(&mut self, _: Board, _: &mut Random) -> Option<maxtile_game::Move> {
            None
        }
        fn place(
            &mut self,
            _: Afterstate,
            _: Tiles,
            _: &mut Random,
        ) -> Option<maxtile_game::Spawn> {
            Some(maxtile_game::Spawn { cell: 15, exponent: 2 })
        }
    }
    let afterstate: Afterstate = "1234000000000000".parse().unwrap();
    for hostility in [0.0, 0.3, 1.0] {
        let mut dial = Dial { hostility, chance: Chance::default(), player: Corner };
        let mut random = Random::new(7);
        let hits = (0..4_000)
            .filter(|_| {
                let spawn = dial.place(afterstate, Tiles::Any, &mut random).unwrap();
                (spawn.cell, spawn.exponent) == (15, 2)
            })
            .count();
        // Chance itself does it once in 120.
        let expected = 4_000.0 * (hostility + (1.0 - hostility) / 120.0);
        assert!((hits as f64 - expected).abs() < 120.0, "{hostility}: {hits}");
    }
}

/// The evaluation that is asked depends on who moved last, as the paper has it.
#[test]
fn parity_decides_whose_value_is_asked() {
    struct Flat(f32);
    impl Value for Flat {
        fn values(&self, _: &[Afterstate], out: &mut [f32]) {
            out.fill(self.0);
        }
    }
    let (defender, attacker) = (10_000.0, 50_000.0);
    let board: Board = "1000020000300004".parse().unwrap();
    let (_, afterstate, _) = board.afterstates().iter().next().unwrap();
    let value = |leaves, depth, attacks: bool| {
        let pair = Pair { defender: Flat(defender), attacker: Flat(attacker) };
        let settings = DuelSettings { leaves, ..DuelSettings::new(Limits::depth(depth)) };
        let mut search = DuelSearch::new(pair, settings).unwrap();
        let value = if attacks {
            search.attack(afterstate, Tiles::Any, false).unwrap().value
        } else {
            search.defend(board, false).unwrap().value
        };
        // Rewards are small change.
        if value < 30_000.0 { "defender" } else { "attacker" }
    };
    for depth in 1..=4 {
        let own = depth % 2 == 1;
        let (by_defender, by_attacker) =
            if own { ("defender", "attacker") } else { ("attacker", "defender") };
        assert_eq!(value(LeafRule::Paper, depth, false), by_defender);
        assert_eq!(value(LeafRule::Paper, depth, true), by_attacker);
        for attacks in [false, true] {
            assert_eq!(value(LeafRule::Defender, depth, attacks), "defender");
            assert_eq!(value(LeafRule::Attacker, depth, attacks), "attacker");
        }
    }
}
