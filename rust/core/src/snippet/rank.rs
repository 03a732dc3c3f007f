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
    /// How many bits before `place` are set.
    #[inline]
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
