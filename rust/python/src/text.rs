//! Python strings as the core's text, and analysis of a text.

use std::ffi::CString;
use std::sync::OnceLock;

use pyo3::exceptions::{PyRuntimeWarning, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use sid_core::text::ascii::InstructionSet;
use sid_core::text::lowercase::append_term;
use sid_core::text::stopwords::Language;
use sid_core::text::word_break::segments;
use sid_core::text::Text;

/// Names the instruction set to use instead of the best one.
pub(crate) const VARIABLE: &str = "SID_SIMD";

/// Chosen once, when the module is imported.
static INSTRUCTION_SET: OnceLock<InstructionSet> = OnceLock::new();

/// The instruction set that blocks of ASCII are scanned with.
pub(crate) fn instruction_set() -> InstructionSet {
    *INSTRUCTION_SET.get_or_init(InstructionSet::best)
}

/// Chooses the instruction set that the environment names, if it names one that this machine has; else warns.
pub(crate) fn choose_instruction_set(py: Python<'_>) -> PyResult<InstructionSet> {
    let wanted = std::env::var(VARIABLE).unwrap_or_default();
    if !wanted.is_empty() {
        let available = InstructionSet::available();
        if let Some(&found) = available.iter().find(|set| set.name() == wanted) {
            let _ = INSTRUCTION_SET.set(found);
        } else {
            let names: Vec<&str> = available.iter().map(|set| set.name()).collect();
            let message = format!(
                "{VARIABLE} is {wanted:?}, but this machine has {}; {} is used",
                names.join(", "),
                instruction_set().name()
            );
            let message = CString::new(message)?;
            PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &message, 1)?;
        }
    }
    Ok(instruction_set())
}

/// Work on more bytes than this is done with the GIL released.
const DETACH_FROM: usize = 1024;

/// A Python string in generalized UTF-8: borrowed from the string, or, if it holds lone surrogates, encoded anew.
pub(crate) enum Encoded<'a, 'py> {
    Utf8(&'a str),
    WithSurrogates(Bound<'py, PyBytes>),
}

impl<'a, 'py> Encoded<'a, 'py> {
    pub(crate) fn new(string: &'a Bound<'py, PyString>) -> PyResult<Self> {
        match string.to_str() {
            Ok(utf8) => Ok(Encoded::Utf8(utf8)),
            Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(string.py()) => {
                let bytes = string.call_method1("encode", ("utf-8", "surrogatepass"))?;
                Ok(Encoded::WithSurrogates(bytes.cast_into()?))
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) fn text(&self) -> PyResult<Text<'_>> {
        match self {
            Encoded::Utf8(utf8) => Ok(Text::from(*utf8)),
            Encoded::WithSurrogates(bytes) => Text::from_generalized_utf8(bytes.as_bytes())
                .map_err(|error| PyValueError::new_err(error.to_string())),
        }
    }
}

/// Generalized UTF-8 as a Python string.
pub(crate) fn decoded<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match std::str::from_utf8(bytes) {
        Ok(utf8) => Ok(PyString::new(py, utf8)),
        Err(_) => Ok(PyBytes::new(py, bytes)
            .call_method1("decode", ("utf-8", "surrogatepass"))?
            .cast_into()?),
    }
}

/// A language that the Python layer has checked.
pub(crate) fn language(name: &str) -> PyResult<Language> {
    Language::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("unsupported language {name:?}")))
}

/// Runs `work` over so many bytes of text, without the GIL if they are many.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl Send + FnOnce() -> T,
) -> T {
    if bytes > DETACH_FROM {
        py.detach(work)
    } else {
        work()
    }
}

/// The UAX #29 word segments of `text`: `(start, end, word_like)`, in code points.
#[pyfunction]
pub(crate) fn word_segments(
    py: Python<'_>,
    text: &Bound<'_, PyString>,
) -> PyResult<Vec<(usize, usize, bool)>> {
    let encoded = Encoded::new(text)?;
    let text = encoded.text()?;
    Ok(detached(py, text.as_bytes().len(), || {
        let mut start = 0;
        segments(text)
            .map(|segment| {
                let length = text.slice(segment.start, segment.end).count_code_points();
                start += length;
                (start - length, start, segment.word_like)
            })
            .collect()
    }))
}

/// A kept token: term, position, start and end in code points.
type Token<'py> = (Bound<'py, PyString>, usize, usize, usize);

/// The kept tokens of `text`: `(term, position, start, end)`, offsets in code points.
#[pyfunction]
pub(crate) fn analyze<'py>(
    text: &Bound<'py, PyString>,
    language: &str,
) -> PyResult<Vec<Token<'py>>> {
    let py = text.py();
    let language = self::language(language)?;
    let encoded = Encoded::new(text)?;
    let text = encoded.text()?;
    let mut tokens = Vec::new();
    let mut term = Vec::new();
    let (mut end, mut positions) = (0, 0..);
    for segment in segments(text) {
        let token = text.slice(segment.start, segment.end);
        let start = end;
        end += token.count_code_points();
        if !segment.word_like {
            continue;
        }
        let position = positions.next().unwrap_or_default();
        term.clear();
        append_term(&mut term, token);
        if !language.is_stopword(&term) {
            tokens.push((decoded(py, &term)?, position, start, end));
        }
    }
    Ok(tokens)
}
