//! The id permutation: a Feistel network with cycle-walking over any space below 2^128.

/// 2^64 divided by the golden ratio, the increment of splitmix64.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
const ROUNDS: u64 = 4;

/// A bijection of `0..space` onto itself, chosen by a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    space: u128,
    key: u64,
    half: u32,
}

impl Permutation {
    /// The permutation of `0..space` under `key`.
    pub fn new(space: u128, key: u64) -> Self {
        let bits = u128::BITS - space.saturating_sub(1).leading_zeros();
        Permutation {
            space,
            key,
            half: bits.div_ceil(2).max(1),
        }
    }

    /// Where `index` goes; `None` if it is not below the space.
    pub fn apply(self, index: u128) -> Option<u128> {
        if index >= self.space {
            return None;
        }
        // The network permutes the next power of four; walking its cycle until the value is in the space again
        // permutes the space, and takes fewer than four steps on average.
        let mut value = self.network(index);
        while value >= self.space {
            value = self.network(value);
        }
        Some(value)
    }

    fn network(self, value: u128) -> u128 {
        let mask = u128::MAX >> (u128::BITS - self.half);
        let (mut left, mut right) = (value >> self.half, value & mask);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ (u128::from(self.mix(right, round)) & mask));
        }
        left << self.half | right
    }

    /// splitmix64's finalizer over the value, the key and the round. Only the low 64 bits of the value count, and
    /// half the bits of a `u128` space are never more.
    fn mix(self, value: u128, round: u64) -> u64 {
        let mut mixed = (value as u64)
            .wrapping_add(self.key)
            .wrapping_add(round.wrapping_mul(GOLDEN));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

/// `value` in base `base`, most significant digit first, in exactly `length` digits.
pub fn digits(mut value: u128, base: u128, length: usize) -> Vec<usize> {
    let mut digits = vec![0; length];
    for digit in digits.iter_mut().rev() {
        *digit = (value % base) as usize;
        value /= base;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_permutation(space in 1u128..3000, key: u64) {
            let permutation = Permutation::new(space, key);
            let mut values: Vec<u128> = (0..space).map(|index| permutation.apply(index).unwrap()).collect();
            values.sort_unstable();
            prop_assert!(values.into_iter().eq(0..space));
            prop_assert_eq!(permutation.apply(space), None);
        }

        #[test]
        fn wide_spaces_stay_inside_and_apart(space in (u128::MAX / 2)..u128::MAX, key: u64, index: u64) {
            let permutation = Permutation::new(space, key);
            let (one, two) = (permutation.apply(index.into()).unwrap(), permutation.apply(u128::from(index) + 1).unwrap());
            prop_assert!(one < space && two < space && one != two);
        }
    }

    #[test]
    fn digits_are_padded() {
        assert_eq!(digits(42, 10, 6), [0, 0, 0, 0, 4, 2]);
        assert_eq!(digits(0, 1, 3), [0, 0, 0]);
    }
}
