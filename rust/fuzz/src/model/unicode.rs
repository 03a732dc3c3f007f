//! Properties and lowercase mappings of code points, by ICU4X's data for Unicode 17.

use std::sync::LazyLock;

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;
use icu_properties::props::{
    ExtendedPictographic, GeneralCategory, Ideographic, Script, WordBreak,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// What is asked of a code point again and again.
struct Facts {
    word_break: WordBreak,
    pictographic: bool,
    word_like: bool,
    /// The lowercase mapping, if it is not the code point itself.
    lowercase: Option<Vec<u32>>,
}

static FACTS: LazyLock<Vec<Facts>> = LazyLock::new(|| (0..0x11_0000).map(look_up).collect());

fn look_up(code_point: u32) -> Facts {
    let word_break = CodePointMapData::<WordBreak>::new().get32(code_point);
    let pictographic = CodePointSetData::new::<ExtendedPictographic>().contains32(code_point);
    let ideographic = CodePointSetData::new::<Ideographic>().contains32(code_point);
    let category = CodePointMapData::<GeneralCategory>::new().get32(code_point);
    let script = CodePointMapData::<Script>::new().get32(code_point);
    Facts {
        word_break,
        pictographic,
        word_like: matches!(
            word_break,
            WordBreak::ALetter | WordBreak::HebrewLetter | WordBreak::Numeric
        ) || pictographic
            || ideographic
            || category == GeneralCategory::OtherNumber
            || ![Script::Common, Script::Inherited, Script::Unknown].contains(&script),
        lowercase: char::from_u32(code_point).and_then(other_lowercase),
    }
}

fn other_lowercase(character: char) -> Option<Vec<u32>> {
    let source = character.to_string();
    let lower = CaseMapper::new().lowercase_to_string(&source, &LanguageIdentifier::UNKNOWN);
    (lower != source).then(|| lower.chars().map(u32::from).collect())
}

/// The Word_Break class; of a lone surrogate, `Other`.
pub fn word_break(code_point: u32) -> WordBreak {
    FACTS[code_point as usize].word_break
}

/// Extended_Pictographic.
pub fn is_pictographic(code_point: u32) -> bool {
    FACTS[code_point as usize].pictographic
}

/// Whether one such code point makes its segment a source token.
pub fn is_word_like(code_point: u32) -> bool {
    FACTS[code_point as usize].word_like
}

/// The full lowercase mapping of one code point, without context.
pub fn lowercase(code_point: u32) -> Vec<u32> {
    let other = FACTS[code_point as usize].lowercase.clone();
    other.unwrap_or_else(|| vec![code_point])
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
