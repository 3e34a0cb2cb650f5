//! Any bytes are records or an error; what is read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maxtile_records::{Form, read, write};

fuzz_target!(|bytes: &[u8]| {
    // With the magic in front, and the checksum made right, the fuzzer gets to the plies.
    let mut file = b"mtg1".to_vec();
    file.extend(bytes);
    read(&file).for_each(drop);
    let crc = crc32(&file);
    file.extend(crc.to_le_bytes());
    for record in read(&file).flatten() {
        for form in [Form::Binary, Form::Json] {
            let again = write(&record, form).expect("a read record can be written");
            assert_eq!(read(&again).next(), Some(Ok(record.clone())));
        }
    }
});

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ if crc & 1 != 0 { 0xedb8_8320 } else { 0 };
        }
    }
    !crc
}
