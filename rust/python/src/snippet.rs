//! Snippet selection.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;
use sid_core::snippet::memory::{Memory, DEFAULT_BUDGET, LEAST_BYTES};
use sid_core::snippet::Choice;
use sid_core::text::Text;

use crate::text::{detached, instruction_set, language, Encoded};

/// What the process remembers of texts.
static MEMORY: LazyLock<Memory<PyBackedStr>> = LazyLock::new(|| Memory::new(DEFAULT_BUDGET));

/// Up to so many bytes, a query of a text whose analysis is at hand takes less time than other threads would gain.
const KEEP_GIL_TO: usize = 1 << 16;

/// The code point span of `content` that best answers `query`; sizes count source tokens.
#[pyfunction]
pub(crate) fn snippet_span(
    query: &Bound<'_, PyString>,
    content: &Bound<'_, PyString>,
    window_size: NonZeroUsize,
    stride: NonZeroUsize,
    language: &str,
) -> PyResult<(usize, usize)> {
    let choice = Choice {
        window_size,
        stride,
        language: self::language(language)?,
        set: instruction_set(),
    };
    let query = Encoded::new(query)?;
    let encoded = Encoded::new(content)?;
    chosen(content, query.text()?, &encoded, choice)
}

/// Chooses a span of `content`, which `encoded` is the bytes of.
fn chosen(
    content: &Bound<'_, PyString>,
    query: Text<'_>,
    encoded: &Encoded<'_, '_>,
    choice: Choice,
) -> PyResult<(usize, usize)> {
    let text = encoded.text()?;
    if text.as_bytes().len() + query.as_bytes().len() <= KEEP_GIL_TO {
        if let Some(analysis) = MEMORY.at_place(text) {
            return Ok(choice.analysed_snippet_span(query, text, &analysis));
        }
    }
    let mut owner = None;
    // Only texts whose bytes live with the string can be kept alive by it.
    if text.as_bytes().len() >= LEAST_BYTES && matches!(encoded, Encoded::Utf8(_)) {
        owner = Some(PyBackedStr::try_from(content.clone())?);
    }
    let bytes = query.as_bytes().len() + text.as_bytes().len();
    Ok(detached(content.py(), bytes, || {
        match MEMORY.analysis(text, choice.set, || owner.take()) {
            Some(analysis) => choice.analysed_snippet_span(query, text, &analysis),
            None => choice.snippet_span(query, text),
        }
    }))
}

/// `(budget, used, texts, hits, misses, evictions)` of what is remembered; the first two in bytes.
#[pyfunction]
pub(crate) fn analysis_cache_info() -> (usize, usize, usize, u64, u64, u64) {
    let info = MEMORY.info();
    (
        info.budget,
        info.used,
        info.texts,
        info.hits,
        info.misses,
        info.evictions,
    )
}

/// Sets how many bytes may be remembered.
#[pyfunction]
pub(crate) fn resize_analysis_cache(budget: usize) {
    MEMORY.resize(budget);
}

/// Forgets all that is remembered.
#[pyfunction]
pub(crate) fn clear_analysis_cache() {
    MEMORY.clear();
}
