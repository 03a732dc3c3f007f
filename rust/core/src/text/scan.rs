//! The source tokens of a text, in one pass: whole blocks where the text is made of what a block can hold, code point by
//! code point elsewhere.

use super::ascii::{classify, InstructionSet, Masks, Terms, Vector, Work, BLOCK, READABLE};
use super::term::{Found, Lookup};
use super::word_break::{Boundary, Rules};
use super::Text;
use crate::work::done;

/// After a block of which less than this was of use, it pays to walk on for a while.
const WORTH_A_BLOCK: usize = 16;

/// The longest such while, in bytes.
const LONGEST_WALK: usize = 512;

/// Tokens that were found together in a block.
pub struct Batch<'a> {
    /// Offset in bytes of the block in the text.
    base: usize,
    terms: Terms<'a>,
}

impl<'a> Batch<'a> {
    /// How many tokens; at least one and at most [`TERMS`](super::term::TERMS).
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)] // There is always a token.
    pub fn len(&self) -> usize {
        self.terms.count()
    }

    /// Offset in bytes of a token's first byte.
    #[inline(always)]
    pub fn start(&self, number: usize) -> usize {
        self.base + usize::from(self.terms.starts[number % BLOCK])
    }

    /// Offset in bytes after a token's last byte.
    #[inline(always)]
    pub fn end(&self, number: usize) -> usize {
        self.base + usize::from(self.terms.ends[number % BLOCK])
    }

    /// The term of a token.
    #[inline]
    pub fn term(&self, number: usize) -> &'a [u8] {
        self.terms.term(number)
    }

    /// The [prefix](super::term::prefix) of a token's term.
    #[inline(always)]
    pub fn prefix(&self, number: usize) -> u64 {
        self.terms.prefix(number)
    }

    /// Looks up the terms.
    ///
    /// # Safety
    /// The instruction set of `V` must be there.
    #[inline(always)]
    pub unsafe fn look_up<V: Vector>(&self, lookup: &Lookup<'_>) -> Found {
        // SAFETY: the caller vouches for the instruction set.
        unsafe { V::look_up(&self.terms, lookup) }
    }
}

/// Takes the source tokens of a text as they are found. Its functions should be inlined, to be compiled for the
/// instruction set that is used.
pub trait Sink {
    /// Tokens of a block.
    ///
    /// # Safety
    /// The instruction set of `V` must be there.
    unsafe fn batch<V: Vector>(&mut self, batch: &Batch<'_>);

    /// Any token: bytes `start..end` of the text. `cased` says whether a lowercase mapping changes a code point of it.
    fn token(&mut self, start: usize, end: usize, cased: bool);
}

/// Gives every source token of `text` to `sink`, first to last. Returns whether the text was seen to be ASCII.
pub fn scan<S: Sink>(text: Text<'_>, set: InstructionSet, sink: &mut S) -> bool {
    set.run(Scan { text, sink })
}

/// The source tokens of a text, each by its first byte and the one after its last; for tests and tools.
pub fn source_tokens(text: Text<'_>, set: InstructionSet) -> Vec<(usize, usize)> {
    struct Bounds(Vec<(usize, usize)>);
    impl Sink for Bounds {
        unsafe fn batch<V: Vector>(&mut self, batch: &Batch<'_>) {
            self.0
                .extend((0..batch.len()).map(|token| (batch.start(token), batch.end(token))));
        }
        fn token(&mut self, start: usize, end: usize, _: bool) {
            self.0.push((start, end));
        }
    }
    let mut bounds = Bounds(Vec::new());
    scan(text, set, &mut bounds);
    bounds.0
}

struct Scan<'a, S> {
    text: Text<'a>,
    sink: &'a mut S,
}

impl<S: Sink> Work for Scan<'_, S> {
    type Output = bool;

    #[inline(always)]
    unsafe fn run<V: Vector>(self) -> bool {
        let bytes = self.text.as_bytes();
        // Always a boundary after which the rules need to know nothing of what was before.
        let mut at = 0;
        let mut walk = 0;
        let mut ascii = true;
        while at < bytes.len() {
            let block = match bytes[at..].first_chunk::<READABLE>() {
                // SAFETY: the caller vouches for the instruction set.
                Some(block) => unsafe { scan_block::<V, S>(block, at, false, self.sink) },
                None => {
                    // Spaces after the end: they end a token, as the end of the text does.
                    let mut block = [b' '; READABLE];
                    let rest = &bytes[at..];
                    block[..rest.len()].copy_from_slice(rest);
                    let last = rest.len() < BLOCK;
                    // SAFETY: as above.
                    unsafe { scan_block::<V, S>(&block, at, last, self.sink) }
                }
            };
            let read = block.read.min(bytes.len() - at);
            at += read;
            ascii &= block.ascii;
            if read >= WORTH_A_BLOCK {
                walk = 0;
            } else {
                walk = (2 * walk).clamp(WORTH_A_BLOCK, LONGEST_WALK);
            }
            if !block.whole && at < bytes.len() || read == 0 {
                at = segments_from(self.text, at, walk, self.sink);
                ascii = false;
            }
        }
        ascii
    }
}

/// Gives the tokens from `at` to `sink` by the rules, code point by code point: at least one segment and `least` bytes,
/// and on until the rules are done with what was before. Returns where that is.
fn segments_from<S: Sink>(text: Text<'_>, at: usize, least: usize, sink: &mut S) -> usize {
    let rules = Rules::new(text);
    let mut boundary = Boundary::clean(at);
    loop {
        let start = boundary.at;
        let found = rules.segment(&mut boundary);
        if found.is_word_like() {
            sink.token(start, boundary.at, found.is_cased());
        }
        let end = boundary.at == text.as_bytes().len();
        if end || boundary.is_clean() && boundary.at - at >= least {
            return boundary.at;
        }
    }
}

/// What was found of a block.
struct Scanned {
    /// How many bytes its tokens and what lies between them are.
    read: usize,
    /// Whether a block can hold what comes then, as far as can be seen.
    whole: bool,
    /// Whether it is all ASCII.
    ascii: bool,
}

/// Gives the tokens that surely end in the block to `sink`.
///
/// It reads up to the start of the segment which a code point after the block, or the first one in it that only the rules
/// know, may still belong to, unless the text ends before the end of the block (`last`).
///
/// # Safety
/// The instruction set of `V` must be there.
#[inline(always)]
unsafe fn scan_block<V: Vector, S: Sink>(
    block: &[u8; READABLE],
    base: usize,
    last: bool,
    sink: &mut S,
) -> Scanned {
    // SAFETY: the caller vouches for the instruction set.
    let classified = unsafe { classify::<V>(block) };
    done(1);
    let masks = classified.masks;
    let known = masks.unknown.trailing_zeros() as usize;
    let surely = if last && known == BLOCK {
        BLOCK
    } else {
        known - open_segment(&masks, known)
    };
    let token = masks.token & lowest(surely);
    let mut starts = token & !(token << 1);
    // The end of a token that ends with the block is no bit of it, but such a token is open or followed by spaces.
    let mut ends = !token & token << 1;
    // A run of `_` alone is no token. Runs that start with one are rare.
    let mut doubtful = starts & masks.underscore;
    while doubtful != 0 {
        done(1);
        let start = doubtful & doubtful.wrapping_neg();
        doubtful &= doubtful - 1;
        let end = ends & (ends & !(start - 1)).wrapping_neg();
        if masks.word_like & end.wrapping_sub(1) & !(start - 1) == 0 {
            starts &= !start;
            ends &= !end;
        }
    }
    done(starts.count_ones() as usize);
    if starts != 0 {
        let (mut start_places, mut end_places) = ([0; BLOCK], [0; BLOCK]);
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            V::places(starts, &mut start_places);
            V::places(ends, &mut end_places);
            sink.batch::<V>(&Batch {
                base,
                terms: Terms {
                    lowercase: &classified.lowercase,
                    starts: &start_places,
                    ends: &end_places,
                    start_mask: starts,
                    end_mask: ends,
                },
            });
        }
    }
    // A code point that goes on after the block is unknown too, but the next block may hold it.
    Scanned {
        read: surely,
        whole: known > BLOCK - 4,
        ascii: masks.continuation | masks.unknown == 0,
    }
}

/// The lowest `length` bits, at most 64.
#[inline(always)]
pub fn lowest(length: usize) -> u64 {
    if length >= 64 {
        u64::MAX
    } else {
        (1 << length) - 1
    }
}

/// How many of the bytes before `end` may be in one segment with what comes at `end`.
#[inline(always)]
fn open_segment(masks: &Masks, end: usize) -> usize {
    if end == 0 {
        return 0;
    }
    let run = |mask: u64| (!(mask << (64 - end))).leading_zeros() as usize;
    let last = run(masks.continuation) + 1;
    // A middle character just before `end` may join what is before it to what is there.
    let at_end = lowest(end) & !lowest(end - last);
    // Any other code point is a segment by itself, but marks may follow it.
    run(masks.token | masks.middle & at_end)
        .max(run(masks.space))
        .max(last)
}

#[cfg(test)]
mod tests {
    use super::super::offsets::push_code_point;
    use super::super::word_break::segments;
    use super::*;
    use crate::testing::some_of;
    use proptest::prelude::*;

    fn check(text: Text<'_>) {
        let expected: Vec<(usize, usize)> = segments(text)
            .filter(|segment| segment.word_like)
            .map(|segment| (segment.start, segment.end))
            .collect();
        for set in InstructionSet::available() {
            let tokens = source_tokens(text, set);
            assert_eq!(tokens, expected, "{set:?} on {:?}", text.as_bytes());
        }
    }

    /// Code points of every kind: mostly ASCII, with runs long enough to fill blocks.
    fn code_points() -> impl Strategy<Value = Vec<u32>> {
        let ascii = proptest::sample::select(
            "aZ09_'.:,; \n\r-\t\0\x7f"
                .chars()
                .map(u32::from)
                .collect::<Vec<_>>(),
        );
        let other = proptest::sample::select(vec![
            0xE9, 0x300, 0x200D, 0xAD, 0x1F600, 0x1F1E9, 0x5D0, 0x3042, 0x30A2, 0x4E00, 0x93F,
            0xB7, 0x2019, 0x2026, 0x41F, 0x43F, 0x628, 0xD55C, 0x3002, 0x24C2, 0x85, 0x3000,
            0xD800, 0xDFFF, 0x661, 0x10FFFF, 0x55F, 0x2460,
        ]);
        let one = prop_oneof![40 => ascii, 1 => other, 1 => 0u32..0x11_0000];
        proptest::collection::vec(
            (one, prop_oneof![9 => Just(1usize), 1 => 1usize..80]),
            0..120,
        )
        .prop_map(|runs| {
            runs.into_iter()
                .flat_map(|(code_point, length)| std::iter::repeat_n(code_point, length))
                .collect()
        })
    }

    proptest! {
        #![proptest_config(crate::testing::cases(3000))]

        #[test]
        fn tokens_are_the_word_like_segments(code_points in code_points()) {
            let mut bytes = Vec::new();
            code_points.into_iter().for_each(|code_point| push_code_point(&mut bytes, code_point));
            check(Text::from_generalized_utf8(&bytes).unwrap());
        }

        #[test]
        fn tokens_of_arbitrary_text(text in any::<String>()) {
            check(text.as_str().into());
        }
    }

    #[test]
    fn every_place_in_a_block() {
        let around = ["a", " ", "_", "1", ".", "'", "é", "\u{300}"];
        for around in some_of(3, around.into_iter()) {
            for middle in [
                "a",
                " ",
                "_",
                ".",
                ":",
                ",",
                "'",
                "1",
                "é",
                "\u{93f}",
                "\u{300}",
                "\u{200d}😀",
                "__",
                "\r\n",
            ] {
                for before in some_of(7, 50..80) {
                    check(
                        format!("{}{middle}{around}b c", around.repeat(before))
                            .as_str()
                            .into(),
                    );
                    check(
                        format!("x {}{middle}", "ab1.5 ".repeat(before / 6))
                            .as_str()
                            .into(),
                    );
                }
            }
        }
    }
}
