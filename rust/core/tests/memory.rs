//! Memory grows with the text and the matches, whatever the text is made of.

use std::alloc::{GlobalAlloc, Layout, System};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use sid_core::snippet::analysis::Analysis;
use sid_core::snippet::Choice;
use sid_core::text::ascii::InstructionSet;
use sid_core::text::stopwords::Language;
use sid_core::text::Text;

/// The system's allocator, which also keeps count.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all is done by the system's allocator, with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes that are held at most while something is done, beyond those held before, and what comes of it.
fn peak<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = HELD.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    (PEAK.load(Ordering::Relaxed) - before, result)
}

/// One test, as others at the same time would be counted too.
#[test]
fn memory_grows_no_faster_than_the_text() {
    let choice = |size, stride| Choice {
        window_size: NonZeroUsize::new(size).unwrap(),
        stride: NonZeroUsize::new(stride).unwrap(),
        language: Language::from_name("english").unwrap(),
        set: InstructionSet::best(),
    };
    for (query, unit, size, stride) in [
        ("fox", "a", 50, 10),
        ("fox", "Ж", 50, 10),
        ("fox", " ", 50, 10),
        ("fox", "'", 50, 10),
        ("fox", "😀", 50, 10),
        ("fox", "漢", 50, 10),
        (
            "fox",
            "the quick brown fox jumps over the lazy dog. ",
            50,
            10,
        ),
        ("a b", "a b ", 50, 10),
        ("a b", "a b ", 1, 1),
        ("hay", "hay ", 50, 1),
    ] {
        let choice = choice(size, stride);
        let peaks = [50_000, 400_000].map(|bytes: usize| {
            let text = unit.repeat(bytes / unit.len());
            let (query, text) = (Text::from(query), Text::from(text.as_str()));
            let (cold, _) = peak(|| choice.snippet_span(query, text));
            let (analysing, analysis) = peak(|| Analysis::new(text, choice.set).unwrap());
            let (warm, _) = peak(|| choice.analysed_snippet_span(query, text, &analysis));
            [cold, analysing, warm]
        });
        for (less, more) in peaks[0].into_iter().zip(peaks[1]) {
            // Room is taken in powers of two.
            assert!(more <= 10 * less + 20_000, "{unit:?}: {peaks:?}");
        }
        // What is held for long: no more than the analysis says, which is less than so much of any text.
        let text = unit.repeat(400_000 / unit.len());
        let before = HELD.load(Ordering::Relaxed);
        let analysis = Analysis::new(text.as_str().into(), choice.set).unwrap();
        let held = HELD.load(Ordering::Relaxed) - before;
        assert!(
            held <= analysis.most_bytes(),
            "{unit:?}: {held} bytes, more than {}",
            analysis.most_bytes()
        );
        assert!(held <= 3 * text.len(), "{unit:?}: {held} bytes");
    }
}
