//! `<doc>` elements and Markdown tables from Python's values.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PySlice, PyString};
use pyo3::PyTypeInfo;
use sid_core::intervals::Span;
use sid_core::render::{self, DocElement, MarkdownTable, Piece, Value};

use crate::intervals::spans;
use crate::text::{decoded, Encoded};

/// Python's `isinstance`, which believes what an object says of its class: a proxy counts as what it stands for.
fn is_a<T: PyTypeInfo>(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.is_instance_of::<T>() || value.is_instance(&T::type_object(value.py()))?)
}

/// `str(value)`, a list as its items' `str()` joined by a comma and a space.
fn display<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    if !is_a::<PyList>(value)? {
        return value.str();
    }
    let items = PyList::empty(value.py());
    for item in value.try_iter()? {
        items.append(item?.str()?)?;
    }
    Ok(PyString::new(value.py(), ", ")
        .call_method1("join", (items,))?
        .cast_into()?)
}

/// The `<doc>` element with `doc_id`, the truthy `attributes` and, unless it is `None`, `body`.
#[pyfunction]
pub(crate) fn xml_element<'py>(
    doc_id: &Bound<'py, PyAny>,
    attributes: &Bound<'py, PyDict>,
    body: Option<&Bound<'py, PyString>>,
) -> PyResult<Bound<'py, PyString>> {
    let doc_id = doc_id.str()?;
    let mut element = DocElement::new(Encoded::new(&doc_id)?.text()?.as_bytes());
    // A list of the items: a value's own `str()` or truth test may change the dict.
    for item in attributes.items() {
        let (name, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item.extract()?;
        if !value.is_truthy()? {
            continue;
        }
        let (name, text) = (name.str()?, display(&value)?);
        let (name, text) = (Encoded::new(&name)?, Encoded::new(&text)?);
        let text = text.text()?.as_bytes();
        let value = if is_a::<PyInt>(&value)? {
            Value::Bare(text)
        } else {
            Value::Quoted(text)
        };
        element.attribute(name.text()?.as_bytes(), value);
    }
    let body = body.map(Encoded::new).transpose()?;
    let body = body.as_ref().map(Encoded::text).transpose()?;
    decoded(
        doc_id.py(),
        &element.finish(body.map(|text| text.as_bytes())),
    )
}

/// `(start, end, body)` of a view of `content`: where its first piece starts and its last one ends, in code points, and
/// its text with seen stretches replaced by markers. At least one span is needed. Of pieces that start together,
/// displayed ones come first.
#[pyfunction]
pub(crate) fn view_body<'py>(
    content: &Bound<'py, PyString>,
    displayed: &Bound<'py, PyAny>,
    seen: &Bound<'py, PyAny>,
) -> PyResult<(i64, i64, Bound<'py, PyString>)> {
    let py = content.py();
    let length = content.len()? as i64;
    let displayed: Vec<Span> = spans(displayed)?;
    let fully_seen = displayed.is_empty();
    let mut order: Vec<(Span, bool)> = displayed.into_iter().map(|span| (span, false)).collect();
    order.extend(spans(seen)?.into_iter().map(|span| (span, true)));
    order.sort_by_key(|(span, _)| span.start);
    let start = order.first().map_or(0, |(span, _)| span.start);
    let end = order.last().map_or(0, |(span, _)| span.end);

    let mut parts: Vec<(Span, Option<Bound<'py, PyString>>)> = Vec::with_capacity(order.len());
    for (span, is_seen) in order {
        let range = PySlice::new(py, span.start as isize, span.end as isize, 1);
        let shown = (!is_seen).then(|| content.as_any().get_item(range));
        let shown = shown.transpose()?.map(Bound::cast_into).transpose()?;
        parts.push((span, shown));
    }
    let mut encoded = Vec::with_capacity(parts.len());
    for (span, shown) in &parts {
        encoded.push((*span, shown.as_ref().map(Encoded::new).transpose()?));
    }
    let mut pieces = Vec::with_capacity(parts.len());
    for (span, shown) in &encoded {
        pieces.push(match shown {
            Some(shown) => Piece::Displayed(shown.text()?),
            None => Piece::Seen(*span),
        });
    }
    let body = render::body(
        &pieces,
        !fully_seen && start > 0,
        !fully_seen && end < length,
    );
    Ok((start, end, decoded(py, &body)?))
}

/// A Markdown table of `rows`, each a dict from column to value; an absent cell is empty.
#[pyfunction]
pub(crate) fn markdown_table<'py>(
    columns: &Bound<'py, PyList>,
    rows: &Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyString>> {
    let py = columns.py();
    let names: Vec<Bound<'py, PyString>> = columns
        .iter()
        .map(|name| name.str())
        .collect::<PyResult<_>>()?;
    let encoded = names
        .iter()
        .map(Encoded::new)
        .collect::<PyResult<Vec<_>>>()?;
    let names = encoded
        .iter()
        .map(Encoded::text)
        .collect::<PyResult<Vec<_>>>()?;
    let mut table = MarkdownTable::new(&names);
    for row in rows.iter() {
        let row = row.cast_into::<PyDict>()?;
        let mut cells = Vec::with_capacity(columns.len());
        for column in columns.iter() {
            cells.push(match row.get_item(&column)? {
                Some(value) => display(&value)?,
                None => PyString::new(py, ""),
            });
        }
        let cells = cells
            .iter()
            .map(Encoded::new)
            .collect::<PyResult<Vec<_>>>()?;
        let cells = cells
            .iter()
            .map(Encoded::text)
            .collect::<PyResult<Vec<_>>>()?;
        table.row(cells);
    }
    decoded(py, &table.finish())
}
