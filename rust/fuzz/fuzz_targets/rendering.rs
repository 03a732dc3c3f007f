#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| sid_fuzz::check::rendering(data));
