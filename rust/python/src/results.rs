//! Search results to text, all of them or none.

use std::collections::{HashMap, HashSet};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString};
use sid_core::intervals::{mask, Span};
use sid_core::ledger::SpanSet;
use sid_core::snippet::{Asked, Choice};

use crate::copying::copy_plain_dict;
use crate::hashing::Spreading;
use crate::ledger::Ledger;
use crate::registry::Registry;
use crate::render::{snippet_table, Shown};
use crate::snippet::{spans_of, Search};
use crate::text::{decoded, instruction_set, language, Encoded};

/// What is asked for; `object` is the Python layer's, which does what is out of the ordinary.
struct Request<'py> {
    object: Bound<'py, PyAny>,
    registry: Bound<'py, Registry>,
    ledger: Bound<'py, Ledger>,
    new: Bound<'py, PyDict>,
    results: Bound<'py, PyList>,
    id_field: Bound<'py, PyAny>,
    query: Bound<'py, PyString>,
    snippet_field: Bound<'py, PyAny>,
    choice: Choice,
    min_seen_overlap: i64,
    fields: Option<Bound<'py, PyList>>,
    markdown: bool,
    separator: Bound<'py, PyString>,
}

impl<'py> Request<'py> {
    fn new(object: Bound<'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let language: Bound<'py, PyString> =
            object.getattr(intern!(py, "language"))?.cast_into()?;
        Ok(Request {
            registry: object.getattr(intern!(py, "registry"))?.cast_into()?,
            ledger: object.getattr(intern!(py, "ledger"))?.cast_into()?,
            new: object.getattr(intern!(py, "new"))?.cast_into()?,
            results: object.getattr(intern!(py, "results"))?.cast_into()?,
            id_field: object.getattr(intern!(py, "id_field"))?,
            query: object.getattr(intern!(py, "query"))?.cast_into()?,
            snippet_field: object.getattr(intern!(py, "snippet_field"))?,
            choice: Choice {
                window_size: object.getattr(intern!(py, "window_size"))?.extract()?,
                stride: object.getattr(intern!(py, "stride"))?.extract()?,
                language: self::language(language.to_str()?)?,
                set: instruction_set(),
            },
            min_seen_overlap: object.getattr(intern!(py, "min_seen_overlap"))?.extract()?,
            fields: object.getattr(intern!(py, "fields"))?.extract()?,
            markdown: object.getattr(intern!(py, "markdown"))?.extract()?,
            separator: object.getattr(intern!(py, "separator"))?.cast_into()?,
            object,
        })
    }

    /// The data id of a result that is in order; a copy of its document is in `new` if that is to be stored.
    fn check(&self, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = self.object.py();
        // What is wrong, the Python layer finds again, and says where.
        match self.check_plain(&self.results.get_item(place)?) {
            Ok(Some(data_id)) => Ok(data_id),
            _ => self.object.call_method1(intern!(py, "check"), (place,)),
        }
    }

    /// As `check`, for a result of plain values; `None` for another, or if something is wrong with it.
    fn check_plain(&self, given: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // Which fields a table has, its first document says.
        let Ok(given) = given.cast_exact::<PyDict>() else {
            return Ok(None);
        };
        if self.markdown && self.fields.is_none() {
            return Ok(None);
        }
        let Some(data_id) = given.get_item(&self.id_field)? else {
            return Ok(None);
        };
        let plain =
            data_id.is_exact_instance_of::<PyString>() || data_id.is_exact_instance_of::<PyInt>();
        if !plain {
            return Ok(None);
        }
        let mut held = self.new.get_item(&data_id)?;
        if held.is_none() {
            held = self.registry.get().known(&data_id)?;
        }
        let copied = match held {
            Some(_) => None,
            None => match copy_plain_dict(given)? {
                Some(copied) => Some(copied),
                None => return Ok(None),
            },
        };
        if let Some(copied) = &copied {
            copied.del_item(&self.id_field)?;
        }
        let document = match (&held, &copied) {
            (Some(held), _) => held.cast_exact::<PyDict>().ok(),
            (None, copied) => copied.as_ref(),
        };
        let Some(document) = document else {
            return Ok(None);
        };
        if self.plain_content(document)?.is_none() {
            return Ok(None);
        }
        for field in self.fields.iter().flatten() {
            if !document.contains(field)? {
                return Ok(None);
            }
        }
        if let Some(copied) = copied {
            self.new.set_item(&data_id, copied)?;
        }
        Ok(Some(data_id))
    }

    /// The text of a document, if it is a string as any other.
    fn plain_content(
        &self,
        document: &Bound<'py, PyDict>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        let content = document.get_item(&self.snippet_field)?;
        let content = content.and_then(|content| content.cast_into_exact::<PyString>().ok());
        Ok(match content {
            Some(content) if content.len()? > 0 => Some(content),
            _ => None,
        })
    }

    /// The document of a result, which is in store by now, and its text.
    fn stored(
        &self,
        place: usize,
        data_id: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyString>)> {
        if let Some(document) = self.registry.get().known(data_id)? {
            if let Ok(dict) = document.cast_exact::<PyDict>() {
                if let Some(content) = self.plain_content(dict)? {
                    return Ok((document, content));
                }
            }
        }
        let py = self.object.py();
        let stored = self
            .object
            .call_method1(intern!(py, "stored"), (place, data_id))?;
        stored.extract()
    }

    /// The error, with a note on where it came up.
    fn noted(&self, error: PyErr, place: Option<usize>) -> PyErr {
        let py = self.object.py();
        let noted = self
            .object
            .call_method1(intern!(py, "note"), (error.value(py), place));
        noted.err().unwrap_or(error)
    }
}

/// A result whose document is in store.
struct Stored<'py> {
    request: usize,
    place: usize,
    data_id: Bound<'py, PyAny>,
    document: Bound<'py, PyAny>,
    content: Bound<'py, PyString>,
}

/// The texts of requests, and what they display, which does not count as seen yet.
#[pyclass(frozen, module = "sid._native")]
pub(crate) struct Rendered {
    #[pyo3(get)]
    texts: Py<PyList>,
    displayed: Vec<(Py<Ledger>, u64, Vec<Span>)>,
}

#[pymethods]
impl Rendered {
    /// Records in the ledgers what is displayed.
    fn record(&self) {
        for of_one in self
            .displayed
            .chunk_by(|(one, ..), (other, ..)| one.is(other))
        {
            let spans = of_one
                .iter()
                .map(|(_, number, spans)| (*number, spans.as_slice()));
            of_one[0].0.get().record_all(spans);
        }
    }
}

/// Stores the documents of all requests and renders views of them, if all results are in order.
///
/// A view masks what the ledger holds and what views before it display. At most `threads` threads choose snippets.
#[pyfunction]
pub(crate) fn render_results(
    py: Python<'_>,
    requests: Vec<Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Rendered> {
    let requests: Vec<Request<'_>> = requests
        .into_iter()
        .map(Request::new)
        .collect::<PyResult<_>>()?;
    let mut checked = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        for place in 0..request.results.len() {
            checked.push((number, place, request.check(place)?));
        }
    }
    store(&requests)?;
    let mut stored = Vec::with_capacity(checked.len());
    for (number, place, data_id) in checked {
        let request = &requests[number];
        let found = request.stored(place, &data_id);
        let (document, content) = found.map_err(|error| request.noted(error, Some(place)))?;
        stored.push(Stored {
            request: number,
            place,
            data_id,
            document,
            content,
        });
    }
    let spans = choose(py, &requests, &stored, threads)?;
    render(py, &requests, &stored, &spans)
}

/// Stores the new documents of each fork family: if ids run out in any, none at all.
fn store(requests: &[Request<'_>]) -> PyResult<()> {
    let mut seen: HashSet<_, Spreading> = HashSet::default();
    let families = requests
        .iter()
        .filter(|request| seen.insert(request.new.as_ptr()));
    let families: Vec<&Request<'_>> = families.collect();
    let noted = |family: &Request<'_>, error: PyErr| {
        let of_family = requests.iter().filter(|other| other.new.is(&family.new));
        of_family.fold(error, |error, request| request.noted(error, None))
    };
    let mut reserved = Vec::with_capacity(families.len());
    if families.len() > 1 {
        for family in &families {
            let enough = family.registry.get().require_ids(&family.new);
            enough.map_err(|error| noted(family, error))?;
        }
        for family in &families {
            let ids = family.registry.get().reserve(&family.new);
            reserved.push(ids.map_err(|error| noted(family, error))?);
        }
    }
    let mut reserved = reserved.into_iter();
    for family in families {
        let ids = reserved.next().unwrap_or_default();
        let added = family.registry.get().add_all(&family.new, ids);
        added.map_err(|error| noted(family, error))?;
    }
    Ok(())
}

/// Chooses the snippets.
fn choose(
    py: Python<'_>,
    requests: &[Request<'_>],
    stored: &[Stored<'_>],
    threads: Option<usize>,
) -> PyResult<Vec<(usize, usize)>> {
    let queries = requests.iter().map(|request| Encoded::new(&request.query));
    let queries = queries.collect::<PyResult<Vec<_>>>()?;
    let contents = stored.iter().map(|stored| Encoded::new(&stored.content));
    let contents = contents.collect::<PyResult<Vec<_>>>()?;
    let mut asked = Vec::with_capacity(requests.len());
    for (request, query) in requests.iter().zip(&queries) {
        asked.push(Asked::new(request.choice, query.text()?));
    }
    let mut searches = Vec::with_capacity(stored.len());
    for (stored, encoded) in stored.iter().zip(&contents) {
        searches.push(Search::new(
            &asked[stored.request],
            &stored.content,
            encoded,
        )?);
    }
    Ok(spans_of(py, &searches, threads))
}

/// Renders the views.
fn render(
    py: Python<'_>,
    requests: &[Request<'_>],
    stored: &[Stored<'_>],
    spans: &[(usize, usize)],
) -> PyResult<Rendered> {
    // What ledgers will hold of the documents that were shown before.
    let mut seen: HashMap<(usize, u64), SpanSet, Spreading> =
        HashMap::with_capacity_and_hasher(stored.len(), Spreading::default());
    let mut displayed = Vec::with_capacity(stored.len());
    let texts = PyList::empty(py);
    let mut views = stored.iter().zip(spans).peekable();
    for (number, request) in requests.iter().enumerate() {
        let separator = Encoded::new(&request.separator)?;
        let fields = request.fields.as_ref().map(|fields| fields.as_any());
        let mut out: Option<Vec<u8>> = None;
        let mut planned = Vec::new();
        while let Some((view, &(start, end))) = views.next_if(|(view, _)| view.request == number) {
            let mut one = || -> PyResult<()> {
                let registry = request.registry.get();
                let document_number = registry.number(&view.data_id)?;
                let known = seen
                    .entry((request.ledger.as_ptr() as usize, document_number))
                    .or_insert_with(|| request.ledger.get().entry(document_number));
                let span = Span::new(start as i64, end as i64);
                let plan = mask(span, &known.overlapping(span), request.min_seen_overlap);
                for &span in &plan.displayed {
                    known.insert(span);
                }
                let model_facing_id = registry.model_facing_id(&view.data_id)?;
                if request.markdown {
                    planned.push((view, model_facing_id, plan.clone()));
                } else {
                    let shown = Shown::new(&model_facing_id, &view.document, &view.content, &plan)?;
                    if let Some(out) = &mut out {
                        out.extend_from_slice(separator.text()?.as_bytes());
                    }
                    out = Some(shown.element(out.take(), fields, &request.snippet_field)?);
                }
                let ledger = request.ledger.clone().unbind();
                displayed.push((ledger, document_number, plan.displayed));
                Ok(())
            };
            one().map_err(|error| request.noted(error, Some(view.place)))?;
        }
        if request.markdown {
            let mut rows = Vec::with_capacity(planned.len());
            for (view, model_facing_id, plan) in &planned {
                let Stored {
                    document, content, ..
                } = view;
                rows.push(Shown::new(model_facing_id, document, content, plan)?);
            }
            let table = snippet_table(&rows, fields, &request.snippet_field);
            texts.append(table.map_err(|error| request.noted(error, None))?)?;
        } else {
            texts.append(decoded(py, &out.unwrap_or_default())?)?;
        }
    }
    Ok(Rendered {
        texts: texts.unbind(),
        displayed,
    })
}
