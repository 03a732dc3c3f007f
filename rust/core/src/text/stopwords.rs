//! The languages and the terms that each of them drops.

use super::tables::STOPWORDS;

/// A supported language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    words: &'static [&'static str],
    longest: usize,
}

impl Language {
    /// The names of all languages, in the order in which they are listed to users.
    pub fn names() -> impl Iterator<Item = &'static str> {
        STOPWORDS.iter().map(|&(name, _)| name)
    }

    /// Finds a language by its exact name.
    pub fn from_name(name: &str) -> Option<Self> {
        let &(_, words) = STOPWORDS.iter().find(|&&(known, _)| known == name)?;
        let longest = words.iter().map(|word| word.len()).max().unwrap_or(0);
        Some(Language { words, longest })
    }

    /// Whether the language drops this term, given in (generalized) UTF-8.
    pub fn is_stopword(self, term: &[u8]) -> bool {
        term.len() <= self.longest
            && self
                .words
                .binary_search_by(|word| word.as_bytes().cmp(term))
                .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_word_is_found_and_its_neighbours_are_not() {
        for (name, words) in &STOPWORDS {
            let language = Language::from_name(name).unwrap();
            for word in *words {
                assert!(language.is_stopword(word.as_bytes()), "{name}: {word}");
                let longer = format!("{word}\u{1}");
                assert!(!language.is_stopword(longer.as_bytes()));
            }
            assert!(!language.is_stopword(b""));
        }
    }

    #[test]
    fn names_are_exact() {
        assert_eq!(Language::names().count(), 14);
        assert!(Language::from_name("English").is_none());
        assert!(!Language::from_name("generic").unwrap().is_stopword(b"the"));
    }
}
