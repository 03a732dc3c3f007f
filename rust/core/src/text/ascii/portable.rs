//! Eight bytes at a time in an ordinary register, for machines without a known vector instruction set.

use super::Vector;

#[derive(Clone, Copy)]
pub(super) struct Word(u64);

const ONES: u64 = u64::from_le_bytes([0x01; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// A bit for each byte from its highest bit; the others are not looked at.
#[inline(always)]
fn gather(highs: u64) -> u64 {
    // The multiplication adds bit 8i + 7 in at bit 56 + i; no two of the partial products meet in one bit.
    ((highs & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The highest bit of each byte tells whether its lower seven bits are at least `least`, which is 1 to 0x80.
#[inline(always)]
fn at_least(low_bits: u64, least: u8) -> u64 {
    // No byte's sum passes 0xFF, so that nothing is carried into the next.
    low_bits + ONES * u64::from(0x80 - least)
}

impl Word {
    /// The highest bit of each byte from `low` to `high`, which are ASCII.
    #[inline(always)]
    fn highs_between(self, low: u8, high: u8) -> u64 {
        let low_bits = self.0 & !HIGH;
        at_least(low_bits, low) & !at_least(low_bits, high + 1) & !self.0 & HIGH
    }

    #[inline(always)]
    fn between(self, low: u8, high: u8) -> u64 {
        gather(self.highs_between(low, high))
    }
}

impl Vector for Word {
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller vouches for eight readable bytes; they need not be aligned.
        Word(u64::from_le_bytes(unsafe { from.cast::<[u8; 8]>().read() }))
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        self.between(byte, byte)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller vouches for eight writable bytes; they need not be aligned.
        unsafe { to.cast::<[u8; 8]>().write(self.0.to_le_bytes()) }
    }

    #[inline(always)]
    unsafe fn lowercase(self) -> (Self, u64) {
        let upper = self.highs_between(b'A', b'Z');
        let lowercase = Word(self.0 | upper >> 2);
        (lowercase, lowercase.between(b'a', b'z'))
    }

    #[inline(always)]
    unsafe fn digits(self) -> u64 {
        self.between(b'0', b'9')
    }

    #[inline(always)]
    unsafe fn high_bits(self) -> u64 {
        gather(self.0)
    }
}
