//! Many snippets at once.

use std::num::NonZeroUsize;

use pyo3::prelude::*;
use pyo3::types::PyString;
use sid_core::parallel;

use crate::text::{detached, instruction_set, language, Encoded};

/// The spans that `snippet_span` gives for each query and the content at its place, found by at most so many threads.
#[pyfunction]
pub(crate) fn snippet_spans(
    py: Python<'_>,
    queries: Vec<Bound<'_, PyString>>,
    contents: Vec<Bound<'_, PyString>>,
    window_size: NonZeroUsize,
    stride: NonZeroUsize,
    language: &str,
    threads: usize,
) -> PyResult<Vec<(usize, usize)>> {
    let language = self::language(language)?;
    let (queries, contents) = (encoded(&queries)?, encoded(&contents)?);
    let mut pairs = Vec::with_capacity(contents.len());
    for (query, content) in queries.iter().zip(&contents) {
        pairs.push((query.text()?, content.text()?));
    }
    let bytes = pairs
        .iter()
        .map(|(query, content)| query.as_bytes().len() + content.as_bytes().len())
        .sum();
    let set = instruction_set();
    Ok(detached(py, bytes, || {
        parallel::map(&pairs, bytes, threads, |&(query, content)| {
            sid_core::snippet::snippet_span(query, content, window_size, stride, language, set)
        })
    }))
}

fn encoded<'a, 'py>(texts: &'a [Bound<'py, PyString>]) -> PyResult<Vec<Encoded<'a, 'py>>> {
    texts.iter().map(Encoded::new).collect()
}
