//! A persistent map from numbers: a radix trie whose nodes clones share until one of them writes.

use std::sync::Arc;

/// Bits of a number that choose a way at one level. More make the trie flatter and what a write copies larger.
const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;

/// Values by number. Cloning takes constant time; reading and writing take a step for each `BITS` bits of the greatest
/// number, so that they are cheap while numbers are given one after the other.
#[derive(Clone, Debug)]
pub(super) struct Numbered<T> {
    root: Option<Arc<Node<T>>>,
    /// Levels of branches above the leaves.
    levels: u32,
    len: usize,
}

#[derive(Clone, Debug)]
enum Node<T> {
    Branch([Option<Arc<Node<T>>>; WIDTH]),
    Leaf([Option<T>; WIDTH]),
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered {
            root: None,
            levels: 0,
            len: 0,
        }
    }
}

impl<T> Numbered<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, number: u64) -> Option<&T> {
        if self.is_too_high(number) {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut level = self.levels;
        loop {
            match node {
                Node::Branch(ways) => node = ways[way(number, level)].as_deref()?,
                Node::Leaf(values) => return values[way(number, level)].as_ref(),
            }
            level -= 1;
        }
    }

    /// Calls `visit` with every number and its value, in the order of the numbers.
    pub(super) fn for_each<'a>(&'a self, visit: &mut impl FnMut(u64, &'a T)) {
        if let Some(root) = &self.root {
            visit_below(root, 0, visit);
        }
    }

    /// Whether a number has bits that no level looks at.
    fn is_too_high(&self, number: u64) -> bool {
        number
            .checked_shr((self.levels + 1) * BITS)
            .is_some_and(|rest| rest > 0)
    }
}

#[cfg(test)]
impl<T> Numbered<T> {
    /// Whether nothing was written to either since one was cloned from the other.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl<T: Clone> Numbered<T> {
    /// The value at a number, which is made if there is none.
    pub(super) fn get_or_insert_with(&mut self, number: u64, make: impl FnOnce() -> T) -> &mut T {
        while self.is_too_high(number) {
            if let Some(lower) = self.root.take() {
                let mut ways = [const { None }; WIDTH];
                ways[0] = Some(lower);
                self.root = Some(Arc::new(Node::Branch(ways)));
            }
            self.levels += 1;
        }
        let mut level = self.levels;
        let mut node = &mut self.root;
        loop {
            let here = node.get_or_insert_with(|| {
                Arc::new(if level == 0 {
                    Node::Leaf([const { None }; WIDTH])
                } else {
                    Node::Branch([const { None }; WIDTH])
                })
            });
            match Arc::make_mut(here) {
                Node::Branch(ways) => node = &mut ways[way(number, level)],
                Node::Leaf(values) => {
                    let len = &mut self.len;
                    return values[way(number, level)].get_or_insert_with(|| {
                        *len += 1;
                        make()
                    });
                }
            }
            level -= 1;
        }
    }

    /// Takes the value at a number away. The nodes on the way stay, since a number that was given comes back.
    pub(super) fn remove(&mut self, number: u64) -> Option<T> {
        self.get(number)?;
        let mut level = self.levels;
        let mut node = self.root.as_mut()?;
        loop {
            match Arc::make_mut(node) {
                Node::Branch(ways) => node = ways[way(number, level)].as_mut()?,
                Node::Leaf(values) => {
                    self.len -= 1;
                    return values[way(number, level)].take();
                }
            }
            level -= 1;
        }
    }
}

/// Which way a number takes at a level.
fn way(number: u64, level: u32) -> usize {
    (number >> (level * BITS)) as usize % WIDTH
}

/// No deeper than the bits of a number allow.
fn visit_below<'a, T>(node: &'a Node<T>, above: u64, visit: &mut impl FnMut(u64, &'a T)) {
    match node {
        Node::Branch(ways) => {
            for (way, lower) in (0..).zip(ways) {
                if let Some(lower) = lower {
                    visit_below(lower, (above << BITS) | way, visit);
                }
            }
        }
        Node::Leaf(values) => {
            for (way, value) in (0..).zip(values) {
                if let Some(value) = value {
                    visit((above << BITS) | way, value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    type Model = BTreeMap<u64, u32>;

    fn contents(map: &Numbered<u32>) -> Vec<(u64, u32)> {
        let mut found = Vec::new();
        map.for_each(&mut |number, &value| found.push((number, value)));
        found
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn it_is_a_map_and_clones_are_apart(
            steps in proptest::collection::vec(
                (any::<proptest::sample::Index>(), 0u32..64, any::<u64>(), any::<u32>(), 0..8), 0..120,
            )
        ) {
            let mut clones: Vec<(Numbered<u32>, Model)> = vec![Default::default()];
            for (index, shift, number, value, what) in steps {
                let at = index.index(clones.len());
                let (map, model) = &mut clones[at];
                // As many small numbers as great ones.
                let number = number >> shift;
                let known = model.keys().nth(index.index(model.len().max(1))).copied();
                match what {
                    0 => {
                        let clone = clones[at].clone();
                        clones.push(clone);
                    }
                    1 => prop_assert_eq!(map.remove(number), model.remove(&number)),
                    2 => {
                        if let Some(known) = known {
                            prop_assert_eq!(map.remove(known), model.remove(&known));
                        }
                    }
                    3 => {
                        let number = known.unwrap_or(number);
                        *map.get_or_insert_with(number, || 0) = value;
                        model.insert(number, value);
                    }
                    _ => {
                        prop_assert_eq!(
                            map.get_or_insert_with(number, || value),
                            model.entry(number).or_insert(value)
                        );
                    }
                }
                for (map, model) in &clones {
                    prop_assert!(contents(map).into_iter().eq(model.iter().map(|(&number, &value)| (number, value))));
                    prop_assert_eq!(map.len(), model.len());
                    prop_assert_eq!(map.get(number), model.get(&number));
                }
            }
        }
    }

    /// How many nodes of a trie the other one, of the same height, does not have.
    fn unshared<T>(one: &Option<Arc<Node<T>>>, other: &Option<Arc<Node<T>>>) -> usize {
        match (one, other) {
            (Some(one), Some(other)) if Arc::ptr_eq(one, other) => 0,
            (Some(one), other) => {
                let Node::Branch(ways) = &**one else { return 1 };
                let below = |way: usize| match other.as_deref() {
                    Some(Node::Branch(ways)) => ways[way].clone(),
                    _ => None,
                };
                1 + (0..WIDTH)
                    .map(|way| unshared(&ways[way], &below(way)))
                    .sum::<usize>()
            }
            (None, _) => 0,
        }
    }

    /// What clones and writes cost is counted, not timed: nodes that had to be made.
    #[test]
    fn a_clone_is_constant_and_a_write_copies_one_way() {
        for exponent in 0..=16u32 {
            let mut map = Numbered::default();
            for number in 0..1u64 << exponent {
                map.get_or_insert_with(number, || 0);
            }
            let levels = exponent.saturating_sub(1) / BITS;
            assert_eq!(map.levels, levels);
            let mut clone = map.clone();
            assert_eq!(unshared(&clone.root, &map.root), 0);
            for number in [0, (1 << exponent) - 1, (1 << exponent) / 3] {
                *clone.get_or_insert_with(number, || 0) = 1;
                assert_eq!(unshared(&clone.root, &map.root), levels as usize + 1);
                clone = map.clone();
                clone.remove(number);
                assert_eq!(unshared(&clone.root, &map.root), levels as usize + 1);
                clone = map.clone();
            }
        }
    }

    #[test]
    fn every_number_has_its_own_place() {
        let mut map = Numbered::default();
        let numbers = || (0..64).flat_map(|bit| [1u64 << bit, (1 << bit) - 1, !(1 << bit)]);
        for number in numbers() {
            *map.get_or_insert_with(number, || 0) = number;
        }
        for number in numbers() {
            assert_eq!(map.get(number), Some(&number));
        }
        assert_eq!(map.get(1 << 40 | 1), None);
    }
}
