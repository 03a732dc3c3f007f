//! Segmentation, word-like test, terms and positions against the `alyze` crate.

use std::collections::BTreeMap;

use alyze::analyze::{
    AnalysisOptions, Analyzer, LanguageWithStopwords, ReusableBuffer, StopwordRemoval,
    TokenizerOptions,
};
use proptest::prelude::*;
use sid_core::text::lowercase::append_term;
use sid_core::text::properties::Properties;
use sid_core::text::stopwords::Language;
use sid_core::text::word_break::segments;
use sid_core::text::Text;

/// Ends of segments in bytes, each with its word-like test.
type Boundaries = Vec<(usize, bool)>;
/// Kept tokens: term, position, byte range.
type Tokens = Vec<(String, usize, std::ops::Range<usize>)>;

fn our_boundaries(text: &str) -> Boundaries {
    segments(text.into())
        .map(|segment| (segment.end, segment.word_like))
        .collect()
}

fn their_boundaries(text: &str) -> Boundaries {
    let mut boundaries = Vec::new();
    alyze::uax29::word::tokenize(text, Default::default(), |at, properties| {
        if at > 0 {
            boundaries.push((at, properties.is_word_like()));
        }
        true
    });
    boundaries
}

fn our_tokens(text: &str, language: Language) -> Tokens {
    let whole = Text::from(text);
    segments(whole)
        .filter(|segment| segment.word_like)
        .enumerate()
        .filter_map(|(position, segment)| {
            let mut term = Vec::new();
            append_term(&mut term, whole.slice(segment.start, segment.end));
            let kept = !language.is_stopword(&term);
            kept.then(|| {
                (
                    String::from_utf8(term).unwrap(),
                    position,
                    segment.start..segment.end,
                )
            })
        })
        .collect()
}

fn their_tokens(text: &str, stopwords: Option<LanguageWithStopwords>) -> Tokens {
    let analyzer = Analyzer::new(AnalysisOptions {
        tokenizer: TokenizerOptions::UAX29Word(Default::default()),
        maximum_token_length: None,
        case_sensitive: false,
        stopword_removal: stopwords.map(StopwordRemoval::ForLanguage),
        stemming: None,
        ascii_folding: false,
    });
    let mut tokens = Vec::new();
    analyzer.analyze(text, &mut ReusableBuffer::new(), |token| {
        tokens.push((token.text.to_owned(), token.position, token.byte_range));
        true
    });
    tokens
}

fn languages() -> Vec<(Language, Option<LanguageWithStopwords>)> {
    use LanguageWithStopwords as L;
    Language::names()
        .map(|name| {
            let theirs = match name {
                "danish" => Some(L::Danish),
                "dutch" => Some(L::Dutch),
                "english" => Some(L::English),
                "finnish" => Some(L::Finnish),
                "french" => Some(L::French),
                "german" => Some(L::German),
                "generic" => None,
                "hungarian" => Some(L::Hungarian),
                "italian" => Some(L::Italian),
                "norwegian" => Some(L::Norwegian),
                "portuguese" => Some(L::Portuguese),
                "russian" => Some(L::Russian),
                "spanish" => Some(L::Spanish),
                "swedish" => Some(L::Swedish),
                other => panic!("{other} is not compared with the oracle"),
            };
            (Language::from_name(name).unwrap(), theirs)
        })
        .collect()
}

/// A few code points for every combination of properties that occurs: each Word_Break class, word-like or not,
/// pictographic or not, cased or not.
fn representatives() -> Vec<Vec<char>> {
    let mut found: BTreeMap<String, Vec<char>> = BTreeMap::new();
    for character in (0..0x11_0000).filter_map(char::from_u32) {
        let group = found
            .entry(format!("{:?}", Properties::of(character.into())))
            .or_default();
        if group.len() < 4 {
            group.push(character);
        }
    }
    assert!(found.len() >= 25, "only {} combinations found", found.len());
    found.into_values().collect()
}

fn text_of_representatives() -> impl Strategy<Value = String> {
    let one = proptest::sample::select(representatives()).prop_flat_map(proptest::sample::select);
    proptest::collection::vec(one, 0..24).prop_map(String::from_iter)
}

/// Words of every stopword list in random case, between separators, so that dropping is exercised.
fn text_of_words() -> impl Strategy<Value = String> {
    let words = vec![
        "the",
        "The",
        "AND",
        "og",
        "Het",
        "été",
        "ÉTÉ",
        "más",
        "для",
        "ДЛЯ",
        "és",
        "não",
        "och",
        "è",
        "être",
        "İstanbul",
        "ΣΟΦΟΣ",
        "a",
        "1,000.5",
        "don't",
        "can’t",
        "x_y",
        "日本語",
        "カタカナ",
        "한국어",
        "ไทย",
        "👩‍👩‍👧",
        "🇩🇪🇫🇷",
    ];
    let separators = vec![" ", "  ", ", ", "-", "\r\n", "\u{200b}", "", "'", "."];
    proptest::collection::vec(
        (
            proptest::sample::select(words),
            proptest::sample::select(separators),
        ),
        0..16,
    )
    .prop_map(|parts| {
        parts
            .into_iter()
            .map(|(word, gap)| format!("{word}{gap}"))
            .collect()
    })
}

fn check(text: &str) {
    assert_eq!(our_boundaries(text), their_boundaries(text), "{text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn boundaries_of_arbitrary_text(text in any::<String>()) {
        prop_assert_eq!(our_boundaries(&text), their_boundaries(&text));
    }

    #[test]
    fn boundaries_of_every_class(text in text_of_representatives()) {
        prop_assert_eq!(our_boundaries(&text), their_boundaries(&text));
    }

    #[test]
    fn tokens_of_arbitrary_text(text in any::<String>(), language in proptest::sample::select(languages())) {
        prop_assert_eq!(our_tokens(&text, language.0), their_tokens(&text, language.1));
    }

    #[test]
    fn tokens_of_every_class(text in text_of_representatives(), language in proptest::sample::select(languages())) {
        prop_assert_eq!(our_tokens(&text, language.0), their_tokens(&text, language.1));
    }

    #[test]
    fn tokens_of_words(text in text_of_words(), language in proptest::sample::select(languages())) {
        prop_assert_eq!(our_tokens(&text, language.0), their_tokens(&text, language.1));
    }
}

#[test]
fn every_code_point_alone() {
    let generic = Language::from_name("generic").unwrap();
    for character in (0..0x11_0000).filter_map(char::from_u32) {
        let text = character.to_string();
        check(&text);
        assert_eq!(
            our_tokens(&text, generic),
            their_tokens(&text, None),
            "{text:?}"
        );
    }
}

#[test]
fn every_code_point_between_letters() {
    for character in (0..0x11_0000).filter_map(char::from_u32) {
        check(&format!("a{character}b"));
        check(&format!("1{character}2"));
    }
}

#[test]
fn every_ordered_pair_of_property_combinations() {
    for (first, second) in pairs(&representatives().concat()) {
        check(&format!("{first}{second}"));
    }
}

#[test]
fn every_ordered_triple_and_quadruple_of_property_combinations() {
    let firsts: Vec<char> = representatives().iter().map(|group| group[0]).collect();
    for (one, two) in pairs(&firsts) {
        for &three in &firsts {
            check(&format!("{one}{two}{three}"));
            for &four in &firsts {
                check(&format!("{one}{two}{three}{four}"));
            }
        }
    }
}

fn pairs(characters: &[char]) -> impl Iterator<Item = (char, char)> + '_ {
    characters
        .iter()
        .flat_map(|&first| characters.iter().map(move |&second| (first, second)))
}
