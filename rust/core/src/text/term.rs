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

/// What is asked of terms by their prefixes: whether a language drops them, and whether a query may hold them.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    multiplier: u64,
    shift: u32,
    slots: &'a [u64],
    filter: Filter,
}

/// What prefixes tell of the terms of a batch, a bit a term from the lowest up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Terms whose prefix is a stopword's.
    pub dropped: u32,
    /// Those of them that are longer than a prefix, perhaps: their other bytes decide.
    pub unsure: u32,
    /// Terms that the query may hold.
    pub wanted: u32,
}

/// Terms in a batch, at most.
pub const TERMS: usize = 32;

impl<'a> Lookup<'a> {
    /// Finds stopwords in `slots`, at the highest bits of a prefix's product with `multiplier`; 0 is an empty slot.
    ///
    /// # Panics
    /// If there are not 2^(64 - `shift`) slots.
    pub fn new(multiplier: u64, shift: u32, slots: &'a [u64], filter: Filter) -> Self {
        assert!((1..64).contains(&shift) && slots.len() == 1 << (64 - shift));
        Lookup {
            multiplier,
            shift,
            slots,
            filter,
        }
    }

    /// What the highest bits of a term are found by.
    #[inline(always)]
    pub fn product(&self, prefix: u64) -> u64 {
        prefix.wrapping_mul(self.multiplier)
    }

    /// Whether the prefix with this product is a stopword's.
    #[inline(always)]
    pub fn is_slotted(&self, prefix: u64, product: u64) -> bool {
        self.slots[(product >> self.shift) as usize] == prefix
    }

    /// Whether the query may hold a term whose prefix has this product.
    #[inline(always)]
    pub fn is_wanted(&self, product: u64) -> bool {
        self.filter.may_hold(product)
    }

    /// Looks up a term: as [`Found`] tells of each of a batch.
    #[inline(always)]
    pub fn look_up(&self, prefix: u64) -> Found {
        let product = self.product(prefix);
        let dropped = u32::from(self.is_slotted(prefix, product));
        Found {
            dropped,
            unsure: dropped & u32::from(may_be_longer(prefix)),
            wanted: u32::from(self.is_wanted(product)),
        }
    }

    /// The multiplier of prefixes.
    pub(super) fn multiplier(&self) -> u64 {
        self.multiplier
    }

    /// How far to shift a product for its slot.
    pub(super) fn shift(&self) -> u32 {
        self.shift
    }

    /// The slots: as many as shifted products may name.
    pub(super) fn slots(&self) -> &'a [u64] {
        self.slots
    }

    /// The query's filter.
    pub(super) fn filter(&self) -> &Filter {
        &self.filter
    }
}

/// Whether a term with this prefix may have more bytes.
#[inline(always)]
pub fn may_be_longer(prefix: u64) -> bool {
    prefix >> 56 != 0
}

/// A set of 512 bits, of which products select one by their highest nine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter(pub(super) [u64; 8]);

impl Filter {
    /// Adds a term by its prefix's product.
    pub fn add(&mut self, product: u64) {
        self.0[(product >> 61) as usize] |= 1 << (product >> 55 & 63);
    }

    /// Whether a term with this product may have been added.
    #[inline(always)]
    pub fn may_hold(&self, product: u64) -> bool {
        self.0[(product >> 61) as usize] >> (product >> 55 & 63) & 1 != 0
    }
}
