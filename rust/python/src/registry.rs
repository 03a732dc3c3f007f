//! How documents get into the tables of a fork family.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyDict, PyIterator, PyList, PyType};

use crate::copying::deep_copy;
use crate::ledger::Ledger;

/// Adds documents to the tables of a fork family, mints their ids and numbers them.
///
/// The tables are Python's own dicts, which their owner reads without this object. Whoever writes to several of them
/// holds the lock, here; in what order the writes come is said at `store`. Foreign code, which may run whenever an id is
/// hashed or compared and whenever the stream is asked, may call back into this object: the lock lets its owner in again.
/// Nothing else here can be changed but the stream, which has a mutex of its own, held only while a reference is
/// exchanged. Both waits give the GIL away, so that threads may use a registry at once with or without a GIL.
#[pyclass(frozen, module = "sid._native")]
pub(crate) struct Registry {
    documents: Py<PyDict>,
    to_model_facing_id: Py<PyDict>,
    to_data_id: Py<PyDict>,
    numbers: Py<PyDict>,
    data_ids: Py<PyList>,
    /// The method `setdefault` of three tables. Only it looks for a key and puts it there in one step, whatever the
    /// key's comparison does.
    document_or: Py<PyAny>,
    model_facing_id_or: Py<PyAny>,
    number_or: Py<PyAny>,
    own_copy: Py<PyAny>,
    exhausted: Py<PyAny>,
    stream: Mutex<Py<PyAny>>,
    /// The type of the first stream: the one kind that gives many ids at once, all of them or none.
    own_stream_type: Py<PyType>,
    lock: ReentrantLock,
}

#[pymethods]
impl Registry {
    /// `own_copy` copies a document that is no dict; `exhausted` is the error that says that a stream has no id left.
    #[new]
    #[allow(clippy::too_many_arguments)] // The tables, which are one thing to Python's layer only.
    fn new(
        documents: &Bound<'_, PyDict>,
        to_model_facing_id: &Bound<'_, PyDict>,
        to_data_id: Py<PyDict>,
        numbers: &Bound<'_, PyDict>,
        data_ids: Py<PyList>,
        stream: Bound<'_, PyAny>,
        own_copy: Py<PyAny>,
        exhausted: Py<PyAny>,
    ) -> PyResult<Self> {
        let set_default = |table: &Bound<'_, PyDict>| -> PyResult<Py<PyAny>> {
            Ok(table.getattr(intern!(table.py(), "setdefault"))?.unbind())
        };
        Ok(Registry {
            document_or: set_default(documents)?,
            model_facing_id_or: set_default(to_model_facing_id)?,
            number_or: set_default(numbers)?,
            documents: documents.clone().unbind(),
            to_model_facing_id: to_model_facing_id.clone().unbind(),
            to_data_id,
            numbers: numbers.clone().unbind(),
            data_ids,
            own_copy,
            exhausted,
            own_stream_type: stream.get_type().unbind(),
            stream: Mutex::new(stream.unbind()),
            lock: ReentrantLock::default(),
        })
    }

    #[getter]
    fn stream(&self, py: Python<'_>) -> Py<PyAny> {
        self.lock_stream(py).clone_ref(py)
    }

    #[setter]
    fn set_stream(&self, py: Python<'_>, stream: Py<PyAny>) {
        let _entered = self.lock.enter(py);
        // The old one, whose end may run foreign code, is dropped after the mutex was let go.
        let _old = std::mem::replace(&mut *self.lock_stream(py), stream);
    }

    /// Stores a copy of a document, unless the id is taken, and registers it in a ledger; gives the model-facing id.
    fn add<'py>(
        &self,
        ledger: &Bound<'py, Ledger>,
        data_id: &Bound<'py, PyAny>,
        document: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = data_id.py();
        let known = self.to_model_facing_id.bind(py).get_item(data_id)?;
        let model_facing_id = match known {
            Some(known) if self.documents.bind(py).contains(data_id)? => known,
            // New, or taken out of the public dict, to be added again under its old id.
            _ => {
                let document = if document.is_exact_instance_of::<PyDict>() {
                    deep_copy(document)?
                } else {
                    self.own_copy.bind(py).call1((data_id, document))?
                };
                self.store(data_id, &document)?
            }
        };
        ledger.get().register(self.number(data_id)?);
        Ok(model_facing_id)
    }

    /// The number of a data id; an id without one gets the next.
    pub(crate) fn number(&self, data_id: &Bound<'_, PyAny>) -> PyResult<u64> {
        let py = data_id.py();
        if let Some(number) = self.numbers.bind(py).get_item(data_id)? {
            return number.extract();
        }
        let _entered = self.lock.enter(py);
        let data_ids = self.data_ids.bind(py);
        // The list first, so that whoever finds the number finds the id. Where it comes to nothing a hole is left, since
        // hashing a foreign id may have given the next number to another.
        data_ids.append(data_id)?;
        let new = data_ids.len() - 1;
        let number = self.number_or.bind(py).call1((data_id, new));
        let number = number.and_then(|number| number.extract());
        if !matches!(number, Ok(number) if number == new as u64) {
            data_ids.set_item(new, py.None())?;
        }
        number
    }

    /// Waits until what other threads are about to add is added.
    fn settle(&self, py: Python<'_>) {
        drop(self.lock.enter(py));
    }

    /// Copies of the three public tables as they are between two additions.
    fn tables<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>, Bound<'py, PyDict>)> {
        let _entered = self.lock.enter(py);
        Ok((
            self.documents.bind(py).copy()?,
            self.to_model_facing_id.bind(py).copy()?,
            self.to_data_id.bind(py).copy()?,
        ))
    }

    /// A stream may hold its cache, whose family holds this. Everything else in such a circle can be cleared.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.documents)?;
        visit.call(&self.to_model_facing_id)?;
        visit.call(&self.to_data_id)?;
        visit.call(&self.numbers)?;
        visit.call(&self.data_ids)?;
        visit.call(&self.document_or)?;
        visit.call(&self.model_facing_id_or)?;
        visit.call(&self.number_or)?;
        visit.call(&self.own_copy)?;
        visit.call(&self.exhausted)?;
        visit.call(&self.own_stream_type)?;
        // A stream that is not visited stays alive, which is right while somebody exchanges it.
        match self.stream.try_lock() {
            Ok(stream) => visit.call(&*stream),
            Err(_) => Ok(()),
        }
    }
}

impl Registry {
    /// The document that a data id means, if it means one.
    pub(crate) fn known<'py>(
        &self,
        data_id: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = data_id.py();
        // What was taken out of the public dict is to be added again.
        if self.to_model_facing_id.bind(py).contains(data_id)? {
            self.documents.bind(py).get_item(data_id)
        } else {
            Ok(None)
        }
    }

    pub(crate) fn model_facing_id<'py>(
        &self,
        data_id: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let id = self
            .to_model_facing_id
            .bind(data_id.py())
            .get_item(data_id)?;
        id.ok_or_else(|| PyKeyError::new_err(data_id.clone().unbind()))
    }

    /// Refuses documents for which the stream has too few ids left, if it can tell without minting any.
    pub(crate) fn require_ids(&self, documents: &Bound<'_, PyDict>) -> PyResult<()> {
        let py = documents.py();
        let _entered = self.lock.enter(py);
        let count = self.count_new(documents)?;
        let stream = self.stream(py).into_bound(py);
        let can_tell = stream.get_type().is(&self.own_stream_type);
        if can_tell && stream.getattr(intern!(py, "remaining"))?.lt(count)? {
            // Which fails, and says why.
            stream.call_method1(intern!(py, "take"), (count,))?;
        }
        Ok(())
    }

    /// Mints ids for the new ones of documents.
    pub(crate) fn reserve<'py>(
        &self,
        documents: &Bound<'py, PyDict>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = documents.py();
        let _entered = self.lock.enter(py);
        let count = self.count_new(documents)?;
        self.mint_all(py, Vec::new(), count)
    }

    fn count_new(&self, documents: &Bound<'_, PyDict>) -> PyResult<usize> {
        let known = self.to_model_facing_id.bind(documents.py());
        let mut count = 0;
        // All are taken first, as to compare foreign ids may change the dict.
        let documents: Vec<_> = documents.iter().collect();
        for (data_id, _) in documents {
            count += usize::from(!known.contains(data_id)?);
        }
        Ok(count)
    }

    /// Stores documents that are the family's own, unless their ids are taken, under reserved ids as far as there are
    /// any: if ids run out, none of them.
    pub(crate) fn add_all<'py>(
        &self,
        documents: &Bound<'py, PyDict>,
        reserved: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let py = documents.py();
        let _entered = self.lock.enter(py);
        let known = self.to_model_facing_id.bind(py);
        let documents: Vec<_> = documents.iter().collect();
        let mut is_new = Vec::with_capacity(documents.len());
        for (data_id, _) in &documents {
            is_new.push(!known.contains(data_id)?);
        }
        let count = is_new.iter().filter(|&&is_new| is_new).count();
        let mut ids = Vec::with_capacity(count);
        for id in reserved {
            // Another thread may have added a document since, or a stream that repeats ids have given it this one.
            if ids.len() < count && !self.to_data_id.bind(py).contains(&id)? {
                ids.push(id);
            }
        }
        let mut ids = self.mint_all(py, ids, count)?.into_iter();
        for ((data_id, document), is_new) in documents.iter().zip(is_new) {
            match is_new.then(|| ids.next()).flatten() {
                Some(model_facing_id) => self.enter(data_id, document, &model_facing_id)?,
                None => self.document_or.bind(py).call1((data_id, document))?,
            };
        }
        Ok(())
    }

    fn lock_stream(&self, py: Python<'_>) -> MutexGuard<'_, Py<PyAny>> {
        let locked = self.stream.lock_py_attached(py);
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a document that is the family's own, unless the id is taken; gives the model-facing id.
    ///
    /// Readers do without the lock where they find something. So the document comes last but one, and its model-facing
    /// id as a key last: behind both is nothing that can fail, and who misses what is still to be written waits.
    fn store<'py>(
        &self,
        data_id: &Bound<'py, PyAny>,
        document: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = data_id.py();
        let _entered = self.lock.enter(py);
        if let Some(known) = self.to_model_facing_id.bind(py).get_item(data_id)? {
            self.document_or.bind(py).call1((data_id, document))?;
            return Ok(known);
        }
        let model_facing_id = self.mint(py, None)?;
        self.enter(data_id, document, &model_facing_id)
    }

    /// Stores a document under a new id, unless it has one; gives its id. The lock must be held.
    fn enter<'py>(
        &self,
        data_id: &Bound<'py, PyAny>,
        document: &Bound<'py, PyAny>,
        model_facing_id: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = data_id.py();
        self.number(data_id)?;
        // Hashing or comparing a foreign id may raise, or even add it.
        let winner = self
            .model_facing_id_or
            .bind(py)
            .call1((data_id, model_facing_id))?;
        if winner.is(model_facing_id) {
            if let Err(error) = self.document_or.bind(py).call1((data_id, document)) {
                self.forget_last(data_id)?;
                return Err(error);
            }
            self.to_data_id
                .bind(py)
                .set_item(model_facing_id, data_id)?;
        }
        Ok(winner)
    }

    /// Takes the last entry back, if it is the data id's, without asking the id.
    fn forget_last(&self, data_id: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = data_id.py();
        let table = self.to_model_facing_id.bind(py);
        let mut last_first = table
            .call_method0(intern!(py, "__reversed__"))?
            .try_iter()?;
        if let Some(last) = last_first.next() {
            if last?.is(data_id) {
                table.call_method0(intern!(py, "popitem"))?;
            }
        }
        Ok(())
    }

    /// So many ids that are not in use and differ from each other, `ids` among them; the lock must be held.
    fn mint_all<'py>(
        &self,
        py: Python<'py>,
        mut ids: Vec<Bound<'py, PyAny>>,
        count: usize,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut minted: Option<Bound<'py, PyDict>> = None;
        if !ids.is_empty() && ids.len() < count {
            minted = Some(PyDict::from_sequence(
                PyList::new(py, ids.iter().map(|id| (id, py.None())))?.as_any(),
            )?);
        }
        while ids.len() < count {
            let stream = self.stream(py).into_bound(py);
            if stream.get_type().is(&self.own_stream_type) {
                let some = stream.call_method1(intern!(py, "take"), (count - ids.len(),))?;
                for each in some.try_iter()? {
                    let each = each?;
                    // Its own are all different, but those of a stream before it may be in use.
                    let is_minted = match &minted {
                        Some(minted) => minted.contains(&each)?,
                        None => false,
                    };
                    if !is_minted && !self.to_data_id.bind(py).contains(&each)? {
                        ids.push(each);
                    }
                }
            } else {
                let minted = minted.get_or_insert_with(|| PyDict::new(py));
                for id in ids.iter().skip(minted.len()) {
                    minted.set_item(id, py.None())?;
                }
                ids.push(self.mint(py, Some(minted))?);
            }
        }
        Ok(ids)
    }

    /// The next id of the stream that is not in use, nor minted just now; the lock must be held.
    fn mint<'py>(
        &self,
        py: Python<'py>,
        minted: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let to_data_id = self.to_data_id.bind(py);
        let in_use = to_data_id.len();
        let mut last = None;
        // A stream put in place later may repeat ids of the one before it; one more id than are in use or minted, all
        // different, hold a new one.
        for _ in 0..=in_use + minted.map_or(0, |minted| minted.len()) {
            let stream = self.stream(py).into_bound(py);
            let Ok(stream) = stream.cast::<PyIterator>() else {
                let kind = stream.get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "'{kind}' object is not an iterator"
                )));
            };
            let Some(model_facing_id) = stream.clone().next().transpose()? else {
                return Err(self.exhausted(
                    py,
                    format!("model_facing_id_stream has no id left after {in_use}"),
                ));
            };
            let is_minted = match minted {
                Some(minted) => minted.contains(&model_facing_id)?,
                None => false,
            };
            if !is_minted && !to_data_id.contains(&model_facing_id)? {
                return Ok(model_facing_id);
            }
            last = Some(model_facing_id);
        }
        let last = last.map(|last| last.repr()).transpose()?;
        let last = last.map_or_else(String::new, |last| last.to_string());
        Err(self.exhausted(
            py,
            format!("model_facing_id_stream only repeats ids that are in use, such as {last}"),
        ))
    }

    fn exhausted(&self, py: Python<'_>, message: String) -> PyErr {
        match self.exhausted.bind(py).call1((message,)) {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    }
}

/// A lock that lets its owner in again.
///
/// The owner may run Python code, and so give the GIL away, while others wait: they wait without the GIL.
#[derive(Default)]
struct ReentrantLock {
    mutex: Mutex<()>,
    /// Which thread has the mutex, if any has. Only the owner writes its own mark here, and takes it away before it lets
    /// go: a thread that reads its own mark is the owner, and no order with other memory is needed.
    owner: AtomicUsize,
}

const NOBODY: usize = 0;

/// While it lives, the lock is held.
struct Entered<'a> {
    lock: &'a ReentrantLock,
    /// What the outermost holds.
    _outermost: Option<MutexGuard<'a, ()>>,
}

impl ReentrantLock {
    fn enter(&self, py: Python<'_>) -> Entered<'_> {
        let me = mark_of_this_thread();
        if self.owner.load(Ordering::Relaxed) == me {
            return Entered {
                lock: self,
                _outermost: None,
            };
        }
        let locked = self.mutex.lock_py_attached(py);
        let locked = locked.unwrap_or_else(PoisonError::into_inner);
        self.owner.store(me, Ordering::Relaxed);
        Entered {
            lock: self,
            _outermost: Some(locked),
        }
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if self._outermost.is_some() {
            self.lock.owner.store(NOBODY, Ordering::Relaxed);
        }
    }
}

/// The address of something that each living thread has its own of.
fn mark_of_this_thread() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| std::ptr::from_ref(mark) as usize)
}
