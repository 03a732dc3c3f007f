//! Terms as numbers: the first eight bytes of a term tell most terms apart without a look at the rest.

/// The first eight bytes of a term, the first one lowest, zeros after its end. A term has no zero byte but as a first
/// one, so that a prefix whose highest byte is zero is a whole term, and no prefix is 0.
#[inline]
pub fn prefix(term: &[u8]) -> u64 {
    match term.first_chunk::<8>() {
        Some(first) => u64::from_le_bytes(*first),
        None => {
            let mut bytes = [0; 8];
            bytes[..term.len()].copy_from_slice(term);
            u64::from_le_bytes(bytes)
        }
    }
}

/// The prefix of the term `bytes[start..end]`; what comes after it may be read, but does not count.
#[inline(always)]
pub fn prefix_in(bytes: &[u8], start: usize, end: usize) -> u64 {
    match bytes[start..].first_chunk::<8>() {
        Some(first) => {
            let length = (end - start).min(8) as u32;
            u64::from_le_bytes(*first) & u64::MAX >> (64 - 8 * length)
        }
        None => prefix(&bytes[start..end]),
    }
}

/// A number whose high bits depend on all bits of `prefix`.
#[inline(always)]
pub fn spread(prefix: u64) -> u64 {
    // 2^64 divided by the golden ratio, once more after folding: one multiplication leaves low bits out of reach.
    let product = u128::from(prefix) * 0x9E37_79B9_7F4A_7C15;
    (product as u64) ^ (product >> 64) as u64
}
