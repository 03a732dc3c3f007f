//! `<doc>` elements and Markdown tables from Python's values.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PySlice, PyString};
use pyo3::PyTypeInfo;
use sid_core::intervals::{Plan, Span};
use sid_core::render::{push_span, DocElement, Layout, MarkdownTable, Piece, Value};

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
    let doc_id = Encoded::new(&doc_id)?;
    let mut element = DocElement::new(doc_id.text()?.as_bytes());
    add_attributes(&mut element, attributes)?;
    let body = body.map(Encoded::new).transpose()?;
    let body = body.as_ref().map(Encoded::text).transpose()?;
    let element = element.finish(body.map(|text| text.as_bytes()));
    decoded(attributes.py(), &element)
}

fn add_attributes(element: &mut DocElement, attributes: &Bound<'_, PyDict>) -> PyResult<()> {
    // A list of the items: a value's own `str()` or truth test may change the dict.
    for item in attributes.items() {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        add_attribute(element, &name, &value)?;
    }
    Ok(())
}

/// Adds an attribute unless its value is falsy.
fn add_attribute(
    element: &mut DocElement,
    name: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    if let Ok(name) = name.cast_exact::<PyString>() {
        // The common cases, with nothing to ask the value.
        let name = Encoded::new(name)?;
        let name = name.text()?.as_bytes();
        if let Ok(text) = value.cast_exact::<PyString>() {
            let text = Encoded::new(text)?;
            let text = text.text()?.as_bytes();
            if !text.is_empty() {
                element.attribute(name, Value::Quoted(text));
            }
            return Ok(());
        }
        if value.is_exact_instance_of::<PyInt>() {
            if let Ok(number) = value.extract::<i64>() {
                if number != 0 {
                    element.number(name, number);
                }
                return Ok(());
            }
        }
    }
    if !value.is_truthy()? {
        return Ok(());
    }
    let (name, text) = (name.str()?, display(value)?);
    let (name, text) = (Encoded::new(&name)?, Encoded::new(&text)?);
    let text = text.text()?.as_bytes();
    let value = if is_a::<PyInt>(value)? {
        Value::Bare(text)
    } else {
        Value::Quoted(text)
    };
    element.attribute(name.text()?.as_bytes(), value);
    Ok(())
}

/// A view of a string, laid out.
struct View {
    layout: Layout,
    /// Length of the string in code points.
    length: usize,
}

impl View {
    fn new(content: &Bound<'_, PyString>, displayed: &[Span], seen: &[Span]) -> PyResult<Self> {
        Ok(View {
            layout: Layout::new(displayed, seen),
            length: content.len()?,
        })
    }

    /// Does something with the pieces of the string, which `content` is.
    fn with_pieces<T>(
        &self,
        content: &Bound<'_, PyString>,
        work: impl FnOnce(&[Piece<'_>]) -> T,
    ) -> PyResult<T> {
        let py = content.py();
        let encoded = Encoded::new(content)?;
        let text = encoded.text()?;
        if text.as_bytes().len() == self.length {
            // ASCII: offsets in code points are offsets in bytes.
            let piece = |&(span, is_seen): &(Span, bool)| match python_slice(span, self.length) {
                _ if is_seen => Piece::Seen(span),
                range => Piece::Displayed(text.slice(range.start, range.end)),
            };
            return Ok(match self.layout.spans[..] {
                [ref only] => work(&[piece(only)]),
                ref spans => work(&spans.iter().map(piece).collect::<Vec<_>>()),
            });
        }
        let mut parts: Vec<(Span, Option<Bound<'_, PyString>>)> = Vec::new();
        for &(span, is_seen) in &self.layout.spans {
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
        Ok(work(&pieces))
    }
}

/// The indices that a Python slice from `span.start` to `span.end` takes of `length` items.
fn python_slice(span: Span, length: usize) -> Range<usize> {
    let index = |offset: i64| {
        let from_start = if offset < 0 {
            offset.saturating_add(length as i64).max(0)
        } else {
            offset
        };
        (from_start as usize).min(length)
    };
    let start = index(span.start);
    start..index(span.end).max(start)
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
    let view = View::new(content, &spans(displayed)?, &spans(seen)?)?;
    let Span { start, end } = view.layout.covered;
    let body = view.with_pieces(content, |pieces| {
        view.layout.body(pieces, view.length as i64)
    })?;
    Ok((start, end, decoded(content.py(), &body)?))
}

/// The `<doc>` element of a view with a snippet, in one call; `None` if the snippet field holds no string, or there is no
/// span.
#[pyfunction]
pub(crate) fn snippet_xml<'py>(
    model_facing_id: &Bound<'py, PyAny>,
    document: &Bound<'py, PyAny>,
    display_fields: &Bound<'py, PyAny>,
    snippet_field: &Bound<'py, PyAny>,
    displayed: &Bound<'py, PyAny>,
    seen: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let Ok(content) = document.get_item(snippet_field)?.cast_into::<PyString>() else {
        return Ok(None);
    };
    let shown = Shown {
        model_facing_id,
        document,
        content: &content,
        view: View::new(&content, &spans(displayed)?, &spans(seen)?)?,
    };
    if shown.view.layout.spans.is_empty() {
        return Ok(None);
    }
    let element = shown.element(None, Some(display_fields), snippet_field)?;
    decoded(document.py(), &element).map(Some)
}

/// A document as a view shows it.
pub(crate) struct Shown<'a, 'py> {
    model_facing_id: &'a Bound<'py, PyAny>,
    document: &'a Bound<'py, PyAny>,
    content: &'a Bound<'py, PyString>,
    view: View,
}

impl<'a, 'py> Shown<'a, 'py> {
    pub(crate) fn new(
        model_facing_id: &'a Bound<'py, PyAny>,
        document: &'a Bound<'py, PyAny>,
        content: &'a Bound<'py, PyString>,
        plan: &Plan,
    ) -> PyResult<Self> {
        Ok(Shown {
            model_facing_id,
            document,
            content,
            view: View::new(content, &plan.displayed, &plan.seen)?,
        })
    }

    /// The fields of the document, as a list.
    fn fields(&self) -> PyResult<Bound<'py, PyList>> {
        match self.document.cast_exact::<PyDict>() {
            Ok(dict) => Ok(dict.keys()),
            Err(_) => listed(self.document),
        }
    }

    /// Writes the `<doc>` element, with all fields unless some are named, after what is in `out`.
    pub(crate) fn element(
        &self,
        out: Option<Vec<u8>>,
        display_fields: Option<&Bound<'py, PyAny>>,
        snippet_field: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<u8>> {
        let view = &self.view;
        let mut element = self.with_reference(|reference| match out {
            Some(out) => DocElement::after(out, reference),
            None => DocElement::new(reference),
        })?;
        let plain = match display_fields {
            Some(fields) => PlainAttributes::new(self.document, fields, snippet_field)?,
            None => PlainAttributes::all(self.document, snippet_field)?,
        };
        match (plain, display_fields) {
            (Some(plain), _) => plain.add_to(&mut element, view.length)?,
            (None, Some(fields)) => {
                add_attributes(&mut element, &self.attributes(fields, snippet_field)?)?;
            }
            (None, None) => {
                let own = self.fields()?;
                let attributes = self.attributes(&own, snippet_field)?;
                add_attributes(&mut element, &attributes)?;
            }
        }
        view.with_pieces(self.content, |pieces| {
            element.finish_view(&view.layout, pieces, view.length as i64)
        })
    }

    /// The row of a table.
    fn row(
        &self,
        display_fields: &Bound<'py, PyAny>,
        snippet_field: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = self.document.py();
        let view = &self.view;
        let row = PyDict::new(py);
        let reference = self.with_reference(|reference| decoded(py, reference))??;
        row.set_item(ID, reference)?;
        let attributes = self.attributes(display_fields, snippet_field)?;
        row.update(attributes.as_mapping())?;
        let body = view.with_pieces(self.content, |pieces| {
            view.layout.body(pieces, view.length as i64)
        })?;
        row.set_item(snippet_field, decoded(py, &body)?)?;
        Ok(row)
    }

    /// Does something with the id, and the range if the view has one.
    fn with_reference<T>(&self, work: impl FnOnce(&[u8]) -> T) -> PyResult<T> {
        let id = self.model_facing_id.str()?;
        let id = Encoded::new(&id)?;
        let id = id.text()?.as_bytes();
        let layout = &self.view.layout;
        if !layout.names_range(self.view.length as i64) {
            return Ok(work(id));
        }
        let mut named = Vec::with_capacity(id.len() + 24);
        named.extend_from_slice(id);
        push_span(&mut named, layout.covered);
        Ok(work(&named))
    }

    /// The length and the fields but the snippet field: a dict, as a field may be displayed twice or be named like the
    /// length.
    fn attributes(
        &self,
        display_fields: &Bound<'py, PyAny>,
        snippet_field: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let attributes = PyDict::new(self.document.py());
        attributes.set_item(LENGTH, self.view.length)?;
        for field in display_fields.try_iter()? {
            let field = field?;
            if field.ne(snippet_field)? {
                attributes.set_item(&field, self.document.get_item(&field)?)?;
            }
        }
        Ok(attributes)
    }
}

/// `list(values)`.
fn listed<'py>(values: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(values.py());
    for value in values.try_iter()? {
        list.append(value?)?;
    }
    Ok(list)
}

/// The Markdown table of views, with the fields of the first unless some are named; nothing for no views.
pub(crate) fn snippet_table<'py>(
    views: &[Shown<'_, 'py>],
    display_fields: Option<&Bound<'py, PyAny>>,
    snippet_field: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyString>> {
    let py = snippet_field.py();
    let Some(first) = views.first() else {
        return Ok(PyString::new(py, ""));
    };
    let fields = match display_fields {
        Some(fields) => listed(fields)?,
        None => first.fields()?,
    };
    let rows = PyList::empty(py);
    for view in views {
        rows.append(view.row(&fields, snippet_field)?)?;
    }
    let columns = PyList::new(py, [ID])?;
    for name in rows.get_item(0)?.cast_into::<PyDict>()?.keys() {
        if name.ne(ID)? && !fields.contains(&name)? {
            columns.append(name)?;
        }
    }
    for field in fields {
        columns.append(field)?;
    }
    markdown_table(&columns, &rows)
}

/// The column of references.
const ID: &str = "id";

/// The attribute that tells how many code points a document has.
const LENGTH: &str = "doc_length";

/// The attributes of a view that no code of others has a say in, as nearly all are: fields of a plain dict, with plain
/// and different names.
struct PlainAttributes<'py> {
    fields: Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>,
}

impl<'py> PlainAttributes<'py> {
    /// More fields than this are not compared one by one.
    const MOST: usize = 16;

    fn new(
        document: &Bound<'py, PyAny>,
        display_fields: &Bound<'py, PyAny>,
        snippet_field: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Self>> {
        let (Ok(document), Ok(names), Ok(snippet_field)) = (
            document.cast_exact::<PyDict>(),
            display_fields.cast_exact::<PyList>(),
            snippet_field.cast_exact::<PyString>(),
        ) else {
            return Ok(None);
        };
        let Ok(snippet_field) = snippet_field.to_str() else {
            return Ok(None);
        };
        if names.len() > Self::MOST {
            return Ok(None);
        }
        let mut fields: Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)> =
            Vec::with_capacity(names.len());
        for name in names.iter() {
            let Ok(name) = name.cast_into_exact::<PyString>() else {
                return Ok(None);
            };
            let Ok(text) = name.to_str() else {
                return Ok(None);
            };
            if text == snippet_field {
                continue;
            }
            let known = |(known, _): &(Bound<'py, PyString>, _)| {
                known.to_str().is_ok_and(|known| known == text)
            };
            if text == LENGTH || fields.iter().any(known) {
                return Ok(None);
            }
            let Some(value) = document.get_item(&name)? else {
                return Ok(None);
            };
            fields.push((name, value));
        }
        Ok(Some(PlainAttributes { fields }))
    }

    /// The same of all fields.
    fn all(
        document: &Bound<'py, PyAny>,
        snippet_field: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Self>> {
        let (Ok(document), Ok(snippet_field)) = (
            document.cast_exact::<PyDict>(),
            snippet_field.cast_exact::<PyString>(),
        ) else {
            return Ok(None);
        };
        let Ok(snippet_field) = snippet_field.to_str() else {
            return Ok(None);
        };
        let mut fields = Vec::with_capacity(document.len());
        for (name, value) in document.iter() {
            let Ok(name) = name.cast_into_exact::<PyString>() else {
                return Ok(None);
            };
            match name.to_str() {
                Err(_) | Ok(LENGTH) => return Ok(None),
                Ok(text) if text == snippet_field => {}
                Ok(_) => fields.push((name, value)),
            }
        }
        Ok(Some(PlainAttributes { fields }))
    }

    fn add_to(&self, element: &mut DocElement, length: usize) -> PyResult<()> {
        if length > 0 {
            element.number(LENGTH.as_bytes(), length as i64);
        }
        for (name, value) in &self.fields {
            add_attribute(element, name, value)?;
        }
        Ok(())
    }
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
