//! The id permutation.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use sid_core::ids::{Base, Permutation};
use sid_core::text::offsets::push_code_point;

use crate::text::{decoded, Encoded};

/// The ids of a stream: all strings of `length` characters of `alphabet`, in the order that `key` gives them.
///
/// `space` is how many there are, `len(alphabet) ** length`, below 2^128. Threads may mint at once, with or without the
/// GIL: the mutex around what can change is held for a step of arithmetic.
#[pyclass(frozen, module = "sid._native")]
pub(crate) struct Ids {
    permutation: Permutation,
    space: u128,
    /// The characters as code points, and as bytes if all are ASCII.
    alphabet: Vec<u32>,
    ascii: Option<Vec<u8>>,
    /// As many digits as there are characters.
    base: Base,
    length: usize,
    minted: Mutex<u128>,
}

#[pymethods]
impl Ids {
    #[new]
    fn new(alphabet: &Bound<'_, PyString>, length: usize, space: u128, key: u64) -> PyResult<Self> {
        let encoded = Encoded::new(alphabet)?;
        let text = encoded.text()?;
        let bytes = text.as_bytes();
        let alphabet: Vec<u32> = text.code_points().collect();
        Ok(Ids {
            permutation: Permutation::new(space, key),
            space,
            base: Base::new(alphabet.len()),
            alphabet,
            ascii: bytes.is_ascii().then(|| bytes.to_vec()),
            length,
            minted: Mutex::new(0),
        })
    }

    /// How many ids have been minted.
    #[getter]
    fn minted(&self) -> u128 {
        *self.lock_minted()
    }

    /// The next id, or `None` if there is none left.
    fn mint<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        let position = self.reserve(1);
        position
            .map(|position| self.write(py, position, &mut Vec::new()))
            .transpose()
    }

    /// The position of the first of the next `count` ids, which count as minted from now on, or `None` if there are not so
    /// many left.
    fn reserve(&self, count: u128) -> Option<u128> {
        let mut minted = self.lock_minted();
        let first = *minted;
        if count > self.space - first {
            return None;
        }
        *minted += count;
        Some(first)
    }

    /// The same ids of which as many have been minted, and then others.
    fn fork(&self) -> Self {
        Ids {
            permutation: self.permutation,
            space: self.space,
            alphabet: self.alphabet.clone(),
            ascii: self.ascii.clone(),
            base: self.base,
            length: self.length,
            minted: Mutex::new(self.minted()),
        }
    }

    /// The id at `index`; `IndexError` if there is none.
    fn at<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        let py = index.py();
        let position = match index.extract::<u64>() {
            Ok(position) => Some(position.into()),
            // Too large for 64 bits, or negative.
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                index.extract::<u128>().ok()
            }
            Err(error) => return Err(error),
        };
        match position.filter(|&position| position < self.space) {
            Some(position) => self.write(py, position, &mut Vec::new()),
            None => Err(PyIndexError::new_err("index is outside the space of ids")),
        }
    }

    /// The ids from `start` to `stop`, which must be in the space.
    fn between<'py>(
        &self,
        py: Python<'py>,
        start: u128,
        stop: u128,
    ) -> PyResult<Bound<'py, PyList>> {
        let ids = PyList::empty(py);
        let mut scratch = Vec::new();
        for position in start..stop.min(self.space) {
            ids.append(self.write(py, position, &mut scratch)?)?;
        }
        Ok(ids)
    }
}

impl Ids {
    fn lock_minted(&self) -> MutexGuard<'_, u128> {
        self.minted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id at a position in the space. `scratch` is room for it.
    fn write<'py>(
        &self,
        py: Python<'py>,
        position: u128,
        scratch: &mut Vec<u8>,
    ) -> PyResult<Bound<'py, PyString>> {
        let value = self.permutation.apply(position).unwrap_or_default();
        scratch.clear();
        if let Some(ascii) = &self.ascii {
            scratch.resize(self.length, 0);
            let mut places = scratch.iter_mut().rev();
            self.base.for_each_digit(value, self.length, |digit| {
                if let Some(place) = places.next() {
                    *place = ascii[digit];
                }
            });
        } else {
            let mut digits = Vec::with_capacity(self.length);
            self.base
                .for_each_digit(value, self.length, |digit| digits.push(digit));
            for &digit in digits.iter().rev() {
                push_code_point(scratch, self.alphabet[digit]);
            }
        }
        decoded(py, scratch)
    }
}
