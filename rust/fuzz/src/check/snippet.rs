use std::num::NonZeroUsize;

use sid_core::snippet::analysis::Analysis;
use sid_core::snippet::Choice;
use sid_core::text::ascii::InstructionSet;
use sid_core::text::lowercase::append_term;
use sid_core::text::stopwords::Language;

use crate::input::{encoded, Input, Source};
use crate::model::{self, analysis::Token};

/// The snippet is the model's with every instruction set, and so are the terms and which of them are dropped.
pub fn snippet(data: &[u8]) {
    let mut input = Input::new(data);
    let names: Vec<&str> = Language::names().collect();
    let name = names[usize::from(input.number()) % names.len()];
    let language = Language::from_name(name).expect("a listed language");
    let (window_size, stride) = (size(input.number()), size(input.number()));
    let (query, content) = (input.source(), input.source());

    let expected = model::snippet::span(
        &tokens(&query, name, language),
        &tokens(&content, name, language),
        content.code_points.len(),
        window_size.get(),
        stride.get(),
    );
    for set in InstructionSet::available() {
        let choice = Choice {
            window_size,
            stride,
            language,
            set,
        };
        let analysis = Analysis::new(content.text(), set).expect("a text of less than 4 GB");
        let warm = || choice.analysed_snippet_span(query.text(), content.text(), &analysis);
        let cold = choice.snippet_span(query.text(), content.text());
        // The second time with what the first one left.
        for (found, how) in [(cold, "cold"), (warm(), "analysed"), (warm(), "again")] {
            assert_eq!(
                found,
                expected,
                "snippet for {:x?} of {:x?}, window size {window_size}, stride {stride}, {name}, by {}, {how}",
                query.code_points,
                content.code_points,
                set.name()
            );
        }
    }
}

/// A window size or stride: mostly small, seldom more than any text holds.
fn size(number: u8) -> NonZeroUsize {
    let size = match number {
        0..=63 => usize::from(number) + 1,
        64..=247 => 4 * usize::from(number) - 191,
        248..=251 => 1000 * (usize::from(number) - 247),
        _ => usize::MAX - usize::from(u8::MAX - number),
    };
    NonZeroUsize::new(size).expect("at least one")
}

/// The model's source tokens, once the core was held to their terms.
fn tokens(source: &Source, name: &str, language: Language) -> Vec<Token> {
    let tokens = model::analysis::tokens(&source.code_points, name);
    let mut term = Vec::new();
    for token in &tokens {
        let (start, end) = (source.byte(token.start), source.byte(token.end));
        term.clear();
        append_term(&mut term, source.text().slice(start, end));
        assert_eq!(term, encoded(&token.term), "term of {token:x?}");
        assert_eq!(
            language.is_stopword(&term),
            !token.kept,
            "{token:x?}, {name}"
        );
    }
    tokens
}
