//! Which stretch of a text to show for a query: strided BM25 windows over unigrams and bigrams.

pub mod analysis;
pub mod memory;
pub mod numbers;
pub mod pass;
pub mod query;
pub mod rank;
pub mod score;
pub mod starts;
pub mod windows;

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use crate::text::ascii::{InstructionSet, Vector};
use crate::text::scan::{scan, Batch, Sink};
use crate::text::stopwords::Language;
use crate::text::Text;

use analysis::Analysis;
use pass::Pass;
use query::Query;
use score::Lengths;
use starts::Starts;
use windows::Windows;

/// A text of no more bytes than this for each token of a window is counted before anything is analysed.
const SHORT: usize = 8;

/// What to choose a snippet by. Sizes count source tokens.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Tokens per window.
    pub window_size: NonZeroUsize,
    /// Tokens between the starts of neighbouring windows.
    pub stride: NonZeroUsize,
    /// Whose stopwords to drop.
    pub language: Language,
    /// What to scan texts with; the result does not depend on it.
    pub set: InstructionSet,
}

impl Choice {
    /// Chooses the window of `content` that scores highest for `query`: see [`Asked::snippet_span`].
    pub fn snippet_span(self, query: Text<'_>, content: Text<'_>) -> (usize, usize) {
        Asked::new(self, query).snippet_span(content)
    }

    /// The same of a text whose analysis is at hand.
    pub fn analysed_snippet_span(
        self,
        query: Text<'_>,
        content: Text<'_>,
        analysis: &Analysis,
    ) -> (usize, usize) {
        Asked::new(self, query).analysed_snippet_span(content, analysis)
    }
}

/// A query to any number of texts. It is analysed when that is first needed.
#[derive(Debug)]
pub struct Asked<'a> {
    choice: Choice,
    text: Text<'a>,
    query: OnceLock<Query>,
}

impl<'a> Asked<'a> {
    /// Asks by a choice.
    pub fn new(choice: Choice, text: Text<'a>) -> Self {
        Asked {
            choice,
            text,
            query: OnceLock::new(),
        }
    }

    /// What to choose by.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// The query.
    pub fn text(&self) -> Text<'a> {
        self.text
    }

    /// Chooses the window of `content` that scores highest.
    ///
    /// Returns code point offsets, half open: the whole of `content` if it holds no more than a window's source tokens;
    /// else from the first code point of the best window's first token to the last of its last token. The earliest window
    /// wins a tie.
    pub fn snippet_span(&self, content: Text<'_>) -> (usize, usize) {
        let Choice { language, set, .. } = self.choice;
        let window_size = self.choice.window_size.get();
        let bytes = content.as_bytes().len();
        let short =
            bytes <= window_size.saturating_mul(SHORT) || bytes <= self.text.as_bytes().len();
        if short && count_tokens(content, set) <= window_size {
            return (0, content.count_code_points());
        }
        let query = self.query();
        let pass = Pass::new(content, language, set, query);
        self.span(content, &pass.starts, pass.ascii, |windows| {
            if pass.features.is_empty() {
                return 0;
            }
            let lengths = Lengths::new(windows, &pass.kept, set);
            score::best_window(windows, &pass.features, &lengths)
        })
    }

    /// The same of a text whose analysis is at hand.
    pub fn analysed_snippet_span(&self, content: Text<'_>, analysis: &Analysis) -> (usize, usize) {
        let Choice { language, set, .. } = self.choice;
        self.span(content, &analysis.starts, analysis.ascii, |windows| {
            let kept = analysis.kept(content, language, set);
            let features = analysis.features(content, self.query(), &kept, set);
            if features.is_empty() {
                return 0;
            }
            let lengths = analysis.lengths(windows, language, &kept, set);
            score::best_window(windows, &features, &lengths)
        })
    }

    fn query(&self) -> &Query {
        let Choice { language, set, .. } = self.choice;
        self.query
            .get_or_init(|| Query::new(self.text, language, set))
    }

    /// The span of the window that `best` chooses, or of the whole text if it has no more tokens than a window.
    fn span(
        &self,
        content: Text<'_>,
        starts: &Starts,
        ascii: bool,
        best: impl FnOnce(Windows) -> usize,
    ) -> (usize, usize) {
        let Choice {
            window_size,
            stride,
            set,
            ..
        } = self.choice;
        let Some(windows) = Windows::new(starts.len(), window_size, stride) else {
            return (0, content.count_code_points());
        };
        let first = windows.start(best(windows));
        let (start, _) = starts.bounds(content, first, set);
        let (_, end) = starts.bounds(content, first + windows.size() - 1, set);
        if ascii {
            return (start, end);
        }
        let before = content.slice(0, start).count_code_points();
        (
            before,
            before + content.slice(start, end).count_code_points(),
        )
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::offsets::push_code_point;
    use crate::work::counted;
    use proptest::prelude::*;

    /// Words of all kinds, few enough to meet again: of one byte to many, with capitals, stopwords, ideographs.
    fn words() -> impl Strategy<Value = Vec<u32>> {
        let words = [
            "a",
            "The",
            "the",
            "fox",
            "FOX",
            "b",
            "can't",
            "3.14",
            "Straße",
            "STRAẞE",
            "привет",
            "Привет",
            "漢",
            "字",
            "😀",
            "internationalization",
            "Internationalisation",
            "eightlet",
            "İstanbul",
            "und",
            "von",
            "_",
            "\u{301}",
            "ab_cd",
            "한국어",
            "nicht",
            "aber",
            "x\u{200d}",
        ];
        let word = (proptest::sample::select(words.to_vec()), " |, |\n|  |").prop_map(
            |(word, between)| {
                format!("{word}{between}")
                    .chars()
                    .map(u32::from)
                    .collect::<Vec<_>>()
            },
        );
        let any = proptest::collection::vec(0u32..0x11_0000, 1..3);
        proptest::collection::vec(prop_oneof![30 => word, 1 => any], 0..400)
            .prop_map(|words| words.concat())
    }

    fn encoded(code_points: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        code_points
            .iter()
            .for_each(|&code_point| push_code_point(&mut bytes, code_point));
        bytes
    }

    proptest! {
        #![proptest_config(crate::testing::cases(60))]

        #[test]
        fn what_is_remembered_gives_the_same_spans(
            content in words(),
            queries in proptest::collection::vec((words(), 1usize..70, 1usize..20, 0usize..14, 0usize..60), 1..5),
        ) {
            let content = encoded(&content);
            let content = Text::from_generalized_utf8(&content).unwrap();
            let names: Vec<_> = Language::names().collect();
            for set in InstructionSet::available() {
                let analysis = Analysis::new(content, set).unwrap();
                for (query, size, stride, language, length) in &queries {
                    let query = encoded(&query[..query.len().min(length * length)]);
                    let query = Text::from_generalized_utf8(&query).unwrap();
                    let choice = Choice {
                        window_size: NonZeroUsize::new(*size).unwrap(),
                        stride: NonZeroUsize::new(*stride).unwrap(),
                        language: Language::from_name(names[*language]).unwrap(),
                        set,
                    };
                    let cold = choice.snippet_span(query, content);
                    prop_assert_eq!(choice.analysed_snippet_span(query, content, &analysis), cold);
                    // Once more, with what was derived.
                    prop_assert_eq!(choice.analysed_snippet_span(query, content, &analysis), cold);
                }
            }
        }
    }

    /// Steps of a cold snippet, of an analysis, and of a snippet by it, on texts of one kind that grow.
    fn growth(
        sizes: [usize; 2],
        make: impl Fn(usize) -> (String, String),
        size: usize,
        stride: usize,
    ) {
        let names = ["generic", "english"];
        for set in InstructionSet::available() {
            for name in names {
                let choice = Choice {
                    window_size: NonZeroUsize::new(size).unwrap(),
                    stride: NonZeroUsize::new(stride).unwrap(),
                    language: Language::from_name(name).unwrap(),
                    set,
                };
                let steps = sizes.map(|count| {
                    let (query, content) = make(count);
                    let (query, content) =
                        (Text::from(query.as_str()), Text::from(content.as_str()));
                    let (cold, span) = counted(|| choice.snippet_span(query, content));
                    let (analysing, analysis) = counted(|| Analysis::new(content, set).unwrap());
                    let warm = || choice.analysed_snippet_span(query, content, &analysis);
                    let ((first, one), (then, other)) = (counted(warm), counted(warm));
                    assert_eq!([one, other], [span; 2]);
                    [cold, analysing, first, then]
                });
                let ratio = sizes[1] as u64 / sizes[0] as u64;
                for (less, more) in steps[0].into_iter().zip(steps[1]) {
                    // A constant for what does not grow, and a twentieth for where blocks happen to end.
                    let linear = less * ratio + less * ratio / 20 + 300;
                    assert!(more <= linear, "{set:?} {name}: {steps:?}, of {sizes:?}");
                }
            }
        }
    }

    /// Bytes, about; a few where an interpreter runs the test.
    const SIZES: [usize; 2] = if cfg!(miri) {
        [1_000, 4_000]
    } else {
        [20_000, 160_000]
    };

    #[test]
    fn work_grows_with_the_text_whatever_it_is_made_of() {
        let query = "fox a und ' 漢 😀 привет";
        for unit in [
            "a",
            "Ж",
            "ß",
            "한",
            "’",
            "'",
            ".",
            "_",
            " ",
            "\n",
            "\u{301}",
            "\u{200d}",
            "\u{ad}",
            "😀",
            "🇩🇪",
            "👨‍👩‍👧‍👦",
            "漢",
            "ア",
            "א",
            "เ",
            "क्षि",
            "a'",
            "a’",
            "1,",
            "a.\u{301}",
            "'\u{301}",
            "a\u{200d}😀",
            "_ ",
            "é\u{301} ",
            "a 漢",
            "אב\"",
            "the ",
            "fox ",
            "The Fox, ",
            "a und ",
            "ab한\u{301}x ",
            "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef ",
        ] {
            growth(
                SIZES,
                |count| (query.to_owned(), unit.repeat(count / unit.len())),
                50,
                10,
            );
        }
    }

    #[test]
    fn work_grows_with_the_gaps_between_few_tokens() {
        for gap in [" ", ".", "\u{301}", "’"] {
            growth(
                SIZES,
                |count| {
                    let gap = gap.repeat(count / 40 / gap.len());
                    let tokens: String = (0..40).map(|number| format!("w{number}{gap}")).collect();
                    let query: String = (0..40).map(|number| format!("w{number} ")).collect();
                    (query, tokens)
                },
                5,
                1,
            );
        }
    }

    #[test]
    fn work_grows_with_the_query() {
        let words = |count: usize| -> String {
            (0..count / 8)
                .map(|number| format!("w{number:06} "))
                .collect()
        };
        growth(
            SIZES,
            |count| (words(count), "w000003 and then w000005 ".repeat(900)),
            50,
            10,
        );
        growth(SIZES, |count| (words(count), words(count)), 50, 10);
        // All pairs of a few words: the pairs grow, and the text with them, but not the words.
        growth(
            [25_600, 102_400],
            |count| {
                let words: Vec<String> = (0..40).map(|number| format!("p{number:02}")).collect();
                let pairs: String = (0..count / 16)
                    .map(|number| format!("{} {} ", words[number % 40], words[number / 40 % 40]))
                    .collect();
                (pairs.repeat(2), pairs)
            },
            50,
            10,
        );
    }

    #[test]
    fn work_grows_with_the_windows_that_hold_a_match() {
        growth(
            SIZES,
            |count| ("a b".to_owned(), "a b ".repeat(count / 4)),
            1,
            1,
        );
        growth(
            SIZES,
            |count| ("a b c".to_owned(), "a b c d ".repeat(count / 8)),
            50,
            1,
        );
        growth(
            SIZES,
            |count| ("needle".to_owned(), "hay ".repeat(count / 4)),
            1,
            1,
        );
    }
}
