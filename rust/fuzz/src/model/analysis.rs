//! From text to tokens: protocol, section 1.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::unicode::lowercase;
use super::word_break::segments;

/// The stopwords of each language that has some.
static STOPWORDS: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(|| {
    serde_json::from_str::<BTreeMap<String, Vec<String>>>(include_str!(
        "../../../tablegen/data/stopwords.json"
    ))
    .expect("a map from languages to words")
    .into_iter()
    .map(|(language, words)| (language, BTreeSet::from_iter(words)))
    .collect()
});

/// A source token. Its position is its index among all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The first code point.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// Its text in lowercase.
    pub term: Vec<u32>,
    /// Whether it stays, rather than being dropped as a stopword.
    pub kept: bool,
}

/// The source tokens of a text.
pub fn tokens(text: &[u32], language: &str) -> Vec<Token> {
    segments(text)
        .into_iter()
        .filter(|segment| segment.word_like)
        .map(|segment| {
            let token = &text[segment.start..segment.end];
            let term: Vec<u32> = token.iter().flat_map(|&one| lowercase(one)).collect();
            Token {
                start: segment.start,
                end: segment.end,
                kept: !is_stopword(&term, language),
                term,
            }
        })
        .collect()
}

fn is_stopword(term: &[u32], language: &str) -> bool {
    // No stopword holds a surrogate.
    let Some(term) = term.iter().map(|&one| char::from_u32(one)).collect() else {
        return false;
    };
    let term: String = term;
    STOPWORDS
        .get(language)
        .is_some_and(|words| words.contains(&term))
}

/// The stopwords of a language, of which some have none.
pub fn stopwords(language: &str) -> impl Iterator<Item = &String> {
    STOPWORDS.get(language).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, language: &str) -> Vec<(String, bool)> {
        let text: Vec<u32> = text.chars().map(u32::from).collect();
        let string = |term: Vec<u32>| term.into_iter().filter_map(char::from_u32).collect();
        tokens(&text, language)
            .into_iter()
            .map(|token| (string(token.term), token.kept))
            .collect()
    }

    #[test]
    fn stopwords_are_dropped_by_term_and_language() {
        let pair = |term: &str, kept| (term.to_owned(), kept);
        assert_eq!(
            of("The cat’s, İ __", "english"),
            [
                pair("the", false),
                pair("cat’s", true),
                pair("i\u{307}", true)
            ]
        );
        assert_eq!(of("The", "generic"), [pair("the", true)]);
        assert_eq!(of("ДЛЯ", "russian"), [pair("для", false)]);
    }

    #[test]
    fn thirteen_languages_have_stopwords() {
        assert_eq!(STOPWORDS.len(), 13);
        assert_eq!(STOPWORDS["english"].len(), 33);
    }
}
