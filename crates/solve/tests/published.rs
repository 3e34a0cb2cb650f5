//! The published and independently computed numbers of section "complete analysis": counts and
//! expected scores to all printed digits.

use std::sync::atomic::AtomicBool;

use maxtile_solve::{Aim, Analysis, LAYERS_4X3, Region, Totals, Watch};

static NEVER: AtomicBool = AtomicBool::new(false);

fn watch() -> Watch<'static> {
    Watch { progress: &|_| (), stop: &NEVER }
}

fn analysis(text: &str, goal: Option<u8>, threads: usize) -> Analysis {
    let region: Region = text.parse().unwrap();
    Analysis::new(&region, goal, true, threads, watch()).unwrap()
}

fn check(text: &str, totals: [u64; 4], score: &str, threads: usize) -> Analysis {
    let analysis = analysis(text, None, threads);
    let [states, afterstates, terminal, last] = totals;
    let last_sum = last as u32;
    assert_eq!(analysis.totals(), Totals { states, afterstates, terminal, last_sum }, "{text}");
    let value = analysis.value(Aim::Score, 0.1, watch()).unwrap();
    assert_eq!(format!("{value:.6}"), score, "{text}");
    analysis
}

fn value(analysis: &Analysis, aim: Aim) -> String {
    format!("{:.12}", analysis.value(aim, 0.1, watch()).unwrap())
}

#[test]
fn boards_of_four_and_six_cells() {
    let two = check("2x2", [110, 67, 36, 60], "66.964149", 1);
    assert_eq!(value(&two, Aim::Reach(5)), "0.082887289072");
    let three = check("2x3", [21_752, 14_883, 4_484, 252], "480.258272", 1);
    assert_eq!(value(&three, Aim::Reach(7)), "0.056992160496");
    check("3x2", [21_752, 14_883, 4_484, 252], "480.258272", 1);
}

#[test]
fn board_of_eight_cells() {
    let four = check("2x4", [4_980_767, 3_406_686, 892_648, 1020], "2641.873036", 2);
    assert_eq!(value(&four, Aim::Reach(7)), "0.997312387875");
    assert_eq!(value(&four, Aim::Reach(9)), "0.024639333530");
    for (aim, expected) in [(Aim::Hostile, 112.0), (Aim::Friendly, 7140.0)] {
        assert_eq!(four.value(aim, 0.1, watch()), Some(expected));
    }
    // One thread or two: the same sets, and the same value to the last bit.
    let alone = analysis("2x4", None, 1);
    assert_eq!(alone.layers(), four.layers());
    let bits = |a: &Analysis| a.value(Aim::Score, 0.1, watch()).unwrap().to_bits();
    assert_eq!(bits(&alone), bits(&four));
}

/// The game that ends at a tile has the same chance of it as the whole game.
#[test]
fn games_that_end_at_a_tile() {
    let (ends, whole) = (analysis("2x4", Some(7), 2), analysis("2x4", None, 2));
    assert!(ends.totals().states < whole.totals().states / 2);
    let (a, b) = (value(&ends, Aim::Reach(7)), value(&whole, Aim::Reach(7)));
    assert_eq!((a.as_str(), b.as_str()), ("0.997312387875", "0.997312387875"));
}

/// The first layers of 4×3. The game ends at 64 here, which no layer up to tile sum 62 can tell
/// from the whole game.
#[test]
fn first_layers_of_twelve_cells() {
    let region: Region = "4x3".parse().unwrap();
    let stop = AtomicBool::new(false);
    let found = std::sync::Mutex::new(Vec::new());
    let progress = |p: maxtile_solve::Progress| {
        found.lock().unwrap().push((p.sum, p.states));
        stop.store(p.sum >= 60, std::sync::atomic::Ordering::Relaxed);
    };
    let watch = Watch { progress: &progress, stop: &stop };
    assert!(Analysis::new(&region, Some(6), true, 2, watch).is_none(), "it was stopped");
    let found = found.into_inner().unwrap();
    for layer in LAYERS_4X3.iter().filter(|layer| layer.0 <= 60) {
        assert!(found.contains(layer), "{layer:?}");
    }
}

/// `./check --full`: all of 3×3.
#[test]
#[ignore = "half a minute"]
fn board_of_nine_cells() {
    let nine = check("3x3", [48_713_519, 31_431_374, 7_388_502, 2044], "5468.486797", 2);
    let largest = nine.layers().iter().max_by_key(|layer| layer.states).unwrap();
    assert_eq!((largest.sum, largest.states), (1200, 93_061));
    assert_eq!(value(&nine, Aim::Reach(8))[..10], *"0.99570964");
    assert_eq!(value(&nine, Aim::Reach(9)), "0.736774177023");
    assert_eq!(value(&nine, Aim::Reach(10)), "0.011337880083");
}

/// `./check --full`: the first 59 layers of 4×3, whole game.
#[test]
#[ignore = "a minute"]
fn first_59_layers_of_twelve_cells() {
    let region: Region = "4x3".parse().unwrap();
    let stop = AtomicBool::new(false);
    let found = std::sync::Mutex::new(Vec::new());
    let progress = |p: maxtile_solve::Progress| {
        found.lock().unwrap().push((p.sum, p.states));
        stop.store(p.sum >= 120, std::sync::atomic::Ordering::Relaxed);
    };
    let watch = Watch { progress: &progress, stop: &stop };
    assert!(Analysis::new(&region, None, true, 2, watch).is_none(), "it was stopped");
    let found = found.into_inner().unwrap();
    assert_eq!(found.len(), 59);
    for layer in LAYERS_4X3.iter().filter(|layer| layer.0 <= 120) {
        assert!(found.contains(layer), "{layer:?}");
    }
    // All 59 published counts, one a line, have this checksum.
    let lines: String = found.iter().map(|(_, states)| format!("{states}\n")).collect();
    assert_eq!(crc32fast::hash(lines.as_bytes()), CRC_OF_59);
}

const CRC_OF_59: u32 = 0x8f3b_e17f;
