//! The languages and the terms that each of them drops.

use std::sync::LazyLock;

use super::tables::STOPWORDS;
use super::term::{prefix, spread};

/// A supported language.
#[derive(Clone, Copy)]
pub struct Language {
    name: &'static str,
    table: &'static Table,
}

impl std::fmt::Debug for Language {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Language").field(&self.name).finish()
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A language's stopwords by their first eight bytes, each in a slot of its own.
struct Table {
    words: &'static [&'static str],
    /// Prefixes; 0, which no term has, where there is none.
    slots: Box<[u64]>,
    multiplier: u64,
    shift: u32,
}

/// Made from the generated lists when a language is first asked for.
static TABLES: [LazyLock<Table>; STOPWORDS.len()] = {
    const fn table<const NUMBER: usize>() -> LazyLock<Table> {
        LazyLock::new(|| Table::new(STOPWORDS[NUMBER].1))
    }
    [
        table::<0>(),
        table::<1>(),
        table::<2>(),
        table::<3>(),
        table::<4>(),
        table::<5>(),
        table::<6>(),
        table::<7>(),
        table::<8>(),
        table::<9>(),
        table::<10>(),
        table::<11>(),
        table::<12>(),
        table::<13>(),
    ]
};

impl Table {
    fn new(words: &'static [&'static str]) -> Self {
        let mut prefixes: Vec<u64> = words.iter().map(|word| prefix(word.as_bytes())).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        let mut bits = (4 * prefixes.len().max(2)).ilog2() + 1;
        let mut tries = 0;
        let mut multiplier = 1u64;
        loop {
            let shift = u64::BITS - bits;
            if let Some(slots) = Self::placed(&prefixes, multiplier, shift) {
                return Table {
                    words,
                    slots,
                    multiplier,
                    shift,
                };
            }
            tries += 1;
            multiplier = multiplier.wrapping_add(2);
            if tries % 2048 == 0 {
                bits += 1;
            }
        }
    }

    /// Puts every prefix in a slot of its own, if the multiplier does so.
    fn placed(prefixes: &[u64], multiplier: u64, shift: u32) -> Option<Box<[u64]>> {
        let mut slots = vec![0; 1 << (u64::BITS - shift)].into_boxed_slice();
        for &prefix in prefixes {
            let slot = &mut slots[(spread(prefix).wrapping_mul(multiplier) >> shift) as usize];
            if *slot != 0 {
                return None;
            }
            *slot = prefix;
        }
        Some(slots)
    }
}

impl Language {
    /// The names of all languages, in the order in which they are listed to users.
    pub fn names() -> impl Iterator<Item = &'static str> {
        STOPWORDS.iter().map(|&(name, _)| name)
    }

    /// Finds a language by its exact name.
    pub fn from_name(name: &str) -> Option<Self> {
        let number = STOPWORDS.iter().position(|&(known, _)| known == name)?;
        Some(Language {
            name: STOPWORDS[number].0,
            table: &TABLES[number],
        })
    }

    /// Whether the language drops a term, given in (generalized) UTF-8.
    pub fn is_stopword(self, term: &[u8]) -> bool {
        !term.is_empty() && {
            let prefix = prefix(term);
            self.drops(prefix, spread(prefix), || self.lists(term))
        }
    }

    /// Whether the language drops the term with this prefix, spread; `lists` is asked where the prefix does not tell.
    #[inline(always)]
    pub(crate) fn drops(self, prefix: u64, spread: u64, lists: impl FnOnce() -> bool) -> bool {
        let table = self.table;
        let slot = spread.wrapping_mul(table.multiplier) >> table.shift;
        let equal = table.slots[slot as usize] == prefix;
        // One branch that is hardly ever taken, in place of two that cannot be foreseen.
        if equal & (prefix >> 56 != 0) {
            return lists();
        }
        equal
    }

    /// Whether the term is in the language's list.
    pub(crate) fn lists(self, term: &[u8]) -> bool {
        let found = self
            .table
            .words
            .binary_search_by(|word| word.as_bytes().cmp(term));
        found.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "makes every table, which takes an interpreter an hour")]
    fn every_listed_word_is_found_and_its_neighbours_are_not() {
        for (name, words) in &STOPWORDS {
            let language = Language::from_name(name).unwrap();
            for word in *words {
                assert!(language.is_stopword(word.as_bytes()), "{name}: {word}");
                for other in [
                    format!("{word}\u{1}"),
                    format!("{word}xxxxxxxx"),
                    format!("x{word}"),
                ] {
                    assert!(
                        !language.is_stopword(other.as_bytes()) || words.contains(&other.as_str())
                    );
                }
                for end in 0..word.len() {
                    let part = &word.as_bytes()[..end];
                    let listed = words.iter().any(|word| word.as_bytes() == part);
                    assert_eq!(language.is_stopword(part), listed);
                }
            }
        }
    }

    #[test]
    fn names_are_exact() {
        assert_eq!(Language::names().count(), 14);
        assert!(Language::from_name("English").is_none());
        assert!(!Language::from_name("generic").unwrap().is_stopword(b"the"));
    }

    #[test]
    #[cfg_attr(miri, ignore = "makes every table, which takes an interpreter an hour")]
    fn tables_stay_small() {
        for name in Language::names() {
            let language = Language::from_name(name).unwrap();
            assert!(
                language.table.slots.len() <= 8192,
                "{name}: {}",
                language.table.slots.len()
            );
        }
    }
}
