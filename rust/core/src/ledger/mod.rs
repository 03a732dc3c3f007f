//! The seen ledger: what of each document was shown, in a form that forks share.
//!
//! A ledger is cloned in constant time, and what a clone changes is copied first, so that every clone goes its own way.
//! Documents are known by numbers, which the caller gives them; the core sees no id.

mod numbered;
mod span_set;

pub use span_set::{BadSpan, SpanSet};

use crate::intervals::{mask, Plan, Span};
use numbered::Numbered;

/// What was shown of each document.
///
/// Entries come in the order in which they were made, as those of a Python dict do. Cloning takes constant time,
/// whatever the ledger holds; every other method but [`Ledger::in_order`] takes time logarithmic in it.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    entries: Numbered<Entry>,
    /// Greater than the order of any entry.
    next_order: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    order: u64,
    spans: SpanSet,
}

impl Ledger {
    /// How many documents have an entry.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no document has an entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was shown of a document, if it has an entry.
    pub fn get(&self, number: u64) -> Option<&SpanSet> {
        Some(&self.entries.get(number)?.spans)
    }

    /// Gives a document an entry, with no span, unless it has one.
    pub fn register(&mut self, number: u64) {
        if self.get(number).is_none() {
            self.entry(number);
        }
    }

    /// Adds spans to a document's entry, which is made if need be.
    pub fn record(&mut self, number: u64, spans: &[Span]) {
        let known = self.get(number);
        // What brings nothing new must not cost a copy of what is shared.
        if known.is_some_and(|known| spans.iter().all(|&span| known.covers(span))) {
            return;
        }
        let entry = self.entry(number);
        for &span in spans {
            entry.insert(span);
        }
    }

    /// Replaces a document's entry, in its place, or makes it.
    pub fn set(&mut self, number: u64, spans: SpanSet) {
        *self.entry(number) = spans;
    }

    /// Removes a document's entry and gives what was in it.
    pub fn remove(&mut self, number: u64) -> Option<SpanSet> {
        Some(self.entries.remove(number)?.spans)
    }

    /// The numbers and spans of all entries, in the order in which the entries were made.
    pub fn in_order(&self) -> Vec<(u64, &SpanSet)> {
        let mut entries: Vec<(u64, &Entry)> = Vec::with_capacity(self.len());
        self.entries
            .for_each(&mut |number, entry| entries.push((number, entry)));
        entries.sort_unstable_by_key(|(_, entry)| entry.order);
        entries
            .into_iter()
            .map(|(number, entry)| (number, &entry.spans))
            .collect()
    }

    /// How the ledger masks a span of a document; see [`mask`](fn@mask).
    pub fn mask(&self, number: u64, span: Span, min_seen_overlap: i64) -> Plan {
        let seen = self.get(number).map(|spans| spans.overlapping(span));
        mask(span, &seen.unwrap_or_default(), min_seen_overlap)
    }

    fn entry(&mut self, number: u64) -> &mut SpanSet {
        let order = self.next_order;
        let entry = self.entries.get_or_insert_with(number, || Entry {
            order,
            spans: SpanSet::default(),
        });
        if entry.order == order {
            self.next_order += 1;
        }
        &mut entry.spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intervals::insert_interval;
    use proptest::prelude::*;

    /// A ledger as a list of entries in their order.
    type Model = Vec<(u64, Vec<Span>)>;

    #[derive(Clone, Debug)]
    enum Step {
        Register(u64),
        Record(u64, Vec<Span>),
        Set(u64, Vec<Span>),
        Remove(u64),
        Clear,
        Fork,
        Read(u64, Span, i64),
    }

    fn step() -> impl Strategy<Value = Step> {
        // Neighbours, and numbers that are far apart.
        let number = prop_oneof![0u64..40, proptest::sample::select(vec![1 << 20, u64::MAX])];
        let span =
            || (0i64..60, 1i64..8).prop_map(|(start, length)| Span::new(start, start + length));
        let spans = move || proptest::collection::vec(span(), 0..4);
        prop_oneof![
            number.clone().prop_map(Step::Register),
            (number.clone(), spans()).prop_map(|(number, spans)| Step::Record(number, spans)),
            (number.clone(), spans()).prop_map(|(number, spans)| Step::Record(number, spans)),
            (number.clone(), spans()).prop_map(|(number, spans)| Step::Set(number, spans)),
            number.clone().prop_map(Step::Remove),
            Just(Step::Clear),
            Just(Step::Fork),
            Just(Step::Fork),
            (number, span(), -1i64..9)
                .prop_map(|(number, span, minimum)| Step::Read(number, span, minimum)),
        ]
    }

    fn position(model: &Model, number: u64) -> Option<usize> {
        model.iter().position(|&(other, _)| other == number)
    }

    fn entry(model: &mut Model, number: u64) -> &mut Vec<Span> {
        let at = position(model, number).unwrap_or_else(|| {
            model.push((number, Vec::new()));
            model.len() - 1
        });
        &mut model[at].1
    }

    fn inserted(spans: &[Span]) -> Vec<Span> {
        spans
            .iter()
            .fold(Vec::new(), |known, &span| insert_interval(&known, span))
    }

    /// What brings nothing new leaves all that is shared shared.
    #[test]
    fn what_is_known_is_not_written() {
        let mut ledger = Ledger::default();
        for number in 0..300 {
            ledger.record(number, &[Span::new(0, 5), Span::new(7, 9)]);
        }
        let mut fork = ledger.clone();
        for number in 0..300 {
            fork.register(number);
            fork.record(number, &[]);
            fork.record(number, &[Span::new(1, 5), Span::new(8, 9), Span::new(3, 3)]);
        }
        assert!(fork.entries.is_same(&ledger.entries));
        fork.record(7, &[Span::new(5, 6)]);
        assert!(!fork.entries.is_same(&ledger.entries));
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn forks_go_their_own_way(steps in proptest::collection::vec((any::<proptest::sample::Index>(), step()), 0..60)) {
            let mut forks: Vec<(Ledger, Model)> = vec![Default::default()];
            for (index, step) in steps {
                let at = index.index(forks.len());
                let (ledger, model) = &mut forks[at];
                match step {
                    Step::Register(number) => {
                        ledger.register(number);
                        entry(model, number);
                    }
                    Step::Record(number, spans) => {
                        ledger.record(number, &spans);
                        let known = entry(model, number);
                        for span in spans {
                            *known = insert_interval(known, span);
                        }
                    }
                    Step::Set(number, spans) => {
                        let spans = inserted(&spans);
                        ledger.set(number, SpanSet::from_spans(&spans).unwrap());
                        *entry(model, number) = spans;
                    }
                    Step::Remove(number) => {
                        let removed = position(model, number).map(|at| model.remove(at).1);
                        prop_assert_eq!(ledger.remove(number).map(|spans| spans.to_vec()), removed);
                    }
                    Step::Clear => {
                        *ledger = Ledger::default();
                        model.clear();
                    }
                    Step::Fork => {
                        let fork = forks[at].clone();
                        forks.push(fork);
                    }
                    Step::Read(number, span, minimum) => {
                        let known = position(model, number).map_or(&[][..], |at| &model[at].1);
                        prop_assert_eq!(ledger.mask(number, span, minimum), mask(span, known, minimum));
                    }
                }
                for (ledger, model) in &forks {
                    let entries = ledger.in_order();
                    let entries: Model = entries.iter().map(|(number, spans)| (*number, spans.to_vec())).collect();
                    prop_assert_eq!(&entries, model);
                    prop_assert_eq!((ledger.len(), ledger.is_empty()), (model.len(), model.is_empty()));
                    for (number, spans) in model {
                        prop_assert_eq!(&ledger.get(*number).unwrap().to_vec(), spans);
                    }
                }
            }
        }
    }
}
