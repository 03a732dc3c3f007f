use std::collections::BTreeSet;

use sid_core::intervals::{
    append_coalescing, insert_interval, mask, overlap_list, plan_segments, Plan, Span,
};

use crate::input::Input;
use crate::model::masking as model;

/// The ledger's arithmetic is that of sets of code points, wherever on the number line.
pub fn masking(data: &[u8]) {
    let mut input = Input::new(data);
    let place = Place::of(input.number());
    let least = i64::from(input.number()) - 8;
    let span = nonempty(&mut input);
    let mut ledger: Vec<Span> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut appended: (Vec<Span>, Vec<model::Span>) = Default::default();
    for _ in 0..input.number() % 48 {
        let new = nonempty(&mut input);
        ledger = insert_interval(&ledger, place.core(new));
        seen.extend(model::points(new));
        assert_eq!(place.models(&ledger), model::runs(&seen), "insert {new:?}");

        append_coalescing(&mut appended.0, place.core(new));
        appended.1 = model::append(&appended.1, new);
        assert_eq!(place.models(&appended.0), appended.1, "append {new:?}");
    }
    check_masking(&place, span, &ledger, &seen, least);

    // Spans in no order, some of which cover nothing.
    let within = any(&mut input);
    let spans: Vec<model::Span> = (0..input.number() % 16).map(|_| any(&mut input)).collect();
    let found = overlap_list(place.core(within), &place.cores(&spans));
    assert_eq!(
        place.models(&found),
        model::overlaps(within, &spans),
        "parts of {spans:?} inside {within:?}"
    );
}

fn check_masking(
    place: &Place,
    span: model::Span,
    ledger: &[Span],
    seen: &BTreeSet<i128>,
    least: i64,
) {
    let whole = place.core(span);
    for least in [least, 1, i64::MIN, i64::MAX] {
        let cases = [
            (
                "plan",
                plan_segments(whole, ledger, least),
                model::plan(span, seen, least.into()),
            ),
            (
                "mask",
                mask(whole, ledger, least),
                model::mask(span, seen, least.into()),
            ),
        ];
        for (what, Plan { displayed, seen }, expected) in cases {
            let found = model::Plan {
                displayed: place.models(&displayed),
                seen: place.models(&seen),
            };
            assert_eq!(found, expected, "{what} {span:?} of {ledger:?}, {least}");
        }
    }
    let found = overlap_list(whole, ledger);
    let inside = &model::points(span) & seen;
    assert_eq!(place.models(&found), model::runs(&inside));
}

/// A span of at least one code point.
fn nonempty(input: &mut Input<'_>) -> model::Span {
    let start = i128::from(input.number() % 96);
    (start, start + 1 + i128::from(input.number() % 16))
}

/// Any span, also one that ends before it starts.
fn any(input: &mut Input<'_>) -> model::Span {
    let mut offset = || i128::from(input.number()) % Place::REACH;
    (offset(), offset())
}

/// Where the model's small numbers are on the core's number line: at its ends too.
struct Place(i128);

impl Place {
    /// No span goes further than this.
    const REACH: i128 = 96 + 16;

    fn of(number: u8) -> Self {
        Place(match number % 4 {
            0 => 0,
            1 => -Self::REACH / 2,
            2 => i128::from(i64::MIN),
            _ => i128::from(i64::MAX) - Self::REACH,
        })
    }

    fn core(&self, span: model::Span) -> Span {
        let offset = |offset: i128| i64::try_from(self.0 + offset).expect("a number of 64 bits");
        Span::new(offset(span.0), offset(span.1))
    }

    fn cores(&self, spans: &[model::Span]) -> Vec<Span> {
        spans.iter().map(|&span| self.core(span)).collect()
    }

    fn models(&self, spans: &[Span]) -> Vec<model::Span> {
        let offset = |offset: i64| i128::from(offset) - self.0;
        spans
            .iter()
            .map(|span| (offset(span.start), offset(span.end)))
            .collect()
    }
}
