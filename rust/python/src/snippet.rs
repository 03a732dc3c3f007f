//! Snippet selection.

use std::num::NonZeroUsize;
use std::sync::{LazyLock, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;
use sid_core::parallel;
use sid_core::snippet::memory::{Memory, DEFAULT_BUDGET, LEAST_BYTES};
use sid_core::snippet::{Asked, Choice};
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
    let (query, text) = (query.text()?, encoded.text()?);
    if query.as_bytes().len() + text.as_bytes().len() <= KEEP_GIL_TO {
        if let Some(analysis) = MEMORY.at_place(text) {
            return Ok(choice.analysed_snippet_span(query, text, &analysis));
        }
    }
    let asked = Asked::new(choice, query);
    let search = Search::new(&asked, content, &encoded)?;
    Ok(detached(content.py(), search.bytes(), || search.span()))
}

/// The spans that `snippet_span` gives for each query and the content at its place, found by at most so many threads.
#[pyfunction]
pub(crate) fn snippet_spans(
    py: Python<'_>,
    queries: Vec<Bound<'_, PyString>>,
    contents: Vec<Bound<'_, PyString>>,
    window_size: NonZeroUsize,
    stride: NonZeroUsize,
    language: &str,
    threads: Option<usize>,
) -> PyResult<Vec<(usize, usize)>> {
    let choice = Choice {
        window_size,
        stride,
        language: self::language(language)?,
        set: instruction_set(),
    };
    let encoded_queries = encoded(&queries)?;
    let encoded_contents = encoded(&contents)?;
    // A query of several texts in a row is analysed once.
    let (mut asked, mut numbers) = (Vec::new(), Vec::with_capacity(queries.len()));
    for (place, query) in queries.iter().enumerate() {
        if place == 0 || !query.is(&queries[place - 1]) {
            asked.push(Asked::new(choice, encoded_queries[place].text()?));
        }
        numbers.push(asked.len() - 1);
    }
    let mut searches = Vec::with_capacity(contents.len());
    for ((number, content), encoded) in numbers.into_iter().zip(&contents).zip(&encoded_contents) {
        searches.push(Search::new(&asked[number], content, encoded)?);
    }
    Ok(spans_of(py, &searches, threads))
}

fn encoded<'a, 'py>(texts: &'a [Bound<'py, PyString>]) -> PyResult<Vec<Encoded<'a, 'py>>> {
    texts.iter().map(Encoded::new).collect()
}

/// A query to a text.
pub(crate) struct Search<'a> {
    asked: &'a Asked<'a>,
    content: Text<'a>,
    /// What can keep the text alive. Taken once, by whatever thread does the search.
    owner: Mutex<Option<PyBackedStr>>,
}

impl<'a> Search<'a> {
    /// `encoded` is the bytes of `content`.
    pub(crate) fn new(
        asked: &'a Asked<'a>,
        content: &Bound<'_, PyString>,
        encoded: &'a Encoded<'_, '_>,
    ) -> PyResult<Self> {
        let text = encoded.text()?;
        let mut owner = None;
        // Only texts whose bytes live with the string can be kept alive by it.
        if text.as_bytes().len() >= LEAST_BYTES && matches!(encoded, Encoded::Utf8(_)) {
            owner = Some(PyBackedStr::try_from(content.clone())?);
        }
        Ok(Search {
            asked,
            content: text,
            owner: Mutex::new(owner),
        })
    }

    /// How much there is to read.
    fn bytes(&self) -> usize {
        self.asked.text().as_bytes().len() + self.content.as_bytes().len()
    }

    fn span(&self) -> (usize, usize) {
        let Search { asked, content, .. } = *self;
        let owner = || {
            self.owner
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take()
        };
        match MEMORY.analysis(content, asked.choice().set, owner) {
            Some(analysis) => asked.analysed_snippet_span(content, &analysis),
            None => asked.snippet_span(content),
        }
    }
}

/// The spans that are found, in the order of the searches.
pub(crate) fn spans_of(
    py: Python<'_>,
    searches: &[Search<'_>],
    threads: Option<usize>,
) -> Vec<(usize, usize)> {
    let bytes = searches.iter().map(Search::bytes).sum();
    detached(py, bytes, || {
        parallel::map(searches, bytes, threads, Search::span)
    })
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
