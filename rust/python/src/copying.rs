//! Deep copies of Python's values, with the meaning of `copy.deepcopy`.
//!
//! Most documents hold nothing but plain values: strings, numbers, dicts, lists and tuples of them, each of just that
//! type. To copy such a value runs no foreign code, so it is tried first, with no more bookkeeping than shared values
//! need. At the first value of another kind that copy is thrown away, unseen, and a second way begins anew: it does
//! step by step what `copy.deepcopy` does, with the same memo, as what it calls may look into that memo, write to it or
//! change what is being copied.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::{ffi, intern};

use crate::hashing::Spreading;

/// Containers nested deeper than this are left to Python, which knows how deep it may go.
const LEVELS: usize = 64;

/// A deep copy of any value, as of `copy.deepcopy`.
#[pyfunction]
pub(crate) fn deep_copy<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match PlainCopies::default().copy(value, LEVELS) {
        Ok(Some(copied)) => Ok(copied),
        Ok(None) => Ok(value.clone()),
        Err(Unfinished::NotPlain) => MixedCopies::new(value.py())?.copy(value, LEVELS),
        Err(Unfinished::TooDeep) => python_deepcopy(value.py())?.call1((value,)),
        Err(Unfinished::Failed(error)) => Err(error),
    }
}

/// A deep copy of a dict that holds nothing but plain values, none too deep; `None` for another.
pub(crate) fn copy_plain_dict<'py>(
    dict: &Bound<'py, PyDict>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    match PlainCopies::default().copy_dict(dict, LEVELS - 1) {
        Ok(copied) => Ok(Some(copied)),
        Err(Unfinished::NotPlain | Unfinished::TooDeep) => Ok(None),
        Err(Unfinished::Failed(error)) => Err(error),
    }
}

/// Whether a value is its own copy: of just a type that cannot be changed and holds nothing.
pub(crate) fn is_atomic(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_none()
        || value.is_exact_instance_of::<PyBytes>()
        || value.is_exact_instance_of::<PyComplex>()
}

/// Why plain copying ended early.
enum Unfinished {
    NotPlain,
    TooDeep,
    Failed(PyErr),
}

impl From<PyErr> for Unfinished {
    fn from(error: PyErr) -> Self {
        Unfinished::Failed(error)
    }
}

/// An original, kept alive so that no other object takes its address, and its copy.
type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// So many pairs are held without an allocation and looked through one by one.
const FEW: usize = 8;

/// Copies of plain containers that were made so far.
#[derive(Default)]
struct PlainCopies<'py> {
    few: [Option<Pair<'py>>; FEW],
    /// The others, by the original's address.
    many: HashMap<usize, Pair<'py>, Spreading>,
}

impl<'py> PlainCopies<'py> {
    /// The copy of a value, `None` if it is its own.
    fn copy(
        &mut self,
        value: &Bound<'py, PyAny>,
        levels: usize,
    ) -> Result<Option<Bound<'py, PyAny>>, Unfinished> {
        if is_atomic(value) {
            return Ok(None);
        }
        let Some(levels) = levels.checked_sub(1) else {
            return Err(Unfinished::TooDeep);
        };
        if let Some(copied) = self.get(value) {
            return Ok((!copied.is(value)).then_some(copied));
        }
        if let Ok(dict) = value.cast_exact::<PyDict>() {
            let copied = self.copy_dict(dict, levels)?;
            Ok(Some(copied.into_any()))
        } else if let Ok(list) = value.cast_exact::<PyList>() {
            self.copy_list(list, levels).map(Some)
        } else if let Ok(tuple) = value.cast_exact::<PyTuple>() {
            self.copy_tuple(tuple, levels)
        } else {
            Err(Unfinished::NotPlain)
        }
    }

    fn copy_dict(
        &mut self,
        dict: &Bound<'py, PyDict>,
        levels: usize,
    ) -> Result<Bound<'py, PyDict>, Unfinished> {
        let copied = dict.copy()?;
        self.add(dict, &copied);
        for (key, value) in copied.iter() {
            // A plain key is its own copy: as it has a hash, it holds no dict or list.
            self.copy(&key, levels)?;
            if let Some(value) = self.copy(&value, levels)? {
                // The key is there: nothing moves under the iterator.
                copied.set_item(key, value)?;
            }
        }
        Ok(copied)
    }

    fn copy_list(
        &mut self,
        list: &Bound<'py, PyList>,
        levels: usize,
    ) -> Result<Bound<'py, PyAny>, Unfinished> {
        let copied = list.get_slice(0, list.len());
        self.add(list, &copied);
        for (index, item) in copied.iter().enumerate() {
            if let Some(item) = self.copy(&item, levels)? {
                copied.set_item(index, item)?;
            }
        }
        Ok(copied.into_any())
    }

    fn copy_tuple(
        &mut self,
        tuple: &Bound<'py, PyTuple>,
        levels: usize,
    ) -> Result<Option<Bound<'py, PyAny>>, Unfinished> {
        let mut copies: Option<Vec<Bound<'py, PyAny>>> = None;
        let mut flat = true;
        for (index, item) in tuple.iter().enumerate() {
            flat = flat && is_atomic(&item);
            let copied = self.copy(&item, levels)?;
            if copied.is_some() && copies.is_none() {
                let unchanged = tuple.iter().take(index);
                copies = Some(unchanged.collect());
            }
            if let Some(copies) = &mut copies {
                copies.push(copied.unwrap_or(item));
            }
        }
        // A cycle through a list or dict may have led here before.
        if let Some(copied) = self.get(tuple) {
            return Ok((!copied.is(tuple)).then_some(copied));
        }
        let Some(copies) = copies else {
            // Tuples in tuples, each there twice, are not walked anew each time.
            if !flat {
                self.add(tuple, tuple);
            }
            return Ok(None);
        };
        let copied = PyTuple::new(tuple.py(), copies)?;
        self.add(tuple, &copied);
        Ok(Some(copied.into_any()))
    }

    fn get(&self, original: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
        let mut few = self.few.iter().map_while(Option::as_ref);
        few.find(|(known, _)| known.is(original))
            .or_else(|| self.many.get(&address(original)))
            .map(|(_, copied)| copied.clone())
    }

    fn add(&mut self, original: &Bound<'py, PyAny>, copied: &Bound<'py, PyAny>) {
        let pair = (original.clone(), copied.clone());
        match self.few.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(pair),
            None => {
                self.many.insert(address(original), pair);
            }
        }
    }
}

/// What Python calls the object's `id()`.
fn address(value: &Bound<'_, PyAny>) -> usize {
    value.as_ptr() as usize
}

fn python_deepcopy(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static DEEPCOPY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    DEEPCOPY.import(py, "copy", "deepcopy")
}

/// Copies among which are some that `copy.deepcopy` made.
struct MixedCopies<'py> {
    /// Copies by their originals' addresses, and under its own address a list that keeps the originals alive.
    memo: Bound<'py, PyDict>,
    deepcopy: Bound<'py, PyAny>,
    /// From Python 3.14 on an atomic value is not looked up in the memo, and `None` there does not count.
    atomic_first: bool,
}

impl<'py> MixedCopies<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        Ok(MixedCopies {
            memo: PyDict::new(py),
            deepcopy: python_deepcopy(py)?.clone(),
            atomic_first: py.version_info() >= (3, 14),
        })
    }

    fn copy(&self, value: &Bound<'py, PyAny>, levels: usize) -> PyResult<Bound<'py, PyAny>> {
        let atomic = is_atomic(value);
        if atomic && self.atomic_first {
            return Ok(value.clone());
        }
        let container =
            value.is_exact_instance_of::<PyDict>() || value.is_exact_instance_of::<PyList>();
        if !atomic && (!container || levels == 0) {
            return self.deepcopy.call1((value, &self.memo));
        }
        match self.memo.get_item(address(value))? {
            Some(copied) if !(self.atomic_first && copied.is_none()) => return Ok(copied),
            _ if atomic => return Ok(value.clone()),
            _ => {}
        }
        let _level = RecursionLevel::enter(value.py())?;
        let copied = if let Ok(dict) = value.cast_exact::<PyDict>() {
            self.copy_dict(dict, levels - 1)?
        } else {
            self.copy_list(value, levels - 1)?
        };
        self.memo.set_item(address(value), &copied)?;
        self.keep_alive(value)?;
        Ok(copied)
    }

    /// Python's own iterators are used here and in `copy_list`, as foreign code may change what is iterated.
    fn copy_dict(&self, dict: &Bound<'py, PyDict>, levels: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = dict.py();
        let copied = PyDict::new(py);
        self.memo.set_item(address(dict), &copied)?;
        for item in dict.call_method0(intern!(py, "items"))?.try_iter()? {
            let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item?.extract()?;
            // The value first, as Python evaluates an assignment to an item.
            let value = self.copy(&value, levels)?;
            copied.set_item(self.copy(&key, levels)?, value)?;
        }
        Ok(copied.into_any())
    }

    fn copy_list(&self, list: &Bound<'py, PyAny>, levels: usize) -> PyResult<Bound<'py, PyAny>> {
        let copied = PyList::empty(list.py());
        self.memo.set_item(address(list), &copied)?;
        for item in list.try_iter()? {
            copied.append(self.copy(&item?, levels)?)?;
        }
        Ok(copied.into_any())
    }

    /// Holds on to a value as long as the memo lives, so that its address stays its own.
    fn keep_alive(&self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let place = address(&self.memo);
        match self.memo.get_item(place)? {
            Some(kept) => kept
                .call_method1(intern!(value.py(), "append"), (value,))
                .map(drop),
            None => self.memo.set_item(place, [value]),
        }
    }
}

/// A level of Python's recursion, which has a limit.
struct RecursionLevel<'py>(Python<'py>);

impl<'py> RecursionLevel<'py> {
    fn enter(py: Python<'py>) -> PyResult<Self> {
        // SAFETY: this thread is attached to the interpreter, as `py` proves; the text is a C string that lives on.
        let refused = unsafe { ffi::Py_EnterRecursiveCall(c" while copying a document".as_ptr()) };
        if refused != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(RecursionLevel(py))
    }
}

impl Drop for RecursionLevel<'_> {
    fn drop(&mut self) {
        // SAFETY: the thread is attached as long as the `Python` that is held, and `enter` succeeded.
        unsafe { ffi::Py_LeaveRecursiveCall() }
    }
}
