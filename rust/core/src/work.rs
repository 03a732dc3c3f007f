//! Counts of what was done, for the tests that hold it against the size of the input. Nothing is counted elsewhere.

#[cfg(test)]
thread_local! {
    static DONE: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts so many steps of work.
#[inline(always)]
pub(crate) fn done(steps: usize) {
    #[cfg(test)]
    DONE.with(|done| done.set(done.get() + steps as u64));
    #[cfg(not(test))]
    let _ = steps;
}

/// The steps that this thread counts while it does something, and what comes of that.
#[cfg(test)]
pub(crate) fn counted<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let before = DONE.with(std::cell::Cell::get);
    let result = work();
    (DONE.with(std::cell::Cell::get) - before, result)
}
