//! BM25 over whole documents. The documents that are given are all there is: no statistics come from elsewhere, so that a
//! score tells nothing of any other document.

use crate::bm25;
use crate::parallel;
use crate::snippet::pass::Pass;
use crate::snippet::query::Query;
use crate::text::ascii::InstructionSet;
use crate::text::stopwords::Language;
use crate::text::Text;

/// What a document is worth for some terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scored {
    /// The sum of the terms' parts, in the terms' order.
    pub score: f64,
    /// How many of the distinct terms the document holds.
    pub matched: usize,
    /// Its kept tokens.
    pub length: usize,
}

/// Scores each document for the distinct terms. Terms are taken as they are; a stopword of the language matches nothing.
pub fn scores(
    terms: &[Text<'_>],
    documents: &[Text<'_>],
    language: Language,
    set: InstructionSet,
) -> Vec<Scored> {
    let query = Query::of_terms(terms.iter().map(|term| term.as_bytes()), language);
    let mut scored = vec![Scored::default(); documents.len()];
    // Of each term, the documents that hold it and how often.
    let mut held: Vec<Vec<(usize, usize)>> = vec![Vec::new(); query.terms()];
    let bytes = documents.iter().map(|text| text.as_bytes().len()).sum();
    let passes = parallel::map(documents, bytes, None, |&document| {
        let pass = Pass::new(document, language, set, &query);
        let events = pass.features.unigrams.iter().map(Vec::len);
        let length = pass.kept.ones_before(pass.starts.len());
        (length, events.collect::<Vec<_>>())
    });
    for (number, ((length, frequencies), scored)) in passes.into_iter().zip(&mut scored).enumerate()
    {
        scored.length = length;
        for (frequency, held) in frequencies.into_iter().zip(&mut held) {
            if frequency > 0 {
                held.push((number, frequency));
                scored.matched += 1;
            }
        }
    }
    let total: usize = scored.iter().map(|scored| scored.length).sum();
    let average = total as f64 / documents.len() as f64;
    for held in &held {
        // A document that holds a term has a token, so that the average is not zero.
        let idf = bm25::idf(documents.len(), held.len());
        for &(number, frequency) in held {
            let norm = bm25::norm(scored[number].length, average);
            scored[number].score += bm25::part(idf, frequency, norm);
        }
    }
    scored
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::counted;
    use proptest::prelude::*;

    fn english() -> Language {
        Language::from_name("english").unwrap()
    }

    fn scored(terms: &[&str], documents: &[&str]) -> Vec<Scored> {
        let terms: Vec<Text<'_>> = terms.iter().map(|&term| term.into()).collect();
        let documents: Vec<Text<'_>> = documents.iter().map(|&text| text.into()).collect();
        scores(&terms, &documents, english(), InstructionSet::best())
    }

    #[test]
    fn stopwords_count_for_nothing() {
        let found = scored(
            &["the", "valve", "valve"],
            &["The valve, the valve.", "the", ""],
        );
        assert_eq!(
            found.iter().map(|one| one.matched).collect::<Vec<_>>(),
            [1, 0, 0]
        );
        assert_eq!(
            found.iter().map(|one| one.length).collect::<Vec<_>>(),
            [2, 0, 0]
        );
        assert_eq!(found[1].score, 0.0);
        assert!(scored(&["valve"], &[]).is_empty());
    }

    #[test]
    fn work_grows_with_the_documents_alone() {
        let text = "open the valve and read the gauge ".repeat(20);
        let (one, _) = counted(|| scored(&["valve", "gauge"], &[text.as_str(); 10]));
        let (ten, _) = counted(|| scored(&["valve", "gauge"], &[text.as_str(); 100]));
        assert!(ten <= 11 * one, "{one} steps, then {ten}");
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn scores_are_those_of_the_formula(
            terms in proptest::collection::vec("[a-e]{1,2}|longer|ähnlich|the", 0..24),
            documents in proptest::collection::vec("([a-e]{1,2}|LONGER|ähnlich|the|日|[ ,.]){0,90}", 0..12),
        ) {
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            let texts: Vec<&str> = documents.iter().map(String::as_str).collect();
            let found = scored(&terms, &texts);
            let tokens: Vec<Vec<String>> = texts
                .iter()
                .map(|&text| {
                    let of = crate::text::word_break::segments(text.into());
                    of.filter(|segment| segment.word_like)
                        .map(|segment| text[segment.start..segment.end].to_lowercase())
                        .filter(|term| !english().is_stopword(term.as_bytes()))
                        .collect()
                })
                .collect();
            let average = tokens.iter().map(Vec::len).sum::<usize>() as f64 / texts.len() as f64;
            let mut distinct: Vec<&str> = Vec::new();
            for term in terms {
                if !distinct.contains(&term) {
                    distinct.push(term);
                }
            }
            for (document, found) in tokens.iter().zip(&found) {
                let mut expected = 0.0;
                let mut matched = 0;
                for term in &distinct {
                    let count = |of: &Vec<String>| of.iter().filter(|token| token == term).count();
                    let df = tokens.iter().filter(|of| count(of) > 0).count() as f64;
                    let tf = count(document) as f64;
                    if tf > 0.0 {
                        let idf = (1.0 + (texts.len() as f64 - df + 0.5) / (df + 0.5)).ln();
                        let norm = 1.2 * (1.0 - 0.75 + 0.75 * document.len() as f64 / average);
                        expected += idf * (tf * 2.2) / (tf + norm);
                        matched += 1;
                    }
                }
                prop_assert_eq!(found.score.to_bits(), f64::to_bits(expected));
                prop_assert_eq!((found.matched, found.length), (matched, document.len()));
            }
        }
    }
}
