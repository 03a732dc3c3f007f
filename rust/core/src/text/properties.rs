//! What segmentation and term folding need to know of a code point, in one table look-up.

use super::tables;
pub use super::tables::WordBreak;

/// The properties of one code point, packed in a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties(u8);

impl Properties {
    /// Looks a code point up. Surrogates are `Other` and not word-like.
    ///
    /// # Panics
    /// If `code_point` is above U+10FFFF.
    #[inline]
    pub fn of(code_point: u32) -> Self {
        let at = code_point as usize;
        let block = usize::from(tables::INDEX[at / tables::BLOCK]);
        Properties(tables::BLOCKS[block * tables::BLOCK + at % tables::BLOCK])
    }

    /// The Word_Break class.
    #[inline]
    pub fn word_break(self) -> WordBreak {
        tables::CLASSES[usize::from(self.0 & tables::CLASS_MASK)]
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
