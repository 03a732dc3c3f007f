//! A query as the features that windows are scored by.

use std::collections::hash_map::Entry;
use std::collections::HashMap;

use crate::text::lowercase::append_term;
use crate::text::stopwords::Language;
use crate::text::word_break::segments;
use crate::text::Text;

/// The distinct kept terms of a query and the distinct pairs of neighbours among them.
#[derive(Clone, Debug, Default)]
pub struct Query {
    terms: HashMap<Box<[u8]>, usize>,
    bigrams: HashMap<(usize, usize), usize>,
}

impl Query {
    /// Analyses a query. Terms and pairs are numbered in order of first appearance.
    pub fn new(text: Text<'_>, language: Language) -> Self {
        let mut query = Query::default();
        let mut previous = None;
        let mut term = Vec::new();
        for segment in segments(text).filter(|segment| segment.word_like) {
            term.clear();
            append_term(&mut term, text.slice(segment.start, segment.end));
            if language.is_stopword(&term) {
                continue;
            }
            let number = query.number_term(&term);
            if let Some(left) = previous.replace(number) {
                let next = query.bigrams.len();
                if let Entry::Vacant(entry) = query.bigrams.entry((left, number)) {
                    entry.insert(next);
                }
            }
        }
        query
    }

    fn number_term(&mut self, term: &[u8]) -> usize {
        if let Some(number) = self.term(term) {
            return number;
        }
        let number = self.terms.len();
        self.terms.insert(term.into(), number);
        number
    }

    /// The number of a term, if the query holds it.
    pub fn term(&self, term: &[u8]) -> Option<usize> {
        self.terms.get(term).copied()
    }

    /// The number of a pair of neighbouring terms, if the query holds it.
    pub fn bigram(&self, left: usize, right: usize) -> Option<usize> {
        self.bigrams.get(&(left, right)).copied()
    }

    /// How many distinct terms the query holds.
    pub fn terms(&self) -> usize {
        self.terms.len()
    }

    /// How many distinct pairs of neighbours the query holds.
    pub fn bigrams(&self) -> usize {
        self.bigrams.len()
    }
}
