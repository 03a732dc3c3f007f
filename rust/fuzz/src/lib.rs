//! The core against naive models.
//!
//! [`input`] makes texts and numbers of a fuzzer's bytes, [`model`] says by the letter what must come out of them, and
//! [`check`] holds the core to it. The targets in `fuzz_targets` only call a check; [`seeds`] are inputs to start from.

#![deny(missing_docs, unsafe_code)]

pub mod check;
pub mod input;
pub mod model;
pub mod seeds;
