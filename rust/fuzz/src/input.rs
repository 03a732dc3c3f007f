//! From a fuzzer's bytes to texts and numbers.
//!
//! Numbers come first, a byte each. The rest are texts: generalized UTF-8 as it is, with a few operations on top, whose
//! bytes occur in no UTF-8. So words of a dictionary and seeds work as they stand, and one mutated byte can move a
//! letter across the edge of a block or make a run of hundreds. No bytes are refused.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use arbitrary::Unstructured;
use sid_core::text::Text;

use crate::model::unicode::{is_pictographic, is_word_like, lowercase, word_break};

/// The longest text that is made, in code points. Models are slow.
const MOST: usize = 4096;

/// The bytes that mean something else than UTF-8.
pub mod operation {
    /// Ends the text; the next one follows.
    pub const END: u8 = 0xF8;
    /// And a byte `n`: the last code point another `n + 1` times.
    pub const RUN: u8 = 0xF9;
    /// And a byte `n`: the last code point until the text has `n` bytes, modulo 64, or a few more.
    pub const FILL: u8 = 0xFA;
    /// And a byte `n`: the last `n + 1` code points once more.
    pub const AGAIN: u8 = 0xFB;
    /// And two bytes: a code point by its kind, and which of that kind.
    pub const KIND: u8 = 0xFC;
    /// And three bytes: a code point by its number.
    pub const NUMBER: u8 = 0xFD;
    /// And a byte: a word of [`WORDS`](super::WORDS).
    pub const WORD: u8 = 0xFE;
    /// And a byte `n`: sixty-four characters of ASCII from `n` up.
    pub const ASCII: u8 = 0xFF;
}

/// Words whose order, case and neighbours decide snippets: some are stopwords of some language.
pub const WORDS: [&str; 32] = [
    "the ",
    "The fox ",
    "of ",
    "and ",
    "a",
    "fox ",
    "FOX ",
    "red fox ",
    "red ",
    "internationalization ",
    "international ",
    "internat ",
    "og ",
    "für ",
    "ÉTÉ ",
    "été ",
    "для ",
    "ДЛЯ ",
    "σοφός ",
    "ΣΟΦΟΣ ",
    "İstanbul ",
    "שלום ",
    "السلام ",
    "日本語",
    "カタカナ",
    "한국어 ",
    "ไทย",
    "हिन्दी ",
    "👩\u{200d}👩\u{200d}👧",
    "🇩🇪🇫🇷",
    "don't ",
    "1,000.5 ",
];

/// Code points that are alike: the same Word_Break class, word-like or not, pictographic or not, changed in lowercase or
/// not, as many bytes. At most 256 of each kind, spread over all that there are.
static KINDS: LazyLock<Vec<Vec<u32>>> = LazyLock::new(|| {
    let mut kinds: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for one in 0..0x11_0000 {
        let properties = (
            u32::from(word_break(one).to_icu4c_value()),
            is_word_like(one),
            is_pictographic(one),
            lowercase(one) != [one],
            encoded(&[one]).len(),
        );
        kinds.entry(properties).or_default().push(one);
    }
    kinds
        .into_values()
        .map(|kind| {
            let step = kind.len().div_ceil(256);
            kind.into_iter().step_by(step).collect()
        })
        .collect()
});

/// A text, and where its code points are in its encoding.
#[derive(Clone, Debug)]
pub struct Source {
    /// The code points.
    pub code_points: Vec<u32>,
    /// Their encoding, in memory of just its size: a sanitizer sees each read past its end.
    bytes: Box<[u8]>,
    /// Where each code point starts in the encoding, and the end.
    offsets: Vec<usize>,
}

impl Source {
    /// Encodes code points.
    pub fn new(code_points: Vec<u32>) -> Self {
        let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
        for &one in &code_points {
            encode(&mut bytes, one);
            offsets.push(bytes.len());
        }
        Source {
            code_points,
            bytes: bytes.into(),
            offsets,
        }
    }

    /// The text as the core takes it.
    ///
    /// # Panics
    /// If the core refuses it, which would be a bug.
    pub fn text(&self) -> Text<'_> {
        Text::from_generalized_utf8(&self.bytes).expect("every code point may be there")
    }

    /// The offset in bytes of a code point, or of the end.
    pub fn byte(&self, code_point: usize) -> usize {
        self.offsets[code_point]
    }
}

/// Code points in generalized UTF-8.
pub fn encoded(code_points: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &one in code_points {
        encode(&mut bytes, one);
    }
    bytes
}

fn encode(bytes: &mut Vec<u8>, code_point: u32) {
    match char::from_u32(code_point) {
        Some(character) => {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        // A surrogate: the pattern of three bytes, as for its neighbours.
        None => bytes.extend([
            0xE0 | (code_point >> 12) as u8,
            0x80 | (code_point >> 6 & 0x3F) as u8,
            0x80 | (code_point & 0x3F) as u8,
        ]),
    }
}

/// What a fuzzer gave.
pub struct Input<'a>(Unstructured<'a>);

impl<'a> Input<'a> {
    /// Takes the fuzzer's bytes.
    pub fn new(data: &'a [u8]) -> Self {
        Input(Unstructured::new(data))
    }

    /// A number; 0 after the end.
    pub fn number(&mut self) -> u8 {
        self.0.arbitrary().unwrap_or_default()
    }

    /// The next text, empty after the end.
    pub fn source(&mut self) -> Source {
        Source::new(self.code_points())
    }

    /// Its code points.
    pub fn code_points(&mut self) -> Vec<u32> {
        let mut text = Vec::new();
        while !self.0.is_empty() && self.read(&mut text) && text.len() < MOST {}
        text.truncate(MOST);
        text
    }

    /// Adds what comes next to the text; whether the text goes on.
    fn read(&mut self, text: &mut Vec<u32>) -> bool {
        let last = text.last().copied().unwrap_or_default();
        match self.number() {
            operation::END => return false,
            operation::RUN => {
                let times = usize::from(self.number()) + 1;
                text.extend(std::iter::repeat_n(last, times));
            }
            operation::FILL => {
                let length = encoded(text).len();
                let wanted = usize::from(self.number()) % 64;
                let missing = (wanted + 64 - length % 64) % 64;
                let times = missing.div_ceil(encoded(&[last]).len());
                text.extend(std::iter::repeat_n(last, times));
            }
            operation::AGAIN => {
                let length = usize::from(self.number()) + 1;
                text.extend_from_within(text.len().saturating_sub(length)..);
            }
            operation::KIND => {
                let kind = &KINDS[usize::from(self.number()) % KINDS.len()];
                text.push(kind[usize::from(self.number()) % kind.len()]);
            }
            operation::NUMBER => {
                let bytes = [0, self.number(), self.number(), self.number()];
                text.push(u32::from_be_bytes(bytes) % 0x11_0000);
            }
            operation::WORD => {
                let word = WORDS[usize::from(self.number()) % WORDS.len()];
                text.extend(word.chars().map(u32::from));
            }
            operation::ASCII => {
                let first = u32::from(self.number());
                text.extend((first..first + 64).map(|one| one % 128));
            }
            lead => text.push(self.code_point(lead)),
        }
        true
    }

    /// The code point that starts with the byte `lead`; the byte itself as one if it starts none.
    fn code_point(&mut self, lead: u8) -> u32 {
        let (length, bits) = match lead {
            0xC2..=0xDF => (1, lead & 0x1F),
            0xE0..=0xEF => (2, lead & 0x0F),
            0xF0..=0xF4 => (3, lead & 0x07),
            _ => return lead.into(),
        };
        let least = [0, 0x80, 0x800, 0x1_0000][length];
        let Some(rest) = self.0.peek_bytes(length) else {
            return lead.into();
        };
        let mut one = u32::from(bits);
        for &byte in rest {
            if byte & 0xC0 != 0x80 {
                return lead.into();
            }
            one = one << 6 | u32::from(byte & 0x3F);
        }
        if !(least..0x11_0000).contains(&one) {
            return lead.into();
        }
        let _ = self.0.bytes(length);
        one
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_point_comes_through_as_it_is() {
        for one in 0..0x11_0000 {
            let source = Source::new(vec![one, 0x61]);
            assert_eq!(Input::new(&source.bytes).code_points(), [one, 0x61]);
            assert_eq!(source.text().code_points().next(), Some(one));
            assert_eq!(source.byte(1), source.bytes.len() - 1);
        }
    }

    #[test]
    fn malformed_bytes_are_code_points() {
        assert_eq!(
            Input::new(b"\x80\xC3a\xE0\x80\x80\xF4\x90\x80\x80\xC3").code_points(),
            [0x80, 0xC3, 0x61, 0xE0, 0x80, 0x80, 0xF4, 0x90, 0x80, 0x80, 0xC3]
        );
    }

    #[test]
    fn operations() {
        let of = |data: &[u8]| Input::new(data).code_points();
        assert_eq!(of(b"a\xF9\x02b"), of(b"aaaab"));
        assert_eq!(of(b"ab\xFA\x05"), of(b"abbbb"));
        assert_eq!(of("é\u{fa}".as_bytes()).len(), 2);
        assert_eq!(of(b"\xC3\xA9\xFA\x3F").len(), 32);
        assert_eq!(of(b"abc\xFB\x01"), of(b"abcbc"));
        assert_eq!(of(b"\xFB\x01\xF9\x00"), [0]);
        assert_eq!(of(b"\xFD\x01\xF6\x00\xFD\x00\xD8\x00"), [0x1F600, 0xD800]);
        assert_eq!(of(b"\xFE\x02"), of(b"of "));
        assert_eq!(of(b"\xFF\x41")[..3], [0x41, 0x42, 0x43]);
        let mut input = Input::new(b"a\xF8b");
        assert_eq!(
            [input.code_points(), input.code_points()],
            [vec![0x61], vec![0x62]]
        );
        assert_eq!((input.number(), input.code_points()), (0, vec![]));
        assert_eq!(of(&b"a\xF9\xFF".repeat(99)).len(), MOST);
    }

    #[test]
    fn there_are_all_kinds() {
        assert!(KINDS.len() >= 50, "only {} kinds", KINDS.len());
        let first = |kind: &Vec<u32>| word_break(kind[0]).to_icu4c_value();
        let classes: std::collections::BTreeSet<u8> = KINDS.iter().map(first).collect();
        assert_eq!(classes.len(), 19);
        assert!(KINDS
            .iter()
            .flatten()
            .any(|one| (0xD800..0xE000).contains(one)));
    }
}
