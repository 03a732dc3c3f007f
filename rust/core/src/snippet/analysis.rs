//! What one pass over a text finds out for one query.

use crate::text::ascii::InstructionSet;
use crate::text::lowercase::append_term;
use crate::text::scan::{scan, AsciiToken, Sink};
use crate::text::stopwords::Language;
use crate::text::term::{prefix, prefix_in, spread};
use crate::text::word_break::{Boundary, Rules};
use crate::text::Text;

use super::query::Query;
use super::rank::{Bits, Rank};

/// One occurrence of a feature: the positions of its first and last token (the same for a unigram).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Position of the first token.
    pub left: usize,
    /// Position of the last token.
    pub right: usize,
}

/// The source tokens of a text, which of them are kept, and where the query's features occur.
#[derive(Debug)]
pub struct Analysis {
    /// Where the tokens start.
    pub starts: Starts,
    /// Which tokens are kept.
    pub kept: Rank,
    /// The events of every query term, by position.
    pub unigrams: Vec<Vec<Event>>,
    /// The events of every pair of query terms, by position.
    pub bigrams: Vec<Vec<Event>>,
}

impl Analysis {
    /// Analyses `text` in one pass.
    pub fn new(text: Text<'_>, language: Language, set: InstructionSet, query: &Query) -> Self {
        let mut collector = Collector {
            text,
            language,
            query,
            // Most texts have fewer tokens than this.
            starts: Starts::with_capacity(text.as_bytes().len() / 4 + 8),
            kept: Bits::with_capacity(text.as_bytes().len() / 4 + 8),
            unigrams: vec![Vec::new(); query.terms()],
            bigrams: vec![Vec::new(); query.pairs()],
            rank: 0,
            previous: Hit {
                rank: 0,
                position: 0,
                term: 0,
            },
            term: Vec::new(),
            folded: Vec::new(),
        };
        scan(text, set, &mut collector);
        Analysis {
            starts: collector.starts,
            kept: collector.kept.ranked(),
            unigrams: collector.unigrams,
            bigrams: collector.bigrams,
        }
    }
}

/// Where the tokens start: every sixteenth offset is kept, and the ones between are found again in the text.
#[derive(Debug, Default)]
pub struct Starts {
    tokens: usize,
    /// Offsets in bytes of the tokens at 0, 16, 32, …, modulo 2^32.
    sampled: Vec<u32>,
    /// The samples at which the offset passes another multiple of 2^32.
    wraps: Vec<usize>,
}

/// Tokens per sample.
const SAMPLE: usize = 16;

impl Starts {
    fn with_capacity(tokens: usize) -> Self {
        Starts {
            tokens: 0,
            sampled: Vec::with_capacity(tokens / SAMPLE + 1),
            wraps: Vec::new(),
        }
    }

    #[inline(always)]
    fn push(&mut self, offset: usize) {
        if self.tokens.is_multiple_of(SAMPLE) {
            self.sample(offset);
        }
        self.tokens += 1;
    }

    #[inline(never)]
    fn sample(&mut self, offset: usize) {
        if offset >> 32 != self.wraps.len() {
            self.wraps.resize(offset >> 32, self.sampled.len());
        }
        self.sampled.push(offset as u32);
    }

    /// How many tokens there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.tokens
    }

    /// The offset of a sample.
    fn offset(&self, sample: usize) -> usize {
        let high = self.wraps.partition_point(|&wrap| wrap <= sample);
        high << 32 | self.sampled[sample] as usize
    }

    /// The first and the last byte offset of the token at `position` of `text`, which is what was analysed.
    pub fn bounds(&self, text: Text<'_>, position: usize) -> (usize, usize) {
        let rules = Rules::new(text);
        // A token starts where nothing before it matters.
        let mut boundary = Boundary::clean(self.offset(position / SAMPLE));
        let mut left = position % SAMPLE;
        loop {
            let start = boundary.at;
            if rules.segment(&mut boundary).is_word_like() {
                if left == 0 {
                    return (start, boundary.at);
                }
                left -= 1;
            }
        }
    }
}

struct Collector<'a> {
    text: Text<'a>,
    language: Language,
    query: &'a Query,
    starts: Starts,
    kept: Bits,
    unigrams: Vec<Vec<Event>>,
    bigrams: Vec<Vec<Event>>,
    /// How many tokens were kept so far.
    rank: usize,
    previous: Hit,
    /// Scratch space for a term.
    term: Vec<u8>,
    /// Scratch space for a token in lowercase.
    folded: Vec<u8>,
}

/// A kept token that is a query term.
#[derive(Clone, Copy)]
struct Hit {
    /// How many tokens were kept up to it, itself included: consecutive kept tokens have consecutive ranks.
    rank: usize,
    position: usize,
    term: u32,
}

impl Collector<'_> {
    /// Takes a token whose term has this prefix; `term` appends the whole of it where it is asked for.
    ///
    /// Whether a token is dropped cannot be foreseen, so nothing branches on it.
    #[inline(always)]
    fn take(&mut self, start: usize, prefix: u64, term: impl Fn(&mut Vec<u8>)) {
        let spread = spread(prefix);
        let scratch = &mut self.term;
        let language = self.language;
        let dropped = language.drops(prefix, spread, || {
            scratch.clear();
            term(scratch);
            language.lists(scratch)
        });
        let position = self.starts.len();
        self.starts.push(start);
        self.kept.push(!dropped);
        self.rank += usize::from(!dropped);
        if self.query.may_hold(spread) {
            self.term.clear();
            term(&mut self.term);
            self.record(position, prefix);
        }
    }

    /// Records the term in the scratch space, if the query holds it. No query holds a dropped term.
    #[inline(never)]
    fn record(&mut self, position: usize, prefix: u64) {
        let Some(term) = self.query.term(prefix, &self.term) else {
            return;
        };
        let hit = Hit {
            rank: self.rank,
            position,
            term,
        };
        let previous = std::mem::replace(&mut self.previous, hit);
        self.unigrams[term as usize].push(Event {
            left: position,
            right: position,
        });
        // The first hit finds rank 0 before it, which no token has.
        if previous.rank == 0 || previous.rank + 1 != hit.rank {
            return;
        }
        if let Some(pair) = self.query.pair((previous.term, term)) {
            self.bigrams[pair as usize].push(Event {
                left: previous.position,
                right: position,
            });
        }
    }
}

impl Sink for Collector<'_> {
    #[inline(always)]
    fn ascii(&mut self, token: AsciiToken<'_>) {
        self.take(token.start(), token.prefix(), |out| {
            out.extend_from_slice(token.term())
        });
    }

    #[inline]
    fn token(&mut self, start: usize, end: usize, cased: bool) {
        let token = self.text.slice(start, end);
        if cased {
            let mut folded = std::mem::take(&mut self.folded);
            folded.clear();
            append_term(&mut folded, token);
            self.take(start, prefix(&folded), |out| out.extend_from_slice(&folded));
            self.folded = folded;
        } else {
            let prefix = prefix_in(self.text.as_bytes(), start, end);
            self.take(start, prefix, |out| out.extend_from_slice(token.as_bytes()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        #[cfg(target_pointer_width = "64")]
        fn samples_are_found_in_texts_of_any_size(gaps in proptest::collection::vec(0usize..1 << 34, 0..40)) {
            let mut starts = Starts::default();
            let mut offset = 0;
            let mut samples = Vec::new();
            for gap in gaps {
                offset += gap;
                samples.push(offset);
                (0..SAMPLE).for_each(|token| starts.push(offset + token));
                offset += SAMPLE;
            }
            prop_assert_eq!(starts.len(), samples.len() * SAMPLE);
            for (sample, expected) in samples.into_iter().enumerate() {
                prop_assert_eq!(starts.offset(sample), expected);
            }
        }
    }
}
