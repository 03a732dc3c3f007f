use sid_core::text::ascii::InstructionSet;
use sid_core::text::scan::source_tokens;
use sid_core::text::word_break;

use crate::input::Input;
use crate::model;

/// A text's segments are the model's, and the scan gives the word-like ones of them with every instruction set.
pub fn segmentation(data: &[u8]) {
    let source = Input::new(data).source();
    let text = source.text();
    assert_eq!(text.count_code_points(), source.code_points.len());
    let expected = model::word_break::segments(&source.code_points);
    let found: Vec<(usize, usize, bool)> = word_break::segments(text)
        .map(|one| (one.start, one.end, one.word_like))
        .collect();
    let in_bytes: Vec<(usize, usize, bool)> = expected
        .iter()
        .map(|one| (source.byte(one.start), source.byte(one.end), one.word_like))
        .collect();
    assert_eq!(found, in_bytes, "segments of {:x?}", source.code_points);
    let tokens: Vec<(usize, usize)> = in_bytes
        .iter()
        .filter(|(_, _, word_like)| *word_like)
        .map(|&(start, end, _)| (start, end))
        .collect();
    for set in InstructionSet::available() {
        assert_eq!(
            source_tokens(text, set),
            tokens,
            "tokens of {:x?} by {}",
            source.code_points,
            set.name()
        );
    }
}
