//! The arithmetic of spans: half-open ranges of code points.

/// A half-open span, first to one past the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First code point.
    pub start: i64,
    /// One past the last code point.
    pub end: i64,
}

impl Span {
    /// A span; it may be empty or inverted, which no function here records.
    pub fn new(start: i64, end: i64) -> Self {
        Span { start, end }
    }

    /// What both spans cover, if that is not empty.
    pub fn overlap(self, other: Span) -> Option<Span> {
        let both = Span::new(self.start.max(other.start), self.end.min(other.end));
        (both.start < both.end).then_some(both)
    }
}

/// The parts of `spans` inside `span`, in their order.
pub fn overlap_list(span: Span, spans: &[Span]) -> Vec<Span> {
    spans
        .iter()
        .filter_map(|&other| span.overlap(other))
        .collect()
}

/// Adds `new` to sorted spans, merging it with every span that it touches or overlaps.
pub fn insert_interval(spans: &[Span], new: Span) -> Vec<Span> {
    let mut merged = new;
    let mut before = Vec::with_capacity(spans.len() + 1);
    let mut after = Vec::new();
    for &span in spans {
        if span.end < merged.start {
            before.push(span);
        } else if merged.end < span.start {
            after.push(span);
        } else {
            merged = Span::new(merged.start.min(span.start), merged.end.max(span.end));
        }
    }
    before.push(merged);
    before.append(&mut after);
    before
}

/// Appends `new`, or lengthens the last span if `new` starts where that one ends.
pub fn append_coalescing(spans: &mut Vec<Span>, new: Span) {
    match spans.last_mut() {
        Some(last) if last.end == new.start => last.end = new.end,
        _ => spans.push(new),
    }
}

/// How a span is shown: what of it is displayed and what is masked as seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Displayed stretches, coalesced.
    pub displayed: Vec<Span>,
    /// Masked stretches.
    pub seen: Vec<Span>,
}

/// Tiles `span`: each seen stretch of at least `min_seen_overlap` code points is masked, the rest is displayed.
///
/// `seen` is sorted and disjoint, as the ledger keeps it.
pub fn plan_segments(span: Span, seen: &[Span], min_seen_overlap: i64) -> Plan {
    let mut plan = Plan::default();
    let mut shown_to = span.start;
    for stretch in overlap_list(span, seen) {
        if stretch.end.saturating_sub(stretch.start) < min_seen_overlap {
            continue;
        }
        if shown_to < stretch.start {
            append_coalescing(&mut plan.displayed, Span::new(shown_to, stretch.start));
        }
        plan.seen.push(stretch);
        shown_to = stretch.end;
    }
    if shown_to < span.end {
        append_coalescing(&mut plan.displayed, Span::new(shown_to, span.end));
    }
    plan
}

/// How the ledger's `seen` masks `span`: as [`plan_segments`] says, but a span that was seen whole is masked whole,
/// however short it is.
pub fn mask(span: Span, seen: &[Span], min_seen_overlap: i64) -> Plan {
    // The ledger is coalesced, so that only one of its spans can cover the whole.
    if overlap_list(span, seen) == [span] {
        return Plan {
            displayed: Vec::new(),
            seen: vec![span],
        };
    }
    plan_segments(span, seen, min_seen_overlap)
}
