//! What a seed means, pinned for ever: the generator, the streams, the starts, the spawns.
//!
//! A change of any literal here makes every recorded seed mean another game.

use maxtile_game::{Afterstate, Game, GameSeed, Grid, Random, Rules, Shape, Spawn, SpawnLaw};

#[test]
fn first_outputs_of_two_streams() {
    let expected: [(u64, [u64; 20]); 2] = [
        (
            0,
            [
                0x704560ced7cc0501,
                0x4eef90036c89c53a,
                0xdce05af2ba1364d7,
                0xe019c82160dbbf4c,
                0x6e7a461e9e4b7686,
                0x396ebf4cea28a8f0,
                0xc112645ab690b517,
                0x284f0558ce6347d3,
                0x2402e23546231839,
                0x7b6545c8b76a9e62,
                0x9a858be4f8f16383,
                0x76ff865b119a7b4b,
                0xd6be2459d95a68b4,
                0xdb047d944abeee52,
                0x4623f9d90cd4a705,
                0x1e21e6752e925f2d,
                0x45160b3ec6317a35,
                0x4fdd04809a170572,
                0x104b88aab6c1570d,
                0xd436d5015631cf58,
            ],
        ),
        (
            1,
            [
                0x8d6176e2f1f41696,
                0x4488d4fc02c8f1e9,
                0x0f2c0ec18a408301,
                0x4e7048398adb36f3,
                0x80c9ae22d3f4c057,
                0x9a10d049d0ac7944,
                0x44371a38c8d7a76e,
                0x70cf8259b638a872,
                0xa5021a294de03c03,
                0xc14d1602d9960773,
                0xbdace252dc152ceb,
                0xe36edbf4fb633a7b,
                0xd05c914b1cf9f4d9,
                0xeb01c57c1f890632,
                0x044ab33d82a2d5f9,
                0x1547e91fab2dcd3f,
                0xd48a1f2d5540e077,
                0xe44ab7c727523d9c,
                0xbc04a1add9ec111a,
                0x710cb9b6d5d19d96,
            ],
        ),
    ];
    for (index, outputs) in expected {
        let mut random = Random::stream(1, index);
        assert_eq!(outputs.map(|_| random.next_u64()), outputs, "stream(1, {index})");
    }
}

/// A game without a policy's randomness: at ply k the (k mod n)-th of n legal moves.
fn played(shape: Shape, index: u64) -> Game {
    let mut game = Game::new(Rules::of(shape), GameSeed { run: 7, index });
    for k in 0.. {
        let legal = game.board().legal_moves();
        if legal.is_empty() {
            break;
        }
        game.play(legal.nth(k % legal.len()).expect("one of them")).expect("legal");
    }
    game
}

#[test]
fn games_of_run_7() {
    let expected: [(u64, &str, &str, u32, usize); 12] = [
        (0, "0000000000100002", "2421124335721341", 1040, 110),
        (1, "0000000000000110", "1212434137631232", 1208, 124),
        (2, "1000000000001000", "1762213134122351", 1292, 134),
        (3, "0002010000000000", "1531217445122121", 1116, 119),
        (0, "3x3:000001001", "3x3:121252323", 168, 30),
        (1, "3x3:000000011", "3x3:141532123", 212, 36),
        (2, "3x3:100000010", "3x3:232343132", 108, 25),
        (3, "3x3:010100000", "3x3:121342231", 88, 22),
        (0, "2x5:0000002001", "2x5:3131225121", 160, 29),
        (1, "2x5:0000000011", "2x5:1214325321", 208, 36),
        (2, "2x5:1000000020", "2x5:1412121512", 160, 26),
        (3, "2x5:0101000000", "2x5:3514224321", 252, 42),
    ];
    for (index, start, end, score, plies) in expected {
        let shape = start.parse::<Grid>().expect("a position").shape();
        let game = played(shape, index);
        let got = (game.record().start.to_string(), game.board().to_string());
        assert_eq!((got.0.as_str(), got.1.as_str()), (start, end), "{shape} 7/{index}");
        assert_eq!((game.score(), game.record().plies.len()), (score, plies), "{shape} 7/{index}");
    }
}

#[test]
fn tiles_appear_uniformly_and_one_in_ten_is_a_4() {
    const DRAWS: u32 = 160_000;
    // 16, 9 and 5 empty cells, some of them between tiles.
    for position in ["0000000000000000", "3x3:000000000", "1230012012001212"] {
        let afterstate: Afterstate = position.parse().expect("a position");
        let mut random = Random::stream(3, 0);
        let (mut cells, mut fours) = ([0u32; 16], [0u32; 16]);
        for _ in 0..DRAWS {
            let spawn = SpawnLaw::default().draw(afterstate, &mut random);
            cells[spawn.cell as usize] += 1;
            fours[spawn.cell as usize] += u32::from(spawn.exponent == 2);
        }
        let empty: Vec<usize> = afterstate.empty_cells().collect();
        let expected = f64::from(DRAWS) / empty.len() as f64;
        assert_eq!(empty.iter().map(|&cell| cells[cell]).sum::<u32>(), DRAWS, "{position}");
        // Five standard deviations above the mean of chi-square, for cells and for 4s by cell.
        let degrees = empty.len() as f64;
        let limit = degrees + 5.0 * (2.0 * degrees).sqrt();
        let chi = |counts: &[u32; 16], mean: f64, variance: f64| -> f64 {
            empty.iter().map(|&cell| (f64::from(counts[cell]) - mean).powi(2) / variance).sum()
        };
        let by_cell = chi(&cells, expected, expected);
        assert!(by_cell < limit, "{position}: {by_cell} of {limit}");
        let by_four = chi(&fours, 0.1 * expected, 0.1 * expected);
        assert!(by_four < limit, "{position}: {by_four} of {limit}");
        let rate = f64::from(fours.iter().sum::<u32>()) / f64::from(DRAWS);
        let deviation = (0.1 * 0.9 / f64::from(DRAWS)).sqrt();
        assert!((rate - 0.1).abs() < 4.0 * deviation, "{position}: {rate}");
    }
}

#[test]
fn without_and_with_nothing_but_4s() {
    let mut random = Random::stream(4, 0);
    for (p4, exponent) in [(0.0, 1), (1.0, 2)] {
        let law = SpawnLaw::new(p4).expect("a probability");
        let afterstate = Afterstate::empty(Shape::CLASSIC);
        for _ in 0..100_000 {
            assert_eq!(law.draw(afterstate, &mut random).exponent, exponent, "{p4}");
        }
        let outcomes: Vec<_> = law.outcomes(afterstate).collect();
        let expected = |cell| (Spawn { cell, exponent }, 1.0 / 16.0);
        assert_eq!(outcomes, (0..16).map(expected).collect::<Vec<_>>());
    }
    for p4 in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(SpawnLaw::new(p4).is_err(), "{p4}");
    }
    assert!(SpawnLaw::new(-0.0).expect("a probability").p4().is_sign_positive());
}

/// The smallest and the largest number there is, from states made for them.
#[test]
fn the_ends_of_a_draw() {
    let spawn = |p4: f64, state: [u64; 4]| {
        let mut random = Random::from_state(state).expect("a state");
        let law = SpawnLaw::new(p4).expect("a probability");
        law.draw(Afterstate::empty(Shape::CLASSIC), &mut random)
    };
    let (zero, ones) = ([0, 1, 0, 0], [u64::MAX, 0, 0, 1]);
    assert_eq!(Random::from_state(zero).map(|mut random| random.next_u64()), Some(0));
    assert_eq!(Random::from_state(ones).map(|mut random| random.next_u64()), Some(u64::MAX));
    assert_eq!(spawn(0.0, zero), Spawn { cell: 0, exponent: 1 });
    assert_eq!(spawn(0.1, zero), Spawn { cell: 0, exponent: 2 });
    assert_eq!(spawn(0.1, ones), Spawn { cell: 15, exponent: 1 });
    assert_eq!(spawn(1.0, ones), Spawn { cell: 15, exponent: 2 });
}

#[test]
fn a_draw_takes_one_number_however_many_cells_are_empty() {
    for position in ["0000000000000000", "1230012012001212", "1212212112122120"] {
        let afterstate: Afterstate = position.parse().expect("a position");
        let (mut drawn, mut counted) = (Random::stream(5, 0), Random::stream(5, 0));
        for _ in 0..100 {
            SpawnLaw::default().draw(afterstate, &mut drawn);
            counted.next_u64();
        }
        assert_eq!(drawn, counted, "{position}");
    }
}
