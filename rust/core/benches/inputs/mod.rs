//! Texts that are the same on every machine: made-up words, as frequent as words of languages are.

/// A sequence of numbers that look random (xorshift64).
struct Numbers(u64);

impl Numbers {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % end
    }

    /// A number below `end`, low ones more often than high ones.
    fn low(&mut self, end: usize) -> usize {
        let one = self.below(end);
        let other = self.below(end);
        one * other / end
    }
}

/// What texts are made of.
pub(crate) struct Script {
    /// What to call it.
    pub(crate) name: &'static str,
    /// Words that other words stand between.
    particles: &'static [&'static str],
    /// What the other words are made of.
    syllables: &'static [&'static str],
    space: &'static str,
    comma: &'static str,
    stop: &'static str,
}

/// ASCII, with English stopwords.
pub(crate) const ENGLISH: Script = Script {
    name: "English",
    particles: &[
        "the", "of", "and", "a", "to", "in", "is", "it", "that", "for", "can't", "be", "with",
        "this", "as", "3.14",
    ],
    syllables: &[
        "ba", "ter", "lin", "on", "mor", "si", "ta", "ple", "ver", "den", "ku", "ing", "ar", "est",
        "nal", "ro",
    ],
    space: " ",
    comma: ", ",
    stop: ". ",
};

/// The same with a few code points beyond ASCII.
pub(crate) const CURLY: Script = Script {
    name: "English, curly quotes",
    particles: &[
        "the", "of", "and", "a", "to", "in", "is", "it", "that", "for", "can’t", "be", "with",
        "this", "as", "3.14",
    ],
    comma: ", ",
    stop: ".” “",
    ..ENGLISH
};

/// Cyrillic.
pub(crate) const RUSSIAN: Script = Script {
    name: "ru",
    particles: &[
        "и", "в", "не", "на", "что", "с", "по", "как", "из", "от", "12,5",
    ],
    syllables: &[
        "ба", "тор", "лин", "он", "мир", "си", "та", "пле", "вер", "ден", "ку", "ный", "ост",
    ],
    space: " ",
    comma: ", ",
    stop: ". ",
};

/// Ideographs, Hiragana and Katakana, without spaces.
pub(crate) const JAPANESE: Script = Script {
    name: "ja",
    particles: &[
        "の", "は", "を", "に", "が", "で", "と", "から", "まで", "する", "です", "3",
    ],
    syllables: &[
        "図",
        "書",
        "館",
        "駅",
        "海",
        "高",
        "新",
        "線",
        "町",
        "人",
        "バス",
        "データ",
        "カード",
        "時",
    ],
    space: "",
    comma: "、",
    stop: "。",
};

/// All of them.
pub(crate) const SCRIPTS: [&Script; 4] = [&ENGLISH, &CURLY, &RUSSIAN, &JAPANESE];

impl Script {
    /// A text of about so many bytes, another one for each part.
    pub(crate) fn text(&self, bytes: usize, part: usize) -> String {
        let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15 ^ (part as u64 + 1));
        let mut text = String::with_capacity(bytes + 64);
        let mut begins = true;
        while text.len() < bytes {
            let mut word = if numbers.below(5) < 2 {
                self.particles[numbers.low(self.particles.len())].to_owned()
            } else {
                self.word(numbers.low(2000))
            };
            if begins {
                word = word.chars().next().map_or_else(String::new, |first| {
                    first.to_uppercase().chain(word.chars().skip(1)).collect()
                });
            }
            text.push_str(&word);
            begins = numbers.below(12) == 0;
            text.push_str(match numbers.below(8) {
                _ if begins => self.stop,
                0 => self.comma,
                _ => self.space,
            });
        }
        text
    }

    /// A query of words of its texts, another one for each serial number.
    pub(crate) fn query(&self, serial: usize) -> String {
        let mut numbers = Numbers(0xD6E8_FEB8_6659_FD93 ^ (serial as u64 + 1));
        let words: Vec<_> = (0..4).map(|_| self.word(numbers.low(2000))).collect();
        words.join(self.space)
    }

    /// The word with a number: the longer, the higher that is.
    fn word(&self, mut number: usize) -> String {
        let mut word = String::new();
        loop {
            word.push_str(self.syllables[number % self.syllables.len()]);
            number /= self.syllables.len();
            if number == 0 {
                return word;
            }
        }
    }
}
