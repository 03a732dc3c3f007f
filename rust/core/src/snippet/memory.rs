//! The analyses that a process remembers, within a budget.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use hashlink::LruCache;

use super::analysis::Analysis;
use crate::text::ascii::InstructionSet;
use crate::text::Text;

/// Texts of fewer bytes are not remembered: they are read again in no time.
pub const LEAST_BYTES: usize = 1024;

/// The budget unless it is set, in bytes.
pub const DEFAULT_BUDGET: usize = 64 << 20;

/// Texts that were asked about once are marked in so many places at most.
const MARKS: usize = 1 << 15;

/// Analyses by the texts that they are of. A text is found by where its bytes are, else by what they are.
///
/// What a text and its analysis take counts against the budget, and those that were not used for the longest time are
/// dropped first. A text is remembered when it is asked about for a second time; of the first time only a mark is left.
///
/// `Owner` keeps a text alive; its bytes must stay where they are for as long as it lives, wherever it is moved.
#[derive(Debug)]
pub struct Memory<Owner> {
    state: Mutex<State<Owner>>,
    hasher: RandomState,
}

#[derive(Debug)]
struct State<Owner> {
    /// By the hash of their text, in order of use.
    remembered: LruCache<u64, Remembered<Owner>, RandomState>,
    /// The hash of the text whose bytes start at an address.
    hashes: HashMap<usize, u64, RandomState>,
    /// Hashes of texts that were asked about, each in the place that its lowest bits name; 0 where there is none.
    marks: Vec<u64>,
    info: Info,
}

#[derive(Debug)]
struct Remembered<Owner> {
    text: Arc<Owner>,
    analysis: Arc<Analysis>,
    /// What is counted against the budget.
    bytes: usize,
}

/// What a memory holds, and how it fared so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Bytes that it may take.
    pub budget: usize,
    /// Bytes that it takes: analyses, the texts that it keeps alive, and marks.
    pub used: usize,
    /// Texts whose analysis is remembered.
    pub texts: usize,
    /// How often an analysis was found.
    pub hits: u64,
    /// How often there was none.
    pub misses: u64,
    /// How many were dropped to stay within the budget.
    pub evictions: u64,
}

impl<Owner: AsRef<[u8]>> Memory<Owner> {
    /// An empty memory.
    pub fn new(budget: usize) -> Self {
        Memory {
            state: Mutex::new(State {
                remembered: LruCache::with_hasher(usize::MAX, RandomState::default()),
                hashes: HashMap::default(),
                marks: Vec::new(),
                info: Info {
                    budget,
                    ..Info::default()
                },
            }),
            hasher: RandomState::default(),
        }
    }

    /// The analysis of `text` if it is remembered, or if now is the time to. `owner` gives what keeps the text alive, or
    /// nothing if the text may not be remembered; it is asked at most once.
    pub fn analysis(
        &self,
        text: Text<'_>,
        set: InstructionSet,
        owner: impl FnOnce() -> Option<Owner>,
    ) -> Option<Arc<Analysis>> {
        let bytes = text.as_bytes();
        if bytes.len() < LEAST_BYTES {
            return None;
        }
        let mut state = self.locked();
        let found = state.at_place(bytes);
        if found.is_some() || state.info.budget == 0 {
            return found;
        }
        // Not while the memory is locked: to hash a text takes its time.
        drop(state);
        // 0 is where no mark is.
        let hash = self.hasher.hash_one(bytes).max(1);
        let mut state = self.locked();
        if let Some((known, analysis)) = state.by_hash(hash) {
            drop(state);
            // Both are held, so that nothing can be dropped meanwhile.
            let same = (*known).as_ref() == bytes;
            let mut state = self.locked();
            state.info.hits += u64::from(same);
            state.info.misses += u64::from(!same);
            return same.then_some(analysis);
        }
        state.info.misses += 1;
        let asked_before = state.mark(hash);
        let dropped = state.evict();
        drop(state);
        drop(dropped);
        if !asked_before {
            return None;
        }
        let owner = owner()?;
        let analysis = Arc::new(Analysis::new(text, set)?);
        self.remember(hash, owner, analysis.clone());
        Some(analysis)
    }

    /// The analysis of the text that is just here in memory, if it is remembered: a part of what `analysis` does, in
    /// next to no time.
    pub fn at_place(&self, text: Text<'_>) -> Option<Arc<Analysis>> {
        let bytes = text.as_bytes();
        if bytes.len() < LEAST_BYTES {
            return None;
        }
        self.locked().at_place(bytes)
    }

    fn remember(&self, hash: u64, owner: Owner, analysis: Arc<Analysis>) {
        let mut state = self.locked();
        let dropped = state.insert(hash, owner, analysis);
        // Not while the memory is locked: an owner may do as it likes when it goes.
        drop(state);
        drop(dropped);
    }

    /// What it holds.
    pub fn info(&self) -> Info {
        let state = self.locked();
        Info {
            texts: state.remembered.len(),
            ..state.info
        }
    }

    /// Sets the budget, and drops what no longer fits. With a budget of 0 nothing is remembered.
    pub fn resize(&self, budget: usize) {
        let mut state = self.locked();
        state.info.budget = budget;
        state.forget_marks();
        let dropped = state.evict();
        drop(state);
        drop(dropped);
    }

    /// Forgets all texts and counts.
    pub fn clear(&self) {
        let mut state = self.locked();
        let budget = state.info.budget;
        state.forget_marks();
        state.hashes = HashMap::default();
        let empty = LruCache::with_hasher(usize::MAX, RandomState::default());
        let dropped = std::mem::replace(&mut state.remembered, empty);
        state.info = Info {
            budget,
            ..Info::default()
        };
        drop(state);
        drop(dropped);
    }

    fn locked(&self) -> MutexGuard<'_, State<Owner>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Owner: AsRef<[u8]>> State<Owner> {
    /// The analysis of the text that is just here in memory.
    fn at_place(&mut self, bytes: &[u8]) -> Option<Arc<Analysis>> {
        let hash = *self.hashes.get(&(bytes.as_ptr() as usize))?;
        let found = self.remembered.get(&hash)?;
        // The text at this address is alive, so it is the one that was remembered.
        if (*found.text).as_ref().len() != bytes.len() {
            return None;
        }
        self.info.hits += 1;
        Some(found.analysis.clone())
    }

    /// The text with this hash, to be compared, and its analysis.
    fn by_hash(&mut self, hash: u64) -> Option<(Arc<Owner>, Arc<Analysis>)> {
        let found = self.remembered.get(&hash)?;
        Some((found.text.clone(), found.analysis.clone()))
    }

    /// Marks a text as asked about; says whether it was so before.
    fn mark(&mut self, hash: u64) -> bool {
        if self.marks.is_empty() {
            // No more than an eighth of the budget.
            let most = self.info.budget / size_of::<u64>() / 8;
            if most == 0 {
                return false;
            }
            self.marks = vec![0; (1 << most.ilog2()).min(MARKS)];
            self.info.used += size_of_val(self.marks.as_slice());
        }
        let place = hash as usize % self.marks.len();
        std::mem::replace(&mut self.marks[place], hash) == hash
    }

    fn forget_marks(&mut self) {
        self.info.used -= size_of_val(self.marks.as_slice());
        self.marks = Vec::new();
    }

    fn insert(
        &mut self,
        hash: u64,
        owner: Owner,
        analysis: Arc<Analysis>,
    ) -> Vec<Remembered<Owner>> {
        let text: &[u8] = owner.as_ref();
        let bytes = text.len() + analysis.most_bytes();
        let mut dropped: Vec<_> = self.take(hash).into_iter().collect();
        self.hashes.insert(text.as_ptr() as usize, hash);
        self.info.used += bytes;
        let remembered = Remembered {
            text: Arc::new(owner),
            analysis,
            bytes,
        };
        self.remembered.insert(hash, remembered);
        dropped.extend(self.evict());
        dropped
    }

    /// Takes out what is remembered by a hash.
    fn take(&mut self, hash: u64) -> Option<Remembered<Owner>> {
        let taken = self.remembered.remove(&hash)?;
        self.forget(&taken);
        Some(taken)
    }

    fn forget(&mut self, taken: &Remembered<Owner>) {
        self.info.used -= taken.bytes;
        self.hashes
            .remove(&((*taken.text).as_ref().as_ptr() as usize));
    }

    /// Takes out what was not used for the longest time until the rest is within the budget.
    fn evict(&mut self) -> Vec<Remembered<Owner>> {
        let mut dropped = Vec::new();
        while self.info.used > self.info.budget {
            let Some((_, taken)) = self.remembered.remove_lru() else {
                break;
            };
            self.forget(&taken);
            self.info.evictions += 1;
            dropped.push(taken);
        }
        dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Texts = Memory<Arc<[u8]>>;

    fn text(number: usize, words: usize) -> Arc<[u8]> {
        format!("word{number} and more ")
            .repeat(words)
            .into_bytes()
            .into()
    }

    fn ask(memory: &Texts, bytes: &Arc<[u8]>) -> bool {
        let text = Text::from_generalized_utf8(bytes).unwrap();
        memory
            .analysis(text, InstructionSet::best(), || Some(bytes.clone()))
            .is_some()
    }

    #[test]
    fn a_text_is_remembered_from_the_second_time_on_wherever_it_is() {
        let memory = Texts::new(1 << 20);
        let one = text(1, 100);
        let copy: Arc<[u8]> = one.to_vec().into();
        assert_eq!([ask(&memory, &one), ask(&memory, &copy)], [false, true]);
        assert_eq!([ask(&memory, &one), ask(&memory, &copy)], [true, true]);
        assert!(!ask(&memory, &text(2, 100)));
        let info = memory.info();
        assert_eq!((info.texts, info.hits, info.misses), (1, 2, 3));
        memory.clear();
        assert_eq!(
            memory.info(),
            Info {
                budget: 1 << 20,
                ..Info::default()
            }
        );
        assert!(!ask(&memory, &one));
    }

    #[test]
    fn short_texts_and_budgets_of_nothing_are_not_remembered() {
        let memory = Texts::new(1 << 20);
        let short = text(1, 5);
        assert_eq!([ask(&memory, &short), ask(&memory, &short)], [false, false]);
        memory.resize(0);
        let long = text(1, 100);
        assert_eq!([ask(&memory, &long), ask(&memory, &long)], [false, false]);
        assert_eq!(memory.info(), Info::default());
    }

    #[test]
    fn marks_count_against_the_budget_too() {
        for budget in [1, 7, 63, 64, 5_000, 100_000] {
            let memory = Texts::new(1 << 20);
            for number in 0..60 {
                let bytes = text(number, 60);
                ask(&memory, &bytes);
                ask(&memory, &bytes);
            }
            memory.resize(budget);
            for number in 60..64 {
                ask(&memory, &text(number, 60));
                let info = memory.info();
                assert!(info.used <= budget, "{info:?}");
            }
        }
    }

    #[test]
    fn the_address_of_a_text_that_is_gone_names_no_other() {
        let memory = Texts::new(1 << 16);
        for number in 0..200 {
            let bytes = text(number % 7, 60 + number % 5);
            for _ in 0..3 {
                let found = memory.analysis(
                    Text::from_generalized_utf8(&bytes).unwrap(),
                    InstructionSet::best(),
                    || Some(bytes.clone()),
                );
                if let Some(analysis) = found {
                    assert_eq!(analysis.starts.len(), 3 * (60 + number % 5));
                }
            }
        }
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn the_budget_is_kept_and_the_latest_stay(
            asks in proptest::collection::vec((0usize..12, 60usize..90), 1..120),
            budget in 1usize..60_000,
        ) {
            let memory = Texts::new(budget);
            for (number, words) in asks {
                let bytes = text(number, words);
                ask(&memory, &bytes);
                let fits = ask(&memory, &bytes) && memory.info().texts > 0;
                let info = memory.info();
                prop_assert!(info.used <= budget);
                if fits {
                    prop_assert!(ask(&memory, &bytes));
                    prop_assert_eq!(memory.info().hits, info.hits + 1);
                }
            }
            memory.resize(0);
            prop_assert_eq!((memory.info().texts, memory.info().used), (0, 0));
        }
    }
}
