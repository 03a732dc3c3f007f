//! The windows over a text's source tokens.

use std::num::NonZeroUsize;
use std::ops::Range;

/// Windows of equal size that start a stride apart, and one more at the end where the stride leaves tokens over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    size: usize,
    stride: usize,
    last_start: usize,
    count: usize,
}

impl Windows {
    /// The windows over `tokens` tokens; none if one window would hold them all.
    pub fn new(tokens: usize, size: NonZeroUsize, stride: NonZeroUsize) -> Option<Self> {
        let (size, stride) = (size.get(), stride.get());
        if tokens <= size {
            return None;
        }
        let last_start = tokens - size;
        Some(Windows {
            size,
            stride,
            last_start,
            count: last_start.div_ceil(stride) + 1,
        })
    }

    /// How many windows there are; at least two.
    #[allow(clippy::len_without_is_empty)] // There is always a window.
    pub fn len(self) -> usize {
        self.count
    }

    /// Tokens per window.
    pub fn size(self) -> usize {
        self.size
    }

    /// The position of the first token of window `index`.
    pub fn start(self, index: usize) -> usize {
        // Only the last window can start less than a stride after the one before it.
        index.saturating_mul(self.stride).min(self.last_start)
    }

    /// The positions in window `index`.
    pub fn positions(self, index: usize) -> Range<usize> {
        let start = self.start(index);
        start..start + self.size
    }

    /// The windows that hold both positions, `left` ≤ `right`; possibly none.
    pub fn holding(self, left: usize, right: usize) -> Range<usize> {
        // Starts at or before `left` …
        let end = if left >= self.last_start {
            self.count
        } else {
            left / self.stride + 1
        };
        // … and after `right - size`.
        let first_start = (right + 1).saturating_sub(self.size);
        let begin = first_start.div_ceil(self.stride).min(self.count - 1);
        begin..end.max(begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive_starts(tokens: usize, size: usize, stride: usize) -> Vec<usize> {
        let mut starts: Vec<usize> = (0..=tokens - size).step_by(stride).collect();
        if starts.last() != Some(&(tokens - size)) {
            starts.push(tokens - size);
        }
        starts
    }

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn windows_are_the_naive_ones(
            tokens in 1usize..80, size in 1usize..90, stride in 1usize..100, left in 0usize..80, gap in 0usize..20,
        ) {
            let made = Windows::new(tokens, NonZeroUsize::new(size).unwrap(), NonZeroUsize::new(stride).unwrap());
            prop_assert_eq!(made.is_none(), tokens <= size);
            let Some(windows) = made else { return Ok(()); };
            let starts = naive_starts(tokens, size, stride);
            let got: Vec<usize> = (0..windows.len()).map(|index| windows.start(index)).collect();
            prop_assert_eq!(&got, &starts);
            let left = left % tokens;
            let right = (left + gap).min(tokens - 1);
            let holding: Vec<usize> = (0..starts.len())
                .filter(|&index| starts[index] <= left && right < starts[index] + size)
                .collect();
            prop_assert_eq!(windows.holding(left, right).collect::<Vec<_>>(), holding);
        }
    }

    #[test]
    fn a_stride_past_the_end_leaves_the_first_and_the_last_window() {
        let huge = NonZeroUsize::new(usize::MAX).unwrap();
        let windows = Windows::new(5, NonZeroUsize::new(2).unwrap(), huge).unwrap();
        assert_eq!(
            (windows.len(), windows.start(0), windows.start(1)),
            (2, 0, 3)
        );
    }
}
