//! BM25 over the windows of one text, each window a document.

use super::analysis::{Analysis, Event};
use super::windows::Windows;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The index of the window with the highest score; the earliest on a tie.
///
/// Scores are summed feature by feature, unigrams before bigrams, so that equal windows get bit-equal sums. Only
/// windows that hold an event are visited: the work grows with windows + events × (window size / stride).
pub fn best_window(windows: Windows, analysis: &Analysis) -> usize {
    let lengths: Vec<usize> = (0..windows.len())
        .map(|index| analysis.kept_in(windows.positions(index)))
        .collect();
    let mut scores = vec![0.0; windows.len()];
    let mut counts = Counts::new(windows.len());

    let unigram_lengths = Lengths::new(&lengths, |length| length);
    for events in &analysis.unigrams {
        counts.add_feature(windows, events, &unigram_lengths, &mut scores);
    }
    let bigram_lengths = Lengths::new(&lengths, |length| length.saturating_sub(1));
    for events in &analysis.bigrams {
        counts.add_feature(windows, events, &bigram_lengths, &mut scores);
    }

    let mut best = 0;
    for (index, &score) in scores.iter().enumerate() {
        if score > scores[best] {
            best = index;
        }
    }
    best
}

/// The lengths of all windows in one kind of feature.
struct Lengths<'a> {
    kept: &'a [usize],
    of: fn(usize) -> usize,
    average: f64,
}

impl<'a> Lengths<'a> {
    fn new(kept: &'a [usize], of: fn(usize) -> usize) -> Self {
        let total: usize = kept.iter().map(|&length| of(length)).sum();
        Lengths {
            kept,
            of,
            average: total as f64 / kept.len() as f64,
        }
    }
}

/// Scratch space: how often the feature at hand occurs in each window. Zero everywhere between features.
struct Counts {
    frequencies: Vec<usize>,
    touched: Vec<usize>,
}

impl Counts {
    fn new(windows: usize) -> Self {
        Counts {
            frequencies: vec![0; windows],
            touched: Vec::new(),
        }
    }

    fn add_feature(
        &mut self,
        windows: Windows,
        events: &[Event],
        lengths: &Lengths<'_>,
        scores: &mut [f64],
    ) {
        for event in events {
            for index in windows.holding(event.left, event.right) {
                if self.frequencies[index] == 0 {
                    self.touched.push(index);
                }
                self.frequencies[index] += 1;
            }
        }
        let total = windows.len() as f64;
        let containing = self.touched.len() as f64;
        let idf = (1.0 + (total - containing + 0.5) / (containing + 0.5)).ln();
        for index in self.touched.drain(..) {
            let frequency = std::mem::take(&mut self.frequencies[index]) as f64;
            if lengths.average > 0.0 {
                let length = (lengths.of)(lengths.kept[index]) as f64;
                let norm = K1 * (1.0 - B + B * length / lengths.average);
                scores[index] += idf * (frequency * (K1 + 1.0)) / (frequency + norm);
            }
        }
    }
}
