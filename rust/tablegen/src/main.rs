//! Writes the tables of sid-native from pinned sources.
//!
//! `cargo run -p sid-tablegen` rewrites them; with `--check` it only compares, and fails when a table is not current.
//! Sources: the Unicode 17 data inside the pinned `icu_properties_data` and `icu_casemap` crates, and
//! `rust/tablegen/data/stopwords.json`. Every fact is read once here and written in both languages.

mod python;
mod rust;
mod stopwords;
mod unicode;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = match arguments.as_slice() {
        [] => false,
        [only] if only == "--check" => true,
        _ => {
            eprintln!("usage: sid-tablegen [--check]");
            return ExitCode::from(2);
        }
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match write_all(&root, check) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("sid-tablegen: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Makes every table and writes it below `root`, or compares it with what is there.
fn write_all(root: &Path, check: bool) -> Result<(), String> {
    let unicode = unicode::read();
    let stopwords = stopwords::read(&root.join("rust/tablegen/data/stopwords.json"))?;
    let outputs = [
        (
            "rust/core/src/text/tables.rs",
            rust::tables(&unicode, &stopwords),
        ),
        (
            "python/sid/_pure/unicode_tables.py",
            python::unicode_tables(&unicode),
        ),
        (
            "python/sid/_pure/stopword_tables.py",
            python::stopword_tables(&stopwords),
        ),
        ("python/sid/_languages.py", python::languages(&stopwords)),
    ];
    let mut stale = Vec::new();
    for (name, text) in outputs {
        let path: PathBuf = root.join(name);
        if check {
            if std::fs::read_to_string(&path).ok().as_deref() != Some(text.as_str()) {
                stale.push(name);
            }
        } else {
            std::fs::write(&path, text).map_err(|error| format!("cannot write {name}: {error}"))?;
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!(
        "not current: {}; run 'cargo run -p sid-tablegen'",
        stale.join(", ")
    ))
}
