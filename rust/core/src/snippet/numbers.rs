//! Numbers in little memory.

/// Numbers, of two bytes each if all are small.
#[derive(Debug)]
pub enum Numbers {
    /// All below 2^16.
    Short(Box<[u16]>),
    /// Others.
    Long(Box<[u32]>),
}

impl Numbers {
    /// Keeps numbers of which none is above `most`.
    pub fn new(numbers: impl ExactSizeIterator<Item = u32>, most: usize) -> Self {
        if most <= u16::MAX.into() {
            Numbers::Short(numbers.map(|number| number as u16).collect())
        } else {
            Numbers::Long(numbers.collect())
        }
    }

    /// The number at an index.
    #[inline]
    pub fn at(&self, index: usize) -> usize {
        match self {
            Numbers::Short(numbers) => numbers[index].into(),
            Numbers::Long(numbers) => numbers[index] as usize,
        }
    }

    /// Bytes of memory that they take besides the object itself.
    pub fn heap_bytes(&self) -> usize {
        match self {
            Numbers::Short(numbers) => size_of_val(&**numbers),
            Numbers::Long(numbers) => size_of_val(&**numbers),
        }
    }

    /// The same of so many numbers of which none is above `most`.
    pub fn heap_bytes_of(count: usize, most: usize) -> usize {
        count
            * if most <= u16::MAX.into() {
                size_of::<u16>()
            } else {
                size_of::<u32>()
            }
    }
}
