//! Does one of a few fixed kernels again and again, for callgrind to count its instructions: `.ci/callgrind.py`.
//!
//! Only what [`measured`] calls is counted. The instruction set is one that callgrind knows: SSE2, else the portable one.

#[allow(dead_code)] // The benches use the rest.
#[path = "../benches/inputs/mod.rs"]
mod inputs;

use std::hint::black_box;
use std::num::NonZeroUsize;

use inputs::ENGLISH;
use sid_core::intervals::{mask, Span};
use sid_core::render::{DocElement, Layout, Piece, Value};
use sid_core::snippet::analysis::Analysis;
use sid_core::snippet::Choice;
use sid_core::text::ascii::InstructionSet;
use sid_core::text::stopwords::Language;
use sid_core::text::Text;

const BYTES: usize = 1 << 16;

/// Calls `kernel` once for each number below `times`. The one function that callgrind collects in.
#[inline(never)]
fn measured(times: usize, kernel: &mut dyn FnMut(usize)) {
    for number in 0..times {
        kernel(number);
    }
}

fn main() {
    let [_, name, times] = &std::env::args().collect::<Vec<_>>()[..] else {
        panic!("usage: instructions KERNEL TIMES");
    };
    let times: usize = times.parse().expect("TIMES is a number");
    let set = InstructionSet::available()
        .into_iter()
        .find(|set| ["sse2", "portable"].contains(&set.name()))
        .expect("the portable one is always there");
    let content = ENGLISH.text(BYTES, 0);
    let text = Text::from(content.as_str());
    let queries: Vec<_> = (0..64).map(|serial| ENGLISH.query(serial)).collect();
    let choice = Choice {
        window_size: NonZeroUsize::new(50).expect("not 0"),
        stride: NonZeroUsize::new(10).expect("not 0"),
        language: Language::from_name("english").expect("a language"),
        set,
    };
    match name.as_str() {
        "cold" => measured(times, &mut |number| {
            let query = Text::from(queries[number % queries.len()].as_str());
            black_box(choice.snippet_span(query, black_box(text)));
        }),
        "warm" => {
            let analysis = Analysis::new(text, set).expect("a short text");
            // So that all that is found out of an analysis when it is first needed is there.
            choice.analysed_snippet_span(Text::from("first"), text, &analysis);
            measured(times, &mut |number| {
                let query = Text::from(queries[number % queries.len()].as_str());
                black_box(choice.analysed_snippet_span(query, black_box(text), &analysis));
            });
        }
        "render" => {
            let seen: Vec<_> = (0..200)
                .map(|slot| Span::new(300 * slot, 300 * slot + 120))
                .collect();
            measured(times, &mut |number| {
                let start = 97 * (number as i64 % 500);
                black_box(render(
                    text,
                    Span::new(start, start + 1500),
                    black_box(&seen),
                ));
            });
        }
        _ => panic!("no kernel is called {name:?}: there are cold, warm and render"),
    }
    println!("{}", set.name());
}

/// Masks what was seen of a span of an ASCII text, and renders the rest.
fn render(text: Text<'_>, span: Span, seen: &[Span]) -> Vec<u8> {
    let plan = mask(span, seen, 100);
    let layout = Layout::new(&plan.displayed, &plan.seen);
    let pieces: Vec<_> = layout
        .spans
        .iter()
        .map(|&(span, seen)| match seen {
            true => Piece::Seen(span),
            false => Piece::Displayed(text.slice(span.start as usize, span.end as usize)),
        })
        .collect();
    let mut element = DocElement::new(b"004218");
    element.attribute(b"title", Value::Quoted(b"Made up <by code>"));
    element.finish(Some(&layout.body(&pieces, BYTES as i64)))
}
