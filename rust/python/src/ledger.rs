//! The seen ledger of a fork.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyAssertionError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use sid_core::intervals::{mask, Plan, Span};
use sid_core::ledger::{self, BadSpan, SpanSet};

use crate::intervals::{pairs, plan_pairs, span, spans, Pair};
use crate::snippet::snippet_span;

/// What was shown of each document, by the number that the document has in its fork family.
///
/// Several threads may use a ledger at once, with or without the GIL: all that changes is behind the mutex. Between
/// locking and unlocking no Python code runs, nothing of Python's is allocated or dropped, and the GIL is neither taken
/// nor given, so that no thread waits for the mutex and the GIL in different orders. Spans are read from Python objects
/// before, and made into Python objects after.
#[pyclass(frozen, module = "sid._native")]
pub(crate) struct Ledger {
    shared: Mutex<ledger::Ledger>,
}

impl Ledger {
    /// How a span of a document is shown. No number is that of a document without an entry.
    fn plan(&self, number: Option<u64>, whole: Span, min_seen_overlap: i64) -> Plan {
        match number {
            Some(number) => self.lock().mask(number, whole, min_seen_overlap),
            None => mask(whole, &[], min_seen_overlap),
        }
    }

    /// The spans of a document's entry; sharing them costs nothing.
    pub(crate) fn entry(&self, number: u64) -> SpanSet {
        self.lock().get(number).cloned().unwrap_or_default()
    }

    /// Adds spans to documents' entries, which are made if need be.
    pub(crate) fn record_all<'a>(&self, displayed: impl Iterator<Item = (u64, &'a [Span])>) {
        let mut ledger = self.lock();
        for (number, spans) in displayed {
            ledger.record(number, spans);
        }
    }

    /// No change of a ledger panics half-way, so that one that a panicking thread had locked is whole.
    fn lock(&self) -> MutexGuard<'_, ledger::Ledger> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Ledger {
    #[new]
    fn new() -> Self {
        Ledger {
            shared: Mutex::default(),
        }
    }

    /// A ledger that holds the same and then goes its own way; made in constant time.
    fn fork(&self) -> Self {
        let fork = self.lock().clone();
        Ledger {
            shared: Mutex::new(fork),
        }
    }

    /// Gives a document an entry without spans, unless it has one.
    pub(crate) fn register(&self, number: u64) {
        self.lock().register(number);
    }

    /// Adds spans to a document's entry, which is made if need be: all of them or, on an error, none.
    fn record(&self, number: u64, spans: &Bound<'_, PyAny>) -> PyResult<()> {
        let spans = recordable(spans)?;
        self.lock().record(number, &spans);
        Ok(())
    }

    /// `(displayed, seen)`: how `whole` is shown in view of a document's entry. No number is that of a document without.
    fn mask(
        &self,
        number: Option<u64>,
        whole: &Bound<'_, PyAny>,
        min_seen_overlap: i64,
    ) -> PyResult<(Vec<Pair>, Vec<Pair>)> {
        Ok(plan_pairs(&self.plan(
            number,
            span(whole)?,
            min_seen_overlap,
        )))
    }

    /// The same of the span of `content` that best answers `query`; sizes count source tokens.
    #[allow(clippy::too_many_arguments)] // One crossing for a view.
    fn snippet(
        &self,
        number: Option<u64>,
        query: &Bound<'_, PyString>,
        content: &Bound<'_, PyString>,
        window_size: NonZeroUsize,
        stride: NonZeroUsize,
        language: &str,
        min_seen_overlap: i64,
    ) -> PyResult<(Vec<Pair>, Vec<Pair>)> {
        let (start, end) = snippet_span(query, content, window_size, stride, language)?;
        let whole = Span::new(start as i64, end as i64);
        Ok(plan_pairs(&self.plan(number, whole, min_seen_overlap)))
    }

    /// The spans of a document's entry, or `None`.
    fn spans(&self, number: u64) -> Option<Vec<Pair>> {
        let spans = self.lock().get(number).cloned();
        spans.map(|spans| pairs(&spans.to_vec()))
    }

    /// Replaces a document's entry, or makes it.
    fn assign(&self, number: u64, spans: &Bound<'_, PyAny>) -> PyResult<()> {
        let spans = span_set(spans)?;
        self.lock().set(number, spans);
        Ok(())
    }

    /// Replaces a document's entry if it is as `expected`, or makes it if there is none and none is expected. Gives the
    /// new entry, or `None` if it was not as expected.
    fn exchange(
        &self,
        number: u64,
        expected: Option<&Bound<'_, PyAny>>,
        spans: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Vec<Pair>>> {
        let expected = expected.map(self::spans).transpose()?;
        let spans = span_set(spans)?;
        let after = spans.clone();
        {
            let mut ledger = self.lock();
            if ledger.get(number).map(SpanSet::to_vec) != expected {
                return Ok(None);
            }
            ledger.set(number, after);
        }
        Ok(Some(pairs(&spans.to_vec())))
    }

    /// Removes a document's entry and gives its spans, or `None` if there was none.
    fn remove(&self, number: u64) -> Option<Vec<Pair>> {
        let removed = self.lock().remove(number);
        removed.map(|spans| pairs(&spans.to_vec()))
    }

    /// Removes all entries.
    fn clear(&self) {
        // The old ones are dropped after the mutex was let go.
        let _old = std::mem::take(&mut *self.lock());
    }

    /// The numbers of the entries, in the order in which they were made.
    fn numbers(&self) -> Vec<u64> {
        let ledger = self.lock().clone();
        ledger
            .in_order()
            .iter()
            .map(|&(number, _)| number)
            .collect()
    }

    /// The numbers and spans of the entries, in the order in which they were made.
    fn items(&self) -> Vec<(u64, Vec<Pair>)> {
        let ledger = self.lock().clone();
        let entries = ledger.in_order();
        entries
            .iter()
            .map(|(number, spans)| (*number, pairs(&spans.to_vec())))
            .collect()
    }

    fn __len__(&self) -> usize {
        self.lock().len()
    }

    fn __contains__(&self, number: u64) -> bool {
        self.lock().get(number).is_some()
    }
}

/// Spans of which none is empty.
fn recordable(values: &Bound<'_, PyAny>) -> PyResult<Vec<Span>> {
    let mut recorded = Vec::new();
    for value in values.try_iter()? {
        let value = value?;
        let span = span(&value)?;
        if span.start >= span.end {
            return Err(PyAssertionError::new_err(format!(
                "the interval {} is empty: only a start below its end can be recorded",
                value.repr()?
            )));
        }
        recorded.push(span);
    }
    Ok(recorded)
}

/// The set of sorted, disjoint spans.
fn span_set(values: &Bound<'_, PyAny>) -> PyResult<SpanSet> {
    let spans = spans(values)?;
    SpanSet::from_spans(&spans).map_err(|BadSpan { index }| {
        let Span { start, end } = spans[index];
        PyValueError::new_err(format!(
            "the spans of a document must be sorted and disjoint, each with its start below its end; the one at index \
             {index} is ({start}, {end})"
        ))
    })
}
