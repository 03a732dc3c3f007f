//! UAX #29's word boundaries, a function a rule, with the departures of docs/compatibility.md.

use icu_properties::props::WordBreak;

use super::unicode;

/// What lies between two neighbouring boundaries: code points `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first code point.
    pub start: usize,
    /// One past the last code point.
    pub end: usize,
    /// Whether it is a source token.
    pub word_like: bool,
}

/// The segments of a text.
pub fn segments(text: &[u32]) -> Vec<Segment> {
    let boundaries = boundaries(text);
    let segment = |ends: &[usize]| Segment {
        start: ends[0],
        end: ends[1],
        word_like: text[ends[0]..ends[1]]
            .iter()
            .any(|&code_point| unicode::is_word_like(code_point)),
    };
    boundaries.windows(2).map(segment).collect()
}

/// Every boundary of a text, both ends included (WB1, WB2); none in an empty text.
pub fn boundaries(text: &[u32]) -> Vec<usize> {
    if text.is_empty() {
        return Vec::new();
    }
    let mut walk = Walk {
        classes: text.iter().map(|&one| unicode::word_break(one)).collect(),
        pictographic: text
            .iter()
            .map(|&one| unicode::is_pictographic(one))
            .collect(),
        hidden: vec![false; text.len()],
        stranded: vec![false; text.len()],
    };
    let mut boundaries = vec![0];
    boundaries.extend((1..text.len()).filter(|&at| walk.decide(at) == Verdict::Break));
    boundaries.push(text.len());
    boundaries
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Join,
    Break,
}

/// A rule: its verdict on the place before code point `at`, if it has one.
type Rule = fn(&Walk, usize) -> Option<Verdict>;

const LINE_ENDS: [Rule; 3] = [Walk::wb3, Walk::wb3a, Walk::wb3b];

const LATER: [Rule; 18] = [
    Walk::wb3d,
    Walk::wb4,
    Walk::wb5,
    Walk::wb6,
    Walk::wb7,
    Walk::wb7a,
    Walk::wb7b,
    Walk::wb7c,
    Walk::wb8,
    Walk::wb9,
    Walk::wb10,
    Walk::wb11,
    Walk::wb12,
    Walk::wb13,
    Walk::wb13a,
    Walk::wb13b,
    Walk::wb15_and_wb16,
    Walk::wb999,
];

/// A text, and what is known of its code points so far.
struct Walk {
    classes: Vec<WordBreak>,
    pictographic: Vec<bool>,
    /// A departure: pictographs that only WB3c joined, which no later rule sees.
    hidden: Vec<bool>,
    /// Middle characters whose look-ahead failed.
    stranded: Vec<bool>,
}

fn is_line_end(class: WordBreak) -> bool {
    [WordBreak::CR, WordBreak::LF, WordBreak::Newline].contains(&class)
}

fn is_skipped(class: WordBreak) -> bool {
    [WordBreak::Extend, WordBreak::Format, WordBreak::ZWJ].contains(&class)
}

/// AHLetter.
fn is_letter(class: WordBreak) -> bool {
    [WordBreak::ALetter, WordBreak::HebrewLetter].contains(&class)
}

/// MidNumLetQ.
fn is_mid_num_let_q(class: WordBreak) -> bool {
    [WordBreak::MidNumLet, WordBreak::SingleQuote].contains(&class)
}

/// MidLetter | MidNumLetQ.
fn joins_letters(class: WordBreak) -> bool {
    class == WordBreak::MidLetter || is_mid_num_let_q(class)
}

/// MidNum | MidNumLetQ.
fn joins_digits(class: WordBreak) -> bool {
    class == WordBreak::MidNum || is_mid_num_let_q(class)
}

fn join_if(condition: bool) -> Option<Verdict> {
    condition.then_some(Verdict::Join)
}

fn break_if(condition: bool) -> Option<Verdict> {
    condition.then_some(Verdict::Break)
}

impl Walk {
    /// The verdict on the place before code point `at`; those before are decided.
    fn decide(&mut self, at: usize) -> Verdict {
        let first_of = |rules: &[Rule]| rules.iter().find_map(|rule| rule(self, at));
        if let Some(verdict) = first_of(&LINE_ENDS) {
            return verdict;
        }
        if first_of(&LATER) == Some(Verdict::Join) {
            return Verdict::Join;
        }
        if self.wb3c(at) {
            self.hidden[at] = true;
            return Verdict::Join;
        }
        self.stranded[at] = self.is_middle(at);
        Verdict::Break
    }

    /// The code point that the rules see before the one at `at`, by WB4: those skipped count as one with it, unless they
    /// start a line.
    fn before(&self, at: usize) -> Option<usize> {
        let mut seen = at.checked_sub(1)?;
        while (is_skipped(self.classes[seen]) || self.hidden[seen])
            && seen > 0
            && !is_line_end(self.classes[seen - 1])
        {
            seen -= 1;
        }
        Some(seen)
    }

    /// The class of that code point.
    fn left(&self, at: usize) -> WordBreak {
        self.before(at)
            .map_or(WordBreak::Other, |seen| self.classes[seen])
    }

    /// The class of the code point before that one.
    fn left_of_left(&self, at: usize) -> WordBreak {
        self.before(at)
            .map_or(WordBreak::Other, |seen| self.left(seen))
    }

    /// The class of the code point that the rules see after the one at `at`.
    fn right(&self, at: usize) -> WordBreak {
        self.classes[at + 1..]
            .iter()
            .copied()
            .find(|&class| !is_skipped(class))
            .unwrap_or(WordBreak::Other)
    }

    /// Whether WB6, WB7b or WB11 would join what is at `at` if the right thing came after it.
    fn is_middle(&self, at: usize) -> bool {
        let (left, class) = (self.left(at), self.classes[at]);
        is_letter(left) && joins_letters(class)
            || left == WordBreak::HebrewLetter && class == WordBreak::DoubleQuote
            || left == WordBreak::Numeric && joins_digits(class)
    }

    /// CR × LF
    fn wb3(&self, at: usize) -> Option<Verdict> {
        join_if((self.classes[at - 1], self.classes[at]) == (WordBreak::CR, WordBreak::LF))
    }

    /// (Newline | CR | LF) ÷
    fn wb3a(&self, at: usize) -> Option<Verdict> {
        break_if(is_line_end(self.classes[at - 1]))
    }

    /// ÷ (Newline | CR | LF)
    fn wb3b(&self, at: usize) -> Option<Verdict> {
        break_if(is_line_end(self.classes[at]))
    }

    /// ZWJ × Extended_Pictographic, but (departures) not where the ZWJ directly follows white space, or a middle
    /// character whose look-ahead failed.
    fn wb3c(&self, at: usize) -> bool {
        let after_space = at >= 2 && self.classes[at - 2] == WordBreak::WSegSpace;
        let after_stranded = self.before(at).is_some_and(|seen| self.stranded[seen]);
        self.classes[at - 1] == WordBreak::ZWJ
            && self.pictographic[at]
            && !after_space
            && !after_stranded
    }

    /// WSegSpace × WSegSpace
    fn wb3d(&self, at: usize) -> Option<Verdict> {
        let both = [self.classes[at - 1], self.classes[at]];
        join_if(both == [WordBreak::WSegSpace; 2])
    }

    /// X (Extend | Format | ZWJ)* → X
    fn wb4(&self, at: usize) -> Option<Verdict> {
        join_if(is_skipped(self.classes[at]))
    }

    /// AHLetter × AHLetter
    fn wb5(&self, at: usize) -> Option<Verdict> {
        join_if(is_letter(self.left(at)) && is_letter(self.classes[at]))
    }

    /// AHLetter × (MidLetter | MidNumLetQ) AHLetter
    fn wb6(&self, at: usize) -> Option<Verdict> {
        join_if(
            is_letter(self.left(at))
                && joins_letters(self.classes[at])
                && is_letter(self.right(at)),
        )
    }

    /// AHLetter (MidLetter | MidNumLetQ) × AHLetter
    fn wb7(&self, at: usize) -> Option<Verdict> {
        join_if(
            is_letter(self.left_of_left(at))
                && joins_letters(self.left(at))
                && is_letter(self.classes[at]),
        )
    }

    /// Hebrew_Letter × Single_Quote
    fn wb7a(&self, at: usize) -> Option<Verdict> {
        join_if(
            self.left(at) == WordBreak::HebrewLetter && self.classes[at] == WordBreak::SingleQuote,
        )
    }

    /// Hebrew_Letter × Double_Quote Hebrew_Letter
    fn wb7b(&self, at: usize) -> Option<Verdict> {
        join_if(
            self.left(at) == WordBreak::HebrewLetter
                && self.classes[at] == WordBreak::DoubleQuote
                && self.right(at) == WordBreak::HebrewLetter,
        )
    }

    /// Hebrew_Letter Double_Quote × Hebrew_Letter
    fn wb7c(&self, at: usize) -> Option<Verdict> {
        join_if(
            self.left_of_left(at) == WordBreak::HebrewLetter
                && self.left(at) == WordBreak::DoubleQuote
                && self.classes[at] == WordBreak::HebrewLetter,
        )
    }

    /// Numeric × Numeric
    fn wb8(&self, at: usize) -> Option<Verdict> {
        join_if(self.left(at) == WordBreak::Numeric && self.classes[at] == WordBreak::Numeric)
    }

    /// AHLetter × Numeric
    fn wb9(&self, at: usize) -> Option<Verdict> {
        join_if(is_letter(self.left(at)) && self.classes[at] == WordBreak::Numeric)
    }

    /// Numeric × AHLetter
    fn wb10(&self, at: usize) -> Option<Verdict> {
        join_if(self.left(at) == WordBreak::Numeric && is_letter(self.classes[at]))
    }

    /// Numeric (MidNum | MidNumLetQ) × Numeric
    fn wb11(&self, at: usize) -> Option<Verdict> {
        join_if(
            self.left_of_left(at) == WordBreak::Numeric
                && joins_digits(self.left(at))
                && self.classes[at] == WordBreak::Numeric,
        )
    }

    /// Numeric × (MidNum | MidNumLetQ) Numeric
    fn wb12(&self, at: usize) -> Option<Verdict> {
        join_if(
            self.left(at) == WordBreak::Numeric
                && joins_digits(self.classes[at])
                && self.right(at) == WordBreak::Numeric,
        )
    }

    /// Katakana × Katakana
    fn wb13(&self, at: usize) -> Option<Verdict> {
        join_if(self.left(at) == WordBreak::Katakana && self.classes[at] == WordBreak::Katakana)
    }

    /// (AHLetter | Numeric | Katakana | ExtendNumLet) × ExtendNumLet
    fn wb13a(&self, at: usize) -> Option<Verdict> {
        let left = self.left(at);
        let sticks = is_letter(left)
            || [
                WordBreak::Numeric,
                WordBreak::Katakana,
                WordBreak::ExtendNumLet,
            ]
            .contains(&left);
        join_if(sticks && self.classes[at] == WordBreak::ExtendNumLet)
    }

    /// ExtendNumLet × (AHLetter | Numeric | Katakana)
    fn wb13b(&self, at: usize) -> Option<Verdict> {
        let class = self.classes[at];
        let sticks = is_letter(class) || [WordBreak::Numeric, WordBreak::Katakana].contains(&class);
        join_if(self.left(at) == WordBreak::ExtendNumLet && sticks)
    }

    /// (RI RI)* RI × RI, from the start of the text or after what is no RI
    fn wb15_and_wb16(&self, at: usize) -> Option<Verdict> {
        let mut indicators = 0;
        let mut from = at;
        while let Some(seen) = self.before(from) {
            if self.classes[seen] != WordBreak::RegionalIndicator {
                break;
            }
            indicators += 1;
            from = seen;
        }
        join_if(indicators % 2 == 1 && self.classes[at] == WordBreak::RegionalIndicator)
    }

    /// Any ÷ Any
    fn wb999(&self, _: usize) -> Option<Verdict> {
        Some(Verdict::Break)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `parts` are what must come out of the text that they make.
    fn check(parts: &[&str]) {
        let text: Vec<u32> = parts.concat().chars().map(u32::from).collect();
        let mut expected = vec![0];
        for part in parts {
            expected.push(expected[expected.len() - 1] + part.chars().count());
        }
        assert_eq!(boundaries(&text), expected, "{parts:?}");
    }

    #[test]
    fn an_example_of_each_rule() {
        check(&["a", "\r\n", "b", "\n", "\u{85}", "\n", "\r"]); // WB3, WB3a, WB3b
        check(&["👩\u{200d}👧", "👩", "👧"]); // WB3c
        check(&["a", "  ", "b", " \u{300}", " "]); // WB3d
        check(&["a\u{300}\u{ad}b\u{200d}", "\n", "\u{300}", "a"]); // WB4
        check(&["aא", " ", "a.b:c'd", ".", " ", "a", ".", ".", "b", ","]); // WB5, WB6, WB7
        check(&["א'", " ", "א\"א", "\"", " ", "א'א"]); // WB7a, WB7b, WB7c
        check(&["12a3", " ", "1,2;3.4'5", ",", " ", "1", ":", "2"]); // WB8 to WB12
        check(&["アイ", "あ", "い", " ", "a_1_ア__", " "]); // WB13, WB13a, WB13b
        check(&["🇩🇪", "🇫🇷", "🇩", "a", "🇫\u{200d}🇷", "🇩"]); // WB15, WB16
        assert!(boundaries(&[]).is_empty());
    }

    #[test]
    fn departures_where_zwj_meets_other_rules() {
        check(&["a\u{200d}😀b"]); // The pictograph is not seen.
        check(&["🇩\u{200d}😀🇪", "🇩"]);
        check(&["a\u{200d}😀.b"]);
        check(&[" \u{200d}", "😀"]); // The ZWJ directly follows white space …
        check(&[" \u{300}\u{200d}😀"]); // … and here does not.
        check(&["a", ".\u{200d}", "😀", "b"]); // The look-ahead failed …
        check(&["a", " ", ".\u{200d}😀", "b"]); // … and here there was none.
        check(&["1", ",\u{300}\u{200d}", "😀"]);
        check(&["א'\u{200d}😀א"]); // WB7a looks at nothing ahead.
        check(&["א", "\"\u{200d}", "😀"]);
        check(&["a.\u{200d}Ⓜ"]); // A pictograph that is a letter joins by WB6.
    }

    #[test]
    fn surrogates_are_other_and_join_nothing() {
        assert_eq!(boundaries(&[0xD83D, 0xDE00]), [0, 1, 2]);
        assert_eq!(boundaries(&[0x61, 0xD800, 0x300, 0x62]), [0, 1, 3, 4]);
    }

    #[test]
    fn segments_say_whether_they_are_word_like() {
        let text: Vec<u32> = "a_ __ ①".chars().map(u32::from).collect();
        let word_like: Vec<bool> = segments(&text).iter().map(|one| one.word_like).collect();
        assert_eq!(word_like, [true, false, false, false, true]);
    }
}
