//! What must come out, rule by rule, as slow as may be. Texts are slices of code points, offsets count code points.
//!
//! Nothing here uses the core or its tables: Unicode's properties come from ICU4X, stopwords from their list.

pub mod analysis;
pub mod masking;
pub mod rendering;
pub mod snippet;
pub mod unicode;
pub mod word_break;
