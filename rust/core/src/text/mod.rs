//! From text to tokens: code points, word boundaries, terms and stopwords.

pub mod lowercase;
pub mod offsets;
pub mod properties;
pub mod stopwords;
#[rustfmt::skip]
mod tables;
pub mod word_break;

pub use offsets::{InvalidText, Text};
