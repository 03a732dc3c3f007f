//! What is remembered about a text, so that another query of it need not read it again.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;

use crate::text::ascii::{InstructionSet, Vector};
use crate::text::lowercase::append_term;
use crate::text::scan::{scan, Batch, Sink};
use crate::text::stopwords::Language;
use crate::text::term::prefix;
use crate::text::Text;
use crate::work::done;

use super::numbers::Numbers;
use super::query::Query;
use super::rank::Rank;
use super::score::{Event, Features, Lengths};
use super::starts::Starts;
use super::windows::Windows;

/// Languages of which is remembered which tokens they keep, at most.
const LANGUAGES: usize = 2;

/// Window lengths are remembered if they are of no more windows than this part of the tokens.
const TOKENS_PER_WINDOW: usize = 8;

/// The tokens of a text and the postings of its terms. It does not hold the text itself: whoever asks must bring it.
#[derive(Debug)]
pub struct Analysis {
    /// Where the tokens are.
    pub starts: Starts,
    /// Whether the text was seen to be ASCII, so that bytes are code points.
    pub ascii: bool,
    /// Of each term, by its hash, the highest bits of that. Different terms may have the same.
    hashes: Box<[u32]>,
    /// Of each term, and one past the last: where its postings start.
    firsts: Numbers,
    /// The positions of the first term's tokens, then the second's, and so on.
    postings: Numbers,
    /// How terms are hashed.
    hasher: RandomState,
    derived: Mutex<Derived>,
}

/// What is found out of an analysis when it is first needed.
#[derive(Debug, Default)]
struct Derived {
    kept: Vec<(Language, Arc<Rank>)>,
    lengths: Option<(Language, Windows, Arc<Lengths>)>,
}

impl Analysis {
    /// Analyses a text. There is none of a text of four gigabytes or more, nor of one two of whose terms cannot be told
    /// apart by 64 bits of hash, which chance hardly brings about.
    pub fn new(text: Text<'_>, set: InstructionSet) -> Option<Self> {
        if u32::try_from(text.as_bytes().len()).is_err() {
            return None;
        }
        let hasher = RandomState::default();
        let mut collector = Collector {
            text,
            starts: Starts::with_capacity(text.as_bytes().len() / 4 + 8),
            hasher: Hasher::new(&hasher),
            hashes: Vec::with_capacity(text.as_bytes().len() / 4 + 8),
            long: HashMap::with_hasher(hasher.clone()),
            long_terms: Vec::new(),
            told_apart: true,
            term: Vec::new(),
        };
        let ascii = scan(text, set, &mut collector);
        if !collector.told_apart {
            return None;
        }
        let of = &collector.hashes;
        let mut order = in_order(of);
        let hash_of = |token: u64| of[token as u32 as usize];
        let (mut hashes, mut firsts) = (Vec::new(), Vec::new());
        let mut first = 0;
        for same in order.chunk_by_mut(|one, other| one >> 32 == other >> 32) {
            done(1 + same.len());
            // Different terms may share those bits.
            same.sort_by_key(|&token| hash_of(token));
            for tokens in same.chunk_by(|&one, &other| hash_of(one) == hash_of(other)) {
                let long = collector.long.get(&hash_of(tokens[0]));
                if long.is_some_and(|long| long.tokens != tokens.len()) {
                    return None;
                }
                hashes.push((tokens[0] >> 32) as u32);
                firsts.push(first);
                first += tokens.len() as u32;
            }
        }
        firsts.push(first);
        let mut starts = collector.starts;
        starts.shrink();
        Some(Analysis {
            starts,
            ascii,
            hashes: hashes.into(),
            firsts: Numbers::new(firsts.into_iter(), order.len()),
            postings: Numbers::new(order.iter().map(|&token| token as u32), order.len()),
            hasher,
            derived: Mutex::default(),
        })
    }

    /// Bytes of memory that it takes at most, with all that may still be found out of it.
    pub fn most_bytes(&self) -> usize {
        let tokens = self.starts.len();
        size_of::<Self>()
            + self.starts.heap_bytes()
            + size_of_val(&*self.hashes)
            + self.firsts.heap_bytes()
            + self.postings.heap_bytes()
            + LANGUAGES * Rank::heap_bytes_of(tokens)
            + Lengths::heap_bytes_of(tokens / TOKENS_PER_WINDOW, tokens)
    }

    /// Which tokens a language keeps. `text` is what was analysed, here and below.
    pub fn kept(&self, text: Text<'_>, language: Language, set: InstructionSet) -> Arc<Rank> {
        let find = |derived: &Derived| {
            let mut known = derived.kept.iter();
            known
                .find(|(known, _)| *known == language)
                .map(|(_, kept)| kept.clone())
        };
        if let Some(kept) = find(&self.derived()) {
            return kept;
        }
        let dropped = language.words().iter().flat_map(|word| {
            let word = word.as_bytes();
            self.postings_of(text, prefix(word), word, set)
        });
        let kept =
            Rank::all(self.starts.len()).without(dropped.map(|index| self.postings.at(index)));
        let kept = Arc::new(kept);
        let mut derived = self.derived();
        if let Some(kept) = find(&derived) {
            return kept;
        }
        if derived.kept.len() == LANGUAGES {
            derived.kept.remove(0);
        }
        derived.kept.push((language, kept.clone()));
        kept
    }

    /// How long the windows are in the tokens that a language keeps.
    pub fn lengths(
        &self,
        windows: Windows,
        language: Language,
        kept: &Rank,
        set: InstructionSet,
    ) -> Arc<Lengths> {
        if let Some((known_language, known_windows, lengths)) = &self.derived().lengths {
            if (*known_language, *known_windows) == (language, windows) {
                return lengths.clone();
            }
        }
        let lengths = Arc::new(Lengths::new(windows, kept, set));
        if windows.len() <= self.starts.len() / TOKENS_PER_WINDOW {
            self.derived().lengths = Some((language, windows, lengths.clone()));
        }
        lengths
    }

    /// Where the features of a query occur among the `kept` tokens.
    pub fn features(
        &self,
        text: Text<'_>,
        query: &Query,
        kept: &Rank,
        set: InstructionSet,
    ) -> Features {
        let mut features = Features::new(query);
        for ((prefix, term), events) in query.each_term().zip(&mut features.unigrams) {
            let postings = self.postings_of(text, prefix, term, set);
            done(1 + postings.len());
            events.extend(postings.map(|index| {
                let position = self.postings.at(index);
                Event {
                    left: position,
                    right: position,
                }
            }));
        }
        let pairs = query.each_pair().map(|(left, right)| {
            (
                &features.unigrams[left as usize],
                &features.unigrams[right as usize],
            )
        });
        if query.pairs() <= FEW {
            features.bigrams = pairs
                .map(|(left, right)| neighbours(left, right, kept))
                .collect();
        } else {
            features.bigrams = pairs_among(query, &features.unigrams, kept);
        }
        features
    }

    /// What was derived so far. No change of it panics half-way, so that what a panicking thread had locked is in order.
    fn derived(&self) -> MutexGuard<'_, Derived> {
        self.derived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The postings of a term.
    fn postings_of(
        &self,
        text: Text<'_>,
        prefix: u64,
        term: &[u8],
        set: InstructionSet,
    ) -> Range<usize> {
        let hash = (Hasher::new(&self.hasher).hash(prefix, term) >> 32) as u32;
        let first = self.hashes.partition_point(|&known| known < hash);
        let alike = self.hashes[first..]
            .iter()
            .take_while(|&&known| known == hash);
        let mut lowercase = Vec::with_capacity(term.len());
        for number in first..first + alike.count() {
            let postings = self.firsts.at(number)..self.firsts.at(number + 1);
            let (start, end) = self
                .starts
                .bounds(text, self.postings.at(postings.start), set);
            done(1);
            lowercase.clear();
            append_term(&mut lowercase, text.slice(start, end));
            if lowercase == term {
                return postings;
            }
        }
        0..0
    }
}

/// The tokens by the highest 32 bits of the hashes of their terms, then by position: those bits, and the position.
fn in_order(hashes: &[u64]) -> Vec<u64> {
    const DIGIT: u32 = 11;
    let mut tokens: Vec<u64> = hashes
        .iter()
        .zip(0..)
        .map(|(hash, position)| hash >> 32 << 32 | position)
        .collect();
    let mut sorted = vec![0; tokens.len()];
    // Digit by digit from the lowest, each time keeping the order of what is alike.
    for shift in [32, 32 + DIGIT, 32 + 2 * DIGIT] {
        let digit = |token: u64| (token >> shift) as usize % (1 << DIGIT);
        let mut places = [0u32; 1 << DIGIT];
        for &token in &tokens {
            places[digit(token)] += 1;
        }
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        for &token in &tokens {
            let place = &mut places[digit(token)];
            sorted[*place as usize] = token;
            *place += 1;
        }
        std::mem::swap(&mut tokens, &mut sorted);
        done(tokens.len());
    }
    tokens
}

/// Up to so many pairs are looked for one by one.
const FEW: usize = 16;

/// The events of one term that are followed, among the kept tokens, by an event of another, as events of the pair.
fn neighbours(left: &[Event], right: &[Event], kept: &Rank) -> Vec<Event> {
    let mut pairs = Vec::new();
    let mut right = right.iter().map(|event| event.left).peekable();
    for &Event { left, .. } in left {
        done(1);
        let Some(next) = kept.next_one(left + 1) else {
            break;
        };
        while right.next_if(|&position| position < next).is_some() {
            done(1);
        }
        if right.peek() == Some(&next) {
            pairs.push(Event { left, right: next });
        }
    }
    pairs
}

/// The same for all pairs of a query at once: the work does not grow with the pairs that there could be.
fn pairs_among(query: &Query, unigrams: &[Vec<Event>], kept: &Rank) -> Vec<Vec<Event>> {
    let numbered = |(events, term): (&Vec<Event>, u32)| -> Vec<(usize, u32)> {
        events.iter().map(|event| (event.left, term)).collect()
    };
    let mut hits: Vec<(usize, u32)> = unigrams.iter().zip(0..).flat_map(numbered).collect();
    hits.sort_unstable();
    done(hits.len());
    let mut pairs = vec![Vec::new(); query.pairs()];
    for (&(left, one), &(right, other)) in hits.iter().zip(hits.iter().skip(1)) {
        if kept.next_one(left + 1) == Some(right) {
            if let Some(pair) = query.pair((one, other)) {
                pairs[pair as usize].push(Event { left, right });
            }
        }
    }
    pairs
}

/// Hashes terms by their prefix where that is all of them.
#[derive(Clone, Copy)]
struct Hasher<'a> {
    hasher: &'a RandomState,
    seed: u64,
}

impl<'a> Hasher<'a> {
    fn new(hasher: &'a RandomState) -> Self {
        Hasher {
            hasher,
            seed: hasher.hash_one(0u64),
        }
    }

    /// Different terms of no more than eight bytes have different hashes: each step can be undone.
    #[inline]
    fn hash(self, prefix: u64, term: &[u8]) -> u64 {
        if term.len() > 8 {
            return self.hasher.hash_one(term);
        }
        let mut mixed = (prefix ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        mixed ^ mixed >> 32
    }
}

/// A term of more than eight bytes.
struct Long {
    /// Where it is among the long terms.
    bytes: Range<usize>,
    tokens: usize,
}

struct Collector<'a> {
    text: Text<'a>,
    starts: Starts,
    hasher: Hasher<'a>,
    /// The hash of each token's term.
    hashes: Vec<u64>,
    /// Terms of more than eight bytes, by their hash.
    long: HashMap<u64, Long, RandomState>,
    long_terms: Vec<u8>,
    /// Whether no two of those have the same hash.
    told_apart: bool,
    /// Scratch space for a term.
    term: Vec<u8>,
}

impl Collector<'_> {
    fn take(&mut self, prefix: u64, term: &[u8]) {
        let hash = self.hasher.hash(prefix, term);
        self.hashes.push(hash);
        if term.len() <= 8 {
            return;
        }
        let long = self.long.entry(hash).or_insert_with(|| {
            let start = self.long_terms.len();
            self.long_terms.extend_from_slice(term);
            Long {
                bytes: start..self.long_terms.len(),
                tokens: 0,
            }
        });
        long.tokens += 1;
        self.told_apart &= self.long_terms[long.bytes.clone()] == *term;
    }
}

impl Sink for Collector<'_> {
    #[inline(always)]
    unsafe fn batch<V: Vector>(&mut self, batch: &Batch<'_>) {
        for token in 0..batch.len() {
            self.take(batch.prefix(token), batch.term(token));
        }
        self.starts.push_batch(batch);
    }

    fn token(&mut self, start: usize, end: usize, _: bool) {
        let mut term = std::mem::take(&mut self.term);
        term.clear();
        append_term(&mut term, self.text.slice(start, end));
        self.take(prefix(&term), &term);
        self.term = term;
        self.starts.push(start, end);
    }
}
