//! Properties and lowercase mappings of code points, by ICU4X's data for Unicode 17.

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;
use icu_properties::props::{
    ExtendedPictographic, GeneralCategory, Ideographic, Script, WordBreak,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// The Word_Break class; of a lone surrogate, `Other`.
pub fn word_break(code_point: u32) -> WordBreak {
    CodePointMapData::<WordBreak>::new().get32(code_point)
}

/// Extended_Pictographic.
pub fn is_pictographic(code_point: u32) -> bool {
    CodePointSetData::new::<ExtendedPictographic>().contains32(code_point)
}

/// Whether one such code point makes its segment a source token.
pub fn is_word_like(code_point: u32) -> bool {
    let script = CodePointMapData::<Script>::new().get32(code_point);
    matches!(
        word_break(code_point),
        WordBreak::ALetter | WordBreak::HebrewLetter | WordBreak::Numeric
    ) || is_pictographic(code_point)
        || CodePointSetData::new::<Ideographic>().contains32(code_point)
        || CodePointMapData::<GeneralCategory>::new().get32(code_point)
            == GeneralCategory::OtherNumber
        || ![Script::Common, Script::Inherited, Script::Unknown].contains(&script)
}

/// The full lowercase mapping of one code point, without context.
pub fn lowercase(code_point: u32) -> Vec<u32> {
    let Some(character) = char::from_u32(code_point) else {
        return vec![code_point];
    };
    let mut buffer = [0; 4];
    CaseMapper::new()
        .lowercase_to_string(
            character.encode_utf8(&mut buffer),
            &LanguageIdentifier::UNKNOWN,
        )
        .chars()
        .map(u32::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocol_examples_of_what_is_word_like() {
        for yes in "aß1①½©😀あア一ก한א٣".chars() {
            assert!(is_word_like(yes.into()), "{yes}");
        }
        for no in "_ .,'\"\n\u{200d}\u{300}\u{ad}\u{1f1e9}".chars() {
            assert!(!is_word_like(no.into()), "{no:?}");
        }
        assert!(!is_word_like(0xD800) && word_break(0xDFFF) == WordBreak::Other);
    }

    #[test]
    fn mappings_have_no_context() {
        assert_eq!(lowercase('İ'.into()), [0x69, 0x307]);
        assert_eq!(lowercase('Σ'.into()), ['σ' as u32]);
        assert_eq!(lowercase('ß'.into()), ['ß' as u32]);
        assert_eq!(lowercase(0xD800), [0xD800]);
    }
}
