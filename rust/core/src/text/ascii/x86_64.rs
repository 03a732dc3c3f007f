//! SSE2, which every x86-64 has, and AVX2 and AVX-512, chosen at run time.

use std::arch::x86_64::*;

use super::{whole, Beyond, Terms, Vector, Work, BLOCK, READABLE};
use crate::text::letters::{kind, Row, LETTERS};
use crate::text::term::{Found, Lookup, TERMS};

/// Whether this machine has what `run_avx512` is compiled for.
pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && has_avx2()
}

/// Whether this machine has what `run_avx2` is compiled for.
pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Does the work with AVX-512, as processors have it that can permute bytes.
///
/// # Safety
/// [`has_avx512`] must hold.
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt"
)]
pub(super) unsafe fn run_avx512<W: Work>(work: W) -> W::Output {
    // SAFETY: this function has all of AVX-512 that the vector uses.
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

/// The highest bit of each byte.
///
/// # Safety
/// None is needed: SSE2 is part of x86-64.
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

/// The highest bit of each byte.
///
/// # Safety
/// AVX2 must be there.
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

    #[inline(always)]
    unsafe fn beyond_ascii(
        block: &[u8; READABLE],
        high: u64,
        lowercase: &mut [u8; READABLE],
    ) -> Beyond {
        // SAFETY: the caller vouches for AVX-512.
        unsafe { beyond_ascii(block, high, lowercase) }
    }

    #[inline(always)]
    unsafe fn places(mask: u64, to: &mut [u8; BLOCK]) {
        // SAFETY: the caller vouches for AVX-512; `to` has 64 bytes.
        unsafe {
            let places = _mm512_maskz_compress_epi8(mask, row(&NUMBERS));
            _mm512_storeu_si512(to.as_mut_ptr().cast(), places);
        }
    }

    #[inline(always)]
    unsafe fn look_up(terms: &Terms<'_>, lookup: &Lookup<'_>) -> Found {
        let mut all = Found::default();
        let count = terms.count();
        const { assert!(READABLE >= BLOCK && TERMS.is_multiple_of(8)) };
        // SAFETY: the caller vouches for AVX-512. A block's bytes are read whole. A slot is named by the highest 64 -
        // shift bits of a product, and there is a slot for each of these numbers.
        unsafe {
            let lowercase = _mm512_loadu_si512(terms.lowercase.as_ptr().cast());
            let starts = _mm512_maskz_compress_epi8(terms.start_mask, row(&NUMBERS));
            let ends = _mm512_maskz_compress_epi8(terms.end_mask, row(&NUMBERS));
            let within = row(&WITHIN_EIGHT);
            let multiplier = _mm512_set1_epi64(lookup.multiplier() as i64);
            let shift = _mm_cvtsi32_si128(lookup.shift() as i32);
            let filter = _mm512_loadu_si512(lookup.filter().0.as_ptr().cast());
            // The number of each of eight terms, in all of its eight bytes.
            let mut numbers = row(&EIGHT_TIMES);
            let mut first = 0;
            while first < count {
                let starts = _mm512_permutexvar_epi8(numbers, starts);
                let ends = _mm512_permutexvar_epi8(numbers, ends);
                numbers = _mm512_add_epi8(numbers, _mm512_set1_epi8(8));
                let inside = _mm512_cmplt_epu8_mask(within, _mm512_sub_epi8(ends, starts));
                let bytes = _mm512_add_epi8(starts, within);
                let prefixes = _mm512_maskz_permutexvar_epi8(inside, bytes, lowercase);
                let products = _mm512_mullo_epi64(prefixes, multiplier);
                let slots = _mm512_i64gather_epi64::<8>(
                    _mm512_srl_epi64(products, shift),
                    lookup.slots().as_ptr().cast(),
                );
                let dropped = _mm512_cmpeq_epi64_mask(slots, prefixes);
                let longer = _mm512_test_epi64_mask(prefixes, _mm512_set1_epi64(0xFF << 56));
                // A filter's word by three bits of the product, its bit by the next six.
                let words = _mm512_permutexvar_epi64(_mm512_srli_epi64::<61>(products), filter);
                let places =
                    _mm512_and_si512(_mm512_srli_epi64::<55>(products), _mm512_set1_epi64(63));
                let bits = _mm512_srlv_epi64(words, places);
                let wanted = _mm512_test_epi64_mask(bits, _mm512_set1_epi64(1));
                all.dropped |= u32::from(dropped) << first;
                all.unsure |= u32::from(dropped & longer) << first;
                all.wanted |= u32::from(wanted) << first;
                first += 8;
            }
        }
        // Beyond the last term all prefixes are 0, which is not unsure.
        let asked = super::super::scan::lowest(count) as u32;
        all.dropped &= asked;
        all.wanted &= asked;
        all
    }
}

/// 0, 1, …, 63.
const NUMBERS: Row = {
    let mut numbers = [0; 64];
    let mut at = 0;
    while at < 64 {
        numbers[at] = at as u8;
        at += 1;
    }
    numbers
};

/// 0 to 7 in each eight bytes.
const WITHIN_EIGHT: Row = {
    let mut within = [0; 64];
    let mut at = 0;
    while at < 64 {
        within[at] = (at % 8) as u8;
        at += 1;
    }
    within
};

/// Each of 0 to 7, eight times.
const EIGHT_TIMES: Row = {
    let mut times = [0; 64];
    let mut at = 0;
    while at < 64 {
        times[at] = (at / 8) as u8;
        at += 1;
    }
    times
};

/// The bytes of a row.
///
/// # Safety
/// AVX-512 must be there.
#[inline(always)]
unsafe fn row(row: &Row) -> __m512i {
    // SAFETY: the caller vouches for AVX-512; a row has 64 bytes.
    unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
}

/// See [`Vector::beyond_ascii`]: lead byte by lead byte, as few are different in one block.
///
/// # Safety
/// AVX-512 must be there, byte permutation included.
#[inline(always)]
unsafe fn beyond_ascii(
    block: &[u8; READABLE],
    high: u64,
    lowercase: &mut [u8; READABLE],
) -> Beyond {
    let letters = &*LETTERS;
    let mut beyond = Beyond::default();
    const { assert!(READABLE >= BLOCK + 2) };
    // SAFETY: the caller vouches for AVX-512. 64 bytes are read from 0, 1 and 2 on, and 64 written.
    unsafe {
        let bytes = _mm512_loadu_si512(block.as_ptr().cast());
        let second = _mm512_loadu_si512(block.as_ptr().add(1).cast());
        let third = _mm512_loadu_si512(block.as_ptr().add(2).cast());
        let mut lowered = _mm512_loadu_si512(lowercase.as_ptr().cast());
        let below = |limit: u8| _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(limit as i8));
        let marked =
            |kinds: __m512i, kind: u8| _mm512_test_epi8_mask(kinds, _mm512_set1_epi8(kind as i8));
        let equal =
            |bytes: __m512i, byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
        beyond.continuation = high & below(0xC0);

        // Code points of two bytes that end in the block.
        let mut left = high & !below(0xC0) & below(0xE0) & !(1 << 63);
        while left != 0 {
            let lead = block[left.trailing_zeros() as usize % BLOCK];
            let here = left & equal(bytes, lead);
            left &= !here;
            let pairs = &letters.pairs[usize::from(lead % 32)];
            let kinds = _mm512_permutexvar_epi8(second, row(&pairs.kinds));
            let letter = here & marked(kinds, kind::LETTER);
            beyond.letter |= whole::<2>(letter);
            beyond.digit |= whole::<2>(here & marked(kinds, kind::DIGIT));
            beyond.other |= whole::<2>(here & marked(kinds, kind::OTHER));
            let leads = row(&pairs.lead);
            lowered = _mm512_mask_permutexvar_epi8(lowered, letter, second, leads);
            let lasts = row(&pairs.last);
            lowered = _mm512_mask_permutexvar_epi8(lowered, letter << 1, bytes, lasts);
        }

        // Code points of three bytes that end in the block: by their second byte, and some by their third.
        let mut left = high & !below(0xE0) & below(0xF0) & !(3 << 62);
        while left != 0 {
            let lead = block[left.trailing_zeros() as usize % BLOCK];
            let here = left & equal(bytes, lead);
            left &= !here;
            let kinds = row(&letters.rows[usize::from(lead % 16)]);
            let kinds = _mm512_permutexvar_epi8(second, kinds);
            beyond.letter |= whole::<3>(here & marked(kinds, kind::LETTER));
            beyond.digit |= whole::<3>(here & marked(kinds, kind::DIGIT));
            beyond.other |= whole::<3>(here & marked(kinds, kind::OTHER));
            beyond.middle |= here & marked(kinds, kind::MIDDLE);
            let mut mixed = here & marked(kinds, kind::MIXED);
            while mixed != 0 {
                let then = block[(mixed.trailing_zeros() as usize + 1) % READABLE];
                let here = mixed & equal(second, then);
                mixed &= !here;
                let triples = letters.triples(lead, then);
                let kinds = _mm512_permutexvar_epi8(third, row(&triples.kinds));
                let letter = here & marked(kinds, kind::LETTER);
                beyond.letter |= whole::<3>(letter);
                beyond.digit |= whole::<3>(here & marked(kinds, kind::DIGIT));
                beyond.other |= whole::<3>(here & marked(kinds, kind::OTHER));
                beyond.middle |= here & marked(kinds, kind::MIDDLE);
                let lasts = row(&triples.last);
                lowered = _mm512_mask_permutexvar_epi8(lowered, letter << 2, bytes, lasts);
            }
        }
        _mm512_storeu_si512(lowercase.as_mut_ptr().cast(), lowered);
    }
    beyond
}
