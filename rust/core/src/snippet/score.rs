//! BM25 over the windows of one text, each window a document.

use super::numbers::Numbers;
use super::query::Query;
use super::rank::Rank;
use super::windows::Windows;
use crate::bm25;
use crate::text::ascii::{InstructionSet, Vector, Work};
use crate::work::done;

/// One occurrence of a feature: the positions of its first and last token (the same for a unigram).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Position of the first token.
    pub left: usize,
    /// Position of the last token.
    pub right: usize,
}

/// Where a query's features occur in a text, each feature's events by position.
#[derive(Debug, Default)]
pub struct Features {
    /// The events of every query term.
    pub unigrams: Vec<Vec<Event>>,
    /// The events of every pair of query terms.
    pub bigrams: Vec<Vec<Event>>,
}

impl Features {
    /// No events yet of the query's features.
    pub fn new(query: &Query) -> Self {
        Features {
            unigrams: vec![Vec::new(); query.terms()],
            bigrams: vec![Vec::new(); query.pairs()],
        }
    }

    /// Whether no feature occurs. No pair does without its terms.
    pub fn is_empty(&self) -> bool {
        self.unigrams.iter().all(Vec::is_empty)
    }
}

/// The index of the window with the highest score; the earliest on a tie.
///
/// Scores are summed feature by feature, unigrams before bigrams, so that equal windows get bit-equal sums. Only
/// windows that hold an event are scored: the work grows with the windows, the events, and the windows that hold one.
pub fn best_window(windows: Windows, features: &Features, lengths: &Lengths) -> usize {
    let mut scores = vec![0.0; windows.len()];
    let mut held = Vec::new();
    for (total, of, all) in [
        (
            lengths.unigrams,
            (|kept| kept) as fn(usize) -> usize,
            &features.unigrams,
        ),
        (
            lengths.bigrams,
            |kept| kept.saturating_sub(1),
            &features.bigrams,
        ),
    ] {
        if all.iter().all(Vec::is_empty) {
            continue;
        }
        let kind = Kind::new(total, windows, of);
        for events in all {
            count_held(windows, events, &mut held);
            kind.add_feature(lengths, &mut held, &mut scores);
        }
    }
    let mut best = 0;
    done(scores.len());
    for (index, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = index;
        }
    }
    best
}

/// How long the windows are.
#[derive(Debug)]
pub struct Lengths {
    /// The kept tokens of each window.
    kept: Numbers,
    /// The lengths in unigrams of all windows together, and those in bigrams.
    unigrams: usize,
    bigrams: usize,
}

impl Lengths {
    /// Counts the kept tokens in each window.
    pub fn new(windows: Windows, kept: &Rank, set: InstructionSet) -> Self {
        set.run(KeptTokens { windows, kept })
    }

    /// Bytes of memory that the lengths of so many windows of a size take, besides the object itself.
    pub fn heap_bytes_of(windows: usize, size: usize) -> usize {
        Numbers::heap_bytes_of(windows, size)
    }
}

struct KeptTokens<'a> {
    windows: Windows,
    kept: &'a Rank,
}

impl Work for KeptTokens<'_> {
    type Output = Lengths;

    /// For an instruction set that counts bits.
    #[inline(always)]
    unsafe fn run<V: Vector>(self) -> Lengths {
        let (mut unigrams, mut bigrams) = (0, 0);
        let mut lengths = Vec::with_capacity(self.windows.len());
        // No closure, which might not be compiled for the instruction set.
        done(self.windows.len());
        for index in 0..self.windows.len() {
            let positions = self.windows.positions(index);
            let kept =
                self.kept.ones_before(positions.end) - self.kept.ones_before(positions.start);
            unigrams += kept;
            bigrams += kept.saturating_sub(1);
            // No text that fits in memory has a window of more tokens.
            lengths.push(u32::try_from(kept).unwrap_or(u32::MAX));
        }
        Lengths {
            kept: Numbers::new(lengths.into_iter(), self.windows.size()),
            unigrams,
            bigrams,
        }
    }
}

/// To look norms up is worth their table where windows outnumber the tokens of one so many times.
const WINDOWS_PER_NORM: usize = 2;

/// One kind of feature: unigrams or bigrams.
struct Kind {
    /// How many such features a window with so many kept tokens has.
    of: fn(usize) -> usize,
    average: f64,
    /// The norm for each number of kept tokens that a window may hold, if those are far fewer than the windows, so that
    /// each will be asked for more than once.
    norms: Vec<f64>,
}

impl Kind {
    fn new(total: usize, windows: Windows, of: fn(usize) -> usize) -> Self {
        let average = total as f64 / windows.len() as f64;
        let norms = if windows.size() < windows.len() / WINDOWS_PER_NORM {
            (0..=windows.size())
                .map(|kept| bm25::norm(of(kept), average))
                .collect()
        } else {
            Vec::new()
        };
        Kind { of, average, norms }
    }

    /// Adds a feature's part to the scores of the windows that hold it so many times, and empties `held`.
    fn add_feature(&self, lengths: &Lengths, held: &mut Vec<(usize, usize)>, scores: &mut [f64]) {
        if self.average <= 0.0 || held.is_empty() {
            held.clear();
            return;
        }
        let idf = bm25::idf(scores.len(), held.len());
        for (index, frequency) in held.drain(..) {
            let norm = self.norm(lengths.kept.at(index));
            scores[index] += bm25::part(idf, frequency, norm);
        }
    }

    /// What BM25 adds to the term frequency below the line for a window with so many kept tokens.
    #[inline]
    fn norm(&self, kept: usize) -> f64 {
        match self.norms.get(kept) {
            Some(&norm) => norm,
            None => bm25::norm((self.of)(kept), self.average),
        }
    }
}

/// Appends every window that holds an event, with the number of events that it holds.
///
/// Events come sorted by `left` and by `right`, so that those a window holds are neighbours, and both ends only go up.
fn count_held(windows: Windows, events: &[Event], held: &mut Vec<(usize, usize)>) {
    let (mut begin, mut end) = (0, 0);
    let mut index = 0;
    done(1 + events.len());
    while index < windows.len() {
        done(1);
        let positions = windows.positions(index);
        while begin < events.len() && events[begin].left < positions.start {
            begin += 1;
        }
        while end < events.len() && events[end].right < positions.end {
            end += 1;
        }
        if end > begin {
            held.push((index, end - begin));
            index += 1;
            continue;
        }
        // On to the first window that may hold the next event.
        let Some(next) = events.get(begin) else {
            return;
        };
        index = windows.holding(next.left, next.right).start.max(index + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::num::NonZeroUsize;

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn each_window_that_holds_an_event_is_visited_once(
            tokens in 2usize..120,
            size in 1usize..60,
            stride in 1usize..9,
            gaps in proptest::collection::vec((0usize..9, 0usize..5), 0..60),
        ) {
            let (size, stride) = (NonZeroUsize::new(size).unwrap(), NonZeroUsize::new(stride).unwrap());
            let Some(windows) = Windows::new(tokens, size, stride) else { return Ok(()) };
            let mut events: Vec<Event> = Vec::new();
            for (gap, width) in gaps {
                let left = events.last().map_or(0, |event| event.left + gap);
                let right = events.last().map_or(0, |event| event.right).max(left + width);
                if right < tokens {
                    events.push(Event { left, right });
                }
            }
            let mut held = Vec::new();
            count_held(windows, &events, &mut held);
            let naive: Vec<(usize, usize)> = (0..windows.len())
                .map(|index| {
                    let positions = windows.positions(index);
                    let inside = events
                        .iter()
                        .filter(|event| positions.start <= event.left && event.right < positions.end);
                    (index, inside.count())
                })
                .filter(|&(_, count)| count > 0)
                .collect();
            prop_assert_eq!(held, naive);
        }
    }
}
