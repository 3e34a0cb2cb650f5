//! Any line is a query or an error that names a field; a query names positions of its game.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maxtile_lab::protocol::Query;

fuzz_target!(|line: &[u8]| {
    match Query::parse(line) {
        Ok(query) => {
            assert!(query.id.is_string() || query.id.is_number());
            assert!(query.turns.iter().all(|(_, board)| board.shape() == query.rules.shape));
        }
        Err(refusal) => assert!(!refusal.field.is_empty() && !refusal.error.is_empty()),
    }
});
