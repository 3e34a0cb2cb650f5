//! Any text is a position or an error; a position survives its three text forms and any move.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maxtile_game::Board;

fuzz_target!(|text: &str| {
    let Ok(board) = text.parse::<Board>() else { return };
    assert_eq!(board.to_string().parse(), Ok(board));
    assert_eq!(board.drawn().parse(), Ok(board));
    if board.shape().cells() > 1 {
        assert_eq!(board.to_rows().parse(), Ok(board));
    }
    for (mv, afterstate, reward) in board.afterstates().iter() {
        assert_eq!(board.slide(mv), Some((afterstate, reward)));
        assert_eq!(afterstate.tile_sum(), board.tile_sum());
        for spawn in afterstate.spawns() {
            let next = afterstate.spawn(spawn).expect("listed spawns can be");
            assert!(next.tile_sum() <= next.shape().max_tile_sum());
        }
    }
});
