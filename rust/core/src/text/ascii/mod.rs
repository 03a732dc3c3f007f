//! Word boundaries of ASCII, 64 bytes at a time.
//!
//! One generic algorithm classifies a block over a small `Vector` trait; the thin modules below implement it for the
//! instruction sets. In ASCII the rules of UAX #29 reduce to masks: letters, digits and `_` stick together, and one
//! middle character joins a letter to a letter or a digit to a digit.

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

/// Bytes that are classified at once.
pub const BLOCK: usize = 64;

/// Bytes that must be readable from the start of a block: a token's first eight bytes may be read past its end.
pub const READABLE: usize = BLOCK + 8;

/// What each byte of a block is, bit by bit from the first byte up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masks {
    /// Letters, digits, `_`, and middle characters that join two of them within the block.
    pub token: u64,
    /// Letters and digits.
    pub word_like: u64,
    /// Middle characters: `'`, `.`, `:`, `,` and `;`.
    pub middle: u64,
    /// The space.
    pub space: u64,
    /// Bytes of other code points than ASCII.
    pub non_ascii: u64,
}

/// Some bytes in a register, each compared at once; masks have a bit a byte, the first byte's lowest.
pub(super) trait Vector: Copy {
    /// Bytes per vector.
    const LANES: usize;

    /// Loads `LANES` bytes.
    ///
    /// # Safety
    /// `LANES` bytes must be readable at `from`, and the instruction set must be there.
    unsafe fn load(from: *const u8) -> Self;

    /// Stores `LANES` bytes.
    ///
    /// # Safety
    /// `LANES` bytes must be writable at `to`, and the instruction set must be there.
    unsafe fn store(self, to: *mut u8);

    /// The bytes with bit 5 set in those that are letters of ASCII, and a mask of these.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn lowercase(self) -> (Self, u64);

    /// Which bytes equal `byte`.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn equal(self, byte: u8) -> u64;

    /// Which bytes are from `0` to `9`.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn digits(self) -> u64;

    /// Which bytes have their highest bit set.
    ///
    /// # Safety
    /// The instruction set must be there.
    unsafe fn high_bits(self) -> u64;
}

/// A block in lowercase, and what its bytes are.
pub(super) struct Classified {
    /// The block and the eight bytes after it; ASCII letters in lowercase.
    pub(super) lowercase: [u8; READABLE],
    pub(super) masks: Masks,
}

/// Classifies a block.
///
/// # Safety
/// The instruction set of `V` must be there.
#[inline(always)]
pub(super) unsafe fn classify<V: Vector>(block: &[u8; READABLE]) -> Classified {
    let (mut letter, mut digit, mut underscore, mut non_ascii, mut space) = (0, 0, 0, 0, 0);
    let (mut either, mut colon, mut number) = (0, 0, 0);
    let mut lowercase = *block;
    let mut at = 0;
    while at < BLOCK {
        // SAFETY: `at` is a multiple of LANES, which divides BLOCK, so that LANES bytes follow in both arrays; the
        // caller vouches for the instruction set.
        unsafe {
            let bytes = V::load(block.as_ptr().add(at));
            let (lowered, letters) = bytes.lowercase();
            lowered.store(lowercase.as_mut_ptr().add(at));
            letter |= letters << at;
            digit |= bytes.digits() << at;
            underscore |= bytes.equal(b'_') << at;
            either |= (bytes.equal(b'\'') | bytes.equal(b'.')) << at;
            colon |= bytes.equal(b':') << at;
            number |= (bytes.equal(b',') | bytes.equal(b';')) << at;
            space |= bytes.equal(b' ') << at;
            non_ascii |= bytes.high_bits() << at;
        }
        at += V::LANES;
    }
    lowercase[BLOCK..].make_ascii_lowercase();
    // WB6, WB7: letters on both sides. WB11, WB12: digits on both sides.
    let joins_letters = (either | colon) & letter << 1 & letter >> 1;
    let joins_digits = (either | number) & digit << 1 & digit >> 1;
    Classified {
        lowercase,
        masks: Masks {
            token: letter | digit | underscore | joins_letters | joins_digits,
            word_like: letter | digit,
            middle: either | colon | number,
            space,
            non_ascii,
        },
    }
}

/// Work that is compiled once for each instruction set.
pub(super) trait Work {
    /// What it gives.
    type Output;

    /// Does it. Must be inlined, to be compiled for the instruction set of its caller.
    ///
    /// # Safety
    /// The instruction set of `V` must be there.
    unsafe fn run<V: Vector>(self) -> Self::Output;
}

/// An instruction set that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionSet(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code)] // Each machine has its own.
enum Kind {
    Avx512,
    Avx2,
    Sse2,
    Neon,
    Portable,
}

impl InstructionSet {
    /// Those that this machine has and this crate uses, best first; the last one is always there.
    pub fn available() -> Vec<InstructionSet> {
        let mut kinds = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if x86_64::has_avx512() {
                kinds.push(Kind::Avx512);
            }
            if x86_64::has_avx2() {
                kinds.push(Kind::Avx2);
            }
            kinds.push(Kind::Sse2);
        }
        #[cfg(target_arch = "aarch64")]
        kinds.push(Kind::Neon);
        kinds.push(Kind::Portable);
        kinds.into_iter().map(InstructionSet).collect()
    }

    /// The best one that this machine has.
    pub fn best() -> InstructionSet {
        InstructionSet::available()[0]
    }

    /// `avx512`, `avx2`, `sse2`, `neon` or `portable`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Avx512 => "avx512",
            Kind::Avx2 => "avx2",
            Kind::Sse2 => "sse2",
            Kind::Neon => "neon",
            Kind::Portable => "portable",
        }
    }

    /// Does the work with this instruction set.
    #[inline]
    pub(super) fn run<W: Work>(self, work: W) -> W::Output {
        match self.0 {
            // SAFETY: a value of this type is only made where its instruction set was found.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { x86_64::run_avx512(work) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { x86_64::run_avx2(work) },
            // SAFETY: SSE2 is part of x86-64.
            #[cfg(target_arch = "x86_64")]
            Kind::Sse2 => unsafe { x86_64::run_sse2(work) },
            // SAFETY: NEON is part of AArch64.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { aarch64::run(work) },
            // SAFETY: needs no instruction set.
            _ => unsafe { work.run::<portable::Word>() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::some_of;
    use proptest::prelude::*;

    fn bit(block: &[u8; BLOCK], test: impl Fn(usize, u8) -> bool) -> u64 {
        (0..BLOCK)
            .filter(|&at| test(at, block[at]))
            .map(|at| 1 << at)
            .sum()
    }

    fn naive(block: &[u8; BLOCK]) -> Masks {
        let letter = |byte: u8| byte.is_ascii_alphabetic();
        let digit = |byte: u8| byte.is_ascii_digit();
        let between = |at: usize, of: fn(&u8) -> bool| {
            at > 0 && at + 1 < BLOCK && of(&block[at - 1]) && of(&block[at + 1])
        };
        let joins = |at: usize, byte: u8| {
            b"'.:".contains(&byte) && between(at, u8::is_ascii_alphabetic)
                || b"'.,;".contains(&byte) && between(at, u8::is_ascii_digit)
        };
        Masks {
            token: bit(block, |at, byte| {
                letter(byte) || digit(byte) || byte == b'_' || joins(at, byte)
            }),
            word_like: bit(block, |_, byte| letter(byte) || digit(byte)),
            middle: bit(block, |_, byte| b"'.:,;".contains(&byte)),
            space: bit(block, |_, byte| byte == b' '),
            non_ascii: bit(block, |_, byte| !byte.is_ascii()),
        }
    }

    struct Once<'a>(&'a [u8; READABLE]);

    impl Work for Once<'_> {
        type Output = Classified;
        #[inline(always)]
        unsafe fn run<V: Vector>(self) -> Classified {
            // SAFETY: the caller vouches for the instruction set.
            unsafe { classify::<V>(self.0) }
        }
    }

    fn check(block: &[u8; BLOCK]) {
        let mut readable = [b'X'; READABLE];
        readable[..BLOCK].copy_from_slice(block);
        for set in InstructionSet::available() {
            let classified = set.run(Once(&readable));
            assert_eq!(classified.masks, naive(block), "{set:?} on {block:?}");
            assert_eq!(
                classified.lowercase,
                readable.map(|byte| byte.to_ascii_lowercase()),
                "{set:?}"
            );
        }
    }

    #[test]
    fn instruction_sets_have_names_of_their_own() {
        let names: Vec<&str> = InstructionSet::available()
            .into_iter()
            .map(InstructionSet::name)
            .collect();
        println!("instruction sets: {}", names.join(", "));
        assert_eq!(names.last(), Some(&"portable"));
        for (number, name) in names.iter().enumerate() {
            assert!(!names[..number].contains(name), "{name} twice");
        }
    }

    #[test]
    fn every_byte_in_every_place() {
        for byte in some_of(41, 0..=u8::MAX) {
            check(&[byte; BLOCK]);
            for at in some_of(21, 0..BLOCK) {
                for around in [b' ', b'a', b'7', 0xFF] {
                    let mut block = [around; BLOCK];
                    block[at] = byte;
                    check(&block);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn arbitrary_blocks(bytes in proptest::collection::vec(any::<u8>(), BLOCK)) {
            check(bytes.as_slice().try_into().unwrap());
        }

        #[test]
        fn blocks_of_what_matters(bytes in proptest::collection::vec(
            proptest::sample::select(b"aZ09_'.:,; \n@[`{/\x7f\x80\xc3\xff".to_vec()), BLOCK,
        )) {
            check(bytes.as_slice().try_into().unwrap());
        }
    }
}
