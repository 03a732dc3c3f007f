//! The arithmetic of spans on Python's pairs and lists.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use sid_core::intervals::{self, Plan, Span};

/// A span as Python sees it.
pub(crate) type Pair = (i64, i64);

/// A span from a tuple or list of two integers.
pub(crate) fn span(value: &Bound<'_, PyAny>) -> PyResult<Span> {
    if let Ok(tuple) = value.cast_exact::<PyTuple>() {
        if tuple.len() == 2 {
            let offset = |index| tuple.get_borrowed_item(index)?.extract::<i64>();
            if let (Ok(start), Ok(end)) = (offset(0), offset(1)) {
                return Ok(Span::new(start, end));
            }
        }
    }
    let pair = match value.cast::<PyTuple>() {
        Ok(tuple) => Some(tuple.clone()),
        Err(_) => value
            .cast::<PyList>()
            .ok()
            .map(|list| list.as_sequence().to_tuple())
            .transpose()?,
    };
    if let Some(pair) = pair.filter(|pair| pair.len() == 2) {
        let offset = |index| pair.get_item(index)?.extract::<i64>();
        match offset(0).and_then(|start| Ok(Span::new(start, offset(1)?))) {
            Err(error) if is_about_the_value(&error, value.py()) => {}
            result => return result,
        }
    }
    Err(PyTypeError::new_err(format!(
        "a span must be a (start, end) pair of 64-bit integers, got {}",
        value.repr()?
    )))
}

/// Whether the error says that a value is no integer or too large a one.
fn is_about_the_value(error: &PyErr, py: Python<'_>) -> bool {
    error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyOverflowError>(py)
}

/// Spans from any iterable of pairs.
pub(crate) fn spans(values: &Bound<'_, PyAny>) -> PyResult<Vec<Span>> {
    if let Ok(list) = values.cast_exact::<PyList>() {
        if list.len() <= 1 {
            return list.iter().map(|value| span(&value)).collect();
        }
    }
    values.try_iter()?.map(|value| span(&value?)).collect()
}

pub(crate) fn pairs(spans: &[Span]) -> Vec<Pair> {
    spans.iter().map(|span| (span.start, span.end)).collect()
}

pub(crate) fn plan_pairs(plan: &Plan) -> (Vec<Pair>, Vec<Pair>) {
    (pairs(&plan.displayed), pairs(&plan.seen))
}

/// What both spans cover, or `None`.
#[pyfunction]
pub(crate) fn overlap(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<Option<Pair>> {
    let both = span(one)?.overlap(span(other)?);
    Ok(both.map(|both| (both.start, both.end)))
}

/// The parts of `intervals` inside `within`.
#[pyfunction]
pub(crate) fn overlap_list(
    within: &Bound<'_, PyAny>,
    intervals: &Bound<'_, PyAny>,
) -> PyResult<Vec<Pair>> {
    Ok(pairs(&intervals::overlap_list(
        span(within)?,
        &spans(intervals)?,
    )))
}

/// Sorted `intervals` with `new` merged in; the argument is not changed.
#[pyfunction]
pub(crate) fn insert_interval(
    intervals: &Bound<'_, PyAny>,
    new: &Bound<'_, PyAny>,
) -> PyResult<Vec<Pair>> {
    Ok(pairs(&intervals::insert_interval(
        &spans(intervals)?,
        span(new)?,
    )))
}

/// Appends `new` to the list, or lengthens its last span.
#[pyfunction]
pub(crate) fn append_coalescing(spans: &Bound<'_, PyList>, new: &Bound<'_, PyAny>) -> PyResult<()> {
    let new = span(new)?;
    let Some(last_index) = spans.len().checked_sub(1) else {
        return spans.append((new.start, new.end));
    };
    let mut tail = vec![span(&spans.get_item(last_index)?)?];
    intervals::append_coalescing(&mut tail, new);
    match tail.as_slice() {
        [longer] => spans.set_item(last_index, (longer.start, longer.end)),
        _ => spans.append((new.start, new.end)),
    }
}

/// `(displayed, seen)`: the tiling of `whole` by sorted, disjoint `seen`.
#[pyfunction]
pub(crate) fn plan_segments(
    whole: &Bound<'_, PyAny>,
    seen: &Bound<'_, PyAny>,
    min_seen_overlap: i64,
) -> PyResult<(Vec<Pair>, Vec<Pair>)> {
    let plan = intervals::plan_segments(span(whole)?, &spans(seen)?, min_seen_overlap);
    Ok(plan_pairs(&plan))
}
