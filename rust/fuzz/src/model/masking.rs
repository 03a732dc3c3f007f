//! The ledger's arithmetic as sets of code points: protocol, section 3.

use std::collections::BTreeSet;

/// A half-open span. One that does not start before its end covers nothing.
pub type Span = (i128, i128);

/// The code points that a span covers.
pub fn points(span: Span) -> BTreeSet<i128> {
    (span.0..span.1).collect()
}

/// The longest runs of neighbours in a set.
pub fn runs(points: &BTreeSet<i128>) -> Vec<Span> {
    let mut runs: Vec<Span> = Vec::new();
    for &point in points {
        match runs.last_mut() {
            Some(run) if run.1 == point => run.1 = point + 1,
            _ => runs.push((point, point + 1)),
        }
    }
    runs
}

/// The spans' parts inside `within`, one by one.
pub fn overlaps(within: Span, spans: &[Span]) -> Vec<Span> {
    spans
        .iter()
        .flat_map(|&span| runs(&(&points(within) & &points(span))))
        .collect()
}

/// What is displayed and what is masked of a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Displayed stretches.
    pub displayed: Vec<Span>,
    /// Masked stretches.
    pub seen: Vec<Span>,
}

/// Seen stretches of at least `least` code points are masked, and all else is displayed.
pub fn plan(span: Span, seen: &BTreeSet<i128>, least: i128) -> Plan {
    let whole = points(span);
    let masked: Vec<Span> = runs(&(&whole & seen))
        .into_iter()
        .filter(|run| run.1 - run.0 >= least)
        .collect();
    let hidden: BTreeSet<i128> = masked.iter().copied().flat_map(points).collect();
    Plan {
        displayed: runs(&(&whole - &hidden)),
        seen: masked,
    }
}

/// The same, but what was seen whole is masked whole.
pub fn mask(span: Span, seen: &BTreeSet<i128>, least: i128) -> Plan {
    let whole = points(span);
    if !whole.is_empty() && whole.is_subset(seen) {
        return Plan {
            displayed: Vec::new(),
            seen: vec![span],
        };
    }
    plan(span, seen, least)
}

/// `new` after the others: one span with the last if it starts where that ends.
pub fn append(spans: &[Span], new: Span) -> Vec<Span> {
    let (last, others) = match spans.split_last() {
        Some((last, others)) if last.1 == new.0 => (Some(*last), others),
        _ => (None, spans),
    };
    let start = last.map_or(new.0, |last| last.0);
    [others, &[(start, new.1)]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_coalesced() {
        let set = &points((0, 3)) | &(&points((3, 5)) | &points((6, 7)));
        assert_eq!(runs(&set), [(0, 5), (6, 7)]);
        assert!(runs(&points((3, 1))).is_empty());
    }

    #[test]
    fn short_seen_stretches_are_shown_again() {
        let seen = &points((0, 3)) | &points((5, 10));
        let plan = plan((2, 12), &seen, 2);
        assert_eq!(
            (plan.displayed, plan.seen),
            (vec![(2, 5), (10, 12)], vec![(5, 10)])
        );
    }

    #[test]
    fn what_was_seen_whole_is_masked_however_short() {
        let seen = points((0, 9));
        assert_eq!(mask((2, 4), &seen, 100).seen, [(2, 4)]);
        assert_eq!(plan((2, 4), &seen, 100).displayed, [(2, 4)]);
    }

    #[test]
    fn appending_coalesces_only_what_touches_the_last() {
        assert_eq!(append(&[(0, 1), (2, 4)], (4, 6)), [(0, 1), (2, 6)]);
        assert_eq!(append(&[(0, 1)], (2, 3)), [(0, 1), (2, 3)]);
        assert_eq!(append(&[], (2, 3)), [(2, 3)]);
        assert_eq!(
            overlaps((2, 5), &[(4, 9), (0, 3), (5, 6)]),
            [(4, 5), (2, 3)]
        );
    }
}
