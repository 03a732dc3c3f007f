//! Where the tokens of a text are.

use crate::text::ascii::{InstructionSet, Vector};
use crate::text::scan::{scan, Batch, Sink};
use crate::text::Text;

/// Where the tokens start: every sixteenth offset is kept, and the ones between are found again in the text.
#[derive(Debug, Default)]
pub struct Starts {
    tokens: usize,
    /// Offsets in bytes of the tokens at 0, 16, 32, …, modulo 2^32.
    sampled: Vec<u32>,
    /// The samples at which the offset passes another multiple of 2^32.
    wraps: Vec<usize>,
    /// Offset in bytes after the last token.
    end: usize,
}

/// Tokens per sample.
const SAMPLE: usize = 16;

impl Starts {
    /// None yet, with room for so many tokens.
    pub fn with_capacity(tokens: usize) -> Self {
        Starts {
            sampled: Vec::with_capacity(tokens / SAMPLE + 1),
            ..Starts::default()
        }
    }

    /// Adds the token `start..end`, in bytes.
    #[inline(always)]
    pub fn push(&mut self, start: usize, end: usize) {
        if self.tokens.is_multiple_of(SAMPLE) {
            self.sample(start);
        }
        self.tokens += 1;
        self.end = end;
    }

    /// Adds the tokens of a batch.
    #[inline(always)]
    pub fn push_batch(&mut self, batch: &Batch<'_>) {
        // How many of them come before the next one to be sampled.
        let mut token = self.tokens.wrapping_neg() % SAMPLE;
        while token < batch.len() {
            self.sample(batch.start(token));
            token += SAMPLE;
        }
        self.tokens += batch.len();
        self.end = batch.end(batch.len() - 1);
    }

    /// Gives back room that is not needed.
    pub fn shrink(&mut self) {
        self.sampled.shrink_to_fit();
    }

    /// Bytes of memory that it takes besides itself.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(self.sampled.as_slice()) + size_of_val(self.wraps.as_slice())
    }

    #[inline(always)]
    fn sample(&mut self, offset: usize) {
        if offset >> 32 != self.wraps.len() {
            self.wrap(offset >> 32);
        }
        self.sampled.push(offset as u32);
    }

    #[cold]
    fn wrap(&mut self, multiple: usize) {
        self.wraps.resize(multiple, self.sampled.len());
    }

    /// How many tokens there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.tokens
    }

    /// The offset of a sample.
    fn offset(&self, sample: usize) -> usize {
        let high = self.wraps.partition_point(|&wrap| wrap <= sample);
        high << 32 | self.sampled[sample] as usize
    }

    /// The first and the last byte offset of the token at `position` of `text`, which is what was analysed.
    pub fn bounds(&self, text: Text<'_>, position: usize, set: InstructionSet) -> (usize, usize) {
        let sample = position / SAMPLE;
        // A token starts where nothing before it matters, and nothing from there on matters to what is before.
        let start = self.offset(sample);
        let end = if sample + 1 < self.sampled.len() {
            self.offset(sample + 1)
        } else {
            self.end
        };
        let mut wanted = Wanted {
            number: position % SAMPLE,
            seen: 0,
            found: (0, 0),
        };
        scan(text.slice(start, end), set, &mut wanted);
        (start + wanted.found.0, start + wanted.found.1)
    }
}

/// Finds the token of a number.
struct Wanted {
    number: usize,
    seen: usize,
    found: (usize, usize),
}

impl Sink for Wanted {
    #[inline(always)]
    unsafe fn batch<V: Vector>(&mut self, batch: &Batch<'_>) {
        let token = self.number.wrapping_sub(self.seen);
        if token < batch.len() {
            self.found = (batch.start(token), batch.end(token));
        }
        self.seen += batch.len();
    }

    fn token(&mut self, start: usize, end: usize, _: bool) {
        if self.seen == self.number {
            self.found = (start, end);
        }
        self.seen += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::word_break::segments;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::testing::cases(256))]

        #[test]
        fn every_token_is_found_again(text in "([a-zé’. \\u{200d}😀一]|[ab]{1,30}|\\PC){0,200}") {
            let text = Text::from(text.as_str());
            let tokens: Vec<_> = segments(text).filter(|segment| segment.word_like).collect();
            let mut starts = Starts::default();
            tokens.iter().for_each(|token| starts.push(token.start, token.end));
            for set in InstructionSet::available() {
                for (position, token) in tokens.iter().enumerate() {
                    prop_assert_eq!(starts.bounds(text, position, set), (token.start, token.end));
                }
            }
        }

        #[test]
        #[cfg(target_pointer_width = "64")]
        fn samples_are_found_in_texts_of_any_size(gaps in proptest::collection::vec(0usize..1 << 34, 0..40)) {
            let mut starts = Starts::default();
            let mut offset = 0;
            let mut samples = Vec::new();
            for gap in gaps {
                offset += gap;
                samples.push(offset);
                (0..SAMPLE).for_each(|token| starts.push(offset + token, offset + token + 1));
                offset += SAMPLE;
            }
            prop_assert_eq!(starts.len(), samples.len() * SAMPLE);
            for (sample, expected) in samples.into_iter().enumerate() {
                prop_assert_eq!(starts.offset(sample), expected);
            }
        }
    }
}
