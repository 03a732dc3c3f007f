//! A persistent set of spans: an AVL tree whose nodes clones share until one of them writes.
//!
//! Everything that changes the tree is made of two operations: *split* takes it apart at a point, *join* puts two trees
//! and a node between them together. Both take time logarithmic in the tree and reuse the nodes that nobody else has.
//! The height of an AVL tree is below 1.45 · log2 of its size whatever is inserted in whatever order, and so is the
//! depth of every recursion here.

use std::sync::Arc;

use crate::intervals::Span;

/// Spans that are not empty, do not overlap and do not touch, in order. Cloning takes constant time.
#[derive(Clone, Debug, Default)]
pub struct SpanSet {
    root: Tree,
}

/// The first span of a list that keeps it from being sorted, disjoint and without empty spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadSpan {
    /// Its place in the list.
    pub index: usize,
}

type Tree = Option<Arc<Node>>;

#[derive(Clone, Debug)]
struct Node {
    span: Span,
    height: u8,
    left: Tree,
    right: Tree,
}

impl SpanSet {
    /// The set of sorted, disjoint spans, none of which is empty; those that touch become one.
    pub fn from_spans(spans: &[Span]) -> Result<Self, BadSpan> {
        let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
        for (index, &span) in spans.iter().enumerate() {
            match merged.last_mut() {
                _ if span.start >= span.end => return Err(BadSpan { index }),
                Some(last) if span.start < last.end => return Err(BadSpan { index }),
                Some(last) if span.start == last.end => last.end = span.end,
                _ => merged.push(span),
            }
        }
        Ok(SpanSet {
            root: build(&merged),
        })
    }

    /// The spans in order.
    pub fn to_vec(&self) -> Vec<Span> {
        self.overlapping(Span::new(i64::MIN, i64::MAX))
    }

    /// Whether one of the spans covers `span`, or `span` is empty.
    pub fn covers(&self, span: Span) -> bool {
        if span.start >= span.end {
            return true;
        }
        let mut tree = &self.root;
        while let Some(node) = tree {
            if span.start < node.span.start {
                tree = &node.left;
            } else if span.start >= node.span.end {
                tree = &node.right;
            } else {
                return span.end <= node.span.end;
            }
        }
        false
    }

    /// The spans that have something in common with `span`, in order.
    pub fn overlapping(&self, span: Span) -> Vec<Span> {
        let mut found = Vec::new();
        find_overlapping(&self.root, span, &mut found);
        found
    }

    /// Adds a span, merging it with every span that it touches or overlaps. An empty one adds nothing.
    pub fn insert(&mut self, span: Span) {
        if self.covers(span) {
            return;
        }
        let (before, rest) = split(self.root.take(), &|other| other.end < span.start);
        let (merging, after) = split(rest, &|other| other.start <= span.end);
        let mut merged = span;
        if let Some(first) = outermost(&merging, |node| &node.left) {
            merged.start = merged.start.min(first.start);
        }
        if let Some(last) = outermost(&merging, |node| &node.right) {
            merged.end = merged.end.max(last.end);
        }
        self.root = Some(join(before, leaf(merged), after));
    }
}

fn leaf(span: Span) -> Arc<Node> {
    Arc::new(Node {
        span,
        height: 1,
        left: None,
        right: None,
    })
}

/// A tree of sorted spans, as flat as can be.
fn build(spans: &[Span]) -> Tree {
    let (left, rest) = spans.split_at(spans.len() / 2);
    let (&middle, right) = rest.split_first()?;
    Some(join(build(left), leaf(middle), build(right)))
}

fn find_overlapping(tree: &Tree, span: Span, found: &mut Vec<Span>) {
    let Some(node) = tree else { return };
    if span.start < node.span.start {
        find_overlapping(&node.left, span, found);
    }
    if span.overlap(node.span).is_some() {
        found.push(node.span);
    }
    if node.span.end < span.end {
        find_overlapping(&node.right, span, found);
    }
}

/// The last span on the way from the root that `next` leads.
fn outermost(tree: &Tree, next: fn(&Node) -> &Tree) -> Option<Span> {
    let mut node = tree.as_deref()?;
    while let Some(further) = next(node) {
        node = further;
    }
    Some(node.span)
}

fn height(tree: &Tree) -> u8 {
    tree.as_ref().map_or(0, |node| node.height)
}

/// A node to be written to: itself if nobody else has it, else a copy.
fn own(node: &mut Arc<Node>) -> &mut Node {
    #[cfg(test)]
    tests::count(node);
    Arc::make_mut(node)
}

/// The spans of a tree for which `is_before` holds, which must be the first ones, and the others.
fn split(tree: Tree, is_before: &impl Fn(Span) -> bool) -> (Tree, Tree) {
    let Some(mut root) = tree else {
        return (None, None);
    };
    let node = own(&mut root);
    let (left, right) = (node.left.take(), node.right.take());
    if is_before(node.span) {
        let (before, after) = split(right, is_before);
        (Some(join(left, root, before)), after)
    } else {
        let (before, after) = split(left, is_before);
        (before, Some(join(after, root, right)))
    }
}

/// The tree of all that is left of a node, the node and all that is right of it. What the node has below is dropped.
///
/// Where one side is higher by more than one, the node goes down that side's inner edge to where it is not. There the
/// tree grows by at most one level, so that on the way back up a rotation at each level restores the balance.
fn join(left: Tree, mut middle: Arc<Node>, right: Tree) -> Arc<Node> {
    match (left, right) {
        (Some(mut higher), lower) if higher.height > height(&lower) + 1 => {
            let node = own(&mut higher);
            node.right = Some(join(node.right.take(), middle, lower));
            balanced(higher)
        }
        (lower, Some(mut higher)) if higher.height > height(&lower) + 1 => {
            let node = own(&mut higher);
            node.left = Some(join(lower, middle, node.left.take()));
            balanced(higher)
        }
        (left, right) => {
            let node = own(&mut middle);
            node.left = left;
            node.right = right;
            update_height(node);
            middle
        }
    }
}

fn update_height(node: &mut Node) {
    node.height = 1 + height(&node.left).max(height(&node.right));
}

/// Balances a node whose sides are balanced and differ in height by two at most.
fn balanced(mut root: Arc<Node>) -> Arc<Node> {
    let node = own(&mut root);
    let (left, right) = (height(&node.left), height(&node.right));
    if left > right + 1 {
        node.left = node.left.take().map(|left| {
            if height(&left.left) < height(&left.right) {
                rotated_left(left)
            } else {
                left
            }
        });
        rotated_right(root)
    } else if right > left + 1 {
        node.right = node.right.take().map(|right| {
            if height(&right.right) < height(&right.left) {
                rotated_right(right)
            } else {
                right
            }
        });
        rotated_left(root)
    } else {
        update_height(node);
        root
    }
}

/// Puts the left child of a node in the node's place.
fn rotated_right(mut root: Arc<Node>) -> Arc<Node> {
    let node = own(&mut root);
    let Some(mut risen) = node.left.take() else {
        return root;
    };
    let rising = own(&mut risen);
    node.left = rising.right.take();
    update_height(node);
    rising.right = Some(root);
    update_height(rising);
    risen
}

/// Puts the right child of a node in the node's place.
fn rotated_left(mut root: Arc<Node>) -> Arc<Node> {
    let node = own(&mut root);
    let Some(mut risen) = node.right.take() else {
        return root;
    };
    let rising = own(&mut risen);
    node.right = rising.left.take();
    update_height(node);
    rising.left = Some(root);
    update_height(rising);
    risen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intervals::{insert_interval, overlap_list};
    use proptest::prelude::*;
    use std::cell::Cell;

    thread_local! {
        /// Nodes written to, and those among them that had to be copied first.
        static WORK: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    }

    pub(super) fn count(node: &mut Arc<Node>) {
        let copied = usize::from(Arc::get_mut(node).is_none());
        WORK.with(|work| {
            let (written, copies) = work.get();
            work.set((written + 1, copies + copied));
        });
    }

    fn work_of(change: impl FnOnce()) -> (usize, usize) {
        WORK.with(|work| work.set((0, 0)));
        change();
        WORK.with(Cell::get)
    }

    fn span(start: i64, end: i64) -> Span {
        Span::new(start, end)
    }

    /// Checks order and balance; gives the height.
    fn check(tree: &Tree) -> u8 {
        let Some(node) = tree else { return 0 };
        let (left, right) = (check(&node.left), check(&node.right));
        assert!(left.abs_diff(right) <= 1, "heights {left} and {right}");
        assert_eq!(node.height, 1 + left.max(right));
        node.height
    }

    fn assert_is(set: &SpanSet, expected: &[Span]) {
        check(&set.root);
        assert_eq!(set.to_vec(), expected);
    }

    fn spans(up_to: i64, longest: i64) -> impl Strategy<Value = Span> {
        (-up_to..up_to, 1..=longest).prop_map(|(start, length)| span(start, start + length))
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn inserting_is_that_of_lists_and_old_clones_stay(
            inserted in prop_oneof![
                proptest::collection::vec(spans(40, 6), 0..80),
                // Sparse, so that the tree grows.
                proptest::collection::vec(spans(4000, 3), 0..150),
                // Some spans swallow many others.
                proptest::collection::vec(prop_oneof![20 => spans(4000, 3), 1 => spans(4000, 4000)], 0..150),
            ],
            asked in proptest::collection::vec((spans(4000, 100), spans(50, 8)), 1..8),
            clone_every in 1usize..40,
        ) {
            let mut set = SpanSet::default();
            let mut list = Vec::new();
            let mut clones = Vec::new();
            for (number, &span) in inserted.iter().enumerate() {
                if number % clone_every == 0 {
                    clones.push((set.clone(), list.clone()));
                }
                set.insert(span);
                list = insert_interval(&list, span);
                assert_is(&set, &list);
                prop_assert!(set.covers(span));
            }
            clones.push((set, list));
            for (set, list) in &clones {
                assert_is(set, list);
                for span in asked.iter().flat_map(|&(wide, narrow)| [wide, narrow]) {
                    let overlapping = set.overlapping(span);
                    prop_assert!(overlapping.iter().all(|other| list.contains(other)));
                    prop_assert_eq!(overlap_list(span, &overlapping), overlap_list(span, list));
                    prop_assert_eq!(set.covers(span), overlap_list(span, list) == [span]);
                }
                assert_is(&SpanSet::from_spans(list).unwrap(), list);
            }
        }

        #[test]
        fn a_list_is_a_set_if_it_is_sorted_and_disjoint(
            listed in proptest::collection::vec((-3i64..60, -1i64..6).prop_map(|(start, length)| span(start, start + length)), 0..6)
        ) {
            let bad = (0..listed.len()).find(|&at| {
                listed[at].start >= listed[at].end || (at > 0 && listed[at].start < listed[at - 1].end)
            });
            match SpanSet::from_spans(&listed) {
                Ok(set) => {
                    prop_assert_eq!(bad, None);
                    assert_is(&set, &listed.iter().fold(Vec::new(), |known, &span| insert_interval(&known, span)));
                }
                Err(BadSpan { index }) => prop_assert_eq!(bad, Some(index)),
            }
        }
    }

    #[test]
    fn the_widest_offsets() {
        let (least, greatest) = (i64::MIN, i64::MAX);
        let mut set = SpanSet::default();
        for (start, end) in [(0, greatest), (least, least + 1), (least + 2, -1), (-1, 0)] {
            set.insert(span(start, end));
        }
        assert_is(&set, &[span(least, least + 1), span(least + 2, greatest)]);
        assert!(set.covers(span(5, greatest)) && !set.covers(span(least, greatest)));
        set.insert(span(least, greatest));
        assert_is(&set, &[span(least, greatest)]);
    }

    #[test]
    fn empty_spans_add_nothing() {
        let mut set = SpanSet::default();
        for (start, end) in [(0, 0), (5, 3)] {
            set.insert(span(start, end));
            assert!(set.covers(span(start, end)));
        }
        assert_is(&set, &[]);
    }

    /// What updates cost is counted, not timed: nodes written to, and nodes copied since a clone has them too.
    #[test]
    fn an_update_is_logarithmic() {
        for exponent in 1..=17u32 {
            let size = 1i64 << exponent;
            let slots: Vec<Span> = (0..size).map(|slot| span(4 * slot, 4 * slot + 1)).collect();
            let set = SpanSet::from_spans(&slots).unwrap();
            assert_eq!(check(&set.root) as u32, exponent + 1);
            let limit = 8 * (exponent as usize + 2);
            for step in 0..64 {
                let slot = (step * 2_654_435_761 + 17) % size;
                for (start, end) in [
                    (4 * slot + 2, 4 * slot + 3),
                    (4 * slot + 1, 4 * slot + 2),
                    (4 * slot + 1, 4 * slot + 4),
                    (-9, 2 * size),
                ] {
                    let mut fork = set.clone();
                    let (written, copied) = work_of(|| fork.insert(span(start, end)));
                    assert!(written <= limit, "{written} of {size} written");
                    assert!(
                        copied <= 3 * (exponent as usize + 1),
                        "{copied} of {size} copied"
                    );
                    let (_, copied) = work_of(|| fork.insert(span(4 * slot + 3, 4 * slot + 5)));
                    assert!(
                        copied <= 3 * (exponent as usize + 1),
                        "{copied} of {size} copied"
                    );
                    if exponent < 8 {
                        check(&fork.root);
                    }
                }
            }
            let mut unshared = SpanSet::from_spans(&slots).unwrap();
            assert_eq!(work_of(|| unshared.insert(span(2, 3))).1, 0);
            let mut known = set.clone();
            assert_eq!(work_of(|| known.insert(span(4, 5))), (0, 0));
        }
    }

    #[test]
    fn no_order_of_insertion_makes_the_tree_high() {
        let count = 1i64 << 14;
        let orders: [fn(i64, i64) -> i64; 4] = [
            |at, _| at,
            |at, count| count - at,
            // From both ends inwards, and from the middle outwards.
            |at, count| if at % 2 == 0 { at } else { 2 * count - at },
            |at, count| if at % 2 == 0 { count - at } else { count + at },
        ];
        for order in orders {
            let mut set = SpanSet::default();
            for at in 0..count {
                let start = 3 * order(at, count);
                set.insert(span(start, start + 1));
            }
            // An AVL tree of that many nodes is below 1.4405 log2(n + 2) levels high.
            assert!(check(&set.root) <= 20);
            assert_eq!(set.to_vec().len(), count as usize);
        }
    }
}
