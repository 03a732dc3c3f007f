//! Snippet selection.

use std::num::NonZeroUsize;

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::text::{detached, language, Encoded};

/// The code point span of `content` that best answers `query`; sizes count source tokens.
#[pyfunction]
pub(crate) fn snippet_span(
    query: &Bound<'_, PyString>,
    content: &Bound<'_, PyString>,
    window_size: NonZeroUsize,
    stride: NonZeroUsize,
    language: &str,
) -> PyResult<(usize, usize)> {
    let language = self::language(language)?;
    let (query_encoded, content_encoded) = (Encoded::new(query)?, Encoded::new(content)?);
    let (query_text, content_text) = (query_encoded.text()?, content_encoded.text()?);
    Ok(detached(content.py(), content_text, || {
        sid_core::snippet::snippet_span(query_text, content_text, window_size, stride, language)
    }))
}
