//! Which stretch of a text to show for a query: strided BM25 windows over unigrams and bigrams.

pub mod analysis;
pub mod query;
pub mod rank;
pub mod score;
pub mod windows;

use std::num::NonZeroUsize;

use crate::text::ascii::{InstructionSet, Vector};
use crate::text::scan::{scan, Batch, Sink};
use crate::text::stopwords::Language;
use crate::text::Text;

use analysis::Analysis;
use query::Query;
use windows::Windows;

/// A text of no more bytes than this for each token of a window is counted before anything is analysed.
const SHORT: usize = 8;

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
    set: InstructionSet,
) -> (usize, usize) {
    let bytes = content.as_bytes().len();
    let short = bytes <= window_size.get().saturating_mul(SHORT) || bytes <= query.as_bytes().len();
    if short && count_tokens(content, set) <= window_size.get() {
        return (0, content.count_code_points());
    }
    let query = Query::new(query, language, set);
    let analysis = Analysis::new(content, language, set, &query);
    let Some(windows) = Windows::new(analysis.starts.len(), window_size, stride) else {
        return (0, content.count_code_points());
    };
    let first_token = windows.start(score::best_window(windows, &analysis, set));
    let (first_byte, _) = analysis.starts.bounds(content, first_token);
    let (_, end_byte) = analysis
        .starts
        .bounds(content, first_token + windows.size() - 1);
    if analysis.ascii {
        return (first_byte, end_byte);
    }
    let start = content.slice(0, first_byte).count_code_points();
    let length = content.slice(first_byte, end_byte).count_code_points();
    (start, start + length)
}

/// How many source tokens a text has.
fn count_tokens(text: Text<'_>, set: InstructionSet) -> usize {
    struct Count(usize);
    impl Sink for Count {
        #[inline(always)]
        unsafe fn batch<V: Vector>(&mut self, batch: &Batch<'_>) {
            self.0 += batch.len();
        }
        fn token(&mut self, _: usize, _: usize, _: bool) {
            self.0 += 1;
        }
    }
    let mut count = Count(0);
    scan(text, set, &mut count);
    count.0
}
