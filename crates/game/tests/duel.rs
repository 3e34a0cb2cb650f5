//! Duels: turns, what may be placed, and that the record of one is a game like any other.

use maxtile_game::{
    Duel, DuelPly, DuelRules, Move, Phase, PlaceError, Random, Shape, Spawn, SpawnReason, Tiles,
    Variant,
};

/// Both play at random, to the end.
fn random_duel(rules: DuelRules, seed: u64) -> Duel {
    let mut duel = Duel::new(rules, Random::stream(seed, 0));
    let mut own = Random::stream(seed, 1);
    loop {
        match duel.phase() {
            Phase::Attack(afterstate, tiles) => {
                let all: Vec<Spawn> = tiles.placements(afterstate).collect();
                duel.place(all[own.below(all.len() as u64) as usize]).unwrap();
            }
            Phase::Defend(board) => {
                let legal = board.legal_moves();
                let mv = legal.nth(own.below(legal.len() as u64) as usize).unwrap();
                assert!(duel.slide(mv).is_some());
            }
            Phase::Over(board) => {
                assert!(board.is_over());
                return duel;
            }
        }
    }
}

fn placed(duel: &Duel) -> Vec<u8> {
    let exponent = |ply: &DuelPly| match ply {
        DuelPly::Place(spawn) => Some(spawn.exponent),
        DuelPly::Slide(_) => None,
    };
    duel.plies().iter().filter_map(exponent).collect()
}

#[test]
fn two_placements_and_then_in_turns() {
    for shape in Shape::all() {
        for variant in Variant::ALL {
            let duel = random_duel(DuelRules { shape, variant, ..DuelRules::default() }, 5);
            let opening = shape.cells().min(2);
            for (index, ply) in duel.plies().iter().enumerate() {
                let attacks = index < opening || (index - opening) % 2 == 1;
                assert_eq!(matches!(ply, DuelPly::Place(_)), attacks, "{shape} {index}");
            }
        }
    }
}

#[test]
fn the_record_replays_to_the_same_end() {
    for variant in Variant::ALL {
        for seed in 0..200 {
            let shape = Shape::new(3, 3 + (seed % 2) as usize).unwrap();
            let duel = random_duel(DuelRules { shape, variant, ..DuelRules::default() }, seed);
            let record = duel.record("the defender", "the attacker").unwrap();
            let last = record.replay().unwrap();
            assert_eq!(last.score, duel.score());
            assert_eq!(duel.phase(), Phase::Over(last.board));
            assert_eq!(record.attacker.as_deref(), Some("the attacker"));
        }
    }
}

#[test]
fn variants_differ_in_the_tiles() {
    let tiles = |variant| -> Vec<u8> {
        let rules = DuelRules { variant, ..DuelRules::default() };
        (0..60).flat_map(|seed| placed(&random_duel(rules, seed))).collect()
    };
    let share = |tiles: &[u8]| {
        let fours: u32 = tiles.iter().map(|&exponent| u32::from(exponent) - 1).sum();
        f64::from(fours) / tiles.len() as f64
    };
    assert!(tiles(Variant::Twos).iter().all(|&exponent| exponent == 1));
    let (drawn, free) = (share(&tiles(Variant::Drawn)), share(&tiles(Variant::Free)));
    assert!((0.085..0.115).contains(&drawn), "{drawn}");
    assert!((0.47..0.53).contains(&free), "{free}");
}

#[test]
fn what_is_not_allowed_changes_nothing() {
    let place = |cell, exponent| Spawn { cell, exponent };
    let rules = DuelRules { variant: Variant::Twos, ..DuelRules::default() };
    let mut duel = Duel::new(rules, Random::new(1));
    assert_eq!(duel.slide(Move::Left), None, "the attacker begins");
    assert_eq!(duel.place(place(0, 2)), Err(PlaceError::OtherTile(Tiles::Two)));
    duel.place(place(0, 1)).unwrap();
    let Err(PlaceError::Spawn(error)) = duel.place(place(0, 1)) else { panic!("occupied") };
    assert_eq!(error.reason, SpawnReason::Occupied);
    assert!(duel.place(place(16, 1)).is_err());
    assert!(duel.record("", "").is_none(), "half an opening is no start");
    duel.place(place(1, 1)).unwrap();
    assert_eq!(duel.place(place(5, 1)), Err(PlaceError::NotHisTurn));
    assert_eq!(duel.slide(Move::Up), None, "nothing would move");
    assert_eq!((duel.score(), duel.plies().len()), (0, 2));
    assert_eq!(duel.slide(Move::Left), Some(4));
    assert_eq!(duel.record("", "").unwrap().plies.len(), 0, "an unanswered slide is left out");
}

/// The same draw again after an undo: a duel cannot be asked for a better tile.
#[test]
fn undo_brings_back_the_draw() {
    let rules = DuelRules { variant: Variant::Drawn, ..DuelRules::default() };
    let duel = random_duel(rules, 3);
    let mut again = duel.clone();
    while again.undo() {}
    assert_eq!(again.score(), 0);
    for ply in duel.plies() {
        match *ply {
            DuelPly::Place(spawn) => again.place(spawn).unwrap(),
            DuelPly::Slide(mv) => assert!(again.slide(mv).is_some()),
        }
    }
    assert_eq!((again.phase(), again.score()), (duel.phase(), duel.score()));
}

#[test]
fn names_of_variants() {
    for variant in Variant::ALL {
        assert_eq!(variant.to_string().parse(), Ok(variant));
    }
    assert!("Free".parse::<Variant>().is_err());
}
