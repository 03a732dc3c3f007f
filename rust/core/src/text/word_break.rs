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
use super::tables::CLASSES;
use super::Text;
use crate::work::done;

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
pub fn segments(text: Text<'_>) -> impl Iterator<Item = Segment> + '_ {
    let rules = Rules::new(text);
    let mut boundary = Boundary::clean(0);
    std::iter::from_fn(move || {
        let start = boundary.at;
        (start < text.as_bytes().len()).then(|| {
            let found = rules.segment(&mut boundary);
            Segment {
                start,
                end: boundary.at,
                word_like: found.is_word_like(),
            }
        })
    })
}

/// A place between two segments, and what the rules know there.
#[derive(Clone, Copy, Debug)]
pub struct Boundary {
    /// Offset in bytes.
    pub at: usize,
    /// Whether a middle character stands here whose look-ahead failed.
    stranded: bool,
    /// The code point after it, if it was looked at already.
    ahead: Option<Unit>,
}

/// A code point as the rules see it.
#[derive(Clone, Copy, Debug)]
struct Unit {
    properties: Properties,
    /// Offset in bytes of the code point after it.
    next: usize,
}

impl Boundary {
    /// A boundary where nothing before it matters.
    pub fn clean(at: usize) -> Self {
        Boundary {
            at,
            stranded: false,
            ahead: None,
        }
    }

    /// Whether nothing before it matters.
    pub fn is_clean(self) -> bool {
        !self.stranded
    }
}

/// What the rules see before the next code point: the class of the last one that they do not skip, or one of two
/// states that are more than a class.
mod state {
    use super::WordBreak;

    pub(super) const COUNT: u8 = 21;
    /// After a second regional indicator, which no third one joins.
    pub(super) const SECOND_INDICATOR: u8 = 19;
    /// After a single quote that a Hebrew letter joined by WB7a.
    pub(super) const HEBREW_QUOTE: u8 = 20;

    pub(super) const ZWJ: u8 = WordBreak::Zwj as u8;
    pub(super) const EXTEND: u8 = WordBreak::Extend as u8;
    pub(super) const SPACE: u8 = WordBreak::WSegSpace as u8;
}

/// What to do with the next code point: a state, which is below `state::COUNT`, takes it and goes to that state, and these do more.
mod action {
    /// End the segment, unless WB3c joins.
    pub(super) const BREAK: u8 = 0xFF;
    /// End the segment; WB3c does not join after a line end.
    pub(super) const END: u8 = 0xFE;
    /// Take it and stay in the state (WB4).
    pub(super) const SKIP: u8 = 0xFD;
    /// Take it if it directly follows white space (WB3d).
    pub(super) const SPACE: u8 = 0xFC;
    /// A middle character: take it with what follows if that is a letter (WB6, WB7).
    pub(super) const LETTER_MIDDLE: u8 = 0xFB;
    /// The same if that is a Hebrew letter (WB7b, WB7c).
    pub(super) const HEBREW_MIDDLE: u8 = 0xFA;
    /// The same if that is a digit (WB11, WB12).
    pub(super) const NUMBER_MIDDLE: u8 = 0xF9;
}

const fn is_line_end(class: WordBreak) -> bool {
    matches!(class, WordBreak::Cr | WordBreak::Lf | WordBreak::Newline)
}

const fn is_skipped(class: WordBreak) -> bool {
    matches!(
        class,
        WordBreak::Extend | WordBreak::Format | WordBreak::Zwj
    )
}

const fn is_letter(class: WordBreak) -> bool {
    matches!(class, WordBreak::ALetter | WordBreak::HebrewLetter)
}

/// The rules between a state that is a class and the next code point.
const fn action_after(before: WordBreak, class: WordBreak) -> u8 {
    use WordBreak as W;
    if matches!((before, class), (W::Cr, W::Lf)) {
        return class as u8; // WB3
    }
    if is_line_end(before) || is_line_end(class) {
        return action::END; // WB3a, WB3b
    }
    if is_skipped(class) {
        return action::SKIP; // WB4
    }
    match (before, class) {
        (W::WSegSpace, W::WSegSpace) => action::SPACE, // WB3d
        (W::ALetter | W::HebrewLetter, W::MidLetter | W::MidNumLet) => action::LETTER_MIDDLE,
        (W::ALetter, W::SingleQuote) => action::LETTER_MIDDLE,
        (W::HebrewLetter, W::SingleQuote) => state::HEBREW_QUOTE, // WB7a
        (W::HebrewLetter, W::DoubleQuote) => action::HEBREW_MIDDLE,
        (W::Numeric, W::MidNum | W::MidNumLet | W::SingleQuote) => action::NUMBER_MIDDLE,
        (W::ALetter | W::HebrewLetter, W::ALetter | W::HebrewLetter | W::Numeric) // WB5, WB9
        | (W::Numeric, W::Numeric | W::ALetter | W::HebrewLetter) // WB8, WB10
        | (W::Katakana, W::Katakana) // WB13
        | (W::ALetter | W::HebrewLetter | W::Numeric | W::Katakana | W::ExtendNumLet, W::ExtendNumLet) // WB13a
        | (W::ExtendNumLet, W::ALetter | W::HebrewLetter | W::Numeric | W::Katakana) // WB13b
        => class as u8,
        (W::RegionalIndicator, W::RegionalIndicator) => state::SECOND_INDICATOR, // WB15, WB16
        _ => action::BREAK, // WB999
    }
}

/// The rules after the states that are more than a class.
const fn action_after_other(before: u8, class: WordBreak) -> u8 {
    if is_line_end(class) {
        action::END
    } else if is_skipped(class) {
        action::SKIP
    } else if before == state::HEBREW_QUOTE && is_letter(class) {
        class as u8 // WB7, after WB7a
    } else {
        action::BREAK
    }
}

/// The action for each state and class, in rows of 32; filled up so that no index is out of bounds.
static ACTIONS: [[u8; 32]; 32] = {
    let mut actions = [[action::BREAK; 32]; 32];
    let mut before = 0;
    while before < state::COUNT as usize {
        let mut class = 0;
        while class < CLASSES.len() {
            actions[before][class] = if before < CLASSES.len() {
                action_after(CLASSES[before], CLASSES[class])
            } else {
                action_after_other(before as u8, CLASSES[class])
            };
            class += 1;
        }
        before += 1;
    }
    actions
};

/// What was found out of a segment's code points.
#[derive(Clone, Copy, Debug)]
pub struct Found(Properties);

impl Found {
    /// Whether the segment is a source token.
    pub fn is_word_like(self) -> bool {
        self.0.is_word_like()
    }

    /// Whether a lowercase mapping changes one of its code points.
    pub fn is_cased(self) -> bool {
        self.0.is_cased()
    }
}

/// The rules, at work on a text.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    text: Text<'a>,
}

impl<'a> Rules<'a> {
    /// The rules for `text`.
    pub fn new(text: Text<'a>) -> Self {
        Rules { text }
    }

    /// Finds the segment that starts at `boundary`, which must not be the end of the text, and moves it on.
    ///
    /// No rule looks back over a boundary, but for what the boundary says.
    #[inline]
    pub fn segment(self, boundary: &mut Boundary) -> Found {
        let first = boundary
            .ahead
            .take()
            .unwrap_or_else(|| self.unit(boundary.at));
        let stranded = std::mem::take(&mut boundary.stranded);
        let mut at = first.next;
        let mut found = first.properties;
        let mut last = found.class_number();
        let mut before = last;
        while at < self.text.as_bytes().len() {
            let unit = self.unit(at);
            let class = unit.properties.class_number();
            let mut taken = unit;
            match ACTIONS[usize::from(before % 32)][usize::from(class % 32)] {
                state @ 0..state::COUNT => {
                    before = state;
                    last = class;
                }
                action::SKIP => {
                    // WB3c does not see a ZWJ that directly follows white space.
                    last = if last == state::SPACE {
                        state::EXTEND
                    } else {
                        class
                    };
                }
                action::SPACE if last == state::SPACE => {}
                // WB3c: taken, and seen by no later rule.
                action::BREAK
                    if last == state::ZWJ && unit.properties.is_pictographic() && !stranded =>
                {
                    last = class
                }
                middle @ action::NUMBER_MIDDLE..=action::LETTER_MIDDLE => {
                    let Some((end, between)) = self.after_middle(middle, unit.next) else {
                        boundary.stranded = true;
                        boundary.ahead = Some(unit);
                        break;
                    };
                    found = found.union(unit.properties).union(between);
                    before = end.properties.class_number();
                    last = before;
                    taken = end;
                }
                _ => {
                    boundary.ahead = Some(unit);
                    break;
                }
            }
            found = found.union(taken.properties);
            at = taken.next;
        }
        boundary.at = at;
        Found(found)
    }

    /// The code point at `at`.
    #[inline(always)]
    fn unit(self, at: usize) -> Unit {
        done(1);
        let (properties, next) = Properties::read(self.text.as_bytes(), at);
        Unit { properties, next }
    }

    /// Looks ahead over what WB4 skips for what a middle character can join to; gives that, and what those skipped have.
    #[cold]
    fn after_middle(self, middle: u8, mut at: usize) -> Option<(Unit, Properties)> {
        let mut between = Properties::default();
        while at < self.text.as_bytes().len() {
            let unit = self.unit(at);
            let class = unit.properties.word_break();
            if !is_skipped(class) {
                let joins = match middle {
                    action::LETTER_MIDDLE => is_letter(class),
                    action::HEBREW_MIDDLE => class == WordBreak::HebrewLetter,
                    _ => class == WordBreak::Numeric,
                };
                return joins.then_some((unit, between));
            }
            between = between.union(unit.properties);
            at = unit.next;
        }
        None
    }
}
