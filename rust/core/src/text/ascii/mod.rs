//! Word boundaries 64 bytes at a time.
//!
//! One generic algorithm classifies a block over a small `Vector` trait; the thin modules below implement it for the
//! instruction sets. In ASCII the rules of UAX #29 reduce to masks: letters, digits and `_` stick together, and one
//! middle character joins a letter to a letter or a digit to a digit. The letters of many other scripts do the same,
//! with more bytes (see `letters`).

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::letters::{kind, LETTERS};
use super::term::{Found, Lookup, TERMS};

/// Bytes that are classified at once.
pub const BLOCK: usize = 64;

/// Bytes that must be readable from the start of a block: a token's first eight bytes may be read past its end, and the
/// bytes of a code point past the block's.
pub const READABLE: usize = BLOCK + 8;

/// What each byte of a block is, bit by bit from the first byte up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masks {
    /// Letters, digits, `_`, and middle characters that join two of them within the block.
    pub token: u64,
    /// Letters and digits.
    pub word_like: u64,
    /// `_`.
    pub underscore: u64,
    /// Middle characters: `'`, `.`, `:`, `,`, `;` and what else joins.
    pub middle: u64,
    /// The space.
    pub space: u64,
    /// Bytes that go on with a code point.
    pub continuation: u64,
    /// Bytes of code points that only the rules know, or that end after the block.
    pub unknown: u64,
}

/// Some bytes in a register, each compared at once; masks have a bit a byte, the first byte's lowest.
pub trait Vector: Copy {
    /// Bytes per vector.
    const LANES: usize;

    /// Loads `LANES` bytes.
    ///
    /// # Safety
    /// `LANES` bytes must be readable at `from`, and the instruction set must be there.
    unsafe fn load(from: *const u8) -> Self;

    /// Stores `LANES` bytes.
    ///
    /// # Safety
    /// `LANES` bytes must be writable at `to`, and the instruction set must be there.
    unsafe fn store(self, to: *mut u8);

    /// The bytes with bit 5 set in those that are letters of ASCII, and a mask of these.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn lowercase(self) -> (Self, u64);

    /// Which bytes equal `byte`.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn equal(self, byte: u8) -> u64;

    /// Which bytes are from `0` to `9`.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn digits(self) -> u64;

    /// Which bytes have their highest bit set.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn high_bits(self) -> u64;

    /// Finds the code points beyond ASCII, of which `high` marks the bytes, and writes letters in lowercase.
    ///
    /// # Safety
    /// The instruction set must be there.
    #[inline(always)]
    unsafe fn beyond_ascii(
        block: &[u8; READABLE],
        high: u64,
        lowercase: &mut [u8; READABLE],
    ) -> Beyond {
        beyond_ascii_one_by_one(block, high, lowercase)
    }

    /// Writes the places of the bits of `mask`, lowest first.
    ///
    /// # Safety
    /// The instruction set must be there.
    #[inline(always)]
    unsafe fn places(mask: u64, to: &mut [u8; BLOCK]) {
        let mut left = mask;
        for place in to.iter_mut().take(mask.count_ones() as usize) {
            *place = left.trailing_zeros() as u8;
            left &= left - 1;
        }
    }

    /// Looks up the terms of a block by their [prefixes](super::term::prefix).
    ///
    /// # Safety
    /// The instruction set must be there.
    #[inline(always)]
    unsafe fn look_up(terms: &Terms<'_>, lookup: &Lookup<'_>) -> Found {
        let mut all = Found::default();
        for number in 0..terms.count() {
            let found = lookup.look_up(terms.prefix(number));
            all.dropped |= found.dropped << number;
            all.unsure |= found.unsure << number;
            all.wanted |= found.wanted << number;
        }
        all
    }
}

/// Tokens in a block.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The block in lowercase.
    pub(super) lowercase: &'a [u8; READABLE],
    /// Where the tokens start and end in it.
    pub(super) starts: &'a [u8; BLOCK],
    pub(super) ends: &'a [u8; BLOCK],
    /// The same as masks.
    pub(super) start_mask: u64,
    pub(super) end_mask: u64,
}

impl<'a> Terms<'a> {
    /// How many there are.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        // No two tokens touch.
        (self.start_mask.count_ones() as usize).min(TERMS)
    }

    /// The term of a token.
    #[inline]
    pub(super) fn term(&self, number: usize) -> &'a [u8] {
        &self.lowercase[usize::from(self.starts[number])..usize::from(self.ends[number])]
    }

    /// The [prefix](super::term::prefix) of a token's term.
    #[inline(always)]
    pub(super) fn prefix(&self, number: usize) -> u64 {
        let (start, end) = (self.starts[number % BLOCK], self.ends[number % BLOCK]);
        // A token starts in the block proper, as the compiler is told here.
        let first = usize::from(start) % BLOCK;
        let mut eight = [0; 8];
        eight.copy_from_slice(&self.lowercase[first..first + 8]);
        let length = u32::from((end - start).min(8));
        u64::from_le_bytes(eight) & u64::MAX >> (64 - 8 * length)
    }
}

/// What there is beyond ASCII in a block: all bytes of the code points, but for `middle`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beyond {
    letter: u64,
    digit: u64,
    other: u64,
    /// The first bytes of middle characters of three bytes.
    middle: u64,
    /// Bytes that go on with a code point.
    continuation: u64,
}

/// The bytes of a code point of `LENGTH` bytes whose lead bytes `leads` marks.
#[inline(always)]
fn whole<const LENGTH: usize>(leads: u64) -> u64 {
    match LENGTH {
        2 => leads | leads << 1,
        _ => leads | leads << 1 | leads << 2,
    }
}

/// See [`Vector::beyond_ascii`].
#[inline(never)]
fn beyond_ascii_one_by_one(
    block: &[u8; READABLE],
    high: u64,
    lowercase: &mut [u8; READABLE],
) -> Beyond {
    let mut beyond = Beyond::default();
    let mut left = high;
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        let [lead, second, third] = [block[at], block[at + 1], block[at + 2]];
        let last_six = |byte: u8| usize::from(byte % 64);
        let length = match lead {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            _ => 4,
        };
        let bytes = super::scan::lowest(length) << at;
        left &= !bytes;
        beyond.continuation |= bytes & !(1 << at);
        if at + length > BLOCK {
            continue;
        }
        let kind = match length {
            2 => {
                let pairs = &LETTERS.pairs[usize::from(lead % 32)];
                let kind = pairs.kinds[last_six(second)];
                if kind == kind::LETTER {
                    lowercase[at] = pairs.lead[last_six(second)];
                    lowercase[at + 1] = pairs.last[last_six(second)];
                }
                kind
            }
            3 => match LETTERS.rows[usize::from(lead % 16)][last_six(second)] {
                kind::MIXED => {
                    let triples = LETTERS.triples(lead, second);
                    let kind = triples.kinds[last_six(third)];
                    if kind == kind::LETTER {
                        lowercase[at + 2] = triples.last[last_six(third)];
                    }
                    kind
                }
                kind => kind,
            },
            _ => 0,
        };
        match kind {
            kind::LETTER => beyond.letter |= bytes,
            kind::DIGIT => beyond.digit |= bytes,
            kind::OTHER => beyond.other |= bytes,
            kind::MIDDLE => beyond.middle |= 1 << at,
            _ => {}
        }
    }
    beyond
}

/// A block in lowercase, and what its bytes are.
pub(super) struct Classified {
    /// The block and the bytes after it; letters in lowercase.
    pub(super) lowercase: [u8; READABLE],
    pub(super) masks: Masks,
}

/// Classifies a block, which starts with a code point.
///
/// # Safety
/// The instruction set of `V` must be there.
#[inline(always)]
pub(super) unsafe fn classify<V: Vector>(block: &[u8; READABLE]) -> Classified {
    const { assert!(BLOCK.is_multiple_of(V::LANES)) };
    let (mut letter, mut digit, mut underscore, mut high, mut space) = (0, 0, 0, 0, 0);
    let (mut either, mut colon, mut number) = (0, 0, 0);
    let mut lowercase = *block;
    let mut at = 0;
    while at < BLOCK {
        // SAFETY: `at` is a multiple of LANES, which divides BLOCK, so that LANES bytes follow in both arrays; the
        // caller vouches for the instruction set.
        unsafe {
            let bytes = V::load(block.as_ptr().add(at));
            let (lowered, letters) = bytes.lowercase();
            lowered.store(lowercase.as_mut_ptr().add(at));
            letter |= letters << at;
            digit |= bytes.digits() << at;
            underscore |= bytes.equal(b'_') << at;
            either |= (bytes.equal(b'\'') | bytes.equal(b'.')) << at;
            colon |= bytes.equal(b':') << at;
            number |= (bytes.equal(b',') | bytes.equal(b';')) << at;
            space |= bytes.equal(b' ') << at;
            high |= bytes.high_bits() << at;
        }
        at += V::LANES;
    }
    let mut beyond = Beyond::default();
    if high != 0 {
        // SAFETY: the caller vouches for the instruction set.
        beyond = unsafe { V::beyond_ascii(block, high, &mut lowercase) };
        letter |= beyond.letter;
        digit |= beyond.digit;
    }
    // WB6, WB7: letters on both sides. WB11, WB12: digits on both sides.
    let joins_letters = (either | colon) & letter << 1 & letter >> 1;
    let joins_digits = (either | number) & digit << 1 & digit >> 1;
    let joins_wide = beyond.middle & (letter << 1 & letter >> 3 | digit << 1 & digit >> 3);
    let middle = whole::<3>(beyond.middle);
    Classified {
        lowercase,
        masks: Masks {
            token: letter
                | digit
                | underscore
                | joins_letters
                | joins_digits
                | whole::<3>(joins_wide),
            word_like: letter | digit,
            underscore,
            middle: either | colon | number | middle,
            space,
            continuation: beyond.continuation,
            unknown: high & !(beyond.letter | beyond.digit | beyond.other | middle),
        },
    }
}

/// Work that is compiled once for each instruction set.
pub(crate) trait Work {
    /// What it gives.
    type Output;

    /// Does it. Must be inlined, to be compiled for the instruction set of its caller.
    ///
    /// # Safety
    /// The instruction set of `V` must be there.
    unsafe fn run<V: Vector>(self) -> Self::Output;
}

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionSet(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code)] // Each machine has its own.
enum Kind {
    Avx512,
    Avx2,
    Sse2,
    Neon,
    Portable,
}

impl InstructionSet {
    /// Those that this machine has and this crate uses, best first; the last one is always there.
    pub fn available() -> Vec<InstructionSet> {
        let mut kinds = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if x86_64::has_avx512() {
                kinds.push(Kind::Avx512);
            }
            if x86_64::has_avx2() {
                kinds.push(Kind::Avx2);
            }
            kinds.push(Kind::Sse2);
        }
        #[cfg(target_arch = "aarch64")]
        kinds.push(Kind::Neon);
        kinds.push(Kind::Portable);
        kinds.into_iter().map(InstructionSet).collect()
    }

    /// The best one that this machine has.
    pub fn best() -> InstructionSet {
        InstructionSet::available()[0]
    }

    /// `avx512`, `avx2`, `sse2`, `neon` or `portable`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Avx512 => "avx512",
            Kind::Avx2 => "avx2",
            Kind::Sse2 => "sse2",
            Kind::Neon => "neon",
            Kind::Portable => "portable",
        }
    }

    /// Does the work with this instruction set.
    #[inline]
    pub(crate) fn run<W: Work>(self, work: W) -> W::Output {
        match self.0 {
            // SAFETY: a value of this type is only made where its instruction set was found.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { x86_64::run_avx512(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { x86_64::run_avx2(work) },
            // SAFETY: SSE2 is part of x86-64.
            #[cfg(target_arch = "x86_64")]
            Kind::Sse2 => unsafe { x86_64::run_sse2(work) },
            // SAFETY: NEON is part of AArch64.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { aarch64::run(work) },
            // SAFETY: needs no instruction set.
            Kind::Portable => unsafe { work.run::<portable::Word>() },
            // The sets of other architectures are never found.
            _ => unreachable!("{self:?} is not of this architecture"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lowercase::append_term;
    use super::super::offsets::push_code_point;
    use super::super::properties::{Properties, WordBreak};
    use super::super::Text;
    use super::*;
    use crate::testing::some_of;
    use proptest::prelude::*;

    fn bit(test: impl Fn(usize) -> bool) -> u64 {
        (0..BLOCK).filter(|&at| test(at)).map(|at| 1 << at).sum()
    }

    /// The code points of a block, with their places; the last one may end after it.
    fn code_points(block: &[u8; READABLE]) -> Vec<(std::ops::Range<usize>, u32)> {
        let text = std::str::from_utf8(block).unwrap();
        text.char_indices()
            .map(|(at, character)| (at..at + character.len_utf8(), character.into()))
            .filter(|(place, _)| place.start < BLOCK)
            .collect()
    }

    /// What a block may hold, code point by code point, from Unicode's properties alone.
    fn naive(block: &[u8; READABLE]) -> Masks {
        let all = code_points(block);
        let lowercase_length = |code_point| {
            let mut encoded = Vec::new();
            push_code_point(&mut encoded, code_point);
            let mut lowercase = Vec::new();
            append_term(
                &mut lowercase,
                Text::from_generalized_utf8(&encoded).unwrap(),
            );
            (encoded, lowercase)
        };
        let known = |(place, code_point): &(std::ops::Range<usize>, u32)| {
            let (encoded, lowercase) = lowercase_length(*code_point);
            let stays = encoded.len() == lowercase.len()
                && (encoded.len() < 3 || encoded[..2] == lowercase[..2]);
            let properties = Properties::of(*code_point);
            let class = properties.word_break();
            place.end <= BLOCK
                && (*code_point < 0x80
                    || *code_point < 0x1_0000
                        && stays
                        && !properties.is_pictographic()
                        && match class {
                            WordBreak::ALetter | WordBreak::Numeric => properties.is_word_like(),
                            WordBreak::Other | WordBreak::MidNumLet => !properties.is_word_like(),
                            _ => false,
                        })
        };
        let class = |number: usize| -> Option<WordBreak> {
            let found = all.get(number).filter(|found| known(found))?;
            Some(Properties::of(found.1).word_break())
        };
        let mark = |test: &dyn Fn(usize) -> bool| {
            let places: Vec<_> = (0..all.len())
                .filter(|&number| test(number))
                .map(|number| all[number].0.clone())
                .collect();
            bit(|at| places.iter().any(|place| place.contains(&at)))
        };
        let is = |number: usize, classes: &[WordBreak]| {
            class(number).is_some_and(|class| classes.contains(&class))
        };
        let letter_or_digit = |number: usize| is(number, &[WordBreak::ALetter, WordBreak::Numeric]);
        let middle = |number: usize| {
            is(
                number,
                &[
                    WordBreak::MidNumLet,
                    WordBreak::SingleQuote,
                    WordBreak::MidLetter,
                    WordBreak::MidNum,
                ],
            ) && (all[number].1 < 0x80 || is(number, &[WordBreak::MidNumLet]))
        };
        let joins = |number: usize| {
            let between = |kind| number > 0 && is(number - 1, &[kind]) && is(number + 1, &[kind]);
            let either = is(number, &[WordBreak::MidNumLet, WordBreak::SingleQuote]);
            middle(number)
                && (between(WordBreak::ALetter) && (either || is(number, &[WordBreak::MidLetter]))
                    || between(WordBreak::Numeric) && (either || is(number, &[WordBreak::MidNum])))
        };
        Masks {
            token: mark(&|number| {
                letter_or_digit(number) || all[number].1 == 0x5F || joins(number)
            }),
            word_like: mark(&letter_or_digit),
            underscore: mark(&|number| all[number].1 == 0x5F),
            middle: mark(&middle),
            space: mark(&|number| all[number].1 == 0x20),
            continuation: bit(|at| block[at] & 0xC0 == 0x80),
            unknown: mark(&|number| !known(&all[number])),
        }
    }

    /// The block with every code point that the masks know in lowercase.
    fn naive_lowercase(block: &[u8; READABLE], unknown: u64) -> [u8; BLOCK] {
        let mut lowercase: [u8; BLOCK] = block[..BLOCK].try_into().unwrap();
        for (place, _) in code_points(block) {
            if place.end <= BLOCK && unknown >> place.start & 1 == 0 {
                let mut term = Vec::new();
                append_term(
                    &mut term,
                    Text::from_generalized_utf8(&block[place.clone()]).unwrap(),
                );
                lowercase[place].copy_from_slice(&term);
            }
        }
        lowercase
    }

    struct Once<'a>(&'a [u8; READABLE]);

    impl Work for Once<'_> {
        type Output = Classified;
        #[inline(always)]
        unsafe fn run<V: Vector>(self) -> Classified {
            // SAFETY: the caller vouches for the instruction set.
            unsafe { classify::<V>(self.0) }
        }
    }

    /// Checks the block that starts `text`.
    fn check(text: &str) {
        let mut readable = [b'X'; READABLE];
        let mut end = text.len().min(READABLE);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        readable[..end].copy_from_slice(&text.as_bytes()[..end]);
        let expected = naive(&readable);
        for set in InstructionSet::available() {
            let classified = set.run(Once(&readable));
            assert_eq!(classified.masks, expected, "{set:?} on {text:?}");
            let lowercase = naive_lowercase(&readable, expected.unknown);
            assert_eq!(
                classified.lowercase[..BLOCK],
                lowercase,
                "{set:?} on {text:?}"
            );
        }
    }

    #[test]
    fn instruction_sets_have_names_of_their_own() {
        let names: Vec<&str> = InstructionSet::available()
            .into_iter()
            .map(InstructionSet::name)
            .collect();
        println!("instruction sets: {}", names.join(", "));
        assert_eq!(names.last(), Some(&"portable"));
        for (number, name) in names.iter().enumerate() {
            assert!(!names[..number].contains(name), "{name} twice");
        }
    }

    #[test]
    fn every_ascii_byte_in_every_place() {
        for byte in some_of(41, 0..0x80u8) {
            let one = char::from(byte).to_string();
            check(&one.repeat(BLOCK));
            for at in some_of(21, 0..BLOCK) {
                for around in [" ", "a", "7", "é", "’"] {
                    check(&format!("{}{one}{}", " ".repeat(at), around.repeat(BLOCK)));
                    check(&format!(
                        "{}{one}{}",
                        around.repeat(at / around.len()),
                        around.repeat(BLOCK)
                    ));
                }
            }
        }
    }

    #[test]
    fn every_code_point() {
        let all: Vec<char> = (0x80..0x11_0000).filter_map(char::from_u32).collect();
        for some in some_of(2003, all.chunks(20)) {
            check(&some.iter().collect::<String>());
            check(
                &some
                    .iter()
                    .rev()
                    .map(|one| format!("{one}a"))
                    .collect::<String>(),
            );
        }
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn arbitrary_text(text in any::<String>()) {
            check(&text);
        }

        #[test]
        fn text_of_what_matters(text in proptest::collection::vec(proptest::sample::select(
            "aZ09_'.:,; \n@[`{/\x7féÉĀāİıЖжЁёѠ҈أب٣٫한힣\u{d7a4}’‘…“—、。中カẾếẞ\u{301}\u{200d}😀𐐔·ª".chars().collect::<Vec<_>>(),
        ), 0..70)) {
            check(&text.into_iter().collect::<String>());
        }
    }
}
