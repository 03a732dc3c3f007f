//! How much the tests of this crate try.

use proptest::prelude::ProptestConfig;

/// Settings for a property that is tried `cases` times; a few times where an interpreter runs it, which is hundreds of
/// times slower and has no file system to note a failure in.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    if cfg!(miri) {
        ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(4)
        }
    } else {
        ProptestConfig::with_cases(cases)
    }
}

/// Every `step`th of the numbers where an interpreter runs the test, else all of them.
pub(crate) fn some_of<T: Copy>(
    step: usize,
    numbers: impl Iterator<Item = T>,
) -> impl Iterator<Item = T> {
    numbers.step_by(if cfg!(miri) { step } else { 1 })
}
