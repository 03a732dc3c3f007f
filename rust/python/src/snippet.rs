//! Snippet selection.

use std::num::NonZeroUsize;

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::text::{detached, instruction_set, language, Encoded};

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
    let set = instruction_set();
    let bytes = query_text.as_bytes().len() + content_text.as_bytes().len();
    Ok(detached(content.py(), bytes, || {
        sid_core::snippet::snippet_span(
            query_text,
            content_text,
            window_size,
            stride,
            language,
            set,
        )
    }))
}
