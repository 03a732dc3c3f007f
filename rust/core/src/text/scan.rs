//! The source tokens of a text, in one pass: whole blocks where the text is ASCII, code point by code point elsewhere.

use super::ascii::{classify, InstructionSet, Masks, Vector, Work, BLOCK, READABLE};
use super::word_break::{Boundary, Rules};
use super::Text;

/// From so many ASCII bytes ahead it pays to classify a block.
const WORTH_A_BLOCK: usize = 16;

/// A token of ASCII, in the block that it was found in.
#[derive(Clone, Copy, Debug)]
pub struct AsciiToken<'a> {
    /// The block in lowercase.
    block: &'a [u8; READABLE],
    /// Offset in bytes of the block in the text.
    base: usize,
    start: usize,
    end: usize,
}

impl<'a> AsciiToken<'a> {
    /// Offset in bytes of its first byte.
    #[inline(always)]
    pub fn start(self) -> usize {
        self.base + self.start
    }

    /// Offset in bytes after its last byte.
    #[inline(always)]
    pub fn end(self) -> usize {
        self.base + self.end
    }

    /// Its term.
    #[inline]
    pub fn term(self) -> &'a [u8] {
        &self.block[self.start..self.end]
    }

    /// The [`prefix`](super::term::prefix) of its term.
    #[inline(always)]
    pub fn prefix(self) -> u64 {
        // A token starts in the block proper, as the compiler is told here.
        let start = self.start % BLOCK;
        let mut eight = [0; 8];
        eight.copy_from_slice(&self.block[start..start + 8]);
        let length = (self.end - self.start).min(8) as u32;
        u64::from_le_bytes(eight) & u64::MAX >> (64 - 8 * length)
    }
}

/// Takes the source tokens of a text as they are found. Its functions should be inlined, to be compiled for the
/// instruction set that is used.
pub trait Sink {
    /// A token of ASCII.
    fn ascii(&mut self, token: AsciiToken<'_>);

    /// Any token: bytes `start..end` of the text. `cased` says whether a lowercase mapping changes a code point of it.
    fn token(&mut self, start: usize, end: usize, cased: bool);
}

/// Gives every source token of `text` to `sink`, first to last.
pub fn scan<S: Sink>(text: Text<'_>, set: InstructionSet, sink: &mut S) {
    set.run(Scan { text, sink });
}

/// The source tokens of a text, each by its first byte and the one after its last; for tests and tools.
pub fn source_tokens(text: Text<'_>, set: InstructionSet) -> Vec<(usize, usize)> {
    struct Bounds(Vec<(usize, usize)>);
    impl Sink for Bounds {
        fn ascii(&mut self, token: AsciiToken<'_>) {
            self.0.push((token.start(), token.end()));
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
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector>(self) {
        let bytes = self.text.as_bytes();
        // Always a boundary after which the rules need to know nothing of what was before.
        let mut at = 0;
        while at < bytes.len() {
            if is_ascii_ahead(bytes, at) {
                let read = match bytes[at..].first_chunk::<READABLE>() {
                    // SAFETY: the caller vouches for the instruction set.
                    Some(block) => unsafe { ascii_block::<V, S>(block, at, false, self.sink) },
                    None => {
                        // Spaces after the end: they end a token, as the end of the text does.
                        let mut block = [b' '; READABLE];
                        let rest = &bytes[at..];
                        block[..rest.len()].copy_from_slice(rest);
                        let last = rest.len() < BLOCK;
                        // SAFETY: as above.
                        unsafe { ascii_block::<V, S>(&block, at, last, self.sink) }.min(rest.len())
                    }
                };
                at += read;
                if read > 0 {
                    continue;
                }
            }
            at = segments_from(self.text, at, self.sink);
        }
    }
}

/// Gives the tokens from `at` to `sink` by the rules, code point by code point: at least one segment, and on until ASCII
/// comes and the rules are done with what was before. Returns where that is.
fn segments_from<S: Sink>(text: Text<'_>, at: usize, sink: &mut S) -> usize {
    let bytes = text.as_bytes();
    let rules = Rules::new(text);
    let mut boundary = Boundary::clean(at);
    loop {
        let start = boundary.at;
        let found = rules.segment(&mut boundary);
        if found.is_word_like() {
            sink.token(start, boundary.at, found.is_cased());
        }
        let at = boundary.at;
        if boundary.is_clean() && bytes.get(at).is_none_or(u8::is_ascii) {
            return at;
        }
    }
}

/// Whether the next bytes, as many as pay or as there are, are ASCII.
#[inline(always)]
fn is_ascii_ahead(bytes: &[u8], at: usize) -> bool {
    match bytes[at..].first_chunk::<WORTH_A_BLOCK>() {
        Some(ahead) => u128::from_le_bytes(*ahead) & (u128::MAX / 0xFF * 0x80) == 0,
        None => bytes[at..].is_ascii(),
    }
}

/// Gives the tokens that surely end in the block to `sink`; returns how many bytes they and what lies between them are.
///
/// That is up to the start of the segment which a code point after the block, or the first one in it that is not
/// ASCII, may still belong to, unless the text ends before the end of the block (`last`).
///
/// # Safety
/// The instruction set of `V` must be there.
#[inline(always)]
unsafe fn ascii_block<V: Vector, S: Sink>(
    block: &[u8; READABLE],
    base: usize,
    last: bool,
    sink: &mut S,
) -> usize {
    // SAFETY: the caller vouches for the instruction set.
    let classified = unsafe { classify::<V>(block) };
    let masks = classified.masks;
    let ascii = masks.non_ascii.trailing_zeros() as usize;
    let done = if last && ascii == BLOCK {
        BLOCK
    } else {
        ascii - open_segment(&masks, ascii)
    };
    let token = masks.token & lowest(done);
    let mut starts = token & !(token << 1);
    // The end of a token that ends with the block is no bit of it, but such a token is open or followed by spaces.
    let mut ends = !token & token << 1;
    while starts != 0 {
        let start = starts.trailing_zeros() as usize;
        let end = ends.trailing_zeros() as usize;
        starts &= starts - 1;
        ends &= ends.wrapping_sub(1);
        // A run of `_` alone is no token. Runs that start with one are rare.
        if block[start % BLOCK] == b'_' && masks.word_like >> start & lowest(end - start) == 0 {
            continue;
        }
        sink.ascii(AsciiToken {
            block: &classified.lowercase,
            base,
            start,
            end,
        });
    }
    done
}

/// The lowest `length` bits, at most 64.
#[inline(always)]
fn lowest(length: usize) -> u64 {
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
    // A middle character just before `end` may join what is before it to what is there.
    let at_end = 1 << (end - 1);
    let run = |mask: u64| (!(mask << (64 - end))).leading_zeros() as usize;
    // Any other byte is a segment by itself, but marks may follow it.
    run(masks.token | masks.middle & at_end)
        .max(run(masks.space))
        .max(1)
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
            0xB7, 0x2019, 0x24C2, 0x85, 0x3000, 0xD800, 0xDFFF, 0x661, 0x10FFFF, 0x55F, 0x2460,
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
