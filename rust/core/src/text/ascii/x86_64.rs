//! SSE2, which every x86-64 has, and AVX2 and AVX-512, chosen at run time.

use std::arch::x86_64::*;

use super::{Vector, Work};

/// Whether this machine has what `run_avx512` is compiled for.
pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") && has_avx2()
}

/// Whether this machine has what `run_avx2` is compiled for.
pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Does the work with AVX-512.
///
/// # Safety
/// [`has_avx512`] must hold.
#[target_feature(enable = "avx512f,avx512bw,avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn run_avx512<W: Work>(work: W) -> W::Output {
    // SAFETY: this function has AVX-512F and AVX-512BW.
    unsafe { work.run::<__m512i>() }
}

/// Does the work with AVX2.
///
/// # Safety
/// [`has_avx2`] must hold.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn run_avx2<W: Work>(work: W) -> W::Output {
    // SAFETY: this function has AVX2.
    unsafe { work.run::<__m256i>() }
}

/// Does the work with SSE2.
///
/// # Safety
/// None is needed: SSE2 is part of x86-64.
pub(super) unsafe fn run_sse2<W: Work>(work: W) -> W::Output {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { work.run::<__m128i>() }
}

/// How far `a` lies below the least signed byte: added, it makes an unsigned range test a signed one.
const A_TO_LEAST: i8 = i8::MIN.wrapping_sub(b'a' as i8);
const ZERO_TO_LEAST: i8 = i8::MIN.wrapping_sub(b'0' as i8);
const PAST_LETTERS: i8 = i8::MIN + 26;
const PAST_DIGITS: i8 = i8::MIN + 10;

impl Vector for __m128i {
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller vouches for sixteen readable bytes; this load needs no alignment.
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { mask128(_mm_cmpeq_epi8(self, _mm_set1_epi8(byte as i8))) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller vouches for sixteen writable bytes; this store needs no alignment.
        unsafe { _mm_storeu_si128(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn lowercase(self) -> (Self, u64) {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let bit = _mm_set1_epi8(0x20);
            let shifted = _mm_add_epi8(_mm_or_si128(self, bit), _mm_set1_epi8(A_TO_LEAST));
            let letters = _mm_cmplt_epi8(shifted, _mm_set1_epi8(PAST_LETTERS));
            (
                _mm_or_si128(self, _mm_and_si128(letters, bit)),
                mask128(letters),
            )
        }
    }

    #[inline(always)]
    unsafe fn digits(self) -> u64 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let shifted = _mm_add_epi8(self, _mm_set1_epi8(ZERO_TO_LEAST));
            mask128(_mm_cmplt_epi8(shifted, _mm_set1_epi8(PAST_DIGITS)))
        }
    }

    #[inline(always)]
    unsafe fn high_bits(self) -> u64 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { mask128(self) }
    }
}

#[inline(always)]
unsafe fn mask128(vector: __m128i) -> u64 {
    // SAFETY: SSE2 is part of x86-64.
    u64::from(unsafe { _mm_movemask_epi8(vector) } as u16)
}

impl Vector for __m256i {
    const LANES: usize = 32;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller vouches for AVX2 and 32 readable bytes; this load needs no alignment.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        // SAFETY: the caller vouches for AVX2.
        unsafe { mask256(_mm256_cmpeq_epi8(self, _mm256_set1_epi8(byte as i8))) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller vouches for AVX2 and 32 writable bytes; this store needs no alignment.
        unsafe { _mm256_storeu_si256(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn lowercase(self) -> (Self, u64) {
        // SAFETY: the caller vouches for AVX2.
        unsafe {
            let bit = _mm256_set1_epi8(0x20);
            let shifted = _mm256_add_epi8(_mm256_or_si256(self, bit), _mm256_set1_epi8(A_TO_LEAST));
            let letters = _mm256_cmpgt_epi8(_mm256_set1_epi8(PAST_LETTERS), shifted);
            (
                _mm256_or_si256(self, _mm256_and_si256(letters, bit)),
                mask256(letters),
            )
        }
    }

    #[inline(always)]
    unsafe fn digits(self) -> u64 {
        // SAFETY: the caller vouches for AVX2.
        unsafe {
            let shifted = _mm256_add_epi8(self, _mm256_set1_epi8(ZERO_TO_LEAST));
            mask256(_mm256_cmpgt_epi8(_mm256_set1_epi8(PAST_DIGITS), shifted))
        }
    }

    #[inline(always)]
    unsafe fn high_bits(self) -> u64 {
        // SAFETY: the caller vouches for AVX2.
        unsafe { mask256(self) }
    }
}

#[inline(always)]
unsafe fn mask256(vector: __m256i) -> u64 {
    // SAFETY: the caller vouches for AVX2.
    u64::from(unsafe { _mm256_movemask_epi8(vector) } as u32)
}

impl Vector for __m512i {
    const LANES: usize = 64;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller vouches for AVX-512 and 64 readable bytes; this load needs no alignment.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn equal(self, byte: u8) -> u64 {
        // SAFETY: the caller vouches for AVX-512.
        unsafe { _mm512_cmpeq_epi8_mask(self, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller vouches for AVX-512 and 64 writable bytes; this store needs no alignment.
        unsafe { _mm512_storeu_si512(to.cast(), self) }
    }

    #[inline(always)]
    unsafe fn lowercase(self) -> (Self, u64) {
        // SAFETY: the caller vouches for AVX-512.
        unsafe {
            let folded = _mm512_or_si512(self, _mm512_set1_epi8(0x20));
            let from_a = _mm512_sub_epi8(folded, _mm512_set1_epi8(b'a' as i8));
            let letters = _mm512_cmplt_epu8_mask(from_a, _mm512_set1_epi8(26));
            (_mm512_mask_mov_epi8(self, letters, folded), letters)
        }
    }

    #[inline(always)]
    unsafe fn digits(self) -> u64 {
        // SAFETY: the caller vouches for AVX-512.
        unsafe {
            let from_zero = _mm512_sub_epi8(self, _mm512_set1_epi8(b'0' as i8));
            _mm512_cmplt_epu8_mask(from_zero, _mm512_set1_epi8(10))
        }
    }

    #[inline(always)]
    unsafe fn high_bits(self) -> u64 {
        // SAFETY: the caller vouches for AVX-512.
        unsafe { _mm512_movepi8_mask(self) }
    }
}
