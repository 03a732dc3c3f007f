//! BM25 over whole documents.

use pyo3::prelude::*;
use pyo3::types::PyString;
use sid_core::ranking::scores;

use crate::text::{detached, instruction_set, language, Encoded};

/// `(score, matched, length)` of each text for the distinct terms: its BM25 among these texts alone, how many of the terms
/// it holds, and its kept tokens.
#[pyfunction]
pub(crate) fn bm25_scores(
    py: Python<'_>,
    terms: Vec<Bound<'_, PyString>>,
    texts: Vec<Bound<'_, PyString>>,
    language: &str,
) -> PyResult<Vec<(f64, usize, usize)>> {
    let language = self::language(language)?;
    let encode = |strings| -> PyResult<Vec<Encoded<'_, '_>>> {
        <[Bound<'_, PyString>]>::iter(strings)
            .map(Encoded::new)
            .collect()
    };
    let (terms, texts) = (encode(&terms)?, encode(&texts)?);
    let terms = terms
        .iter()
        .map(Encoded::text)
        .collect::<PyResult<Vec<_>>>()?;
    let texts = texts
        .iter()
        .map(Encoded::text)
        .collect::<PyResult<Vec<_>>>()?;
    let bytes = texts.iter().map(|text| text.as_bytes().len()).sum();
    let scored = detached(py, bytes, || {
        scores(&terms, &texts, language, instruction_set())
    });
    Ok(scored
        .iter()
        .map(|one| (one.score, one.matched, one.length))
        .collect())
}
