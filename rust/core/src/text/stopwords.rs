//! The languages and the terms that each of them drops.

use std::sync::LazyLock;

use super::tables::STOPWORDS;
use super::term::{may_be_longer, prefix, Filter, Lookup};

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
        for tries in 1u64.. {
            let (multiplier, shift) = (odd_number(tries), u64::BITS - bits);
            if let Some(slots) = Self::placed(&prefixes, multiplier, shift) {
                return Table {
                    words,
                    slots,
                    multiplier,
                    shift,
                };
            }
            if tries % 2048 == 0 {
                bits += 1;
            }
        }
        unreachable!("with a bit for each of so many tries, every prefix is alone in its slot")
    }

    /// Puts every prefix in a slot of its own, if the multiplier does so.
    fn placed(prefixes: &[u64], multiplier: u64, shift: u32) -> Option<Box<[u64]>> {
        let mut slots = vec![0; 1 << (u64::BITS - shift)].into_boxed_slice();
        for &prefix in prefixes {
            let slot = &mut slots[(prefix.wrapping_mul(multiplier) >> shift) as usize];
            if *slot != 0 {
                return None;
            }
            *slot = prefix;
        }
        Some(slots)
    }
}

/// An odd number whose bits look random, for each number: the finalizer of SplitMix64.
fn odd_number(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ mixed >> 31) | 1
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
        if term.is_empty() {
            return false;
        }
        let prefix = prefix(term);
        let found = self.lookup(Filter::default()).look_up(prefix);
        found.dropped != 0 && (!may_be_longer(prefix) || self.lists(term))
    }

    /// Looks prefixes of terms up in the language's list and in a query's filter.
    pub fn lookup(self, filter: Filter) -> Lookup<'static> {
        let table = self.table;
        Lookup::new(table.multiplier, table.shift, &table.slots, filter)
    }

    /// The terms that it drops, sorted.
    pub fn words(self) -> &'static [&'static str] {
        self.table.words
    }

    /// Whether the term is in the language's list.
    pub fn lists(self, term: &[u8]) -> bool {
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
