//! Writes `rust/core/src/text/tables.rs`.

use std::fmt::Write as _;

use crate::stopwords::Stopwords;
use crate::unicode::{Unicode, CASED, CLASSES, CLASS_MASK, PICTOGRAPHIC, WORD_LIKE};

/// Code points per block of the two-level table.
const BLOCK: usize = 64;

/// The whole module.
pub(crate) fn tables(unicode: &Unicode, stopwords: &Stopwords) -> String {
    let mut out = String::from(
        "// Written by `cargo run -p sid-tablegen`; do not edit.\n\
         // Sources: Unicode 17.0.0 (icu_properties_data 2.1.2, icu_casemap 2.1.1), rust/tablegen/data/stopwords.json.\n\n",
    );
    out.push_str("/// Word_Break classes of UAX #29, numbered as in the property bytes.\n");
    out.push_str(
        "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n#[repr(u8)]\npub enum WordBreak {\n",
    );
    for (number, (name, _)) in CLASSES.iter().enumerate() {
        let _ = writeln!(
            out,
            "    /// `{name}`.\n    {} = {number},",
            identifier(name)
        );
    }
    out.push_str("}\n\n/// Every class, at the index of its number.\n");
    let _ = writeln!(
        out,
        "pub(super) const CLASSES: [WordBreak; {}] = [",
        CLASSES.len()
    );
    for (name, _) in &CLASSES {
        let _ = writeln!(out, "    WordBreak::{},", identifier(name));
    }
    out.push_str("];\n\n");
    let _ = writeln!(out, "pub(super) const CLASS_MASK: u8 = {CLASS_MASK:#04x};");
    let _ = writeln!(out, "pub(super) const WORD_LIKE: u8 = {WORD_LIKE:#04x};");
    let _ = writeln!(
        out,
        "pub(super) const PICTOGRAPHIC: u8 = {PICTOGRAPHIC:#04x};"
    );
    let _ = writeln!(out, "pub(super) const CASED: u8 = {CASED:#04x};\n");
    property_blocks(&mut out, &unicode.properties);
    lowercase(&mut out, &unicode.lowercase);
    languages(&mut out, stopwords);
    out
}

/// `Regional_Indicator` → `RegionalIndicator`, `CR` → `Cr`: Rust's way of writing the class names.
fn identifier(name: &str) -> String {
    match name {
        "CR" | "LF" | "ZWJ" => format!("{}{}", &name[..1], name[1..].to_lowercase()),
        _ => name.replace('_', ""),
    }
}

/// The two-level table: `BLOCKS[INDEX[code_point / BLOCK] * BLOCK + code_point % BLOCK]`.
fn property_blocks(out: &mut String, properties: &[u8]) {
    let mut blocks: Vec<&[u8]> = Vec::new();
    let mut index = Vec::new();
    for block in properties.chunks(BLOCK) {
        let number = blocks.iter().position(|&known| known == block);
        index.push(number.unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        }));
    }
    assert!(blocks.len() <= 1 << 16, "a block number must fit two bytes");
    let _ = writeln!(
        out,
        "/// Code points per block.\npub(super) const BLOCK: usize = {BLOCK};\n"
    );
    out.push_str("/// The block of each run of `BLOCK` code points.\n");
    let _ = writeln!(out, "pub(super) static INDEX: [u16; {}] = [", index.len());
    numbers(out, index.iter().copied());
    out.push_str("];\n\n/// Property bytes, block after block.\n");
    let _ = writeln!(
        out,
        "pub(super) static BLOCKS: [u8; {}] = [",
        blocks.len() * BLOCK
    );
    numbers(out, blocks.concat().iter().map(|&byte| usize::from(byte)));
    out.push_str("];\n\n");
}

fn numbers(out: &mut String, values: impl Iterator<Item = usize>) {
    let values: Vec<String> = values.map(|value| value.to_string()).collect();
    for line in values.chunks(32) {
        let _ = writeln!(out, "    {},", line.join(","));
    }
}

/// Single mappings as sorted pairs; the few that give several code points apart.
fn lowercase(out: &mut String, lowercase: &[(u32, String)]) {
    let (single, several): (Vec<_>, Vec<_>) = lowercase
        .iter()
        .partition(|(_, lower)| lower.chars().count() == 1);
    out.push_str(
        "/// Code points whose full lowercase mapping is one other code point, ascending.\n",
    );
    let _ = writeln!(
        out,
        "pub(super) static LOWERCASE: [(u32, u32); {}] = [",
        single.len()
    );
    let pairs: Vec<String> = single
        .iter()
        .map(|(from, to)| format!("({from:#x},{:#x})", to.chars().next().map_or(0, u32::from)))
        .collect();
    for line in pairs.chunks(8) {
        let _ = writeln!(out, "    {},", line.join(","));
    }
    out.push_str("];\n\n/// Code points whose full lowercase mapping is longer, ascending.\n");
    let _ = writeln!(
        out,
        "pub(super) static LONG_LOWERCASE: [(u32, &str); {}] = [",
        several.len()
    );
    for (from, to) in several {
        let escaped: String = to
            .chars()
            .map(|c| format!("\\u{{{:x}}}", u32::from(c)))
            .collect();
        let _ = writeln!(out, "    ({from:#x}, \"{escaped}\"),");
    }
    out.push_str("];\n\n");
}

fn languages(out: &mut String, stopwords: &Stopwords) {
    out.push_str("/// Every supported language with the terms it drops, sorted by bytes.\n");
    let _ = writeln!(
        out,
        "pub(super) static STOPWORDS: [(&str, &[&str]); {}] = [",
        stopwords.len()
    );
    for (language, words) in stopwords {
        let _ = writeln!(out, "    ({language:?}, &[");
        for line in words.chunks(12) {
            let quoted: Vec<String> = line.iter().map(|word| format!("{word:?}")).collect();
            let _ = writeln!(out, "        {},", quoted.join(", "));
        }
        out.push_str("    ]),\n");
    }
    out.push_str("];\n");
}
