//! NEON, which every AArch64 has.

use std::arch::aarch64::*;

use super::{Vector, Work};

/// Does the work with NEON.
///
/// # Safety
/// None is needed: NEON is part of AArch64.
pub(super) unsafe fn run<W: Work>(work: W) -> W::Output {
    // SAFETY: NEON is part of AArch64.
    unsafe { work.run::<uint8x16_t>() }
}

/// The bit of each byte within its half of a vector.
const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// A bit for each byte that is all ones; the others are zero.
///
/// # Safety
/// None is needed: NEON is part of AArch64.
#[inline(always)]
unsafe fn gather(bytes: uint8x16_t) -> u64 {
    // SAFETY: NEON is part of AArch64, and BITS has sixteen bytes.
    unsafe {
        let bits = vandq_u8(bytes, vld1q_u8(BITS.as_ptr()));
        u64::from(vaddv_u8(vget_low_u8(bits))) | u64::from(vaddv_u8(vget_high_u8(bits))) << 8
    }
}

impl Vector for uint8x16_t {
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller vouches for sixteen readable bytes.
        unsafe { vld1q_u8(from) }
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        // SAFETY: NEON is part of AArch64.
        unsafe { gather(vceqq_u8(self, vdupq_n_u8(byte))) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller vouches for sixteen writable bytes.
        unsafe { vst1q_u8(to, self) }
    }

    #[inline(always)]
    unsafe fn lowercase(self) -> (Self, u64) {
        // SAFETY: NEON is part of AArch64.
        unsafe {
            let bit = vdupq_n_u8(0x20);
            let from_a = vsubq_u8(vorrq_u8(self, bit), vdupq_n_u8(b'a'));
            let letters = vcltq_u8(from_a, vdupq_n_u8(26));
            (vorrq_u8(self, vandq_u8(letters, bit)), gather(letters))
        }
    }

    #[inline(always)]
    unsafe fn digits(self) -> u64 {
        // SAFETY: NEON is part of AArch64.
        unsafe { gather(vcltq_u8(vsubq_u8(self, vdupq_n_u8(b'0')), vdupq_n_u8(10))) }
    }

    #[inline(always)]
    unsafe fn high_bits(self) -> u64 {
        // SAFETY: NEON is part of AArch64.
        unsafe { gather(vcgeq_u8(self, vdupq_n_u8(0x80))) }
    }
}
