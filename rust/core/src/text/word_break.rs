//! UAX #29 word boundaries (default rules, untailored) and the word-like test.
//!
//! Where WB3c meets the other rules, the reference analyzer is a little off the letter of UAX #29, and offsets must be
//! the reference's. So here, as there:
//! - a pictograph that only WB3c joins is not seen by later rules, as if WB4 had skipped it
//!   (`a ZWJ 😀 b` is one segment);
//! - WB3c does not join to a ZWJ that directly follows white space, nor to one that follows a middle character (as in
//!   WB6) whose look-ahead failed.
//!
//! No line of WordBreakTest tells the difference.

use super::properties::{Properties, WordBreak};
use super::Text;

/// The text between two neighbouring word boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Offset in bytes of its first byte.
    pub start: usize,
    /// Offset in bytes after its last byte.
    pub end: usize,
    /// Whether it is a source token.
    pub word_like: bool,
}

/// The segments of a text, first to last; together they are the whole text.
pub fn segments(text: Text<'_>) -> Segments<'_> {
    Segments {
        text,
        at: 0,
        stranded: false,
    }
}

/// Iterator made by [`segments`].
#[derive(Clone, Debug)]
pub struct Segments<'a> {
    text: Text<'a>,
    at: usize,
    /// Whether the next segment starts with a middle character whose look-ahead failed.
    stranded: bool,
}

impl Iterator for Segments<'_> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        if self.at == self.text.as_bytes().len() {
            return None;
        }
        let mut scan = Scan::begin(self.text, self.at, self.stranded);
        let segment = scan.run();
        self.at = segment.end;
        self.stranded = scan.strands_next;
        Some(segment)
    }
}

/// One code point as the rules see it.
#[derive(Clone, Copy)]
struct Unit {
    properties: Properties,
    class: WordBreak,
    /// Offset in bytes of the code point after it.
    next: usize,
}

/// A segment being extended. No rule looks back over a boundary, so each segment is scanned by itself.
struct Scan<'a> {
    text: Text<'a>,
    start: usize,
    end: usize,
    word_like: bool,
    /// The class that the rules see before the next code point: that of the last one not skipped by WB4.
    before: WordBreak,
    /// The code point directly before the next one.
    last: WordBreak,
    /// Regional indicators so far; only looked at while `before` is one.
    regional_indicators: usize,
    /// Whether the segment starts with a middle character whose look-ahead failed.
    stranded: bool,
    /// The same of the segment after this one.
    strands_next: bool,
}

/// What stands after a possible middle character.
enum Middle {
    /// It is not one, after what is before it.
    No,
    /// It joins what is before it to this later code point.
    Joins(Unit),
    /// What would have to come after it does not.
    Stranded,
}

impl<'a> Scan<'a> {
    fn begin(text: Text<'a>, start: usize, stranded: bool) -> Self {
        let mut scan = Scan {
            text,
            start,
            end: start,
            word_like: false,
            before: WordBreak::Other,
            last: WordBreak::Other,
            regional_indicators: 0,
            stranded,
            strands_next: false,
        };
        let first = scan.unit(start);
        scan.take(first);
        // A quote joins what follows it only by WB7, after the Hebrew letter that it joined by WB7a.
        scan.before = match first.class {
            WordBreak::SingleQuote => WordBreak::Other,
            class => class,
        };
        scan
    }

    fn run(&mut self) -> Segment {
        while let Some(unit) = self.unit_at(self.end) {
            if !self.extend(unit) {
                break;
            }
        }
        Segment {
            start: self.start,
            end: self.end,
            word_like: self.word_like,
        }
    }

    #[inline]
    fn unit(&self, at: usize) -> Unit {
        let (code_point, next) = self.text.decode(at);
        let properties = Properties::of(code_point);
        Unit {
            properties,
            class: properties.word_break(),
            next,
        }
    }

    #[inline]
    fn unit_at(&self, at: usize) -> Option<Unit> {
        (at < self.text.as_bytes().len()).then(|| self.unit(at))
    }

    /// Makes `unit` part of the segment, without saying what the rules see of it.
    #[inline]
    fn take(&mut self, unit: Unit) {
        self.end = unit.next;
        self.word_like |= unit.properties.is_word_like();
        self.last = unit.class;
        if unit.class == WordBreak::RegionalIndicator {
            self.regional_indicators += 1;
        }
    }

    /// Takes `unit` if there is no boundary before it; says whether it did.
    #[inline]
    fn extend(&mut self, unit: Unit) -> bool {
        use WordBreak as W;
        if self.last == W::Cr && unit.class == W::Lf {
            self.take(unit); // WB3
            return true;
        }
        if is_line_end(self.last) || is_line_end(unit.class) {
            return false; // WB3a, WB3b
        }
        if is_skipped(unit.class) {
            let hides_joiner = self.last == W::WSegSpace;
            self.take(unit); // WB4: seen by no later rule
            if hides_joiner {
                self.last = W::Extend;
            }
            return true;
        }
        if self.last == W::WSegSpace && unit.class == W::WSegSpace {
            self.take(unit); // WB3d
            return true;
        }
        let middle = self.middle(unit);
        if let Middle::Joins(after) = middle {
            self.take_through(after); // WB6 and WB7, WB7b and WB7c, WB11 and WB12
            self.before = after.class;
            return true;
        }
        if self.joins(unit.class) {
            self.take(unit);
            self.before = unit.class;
            return true;
        }
        if self.last == W::Zwj && unit.properties.is_pictographic() && !self.stranded {
            self.take(unit); // WB3c, seen by no later rule
            return true;
        }
        self.strands_next = matches!(middle, Middle::Stranded);
        false // WB999
    }

    /// The rules between two neighbours that need no look-ahead.
    #[inline]
    fn joins(&self, class: WordBreak) -> bool {
        use WordBreak as W;
        match (self.before, class) {
            (W::ALetter | W::HebrewLetter, W::ALetter | W::HebrewLetter) => true, // WB5
            (W::HebrewLetter, W::SingleQuote) => true,                            // WB7a
            (W::SingleQuote, W::ALetter | W::HebrewLetter) => true,               // WB7 after WB7a
            (W::Numeric, W::Numeric) => true,                                     // WB8
            (W::ALetter | W::HebrewLetter, W::Numeric) => true,                   // WB9
            (W::Numeric, W::ALetter | W::HebrewLetter) => true,                   // WB10
            (W::Katakana, W::Katakana) => true,                                   // WB13
            (
                W::ALetter | W::HebrewLetter | W::Numeric | W::Katakana | W::ExtendNumLet,
                W::ExtendNumLet,
            ) => true, // WB13a
            (W::ExtendNumLet, W::ALetter | W::HebrewLetter | W::Numeric | W::Katakana) => true, // WB13b
            // WB15, WB16: the count starts with the segment, as the rules' runs of pairs do.
            (W::RegionalIndicator, W::RegionalIndicator) => self.regional_indicators % 2 == 1,
            _ => false,
        }
    }

    /// Looks ahead over what WB4 skips.
    #[inline]
    fn middle(&self, middle: Unit) -> Middle {
        use WordBreak as W;
        let wanted: fn(WordBreak) -> bool = match (self.before, middle.class) {
            (W::ALetter | W::HebrewLetter, W::MidLetter | W::MidNumLet)
            | (W::ALetter, W::SingleQuote) => {
                |class| matches!(class, W::ALetter | W::HebrewLetter) // WB6, WB7
            }
            (W::HebrewLetter, W::DoubleQuote) => |class| class == W::HebrewLetter, // WB7b, WB7c
            (W::Numeric, W::MidNum | W::MidNumLet | W::SingleQuote) => {
                |class| class == W::Numeric // WB11, WB12
            }
            _ => return Middle::No,
        };
        let mut at = middle.next;
        while let Some(unit) = self.unit_at(at) {
            if !is_skipped(unit.class) {
                return if wanted(unit.class) {
                    Middle::Joins(unit)
                } else {
                    Middle::Stranded
                };
            }
            at = unit.next;
        }
        Middle::Stranded
    }

    /// Takes everything up to `unit`, and `unit`. What lies between joins by WB4 and holds no regional indicator.
    fn take_through(&mut self, unit: Unit) {
        while self.end < unit.next {
            let next = self.unit(self.end);
            self.take(next);
        }
    }
}

#[inline]
fn is_line_end(class: WordBreak) -> bool {
    matches!(class, WordBreak::Cr | WordBreak::Lf | WordBreak::Newline)
}

#[inline]
fn is_skipped(class: WordBreak) -> bool {
    matches!(
        class,
        WordBreak::Extend | WordBreak::Format | WordBreak::Zwj
    )
}
