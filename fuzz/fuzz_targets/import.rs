//! Any bytes are games that replay, or one sentence.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maxtile_records::import;

fuzz_target!(|bytes: &[u8]| {
    // With the heads of the text forms in front: the fuzzer need not find them.
    for head in ["", "4x4-a_", "2x3:110000 ", "replay "] {
        let text = [head.as_bytes(), bytes].concat();
        match import(&text) {
            Ok(found) => {
                assert!(!found.records.is_empty());
                assert!(found.records.iter().all(|record| record.replay().is_ok()));
            }
            Err(error) => assert!(!error.to_string().contains('\n')),
        }
    }
});
