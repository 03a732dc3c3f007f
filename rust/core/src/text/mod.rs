//! From text to tokens: code points, word boundaries, terms and stopwords.

pub mod ascii;
mod letters;
pub mod lowercase;
pub mod offsets;
pub mod properties;
pub mod scan;
pub mod stopwords;
#[rustfmt::skip]
mod tables;
pub mod term;
pub mod word_break;

pub use offsets::{InvalidText, Text};
