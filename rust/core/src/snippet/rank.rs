//! Bits that can be counted up to any place.

/// Bits being collected.
#[derive(Debug, Default)]
pub struct Bits {
    words: Vec<u64>,
    last: u64,
    filled: u32,
}

impl Bits {
    /// None yet, with room for so many.
    pub fn with_capacity(capacity: usize) -> Self {
        Bits {
            words: Vec::with_capacity(capacity / 64 + 1),
            ..Bits::default()
        }
    }

    /// Adds a bit.
    #[inline(always)]
    pub fn push(&mut self, bit: bool) {
        self.last |= u64::from(bit) << self.filled;
        self.filled += 1;
        if self.filled == u64::BITS {
            self.words.push(std::mem::take(&mut self.last));
            self.filled = 0;
        }
    }

    /// Adds the lowest `count` bits, fewer than 64; the others must be 0.
    #[inline(always)]
    pub fn push_many(&mut self, bits: u64, count: u32) {
        self.last |= bits << self.filled;
        self.filled += count;
        if self.filled >= u64::BITS {
            self.words.push(self.last);
            self.filled -= u64::BITS;
            // As many of the bits as did not fit; all did if `count` is 0, as then nothing was filled.
            self.last = bits >> (count - self.filled);
        }
    }

    /// The bits, to be counted.
    pub fn ranked(mut self) -> Rank {
        // Always a last word that is not full, so that the end can be looked up like any place.
        self.words.push(self.last);
        let mut ones = 0;
        let before = self
            .words
            .iter()
            .map(|word| {
                let before = ones;
                ones += word.count_ones() as usize;
                before
            })
            .collect();
        Rank {
            words: self.words,
            before,
        }
    }
}

/// Bits with counts.
#[derive(Debug)]
pub struct Rank {
    words: Vec<u64>,
    /// The ones before each word.
    before: Vec<usize>,
}

impl Rank {
    /// So many bits, all set.
    pub fn all(count: usize) -> Self {
        let mut bits = Bits {
            words: vec![u64::MAX; count / 64],
            last: 0,
            filled: 0,
        };
        bits.last = (1 << (count % 64)) - 1;
        bits.ranked()
    }

    /// The same with the bits at these places not set.
    pub fn without(&self, places: impl Iterator<Item = usize>) -> Self {
        let mut words = self.words.clone();
        for place in places {
            words[place / 64] &= !(1 << (place % 64));
        }
        let last = words.pop().unwrap_or_default();
        Bits {
            words,
            last,
            filled: 0,
        }
        .ranked()
    }

    /// The place of the first bit that is set from `place` on.
    #[inline]
    pub fn next_one(&self, place: usize) -> Option<usize> {
        let mut word = place / 64;
        let mut bits = self.words.get(word)? & u64::MAX << (place % 64);
        while bits == 0 {
            word += 1;
            bits = *self.words.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Bytes of memory that so many bits take.
    pub fn heap_bytes_of(bits: usize) -> usize {
        (bits / 64 + 1) * (size_of::<u64>() + size_of::<usize>())
    }

    /// How many bits before `place` are set.
    #[inline(always)]
    pub fn ones_before(&self, place: usize) -> usize {
        let below = (1 << (place % 64)) - 1;
        self.before[place / 64] + (self.words[place / 64] & below).count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn bits_are_added_in_any_portions(portions in proptest::collection::vec((any::<u64>(), 0u32..64), 0..40)) {
            let (mut together, mut one_by_one) = (Bits::default(), Bits::default());
            let mut all = 0;
            for (bits, count) in portions {
                together.push_many(bits & ((1 << count) - 1), count);
                (0..count).for_each(|at| one_by_one.push(bits >> at & 1 != 0));
                all += count as usize;
            }
            let (together, one_by_one) = (together.ranked(), one_by_one.ranked());
            for place in 0..=all {
                prop_assert_eq!(together.ones_before(place), one_by_one.ones_before(place));
            }
        }

        #[test]
        fn bits_are_cleared_and_found(count in 0usize..300, places in proptest::collection::vec(any::<usize>(), 0..400)) {
            let places: Vec<usize> = places.into_iter().filter(|_| count > 0).map(|place| place % count).collect();
            let rank = Rank::all(count).without(places.iter().copied());
            let left: Vec<usize> = (0..count).filter(|place| !places.contains(place)).collect();
            for place in 0..=count + 70 {
                prop_assert_eq!(rank.next_one(place), left.iter().copied().find(|&one| one >= place));
            }
            for place in 0..=count {
                prop_assert_eq!(rank.ones_before(place), left.iter().filter(|&&one| one < place).count());
            }
        }

        #[test]
        fn ones_are_counted(bits in proptest::collection::vec(any::<bool>(), 0..300)) {
            let mut collected = Bits::default();
            bits.iter().for_each(|&bit| collected.push(bit));
            let rank = collected.ranked();
            for place in 0..=bits.len() {
                let expected = bits[..place].iter().filter(|&&bit| bit).count();
                prop_assert_eq!(rank.ones_before(place), expected);
            }
        }
    }
}
