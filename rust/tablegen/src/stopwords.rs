//! Reads the measured stopword sets.

use std::collections::BTreeMap;
use std::path::Path;

/// The supported languages, in the order in which they are listed to users.
const LANGUAGES: [&str; 14] = [
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    GENERIC,
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "russian",
    "spanish",
    "swedish",
];

/// The language that drops nothing.
const GENERIC: &str = "generic";

/// Every language with its stopwords, sorted by bytes.
pub(crate) type Stopwords = Vec<(&'static str, Vec<String>)>;

/// Reads `{language: [word, …]}`, one entry for every language but the generic one.
pub(crate) fn read(path: &Path) -> Result<Stopwords, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut sets: BTreeMap<String, Vec<String>> = serde_json::from_str(&text)
        .map_err(|error| format!("{} is not a map of word lists: {error}", path.display()))?;
    let mut stopwords = Vec::new();
    for language in LANGUAGES {
        let mut words = match sets.remove(language) {
            Some(words) => words,
            None if language == GENERIC => Vec::new(),
            None => return Err(format!("{} lacks {language}", path.display())),
        };
        words.sort_unstable();
        words.dedup();
        stopwords.push((language, words));
    }
    match sets.keys().next() {
        None => Ok(stopwords),
        Some(extra) => Err(format!(
            "{} has the unknown language {extra}",
            path.display()
        )),
    }
}
