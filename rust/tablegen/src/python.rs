//! Writes the tables of the pure-Python twin.

use std::fmt::Write as _;

use crate::stopwords::Stopwords;
use crate::unicode::{Unicode, CASED, CLASSES, CLASS_MASK, PICTOGRAPHIC, WORD_LIKE};

const HEADER: &str = "# Written by `cargo run -p sid-tablegen`; do not edit.\n";

/// Properties as runs, lowercase mappings as runs of equal distance.
pub(crate) fn unicode_tables(unicode: &Unicode) -> String {
    let mut out = format!(
        "\"\"\"Unicode 17.0.0: Word_Break classes, word-like code points, full lowercase mappings.\"\"\"\n\n\
         {HEADER}\
         # Sources: icu_properties_data 2.1.2, icu_casemap 2.1.1.\n\n\
         from enum import IntEnum\n\n\n\
         class WordBreak(IntEnum):\n    \"\"\"Word_Break classes of UAX #29, numbered as in the property bytes.\"\"\"\n\n"
    );
    for (number, (name, _)) in CLASSES.iter().enumerate() {
        let _ = writeln!(out, "    {} = {number}", name.to_uppercase());
    }
    let _ = writeln!(out, "\n\nCLASS_MASK = {CLASS_MASK:#04x}");
    let _ = writeln!(out, "WORD_LIKE = {WORD_LIKE:#04x}");
    let _ = writeln!(out, "PICTOGRAPHIC = {PICTOGRAPHIC:#04x}\n");
    out.push_str(
        "# (first code point, property byte) of every run of code points that share one.\n",
    );
    out.push_str("PROPERTY_RUNS = (\n");
    let mut runs = Vec::new();
    let mut previous = None;
    for (code_point, &byte) in unicode.properties.iter().enumerate() {
        let byte = byte & !CASED;
        if previous != Some(byte) {
            runs.push(format!("({code_point:#x}, {byte})"));
            previous = Some(byte);
        }
    }
    lines(&mut out, &runs);
    out.push_str(")\n\n# Code point to its full lowercase mapping, where that is not itself.\n");
    out.push_str("LOWERCASE: dict[int, int | str] = {\n");
    let entries: Vec<String> = unicode
        .lowercase
        .iter()
        .map(|(from, to)| {
            let mapping: Vec<u32> = to.chars().map(u32::from).collect();
            match mapping.as_slice() {
                [one] => format!("{from:#x}: {one:#x}"),
                _ => format!("{from:#x}: {}", quoted(to)),
            }
        })
        .collect();
    lines(&mut out, &entries);
    out.push_str("}\n");
    out
}

fn lines(out: &mut String, entries: &[String]) {
    for line in entries.chunks(6) {
        let _ = writeln!(out, "    {},", line.join(", "));
    }
}

/// A Python string literal in ASCII.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| format!("\\U{:08x}", u32::from(c)))
        .collect();
    format!("\"{escaped}\"")
}

/// The stopword sets.
pub(crate) fn stopword_tables(stopwords: &Stopwords) -> String {
    let mut out = format!(
        "\"\"\"The terms that each supported language drops.\"\"\"\n\n{HEADER}\
         # Source: rust/tablegen/data/stopwords.json.\n\n\
         STOPWORDS: dict[str, frozenset[str]] = {{\n"
    );
    for (language, words) in stopwords {
        if words.is_empty() {
            let _ = writeln!(out, "    \"{language}\": frozenset(),");
            continue;
        }
        let _ = writeln!(out, "    \"{language}\": frozenset(\n        (");
        for line in words.chunks(8) {
            let quoted: Vec<String> = line.iter().map(|word| format!("\"{word}\"")).collect();
            let _ = writeln!(out, "            {},", quoted.join(", "));
        }
        out.push_str("        )\n    ),\n");
    }
    out.push_str("}\n");
    out
}

/// The names of the supported languages.
pub(crate) fn languages(stopwords: &Stopwords) -> String {
    let mut out = format!(
        "\"\"\"The languages that text can be analysed in.\"\"\"\n\n{HEADER}\n\
         SUPPORTED_LANGUAGES: tuple[str, ...] = (\n"
    );
    for (language, _) in stopwords {
        let _ = writeln!(out, "    \"{language}\",");
    }
    out.push_str(")\n");
    out
}
