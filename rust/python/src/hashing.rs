//! Hashing of addresses and numbers that no stranger chooses.

use std::hash::{BuildHasherDefault, Hasher};

/// Makes hashers for maps whose keys are addresses or numbers of our own.
pub(crate) type Spreading = BuildHasherDefault<SpreadingHasher>;

/// Spreads addresses, whose low bits are alike, and small numbers, whose high bits are.
#[derive(Default)]
pub(crate) struct SpreadingHasher(u64);

impl Hasher for SpreadingHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        // 2^64 over the golden ratio; maps take the top and the bottom bits.
        self.0 = (self.0 ^ number)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
