//! Any bytes are records or an error; what is read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maxtile_records::{Form, read, write};

fuzz_target!(|bytes: &[u8]| {
    // From the inside of the object on: the fuzzer need not find the first fields.
    let mut file = br#"{"type":"game","version":1,"#.to_vec();
    file.extend(bytes);
    read(bytes).for_each(drop);
    for record in read(&file).flatten() {
        for form in [Form::Binary, Form::Json] {
            let again = write(&record, form).expect("a read record can be written");
            assert_eq!(read(&again).next(), Some(Ok(record.clone())));
        }
    }
});
