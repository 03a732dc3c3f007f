//! From a token to its term: the full lowercase mapping, one code point at a time, without context.

use super::offsets::push_code_point;
use super::properties::Properties;
use super::tables::{LONG_LOWERCASE, LOWERCASE};
use super::Text;

/// Appends the term of `token` to `out`, in generalized UTF-8.
///
/// Final sigma gets no special form, and `İ` (U+0130) gives two code points.
pub fn append_term(out: &mut Vec<u8>, token: Text<'_>) {
    let bytes = token.as_bytes();
    if bytes.is_ascii() {
        out.extend(bytes.iter().map(u8::to_ascii_lowercase));
        return;
    }
    for code_point in token.code_points() {
        append_lowercase(out, code_point);
    }
}

fn append_lowercase(out: &mut Vec<u8>, code_point: u32) {
    if !Properties::of(code_point).is_cased() {
        push_code_point(out, code_point);
    } else if let Ok(found) = LOWERCASE.binary_search_by_key(&code_point, |&(from, _)| from) {
        push_code_point(out, LOWERCASE[found].1);
    } else if let Ok(found) = LONG_LOWERCASE.binary_search_by_key(&code_point, |&(from, _)| from) {
        out.extend_from_slice(LONG_LOWERCASE[found].1.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::some_of;

    fn term(token: &str) -> String {
        let mut out = Vec::new();
        append_term(&mut out, token.into());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn sigma_has_no_context_and_dotted_capital_i_grows() {
        assert_eq!(term("ΟΔΟΣ"), "οδοσ");
        assert_eq!(term("İX"), "i\u{307}x");
        assert_eq!(term("STRAßE"), "straße");
    }

    #[test]
    fn every_code_point_is_lowered_as_the_standard_library_does() {
        if char::UNICODE_VERSION.0 != 17 {
            return; // Another Unicode version may map more letters.
        }
        for character in some_of(1009, 0..0x11_0000).filter_map(char::from_u32) {
            let expected: String = character.to_lowercase().collect();
            assert_eq!(term(&character.to_string()), expected, "{character:?}");
        }
    }
}
