//! What one pass over a text finds out for one query.

use std::ops::Range;

use crate::text::lowercase::append_term;
use crate::text::stopwords::Language;
use crate::text::word_break::segments;
use crate::text::Text;

use super::query::Query;

/// One occurrence of a feature: the positions of its first and last token (the same for a unigram).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Position of the first token.
    pub left: usize,
    /// Position of the last token.
    pub right: usize,
}

/// The source tokens of a text, which of them are kept, and where the query's features occur.
#[derive(Clone, Debug, Default)]
pub struct Analysis {
    /// The byte range of each source token, at the index of its position.
    pub tokens: Vec<Range<usize>>,
    /// How many kept tokens come before each position; one entry more than there are tokens.
    pub kept_before: Vec<usize>,
    /// The events of every query term, by position.
    pub unigrams: Vec<Vec<Event>>,
    /// The events of every pair of query terms, by position.
    pub bigrams: Vec<Vec<Event>>,
}

impl Analysis {
    /// Analyses `text` in one pass.
    pub fn new(text: Text<'_>, language: Language, query: &Query) -> Self {
        let mut analysis = Analysis {
            kept_before: vec![0],
            unigrams: vec![Vec::new(); query.terms()],
            bigrams: vec![Vec::new(); query.bigrams()],
            ..Analysis::default()
        };
        let mut kept = 0;
        // The last kept token: its position, and its number if it is a query term.
        let mut previous: Option<(usize, usize)> = None;
        let mut term = Vec::new();
        for segment in segments(text).filter(|segment| segment.word_like) {
            let position = analysis.tokens.len();
            analysis.tokens.push(segment.start..segment.end);
            term.clear();
            append_term(&mut term, text.slice(segment.start, segment.end));
            if !language.is_stopword(&term) {
                kept += 1;
                let number = query.term(&term);
                if let Some(number) = number {
                    analysis.record(query, previous, number, position);
                }
                previous = number.map(|number| (position, number));
            }
            analysis.kept_before.push(kept);
        }
        analysis
    }

    fn record(
        &mut self,
        query: &Query,
        previous: Option<(usize, usize)>,
        number: usize,
        position: usize,
    ) {
        self.unigrams[number].push(Event {
            left: position,
            right: position,
        });
        let Some((left, left_number)) = previous else {
            return;
        };
        if let Some(bigram) = query.bigram(left_number, number) {
            self.bigrams[bigram].push(Event {
                left,
                right: position,
            });
        }
    }

    /// How many kept tokens have a position in `range`.
    pub fn kept_in(&self, range: Range<usize>) -> usize {
        self.kept_before[range.end] - self.kept_before[range.start]
    }
}
