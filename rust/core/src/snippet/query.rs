//! A query as the features that windows are scored by.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::text::ascii::{InstructionSet, Vector};
use crate::text::lowercase::append_term;
use crate::text::scan::{scan, Batch, Sink};
use crate::text::stopwords::Language;
use crate::text::term::{may_be_longer, prefix, Filter, Lookup};
use crate::text::Text;
use crate::work::done;

/// Up to so many terms or pairs are looked for one by one.
const FEW: usize = 16;

/// The distinct kept terms of a query and the distinct pairs of neighbours among them, numbered in order of first
/// appearance.
#[derive(Debug)]
pub struct Query {
    terms: Vec<Term>,
    /// The terms' bytes, one after the other.
    bytes: Vec<u8>,
    pairs: Vec<(u32, u32)>,
    /// The number of every term and every pair, once there are more than a few.
    term_numbers: HashMap<Box<[u8]>, u32, RandomState>,
    pair_numbers: HashMap<(u32, u32), u32, RandomState>,
    /// Finds the language's stopwords and what may be a term of the query.
    lookup: Lookup<'static>,
}

#[derive(Clone, Copy, Debug)]
struct Term {
    prefix: u64,
    start: usize,
    end: usize,
}

impl Query {
    /// Analyses a query.
    pub fn new(text: Text<'_>, language: Language, set: InstructionSet) -> Self {
        let mut collector = Collector {
            text,
            language,
            query: Query::empty(language),
            previous: None,
            term: Vec::with_capacity(16),
        };
        scan(text, set, &mut collector);
        collector.query.ready(language)
    }

    /// Takes terms as they are, those that occur again only once, stopwords not at all, and no pairs.
    pub fn of_terms<'a>(terms: impl IntoIterator<Item = &'a [u8]>, language: Language) -> Self {
        let mut query = Query::empty(language);
        for term in terms {
            // No query holds a term that a text drops.
            if !language.is_stopword(term) {
                query.add_term(prefix(term), term);
            }
        }
        query.ready(language)
    }

    fn empty(language: Language) -> Self {
        Query {
            terms: Vec::with_capacity(8),
            bytes: Vec::with_capacity(64),
            pairs: Vec::with_capacity(8),
            term_numbers: HashMap::default(),
            pair_numbers: HashMap::default(),
            lookup: language.lookup(Filter::default()),
        }
    }

    /// Makes the lookup find the terms that are there.
    fn ready(mut self, language: Language) -> Self {
        let mut filter = Filter::default();
        for term in &self.terms {
            filter.add(self.lookup.product(term.prefix));
        }
        self.lookup = language.lookup(filter);
        self
    }

    /// Looks up prefixes of terms among the language's stopwords and the query's terms.
    pub fn lookup(&self) -> &Lookup<'static> {
        &self.lookup
    }

    /// The number of a term, if the query holds it.
    pub fn term(&self, prefix: u64, term: &[u8]) -> Option<u32> {
        if self.terms.len() > FEW {
            return self.term_numbers.get(term).copied();
        }
        let found = self.terms.iter().position(|known| {
            known.prefix == prefix && self.bytes[known.start..known.end] == *term
        });
        found.map(|number| number as u32)
    }

    /// The number of a pair of neighbouring terms, if the query holds it.
    pub fn pair(&self, pair: (u32, u32)) -> Option<u32> {
        if self.pairs.len() > FEW {
            return self.pair_numbers.get(&pair).copied();
        }
        let found = self.pairs.iter().position(|&known| known == pair);
        found.map(|number| number as u32)
    }

    /// The distinct terms in order of their numbers, each with its prefix.
    pub fn each_term(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.terms
            .iter()
            .map(|term| (term.prefix, &self.bytes[term.start..term.end]))
    }

    /// The distinct pairs of neighbours, as the numbers of their terms.
    pub fn each_pair(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.pairs.iter().copied()
    }

    /// How many distinct terms the query holds.
    pub fn terms(&self) -> usize {
        self.terms.len()
    }

    /// How many distinct pairs of neighbours the query holds.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    fn add_term(&mut self, prefix: u64, term: &[u8]) -> u32 {
        if let Some(number) = self.term(prefix, term) {
            return number;
        }
        let number = self.terms.len() as u32;
        let start = self.bytes.len();
        self.bytes.extend_from_slice(term);
        self.terms.push(Term {
            prefix,
            start,
            end: self.bytes.len(),
        });
        for number in unnumbered(self.terms.len(), self.term_numbers.len()) {
            let Term { start, end, .. } = self.terms[number];
            let term = self.bytes[start..end].into();
            self.term_numbers.insert(term, number as u32);
        }
        number
    }

    fn add_pair(&mut self, pair: (u32, u32)) {
        if self.pair(pair).is_some() {
            return;
        }
        self.pairs.push(pair);
        for number in unnumbered(self.pairs.len(), self.pair_numbers.len()) {
            self.pair_numbers.insert(self.pairs[number], number as u32);
        }
    }
}

/// Which of so many terms or pairs are still to be put in the map: none while there are few.
fn unnumbered(there: usize, numbered: usize) -> Range<usize> {
    if there > FEW {
        numbered..there
    } else {
        0..0
    }
}

struct Collector<'a> {
    text: Text<'a>,
    language: Language,
    query: Query,
    previous: Option<u32>,
    /// Scratch space for the term at hand.
    term: Vec<u8>,
}

impl Collector<'_> {
    /// Takes the term in the scratch space.
    fn take(&mut self) {
        done(1 + self.query.terms.len().min(FEW));
        let prefix = prefix(&self.term);
        let dropped = self.query.lookup.look_up(prefix).dropped != 0;
        if dropped && (!may_be_longer(prefix) || self.language.lists(&self.term)) {
            return;
        }
        let number = self.query.add_term(prefix, &self.term);
        if let Some(left) = self.previous.replace(number) {
            self.query.add_pair((left, number));
        }
    }
}

impl Sink for Collector<'_> {
    #[inline(always)]
    unsafe fn batch<V: Vector>(&mut self, batch: &Batch<'_>) {
        for token in 0..batch.len() {
            self.term.clear();
            self.term.extend_from_slice(batch.term(token));
            self.take();
        }
    }

    fn token(&mut self, start: usize, end: usize, _: bool) {
        self.term.clear();
        append_term(&mut self.term, self.text.slice(start, end));
        self.take();
    }
}
