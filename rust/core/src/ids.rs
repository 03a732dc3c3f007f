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
        if self.half <= u32::BITS {
            // The whole network fits 64 bits, which are a good deal faster.
            let mut value = self.narrow_network(index as u64);
            while u128::from(value) >= self.space {
                value = self.narrow_network(value);
            }
            return Some(value.into());
        }
        let mut value = self.network(index);
        while value >= self.space {
            value = self.network(value);
        }
        Some(value)
    }

    fn narrow_network(self, value: u64) -> u64 {
        let mask = (1 << self.half) - 1;
        let (mut left, mut right) = (value >> self.half, value & mask);
        for round in 0..ROUNDS {
            (left, right) = (right, left ^ (self.mix(right, round) & mask));
        }
        left << self.half | right
    }

    fn network(self, value: u128) -> u128 {
        let mask = u128::MAX >> (u128::BITS - self.half);
        let (mut left, mut right) = (value >> self.half, value & mask);
        for round in 0..ROUNDS {
            (left, right) = (
                right,
                left ^ (u128::from(self.mix(right as u64, round)) & mask),
            );
        }
        left << self.half | right
    }

    /// splitmix64's finalizer over the value, the key and the round. Half the bits of a space are never more than 64.
    fn mix(self, value: u64, round: u64) -> u64 {
        let mut mixed = value
            .wrapping_add(self.key)
            .wrapping_add(round.wrapping_mul(GOLDEN));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

/// A number base, at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    base: usize,
    /// 2^64 divided by the base, rounded up: the high half of its product with a number below 2^32 is that number divided
    /// by the base. 0 for bases that are not below 2^32, and for 1, in which all digits are 0.
    reciprocal: u64,
}

impl Base {
    /// The base.
    pub fn new(base: usize) -> Self {
        let reciprocal = match u32::try_from(base) {
            Ok(small) if small > 1 => u64::MAX / u64::from(small) + 1,
            _ => 0,
        };
        Base { base, reciprocal }
    }

    /// Gives the digits of `value` to `put`, least significant first, exactly `length` of them.
    #[inline]
    pub fn for_each_digit(self, mut value: u128, length: usize, mut put: impl FnMut(usize)) {
        let base = self.base;
        let mut left = length;
        // Each width is divided several times faster than the next one.
        while left > 0 && value > u64::MAX.into() {
            put((value % base as u128) as usize);
            value /= base as u128;
            left -= 1;
        }
        let mut value = value as u64;
        while left > 0 && (value > u32::MAX.into() || base > u32::MAX as usize) {
            put((value % base as u64) as usize);
            value /= base as u64;
            left -= 1;
        }
        for _ in 0..left {
            let quotient = ((u128::from(value) * u128::from(self.reciprocal)) >> u64::BITS) as u64;
            put((value - quotient * base as u64) as usize);
            value = quotient;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The quotient that the digits are made of is least sure where the number is large and the remainder small or large.
    #[test]
    fn digits_of_numbers_on_the_edge_are_exact() {
        for base in (2..70).chain([
            255,
            256,
            65_535,
            65_536,
            u32::MAX as usize - 1,
            u32::MAX as usize,
        ]) {
            let most = u64::from(u32::MAX) / base as u64 * base as u64;
            for value in [
                0,
                1,
                base as u64 - 1,
                base as u64,
                most - 1,
                most,
                u64::from(u32::MAX),
            ] {
                let mut digits = Vec::new();
                Base::new(base).for_each_digit(value.into(), 2, |digit| digits.push(digit as u64));
                let base = base as u64;
                assert_eq!(
                    digits,
                    [value % base, value / base % base],
                    "{value} in base {base}"
                );
            }
        }
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn digits_make_up_the_value(
            value: u128, narrow in 0u32..128, base in prop_oneof![2usize..300, 2usize..usize::MAX],
        ) {
            let value = value >> narrow;
            let (mut left, mut digits) = (value, Vec::new());
            Base::new(base).for_each_digit(value, 5, |digit| digits.push(digit));
            for digit in digits {
                prop_assert_eq!(digit as u128, left % base as u128);
                left /= base as u128;
            }
        }

        #[test]
        fn it_is_a_permutation(space in 1u128..3000, key: u64) {
            let permutation = Permutation::new(space, key);
            let mut values: Vec<u128> = (0..space).map(|index| permutation.apply(index).unwrap()).collect();
            values.sort_unstable();
            prop_assert!(values.into_iter().eq(0..space));
            prop_assert_eq!(permutation.apply(space), None);
        }

        #[test]
        fn narrow_networks_are_the_wide_one(half in 1u32..=32, key: u64, value: u64) {
            let permutation = Permutation { space: 1 << (2 * half), key, half };
            let value = value & (u64::MAX >> (64 - 2 * half));
            prop_assert_eq!(u128::from(permutation.narrow_network(value)), permutation.network(value.into()));
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
        let digits = |value, base, length| {
            let mut digits = Vec::new();
            Base::new(base).for_each_digit(value, length, |digit| digits.insert(0, digit));
            digits
        };
        assert_eq!(digits(42, 10, 6), [0, 0, 0, 0, 4, 2]);
        assert_eq!(digits(0, 1, 3), [0, 0, 0]);
        assert_eq!(digits(1 << 40, 1 << 33, 2), [1 << 7, 0]);
        let written = u128::MAX.to_string();
        let expected: Vec<usize> = written
            .bytes()
            .map(|digit| usize::from(digit - b'0'))
            .collect();
        assert_eq!(digits(u128::MAX, 10, 39), expected);
    }
}
