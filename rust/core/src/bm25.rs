//! The formula of BM25. Its operations have an order: both backends give the same bits.

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The inverse document frequency of what `containing` of `total` documents hold.
#[inline]
pub(crate) fn idf(total: usize, containing: usize) -> f64 {
    let (total, containing) = (total as f64, containing as f64);
    (1.0 + (total - containing + 0.5) / (containing + 0.5)).ln()
}

/// What is added to the term frequency below the line for a document of a length.
#[inline]
pub(crate) fn norm(length: usize, average: f64) -> f64 {
    K1 * (1.0 - B + B * length as f64 / average)
}

/// What a feature adds to the score of a document that holds it `frequency` times.
#[inline]
pub(crate) fn part(idf: f64, frequency: usize, norm: f64) -> f64 {
    let frequency = frequency as f64;
    idf * (frequency * (K1 + 1.0)) / (frequency + norm)
}
