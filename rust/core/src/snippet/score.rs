//! BM25 over the windows of one text, each window a document.

use super::analysis::{Analysis, Event};
use super::windows::Windows;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The index of the window with the highest score; the earliest on a tie.
///
/// Scores are summed feature by feature, unigrams before bigrams, so that equal windows get bit-equal sums. Only
/// windows that hold an event are scored: the work grows with the windows, the events, and the windows that hold one.
pub fn best_window(windows: Windows, analysis: &Analysis) -> usize {
    if analysis.unigrams.iter().all(Vec::is_empty) {
        return 0;
    }
    let kept = kept_tokens(windows, analysis);
    let mut scores = vec![0.0; windows.len()];
    let mut held = Vec::new();

    let unigram_lengths = Lengths::new(&kept, windows, |kept| kept);
    for events in &analysis.unigrams {
        add_feature(windows, events, &unigram_lengths, &mut held, &mut scores);
    }
    if analysis.bigrams.iter().any(|events| !events.is_empty()) {
        let bigram_lengths = Lengths::new(&kept, windows, |kept| kept.saturating_sub(1));
        for events in &analysis.bigrams {
            add_feature(windows, events, &bigram_lengths, &mut held, &mut scores);
        }
    }

    let mut best = 0;
    for (index, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = index;
        }
    }
    best
}

/// How many kept tokens each window holds.
fn kept_tokens(windows: Windows, analysis: &Analysis) -> Vec<usize> {
    (0..windows.len())
        .map(|index| {
            let positions = windows.positions(index);
            analysis.kept.ones_before(positions.end) - analysis.kept.ones_before(positions.start)
        })
        .collect()
}

/// The lengths of all windows in one kind of feature, and how they weigh.
struct Lengths<'a> {
    kept: &'a [usize],
    of: fn(usize) -> usize,
    average: f64,
    /// The norm for each number of kept tokens that a window may hold, if those are fewer than the windows.
    norms: Vec<f64>,
}

impl<'a> Lengths<'a> {
    fn new(kept: &'a [usize], windows: Windows, of: fn(usize) -> usize) -> Self {
        let total: usize = kept.iter().map(|&kept| of(kept)).sum();
        let average = total as f64 / kept.len() as f64;
        let norms = if windows.size() < windows.len() {
            (0..=windows.size())
                .map(|kept| norm(of(kept), average))
                .collect()
        } else {
            Vec::new()
        };
        Lengths {
            kept,
            of,
            average,
            norms,
        }
    }

    /// What BM25 adds to the term frequency below the line for window `index`.
    #[inline]
    fn norm(&self, index: usize) -> f64 {
        let kept = self.kept[index];
        match self.norms.get(kept) {
            Some(&norm) => norm,
            None => norm((self.of)(kept), self.average),
        }
    }
}

fn norm(length: usize, average: f64) -> f64 {
    K1 * (1.0 - B + B * length as f64 / average)
}

/// Adds a feature's part to the score of every window that holds an event of it. `held` is scratch space.
fn add_feature(
    windows: Windows,
    events: &[Event],
    lengths: &Lengths<'_>,
    held: &mut Vec<(usize, usize)>,
    scores: &mut [f64],
) {
    if events.is_empty() || lengths.average <= 0.0 {
        return;
    }
    count_held(windows, events, held);
    let total = windows.len() as f64;
    let containing = held.len() as f64;
    let idf = (1.0 + (total - containing + 0.5) / (containing + 0.5)).ln();
    for (index, frequency) in held.drain(..) {
        let frequency = frequency as f64;
        scores[index] += idf * (frequency * (K1 + 1.0)) / (frequency + lengths.norm(index));
    }
}

/// Appends every window that holds an event, with the number of events that it holds.
///
/// Events come sorted by `left` and by `right`, so that those a window holds are neighbours, and both ends only go up.
fn count_held(windows: Windows, events: &[Event], held: &mut Vec<(usize, usize)>) {
    let (mut begin, mut end) = (0, 0);
    let mut index = 0;
    while index < windows.len() {
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
