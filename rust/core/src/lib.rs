//! The core of sid-native: everything between a document's text and what a language model is shown of it.
//!
//! The crate knows nothing of Python. Text comes in as [`text::Text`]: UTF-8 that may also hold lone surrogates, as
//! Python strings do. Every offset that leaves the crate counts Unicode code points, unless its name says bytes.

#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

mod bm25;
pub mod ids;
pub mod intervals;
pub mod ledger;
pub mod parallel;
pub mod ranking;
pub mod render;
pub mod snippet;
#[cfg(test)]
mod testing;
pub mod text;
mod work;
