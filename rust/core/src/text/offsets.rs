//! Text as bytes, and the way between byte and code point offsets.

use std::fmt;

/// Text in generalized UTF-8: UTF-8 in which a surrogate may stand too, encoded in three bytes like any other code
/// point below U+10000. This is what Python's `surrogatepass` handler writes, so every Python string has exactly one
/// such form, and two surrogates in a row stay two code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    bytes: &'a [u8],
}

/// The bytes are not generalized UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidText {
    /// Offset in bytes of the first byte that cannot be there.
    pub at: usize,
}

impl fmt::Display for InvalidText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "byte {} is not generalized UTF-8", self.at)
    }
}

impl std::error::Error for InvalidText {}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text {
            bytes: text.as_bytes(),
        }
    }
}

impl<'a> Text<'a> {
    /// Checks `bytes` and takes them as text.
    pub fn from_generalized_utf8(bytes: &'a [u8]) -> Result<Self, InvalidText> {
        let mut checked = 0;
        while let Err(error) = std::str::from_utf8(&bytes[checked..]) {
            let at = checked + error.valid_up_to();
            // UTF-8 proper refuses a surrogate at its second byte, which is 0xA0..=0xBF after 0xED.
            match bytes[at..] {
                [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..] => checked = at + 3,
                _ => return Err(InvalidText { at }),
            }
        }
        Ok(Text { bytes })
    }

    /// The bytes.
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The part between two byte offsets, which must both be code point boundaries.
    pub fn slice(self, start: usize, end: usize) -> Text<'a> {
        Text {
            bytes: &self.bytes[start..end],
        }
    }

    /// The code point that starts at byte `at`, and the offset of the byte after it. `at` must be a code point
    /// boundary before the end.
    #[inline]
    pub fn decode(self, at: usize) -> (u32, usize) {
        let continuation = |offset: usize| u32::from(self.bytes[at + offset] & 0x3F);
        let lead = u32::from(self.bytes[at]);
        match lead {
            0..=0x7F => (lead, at + 1),
            0x80..=0xDF => ((lead & 0x1F) << 6 | continuation(1), at + 2),
            0xE0..=0xEF => (
                (lead & 0x0F) << 12 | continuation(1) << 6 | continuation(2),
                at + 3,
            ),
            _ => (
                (lead & 0x07) << 18
                    | continuation(1) << 12
                    | continuation(2) << 6
                    | continuation(3),
                at + 4,
            ),
        }
    }

    /// The code points, first to last.
    pub fn code_points(self) -> impl Iterator<Item = u32> + 'a {
        let mut at = 0;
        std::iter::from_fn(move || {
            if at == self.bytes.len() {
                return None;
            }
            let (code_point, next) = self.decode(at);
            at = next;
            Some(code_point)
        })
    }

    /// How many code points the text holds.
    pub fn count_code_points(self) -> usize {
        // Every code point has exactly one byte that is not a continuation byte. A chunk's count fits a byte, so that
        // compilers add many at once.
        let (chunks, rest) = self.bytes.as_chunks::<128>();
        let counted = |bytes: &[u8]| -> u8 {
            bytes
                .iter()
                .map(|&byte| u8::from(byte & 0xC0 != 0x80))
                .sum()
        };
        chunks
            .iter()
            .map(|chunk| usize::from(counted(chunk)))
            .sum::<usize>()
            + usize::from(counted(rest))
    }
}

/// Appends a code point, surrogates included, in generalized UTF-8.
pub fn push_code_point(out: &mut Vec<u8>, code_point: u32) {
    let continuation = |shift: u32| (code_point >> shift & 0x3F) as u8 | 0x80;
    match code_point {
        0..=0x7F => out.push(code_point as u8),
        0x80..=0x7FF => out.extend([(code_point >> 6) as u8 | 0xC0, continuation(0)]),
        0x800..=0xFFFF => out.extend([
            (code_point >> 12) as u8 | 0xE0,
            continuation(6),
            continuation(0),
        ]),
        _ => out.extend([
            (code_point >> 18) as u8 | 0xF0,
            continuation(12),
            continuation(6),
            continuation(0),
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::some_of;

    #[test]
    fn every_code_point_survives_encoding() {
        let mut bytes = Vec::new();
        let all = || some_of(1009, 0..0x11_0000);
        for code_point in all() {
            push_code_point(&mut bytes, code_point);
        }
        let text = Text::from_generalized_utf8(&bytes).unwrap();
        assert!(text.code_points().eq(all()));
        assert_eq!(text.count_code_points(), all().count());
    }

    #[test]
    fn bytes_agree_with_str_for_scalar_values() {
        for character in some_of(1009, 0..0x11_0000).filter_map(char::from_u32) {
            let mut bytes = Vec::new();
            push_code_point(&mut bytes, character.into());
            assert_eq!(bytes, character.to_string().as_bytes());
        }
    }

    #[test]
    fn malformed_bytes_are_refused_where_they_stand() {
        for (bytes, at) in [
            (&b"ab\xFF"[..], 2),
            (b"\x80", 0),
            (b"a\xC3", 1),
            (b"\xC0\x80", 0),
            (b"\xE0\x80\x80", 0),
            (b"\xED\xA0", 0),
            (b"x\xED\xA0\x80\xED\xA0", 4),
            (b"\xF4\x90\x80\x80", 0),
        ] {
            assert_eq!(Text::from_generalized_utf8(bytes), Err(InvalidText { at }));
        }
    }
}
