//! Which stretch of a text to show for a query: strided BM25 windows over unigrams and bigrams.

pub mod analysis;
pub mod query;
pub mod score;
pub mod windows;

use std::num::NonZeroUsize;

use crate::text::stopwords::Language;
use crate::text::Text;

use analysis::Analysis;
use query::Query;
use windows::Windows;

/// Chooses the window of `content` that scores highest for `query`.
///
/// `window_size` and `stride` count source tokens. Returns code point offsets, half open: the whole of `content` if it
/// holds no more than `window_size` source tokens; else from the first code point of the best window's first token to
/// the last of its last token. The earliest window wins a tie.
pub fn snippet_span(
    query: Text<'_>,
    content: Text<'_>,
    window_size: NonZeroUsize,
    stride: NonZeroUsize,
    language: Language,
) -> (usize, usize) {
    let query = Query::new(query, language);
    let analysis = Analysis::new(content, language, &query);
    let Some(windows) = Windows::new(analysis.tokens.len(), window_size, stride) else {
        return (0, content.count_code_points());
    };
    let first_token = windows.start(score::best_window(windows, &analysis));
    let first = &analysis.tokens[first_token];
    let last = &analysis.tokens[first_token + windows.size() - 1];
    let start = content.slice(0, first.start).count_code_points();
    let length = content.slice(first.start, last.end).count_code_points();
    (start, start + length)
}
