//! Times of the core's kernels, without Python: `cargo bench -p sid-core`.

mod inputs;

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Duration;

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use inputs::{Script, ENGLISH, JAPANESE, SCRIPTS};
use sid_core::intervals::{insert_interval, mask, Span};
use sid_core::ledger::SpanSet;
use sid_core::render::escape;
use sid_core::snippet::analysis::Analysis;
use sid_core::snippet::Choice;
use sid_core::text::ascii::InstructionSet;
use sid_core::text::stopwords::Language;
use sid_core::text::word_break::segments;
use sid_core::text::Text;

/// Bytes of all texts that take turns, so that they stay in the processor's caches and no branch predictor learns one
/// of them by heart.
const TURNS: usize = 1 << 18;

const QUERIES: usize = 8;

fn choice(script: &Script, set: InstructionSet) -> Choice {
    let language = if script.name.starts_with("English") {
        "english"
    } else {
        "generic"
    };
    Choice {
        window_size: NonZeroUsize::new(50).unwrap(),
        stride: NonZeroUsize::new(10).unwrap(),
        language: Language::from_name(language).unwrap(),
        set,
    }
}

fn texts(script: &Script, bytes: usize) -> Vec<String> {
    (0..(TURNS / bytes).clamp(1, 64))
        .map(|part| script.text(bytes, part))
        .collect()
}

fn cold_snippet(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cold snippet");
    let every = SCRIPTS
        .iter()
        .map(|&script| (script, 1 << 16, InstructionSet::available()));
    let lengths =
        [1 << 10, 1 << 12, 1 << 20].map(|bytes| (&ENGLISH, bytes, vec![InstructionSet::best()]));
    for (script, bytes, sets) in every.chain(lengths) {
        let texts = texts(script, bytes);
        let queries: Vec<_> = (0..QUERIES).map(|serial| script.query(serial)).collect();
        group.throughput(Throughput::Bytes(bytes as u64));
        for set in sets {
            let name = format!("{}, {bytes} bytes", script.name);
            let mut turn = 0;
            group.bench_function(BenchmarkId::new(name, set.name()), |bencher| {
                bencher.iter(|| {
                    turn += 1;
                    let query = Text::from(queries[turn % QUERIES].as_str());
                    let text = Text::from(texts[turn % texts.len()].as_str());
                    choice(script, set).snippet_span(black_box(query), black_box(text))
                });
            });
        }
    }
}

fn analysed_snippet(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("analysed snippet");
    let set = InstructionSet::best();
    for bytes in [1 << 12, 1 << 16, 1 << 20] {
        let texts: Vec<_> = texts(&ENGLISH, bytes)
            .into_iter()
            .map(|text| {
                let analysis = Analysis::new(Text::from(text.as_str()), set).unwrap();
                (text, analysis)
            })
            .collect();
        let queries: Vec<_> = (0..64).map(|serial| ENGLISH.query(serial)).collect();
        let mut turn = 0;
        group.bench_function(BenchmarkId::new("English", bytes), |bencher| {
            bencher.iter(|| {
                turn += 1;
                let query = Text::from(queries[turn % queries.len()].as_str());
                let (text, analysis) = &texts[turn % texts.len()];
                choice(&ENGLISH, set).analysed_snippet_span(
                    black_box(query),
                    Text::from(text.as_str()),
                    analysis,
                )
            });
        });
    }
}

/// A kernel that reads a whole text.
fn read<T>(criterion: &mut Criterion, name: &str, kernel: impl Fn(Text<'_>) -> T) {
    let mut group = criterion.benchmark_group(name);
    for script in [&ENGLISH, &JAPANESE] {
        let texts = texts(script, 1 << 16);
        group.throughput(Throughput::Bytes(1 << 16));
        let mut turn = 0;
        group.bench_function(script.name, |bencher| {
            bencher.iter(|| {
                turn += 1;
                kernel(black_box(Text::from(texts[turn % texts.len()].as_str())))
            });
        });
    }
}

fn analysis(criterion: &mut Criterion) {
    let set = InstructionSet::best();
    read(criterion, "Analysis::new", |text| Analysis::new(text, set));
}

fn word_segments(criterion: &mut Criterion) {
    read(criterion, "segments", |text| segments(text).count());
}

fn escaping(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("escape");
    let plain = ENGLISH.text(1 << 16, 0);
    let marked = plain.replace(' ', " <&> ");
    let mut out = Vec::with_capacity(8 * marked.len());
    for (name, text) in [("nothing to escape", plain), ("much to escape", marked)] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                out.clear();
                escape(&mut out, black_box(text.as_bytes()));
                out.len()
            });
        });
    }
}

fn intervals(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("intervals");
    for held in [2_000, 64_000] {
        let spans: Vec<_> = (0..held)
            .map(|slot| Span::new(24 * slot, 24 * slot + 12))
            .collect();
        let set = SpanSet::from_spans(&spans).unwrap();
        let new = Span::new(12 * held + 15, 12 * held + 18);
        let shown = Span::new(12 * held, 12 * held + 300);
        group.bench_function(BenchmarkId::new("insert_interval", held), |bencher| {
            bencher.iter(|| insert_interval(black_box(&spans), new));
        });
        group.bench_function(BenchmarkId::new("mask", held), |bencher| {
            bencher.iter(|| mask(shown, black_box(&spans), 5));
        });
        group.bench_function(
            BenchmarkId::new("insert into a shared SpanSet", held),
            |bencher| {
                bencher.iter(|| {
                    let mut own = set.clone();
                    own.insert(black_box(new));
                    own
                });
            },
        );
        group.bench_function(
            BenchmarkId::new("overlapping of a SpanSet", held),
            |bencher| {
                bencher.iter(|| set.overlapping(black_box(shown)));
            },
        );
    }
}

criterion_group! {
    name = kernels;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = cold_snippet, analysed_snippet, analysis, word_segments, escaping, intervals
}
criterion_main!(kernels);
