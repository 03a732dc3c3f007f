//! What the vector scan knows of code points beyond ASCII, by their bytes.
//!
//! A block may hold what behaves as ASCII does: letters (ALetter), digits (Numeric), the middle characters that join
//! both, and what is a segment by itself. Marks, ideographs, kana, emoji and whatever a lowercase mapping makes longer or
//! shorter are left to the rules of `word_break`.

use std::sync::LazyLock;

use super::lowercase::append_term;
use super::offsets::push_code_point;
use super::properties::{Properties, WordBreak};
use super::Text;

/// What a code point is, as bits; none of them if a block cannot hold it.
pub(super) mod kind {
    /// Neither word-like nor joined to anything but marks.
    pub(in super::super) const OTHER: u8 = 1;
    /// A letter.
    pub(in super::super) const LETTER: u8 = 2;
    /// A digit.
    pub(in super::super) const DIGIT: u8 = 4;
    /// Joins two letters or two digits (MidNumLet).
    pub(in super::super) const MIDDLE: u8 = 8;
    /// Of a row of 64 code points: they differ.
    pub(in super::super) const MIXED: u8 = 16;
}

/// Code points by the lowest six bits of their last byte.
pub(super) type Row = [u8; 64];

/// The code points of two bytes with one lead byte.
#[derive(Clone, Copy)]
pub(super) struct Pairs {
    pub(super) kinds: Row,
    /// The lead byte in lowercase.
    pub(super) lead: Row,
    /// The last byte in lowercase.
    pub(super) last: Row,
}

/// The code points of three bytes with the same first two, which their lowercase has too.
#[derive(Clone, Copy)]
pub(super) struct Triples {
    pub(super) kinds: Row,
    /// The last byte in lowercase.
    pub(super) last: Row,
}

/// All that is known.
pub(super) struct Letters {
    /// By the lowest five bits of the lead byte.
    pub(super) pairs: [Pairs; 32],
    /// By the lowest four bits of the lead byte: the kind of the code points with each second byte, if they are alike
    /// and have no case; else [`kind::MIXED`].
    pub(super) rows: [Row; 16],
    /// By the same two: where in `triples` the ones of a mixed row are.
    numbers: [[u16; 64]; 16],
    triples: Vec<Triples>,
}

/// Made from the tables when a text beyond ASCII is first scanned.
pub(super) static LETTERS: LazyLock<Letters> = LazyLock::new(Letters::new);

impl Letters {
    fn new() -> Self {
        let mut letters = Letters {
            pairs: [Pairs {
                kinds: [0; 64],
                lead: [0; 64],
                last: [0; 64],
            }; 32],
            rows: [[0; 64]; 16],
            numbers: [[0; 64]; 16],
            triples: Vec::new(),
        };
        for code_point in 0x80..0x800 {
            let (lead, last) = (code_point as usize / 64, code_point as usize % 64);
            let pairs = &mut letters.pairs[lead];
            let (kind, lowercase) = described(code_point);
            [pairs.lead[last], pairs.last[last]] = lowercase;
            pairs.kinds[last] = kind;
        }
        for first in (0x800..0x1_0000).step_by(64) {
            letters.add_row(first);
        }
        letters
    }

    /// Takes in the 64 code points of three bytes from `first` on.
    fn add_row(&mut self, first: u32) {
        let (lead, second) = (first as usize / 4096, first as usize / 64 % 64);
        let mut triples = Triples {
            kinds: [0; 64],
            last: [0; 64],
        };
        let mut plain = true;
        for last in 0..64 {
            let same = [0xE0 | lead as u8, 0x80 | second as u8, 0x80 | last as u8];
            let (kind, lowercase) = described::<3>(first + last);
            plain &= lowercase == same;
            if lowercase[..2] == same[..2] {
                triples.kinds[last as usize] = kind;
            }
            triples.last[last as usize] = lowercase[2];
        }
        let alike = triples.kinds.iter().all(|&kind| kind == triples.kinds[0]);
        self.rows[lead][second] = if alike && plain {
            triples.kinds[0]
        } else {
            self.numbers[lead][second] = self.triples.len() as u16;
            self.triples.push(triples);
            kind::MIXED
        };
    }

    /// The code points of a mixed row, by its bytes.
    pub(super) fn triples(&self, lead: u8, second: u8) -> &Triples {
        let number = self.numbers[usize::from(lead % 16)][usize::from(second % 64)];
        &self.triples[usize::from(number)]
    }
}

/// The kind of a code point of `LENGTH` bytes, and its lowercase; no kind if that has another length.
fn described<const LENGTH: usize>(code_point: u32) -> (u8, [u8; LENGTH]) {
    let mut bytes = Vec::new();
    push_code_point(&mut bytes, code_point);
    let mut lowercase = Vec::new();
    match Text::from_generalized_utf8(&bytes) {
        Ok(text) => append_term(&mut lowercase, text),
        Err(_) => lowercase.clone_from(&bytes),
    }
    match lowercase.try_into() {
        Ok(lowercase) => (kind_of(Properties::of(code_point)), lowercase),
        Err(_) => (0, std::array::from_fn(|at| bytes[at])),
    }
}

fn kind_of(properties: Properties) -> u8 {
    let word_like = properties.is_word_like();
    match properties.word_break() {
        _ if properties.is_pictographic() => 0,
        WordBreak::ALetter if word_like => kind::LETTER,
        WordBreak::Numeric if word_like => kind::DIGIT,
        WordBreak::MidNumLet if !word_like => kind::MIDDLE,
        WordBreak::Other if !word_like => kind::OTHER,
        _ => 0,
    }
}
