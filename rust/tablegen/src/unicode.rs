//! Reads the facts about every code point that segmentation and term folding need.

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;
use icu_properties::props::{
    ExtendedPictographic, GeneralCategory, Ideographic, Script, WordBreak,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// One more than the last code point.
pub(crate) const CODE_POINTS: u32 = 0x11_0000;

/// The Word_Break classes in the order of their numbers, named as in UAX #29.
pub(crate) const CLASSES: [(&str, WordBreak); 19] = [
    ("Other", WordBreak::Other),
    ("CR", WordBreak::CR),
    ("LF", WordBreak::LF),
    ("Newline", WordBreak::Newline),
    ("Extend", WordBreak::Extend),
    ("ZWJ", WordBreak::ZWJ),
    ("Format", WordBreak::Format),
    ("Regional_Indicator", WordBreak::RegionalIndicator),
    ("Katakana", WordBreak::Katakana),
    ("Hebrew_Letter", WordBreak::HebrewLetter),
    ("ALetter", WordBreak::ALetter),
    ("Single_Quote", WordBreak::SingleQuote),
    ("Double_Quote", WordBreak::DoubleQuote),
    ("MidNumLet", WordBreak::MidNumLet),
    ("MidLetter", WordBreak::MidLetter),
    ("MidNum", WordBreak::MidNum),
    ("Numeric", WordBreak::Numeric),
    ("ExtendNumLet", WordBreak::ExtendNumLet),
    ("WSegSpace", WordBreak::WSegSpace),
];

/// Bits 0 to 4 of a property byte: the Word_Break class.
pub(crate) const CLASS_MASK: u8 = 0x1F;
/// Set when one such code point makes its segment a source token.
pub(crate) const WORD_LIKE: u8 = 0x20;
/// Set for Extended_Pictographic.
pub(crate) const PICTOGRAPHIC: u8 = 0x40;
/// Set when the code point's full lowercase mapping is not itself.
pub(crate) const CASED: u8 = 0x80;

/// What the tables are made from.
pub(crate) struct Unicode {
    /// A property byte for every code point.
    pub(crate) properties: Vec<u8>,
    /// Every code point with a lowercase mapping other than itself, ascending.
    pub(crate) lowercase: Vec<(u32, String)>,
}

/// Reads everything. Surrogates are Other, not word-like and have no mapping.
pub(crate) fn read() -> Unicode {
    let word_break = CodePointMapData::<WordBreak>::new();
    let script = CodePointMapData::<Script>::new();
    let category = CodePointMapData::<GeneralCategory>::new();
    let pictographic = CodePointSetData::new::<ExtendedPictographic>();
    let ideographic = CodePointSetData::new::<Ideographic>();
    let case = CaseMapper::new();

    let mut properties = Vec::with_capacity(CODE_POINTS as usize);
    let mut lowercase = Vec::new();
    for code_point in 0..CODE_POINTS {
        let Some(character) = char::from_u32(code_point) else {
            properties.push(0);
            continue;
        };
        let class = word_break.get(character);
        let number = CLASSES
            .iter()
            .position(|&(_, known)| known == class)
            .unwrap_or_else(|| panic!("U+{code_point:04X} has the unknown class {class:?}"));
        let word_like = matches!(
            class,
            WordBreak::ALetter | WordBreak::HebrewLetter | WordBreak::Numeric
        ) || pictographic.contains(character)
            || ideographic.contains(character)
            || category.get(character) == GeneralCategory::OtherNumber
            || !matches!(
                script.get(character),
                Script::Common | Script::Inherited | Script::Unknown
            );
        let mut byte = number as u8;
        if word_like {
            byte |= WORD_LIKE;
        }
        if pictographic.contains(character) {
            byte |= PICTOGRAPHIC;
        }
        let source = character.to_string();
        // One code point has no context, so the final-sigma rule cannot apply.
        let lower = case
            .lowercase_to_string(&source, &LanguageIdentifier::UNKNOWN)
            .into_owned();
        if lower != source {
            byte |= CASED;
            lowercase.push((code_point, lower));
        }
        properties.push(byte);
    }
    Unicode {
        properties,
        lowercase,
    }
}
