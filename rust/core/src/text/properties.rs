//! What segmentation and term folding need to know of a code point, in one table look-up.

use super::tables;
pub use super::tables::WordBreak;

const BLOCK: usize = 64;

/// Where each block of code points starts in `VALUES`; filled up to a power of two, so that no index is out of bounds.
static FIRSTS: [u16; 1 << 15] = {
    assert!(tables::BLOCK == BLOCK);
    let mut firsts = [0; 1 << 15];
    let mut block = 0;
    while block < tables::INDEX.len() {
        firsts[block] = tables::INDEX[block] * BLOCK as u16;
        block += 1;
    }
    firsts
};

/// Property bytes, block after block; filled up likewise.
static VALUES: [u8; 1 << 15] = {
    let mut values = [0; 1 << 15];
    let mut at = 0;
    while at < tables::BLOCKS.len() {
        values[at] = tables::BLOCKS[at];
        at += 1;
    }
    values
};

/// The properties of one code point, packed in a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Properties(u8);

impl Properties {
    /// Looks a code point up. Surrogates are `Other` and not word-like.
    ///
    /// # Panics
    /// If `code_point` is above U+10FFFF.
    #[inline]
    pub fn of(code_point: u32) -> Self {
        assert!(code_point <= 0x10_FFFF, "{code_point:#x} is no code point");
        Self::at(code_point as usize / BLOCK, code_point as usize % BLOCK)
    }

    /// The properties of the code point that starts at byte `at` of generalized UTF-8, and the offset of the one after
    /// it. `at` must be a code point boundary before the end.
    ///
    /// The continuation byte that ends an encoding holds the lowest six bits: the place in the code point's block. The
    /// bytes before it hold the number of the block.
    #[inline(always)]
    pub fn read(bytes: &[u8], at: usize) -> (Self, usize) {
        let six_bits = |byte: u8| usize::from(byte & 0x3F);
        let lead = bytes[at];
        if lead < 0x80 {
            (Self::at(usize::from(lead >> 6), six_bits(lead)), at + 1)
        } else if lead < 0xE0 {
            (
                Self::at(usize::from(lead & 0x1F), six_bits(bytes[at + 1])),
                at + 2,
            )
        } else if lead < 0xF0 {
            let block = usize::from(lead & 0x0F) << 6 | six_bits(bytes[at + 1]);
            (Self::at(block, six_bits(bytes[at + 2])), at + 3)
        } else {
            let block = usize::from(lead & 0x07) << 12
                | six_bits(bytes[at + 1]) << 6
                | six_bits(bytes[at + 2]);
            (Self::at(block, six_bits(bytes[at + 3])), at + 4)
        }
    }

    /// The properties at a place in a block of 64 code points.
    #[inline(always)]
    fn at(block: usize, place: usize) -> Self {
        let first = usize::from(FIRSTS[block % FIRSTS.len()]) % VALUES.len();
        Properties(VALUES[first | (place % BLOCK)])
    }

    /// The Word_Break class.
    #[inline]
    pub fn word_break(self) -> WordBreak {
        tables::CLASSES[usize::from(self.0 & tables::CLASS_MASK)]
    }

    /// The number of the Word_Break class.
    #[inline]
    pub(super) fn class_number(self) -> u8 {
        self.0 & tables::CLASS_MASK
    }

    /// What either has: word-like, cased or pictographic. The class means nothing afterwards.
    #[inline]
    pub(super) fn union(self, other: Properties) -> Properties {
        Properties(self.0 | other.0)
    }

    /// Whether one such code point makes its segment a source token.
    #[inline]
    pub fn is_word_like(self) -> bool {
        self.0 & tables::WORD_LIKE != 0
    }

    /// Extended_Pictographic.
    #[inline]
    pub fn is_pictographic(self) -> bool {
        self.0 & tables::PICTOGRAPHIC != 0
    }

    /// Whether the full lowercase mapping is not the code point itself.
    #[inline]
    pub fn is_cased(self) -> bool {
        self.0 & tables::CASED != 0
    }
}
