//! Any bytes are a packed network or an error. Small networks only: the header may ask for much.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maxtile_ntuple::{Compact, about_packed};

fuzz_target!(|bytes: &[u8]| {
    if about_packed(bytes).is_ok_and(|(about, _)| about.spec.weights() < 1 << 20) {
        let _ = Compact::read(bytes);
    }
});
