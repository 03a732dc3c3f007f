//! The snippet of a text for a query: protocol, section 2.

use super::analysis::Token;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The chosen span: start and end in code points. `source` are the source tokens of a text of `length` code points.
pub fn span(
    query: &[Token],
    source: &[Token],
    length: usize,
    window_size: usize,
    stride: usize,
) -> (usize, usize) {
    if source.len() <= window_size {
        return (0, length);
    }
    let starts = window_starts(source.len(), window_size, stride);
    let first = starts[best(&scores(query, source, &starts, window_size))];
    (source[first].start, source[first + window_size - 1].end)
}

/// Where windows start: at every multiple of the stride, and so that the last one ends with the text.
fn window_starts(tokens: usize, window_size: usize, stride: usize) -> Vec<usize> {
    let last = tokens - window_size;
    let mut starts: Vec<usize> = (0..=last).step_by(stride).collect();
    if starts.last() != Some(&last) {
        starts.push(last);
    }
    starts
}

/// The earliest of the highest scores.
fn best(scores: &[f64]) -> usize {
    let mut best = 0;
    for index in 0..scores.len() {
        if scores[index] > scores[best] {
            best = index;
        }
    }
    best
}

/// The score of each window: a sum in the order of the features.
fn scores(query: &[Token], source: &[Token], starts: &[usize], window_size: usize) -> Vec<f64> {
    let unigram_lengths: Vec<usize> = starts
        .iter()
        .map(|&start| kept_in(source, start, window_size))
        .collect();
    let bigram_lengths: Vec<usize> = unigram_lengths
        .iter()
        .map(|&length| length.saturating_sub(1))
        .collect();
    let mut scores = vec![0.0; starts.len()];
    for (events, lengths) in unigrams(query)
        .iter()
        .map(|unigram| (unigram_events(source, unigram), &unigram_lengths))
        .chain(
            bigrams(query)
                .iter()
                .map(|bigram| (bigram_events(source, bigram), &bigram_lengths)),
        )
    {
        let frequencies: Vec<usize> = starts
            .iter()
            .map(|&start| frequency(&events, start, start + window_size))
            .collect();
        add_feature(&frequencies, lengths, &mut scores);
    }
    scores
}

/// How many tokens in a window are kept.
fn kept_in(source: &[Token], start: usize, window_size: usize) -> usize {
    source[start..start + window_size]
        .iter()
        .filter(|token| token.kept)
        .count()
}

/// The terms of the kept tokens.
fn kept_terms(tokens: &[Token]) -> Vec<&[u32]> {
    tokens
        .iter()
        .filter(|token| token.kept)
        .map(|token| token.term.as_slice())
        .collect()
}

/// What is in `all`, each once, in order of first appearance.
fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

/// The distinct query terms.
fn unigrams(query: &[Token]) -> Vec<&[u32]> {
    distinct(kept_terms(query))
}

/// The distinct pairs of consecutive kept query terms.
fn bigrams(query: &[Token]) -> Vec<(&[u32], &[u32])> {
    distinct(kept_terms(query).windows(2).map(|pair| (pair[0], pair[1])))
}

/// The positions at which a kept token has the term; each is left and right end of its event.
fn unigram_events(source: &[Token], unigram: &[u32]) -> Vec<(usize, usize)> {
    (0..source.len())
        .filter(|&position| source[position].kept && source[position].term == unigram)
        .map(|position| (position, position))
        .collect()
}

/// The positions of two consecutive kept tokens that have the terms.
fn bigram_events(source: &[Token], bigram: &(&[u32], &[u32])) -> Vec<(usize, usize)> {
    let kept: Vec<usize> = (0..source.len())
        .filter(|&position| source[position].kept)
        .collect();
    kept.windows(2)
        .map(|pair| (pair[0], pair[1]))
        .filter(|&(left, right)| source[left].term == bigram.0 && source[right].term == bigram.1)
        .collect()
}

/// tf: of a unigram, its events in the window; of a bigram what this formula says, which for unigrams is the same.
fn frequency(events: &[(usize, usize)], start: usize, end: usize) -> usize {
    let ended = events.iter().filter(|event| event.1 < end).count();
    let before = events.iter().filter(|event| event.0 < start).count();
    ended.saturating_sub(before)
}

/// Adds a feature's part to each score.
fn add_feature(frequencies: &[usize], lengths: &[usize], scores: &mut [f64]) {
    let windows = frequencies.len() as f64;
    let holding = frequencies.iter().filter(|&&tf| tf > 0).count();
    if holding == 0 {
        return;
    }
    let df = holding as f64;
    let idf = (1.0 + (windows - df + 0.5) / (df + 0.5)).ln();
    let average = lengths.iter().sum::<usize>() as f64 / windows;
    for window in 0..scores.len() {
        let tf = frequencies[window] as f64;
        let length = lengths[window] as f64;
        scores[window] += if tf == 0.0 || average == 0.0 {
            0.0
        } else {
            idf * (tf * (K1 + 1.0)) / (tf + K1 * (1.0 - B + B * length / average))
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::analysis;
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        let text: Vec<u32> = text.chars().map(u32::from).collect();
        analysis::tokens(&text, "english")
    }

    fn chosen(query: &str, content: &str, window_size: usize, stride: usize) -> String {
        let length = content.chars().count();
        let (start, end) = span(
            &tokens(query),
            &tokens(content),
            length,
            window_size,
            stride,
        );
        content.chars().skip(start).take(end - start).collect()
    }

    #[test]
    fn short_texts_are_whole() {
        assert_eq!(chosen("a", " one, two! ", 2, 1), " one, two! ");
        assert_eq!(chosen("a", "", 1, 1), "");
    }

    #[test]
    fn the_best_window_wins_and_the_earliest_on_a_tie() {
        assert_eq!(chosen("red fox", "a dog, a red fox; end", 2, 1), "red fox");
        assert_eq!(chosen("cat", "x cat y cat z", 1, 1), "cat");
        assert_eq!(chosen("the", "x (y) z", 1, 1), "x");
        assert_eq!(chosen("", "x (y) z", 2, 1), "x (y");
    }

    #[test]
    fn a_dropped_stopword_does_not_break_a_pair() {
        // Both windows hold both words; only the second one holds the pair.
        assert_eq!(
            chosen("red fox", "fox dog red. red of fox", 3, 3),
            "red of fox"
        );
    }

    #[test]
    fn windows_reach_the_end() {
        assert_eq!(window_starts(10, 3, 4), [0, 4, 7]);
        assert_eq!(window_starts(10, 3, 7), [0, 7]);
        assert_eq!(window_starts(10, 3, 100), [0, 7]);
    }

    #[test]
    fn a_score_by_hand() {
        let scores = scores(&tokens("x"), &tokens("x y"), &[0, 1], 1);
        let idf = (1.0f64 + 1.5 / 1.5).ln();
        assert_eq!(scores, [idf * 2.2 / 2.2, 0.0]);
    }
}
