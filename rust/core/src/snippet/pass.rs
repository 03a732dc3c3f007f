//! What one pass over a text finds out for one query.

use crate::text::ascii::{InstructionSet, Vector};
use crate::text::lowercase::append_term;
use crate::text::scan::{lowest, scan, Batch, Sink};
use crate::text::stopwords::Language;
use crate::text::term::{may_be_longer, prefix, prefix_in};
use crate::text::Text;
use crate::work::done;

use super::query::Query;
use super::rank::{Bits, Rank};
use super::score::{Event, Features};
use super::starts::Starts;

/// The source tokens of a text, which of them are kept, and where the query's features occur.
#[derive(Debug)]
pub struct Pass {
    /// Where the tokens are.
    pub starts: Starts,
    /// Whether the text was seen to be ASCII, so that bytes are code points.
    pub ascii: bool,
    /// Which tokens are kept.
    pub kept: Rank,
    /// Where the features occur.
    pub features: Features,
}

impl Pass {
    /// Reads `text`.
    pub fn new(text: Text<'_>, language: Language, set: InstructionSet, query: &Query) -> Self {
        let mut collector = Collector {
            text,
            language,
            query,
            // Most texts have fewer tokens than this.
            starts: Starts::with_capacity(text.as_bytes().len() / 4 + 8),
            kept: Bits::with_capacity(text.as_bytes().len() / 4 + 8),
            features: Features::new(query),
            rank: 0,
            previous: Hit {
                rank: 0,
                position: 0,
                term: 0,
            },
            folded: Vec::new(),
        };
        let ascii = scan(text, set, &mut collector);
        Pass {
            starts: collector.starts,
            ascii,
            kept: collector.kept.ranked(),
            features: collector.features,
        }
    }
}

struct Collector<'a> {
    text: Text<'a>,
    language: Language,
    query: &'a Query,
    starts: Starts,
    kept: Bits,
    features: Features,
    /// How many tokens were kept so far.
    rank: usize,
    previous: Hit,
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
    /// Takes a token whose term has this prefix; `term` is the whole of it.
    #[inline(always)]
    fn take(&mut self, start: usize, end: usize, prefix: u64, term: &[u8]) {
        let found = self.query.lookup().look_up(prefix);
        let dropped = found.dropped != 0 && (!may_be_longer(prefix) || self.language.lists(term));
        let position = self.starts.len();
        self.starts.push(start, end);
        self.kept.push(!dropped);
        self.rank += usize::from(!dropped);
        if found.wanted != 0 {
            self.record(self.rank, position, prefix, term);
        }
    }

    /// Records a term, if the query holds it. No query holds a dropped term.
    #[inline(never)]
    fn record(&mut self, rank: usize, position: usize, prefix: u64, term: &[u8]) {
        done(1);
        let Some(term) = self.query.term(prefix, term) else {
            return;
        };
        let hit = Hit {
            rank,
            position,
            term,
        };
        let previous = std::mem::replace(&mut self.previous, hit);
        self.features.unigrams[term as usize].push(Event {
            left: position,
            right: position,
        });
        // The first hit finds rank 0 before it, which no token has.
        if previous.rank == 0 || previous.rank + 1 != hit.rank {
            return;
        }
        if let Some(pair) = self.query.pair((previous.term, term)) {
            self.features.bigrams[pair as usize].push(Event {
                left: previous.position,
                right: position,
            });
        }
    }
}

impl Sink for Collector<'_> {
    #[inline(always)]
    unsafe fn batch<V: Vector>(&mut self, batch: &Batch<'_>) {
        // SAFETY: the caller vouches for the instruction set.
        let mut found = unsafe { batch.look_up::<V>(self.query.lookup()) };
        while found.unsure != 0 {
            let token = found.unsure.trailing_zeros();
            found.unsure &= found.unsure - 1;
            if !self.language.lists(batch.term(token as usize)) {
                found.dropped &= !(1 << token);
            }
        }
        let kept = !found.dropped & lowest(batch.len()) as u32;
        let mut wanted = found.wanted & kept;
        while wanted != 0 {
            let token = wanted.trailing_zeros() as usize;
            let rank = self.rank + (kept & lowest(token + 1) as u32).count_ones() as usize;
            let position = self.starts.len() + token;
            self.record(rank, position, batch.prefix(token), batch.term(token));
            wanted &= wanted - 1;
        }
        self.rank += kept.count_ones() as usize;
        self.kept.push_many(kept.into(), batch.len() as u32);
        self.starts.push_batch(batch);
    }

    #[inline]
    fn token(&mut self, start: usize, end: usize, cased: bool) {
        let token = self.text.slice(start, end);
        if cased {
            let mut folded = std::mem::take(&mut self.folded);
            folded.clear();
            append_term(&mut folded, token);
            self.take(start, end, prefix(&folded), &folded);
            self.folded = folded;
        } else {
            let prefix = prefix_in(self.text.as_bytes(), start, end);
            self.take(start, end, prefix, token.as_bytes());
        }
    }
}
