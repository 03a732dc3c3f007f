//! The id permutation.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use sid_core::ids::{digits, Permutation};

use crate::text::{decoded, Encoded};

/// The id at `index` of the stream with `key`, over an `alphabet` of strings; `space` is `len(alphabet) ** length`.
#[pyfunction]
pub(crate) fn id_at<'py>(
    index: u128,
    space: u128,
    key: u64,
    alphabet: &Bound<'py, PyTuple>,
    length: usize,
) -> PyResult<Bound<'py, PyString>> {
    let value = Permutation::new(space, key).apply(index).ok_or_else(|| {
        PyIndexError::new_err(format!("index {index} is outside the space of {space} ids"))
    })?;
    let mut id = Vec::new();
    for digit in digits(value, alphabet.len() as u128, length) {
        let symbol = alphabet.get_item(digit)?.cast_into::<PyString>()?;
        id.extend_from_slice(Encoded::new(&symbol)?.text()?.as_bytes());
    }
    decoded(alphabet.py(), &id)
}
