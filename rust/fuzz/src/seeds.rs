//! Inputs to start from: every script, every place in a block, and each operation of [`input`](crate::input).

use sid_core::text::stopwords::Language;

use crate::input::operation::{AGAIN, ASCII, END, FILL, KIND, NUMBER, RUN, WORD};
use crate::model::analysis::stopwords;

/// A sentence or a run of letters in many scripts, and what is between letters.
const TEXTS: [&str; 30] = [
    "The quick brown fox jumps over the lazy dog, and the red fox sleeps.",
    "Don't say e.g. 3.14 or 1,000;5 or a:b or x_y__z at 10:30 o'clock.",
    "'.:,;_ ' . : , ; _ '' .. a'b a.b a:b 1'2 1.2 1,2 1;2 a,b 1:2",
    "Le cœur déçu mais l'âme plutôt naïve, Louÿs rêva d'être l'été",
    "Zwölf große Boxkämpfer jagen Viktor quer über den Sylter Deich",
    "Příliš žluťoučký kůň úpěl ďábelské ódy; ÇĞİŞÖÜ ıi",
    "Съешь же ещё этих мягких французских булок для ДЛЯ",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία, ΟΔΟΣ ὈΔΌΣ",
    "בבלי זעף ב\"צה\"ל א'ב ג׳ דגן שָׁלוֹם",
    "السَّلامُ عَلَيْكُمْ ٣٫١٤ ١٬٠٠٠ كتاب",
    "हिन्दी में क्षत्रिय और ज़्यादा १२३",
    "தமிழ் மொழி বাংলা ভাষা తెలుగు",
    "ภาษาไทยไม่มีช่องว่าง ลาวລາວ ខ្មែរ",
    "다람쥐 헌 쳇바퀴에 타고파 한\u{1112}\u{1161}\u{11ab}글",
    "いろはにほへと ちりぬるを が\u{3099}",
    "カタカナ・ｶﾀｶﾅ_ア1ア〱ー゛",
    "天地玄黃宇宙洪荒 𠀀𠮷𪚥 〇々",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦 👍🏽 ❤\u{fe0f} 1\u{fe0f}\u{20e3} ©®™ ①½",
    "🇩🇪🇫🇷🇺 🇩\u{200d}🇪🇫 a🇩🇪b",
    "a\u{300}\u{301} \u{300}\u{200d}😀 a.\u{200d}😀b \u{200d}Ⓜ",
    "a\r\nb\n\rc\u{85}d\u{2028}e\u{2029}f\u{b}g\u{c}h",
    "\u{feff}\u{ad}soft\u{ad}hyphen\u{200b}zero\u{200c}width\u{2060}",
    "  \u{2003}\u{3000} \u{a0} \t x",
    "can’t ‘q’ l·l 1٬2 ՟ ։ ︓ ． ： ， ；",
    "ⴰⴱⴳ ᏣᎳᎩ ꭰ ᚠᚢᚦ ԱՆՈՒՆ ქართული ᲥᲐ አማርኛ",
    "𐐀𐐨 𝐀𝟎 𞤀𞤢 𐓐 🄰🅱 𝒳",
    "ﬁ ŉ ǆ ẞ K Å ſ Ω ᾳ ῼ ΐ",
    "& < > \"quoted\" 'single' &amp; <doc id=\"1\"> | a || b\n\n|",
    "\0\u{1}\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

/// Seeds by name. Of a target that is not known there are none.
pub fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    match target {
        "segmentation" => texts(),
        "snippet" => snippets(),
        "masking" => spans(),
        "rendering" => views(),
        _ => Vec::new(),
    }
}

fn named(name: String, parts: &[&[u8]]) -> (String, Vec<u8>) {
    (name, parts.concat())
}

fn texts() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for (number, text) in TEXTS.iter().enumerate() {
        let text = text.as_bytes();
        seeds.push(named(format!("text-{number}"), &[text]));
        seeds.push(named(
            format!("surrogate-{number}"),
            &[text, b"\xED\xA0\xBD\xED\xB8\x80", text],
        ));
        let next = TEXTS[(number + 1) % TEXTS.len()].as_bytes();
        seeds.push(named(format!("two-{number}"), &[text, next, text]));
        // Letters and spaces before it, so that it starts near the end of a block, or in the next one.
        for place in [31, 47, 55, 61, 62, 63, 0, 1] {
            for before in [b"a".as_slice(), b" ", b"\xC3\xA9"] {
                let name = format!("place-{number}-{place}-{:x}", before[0]);
                seeds.push(named(name, &[before, &[FILL, place], text, b" end"]));
            }
        }
    }
    for byte in (0..128).step_by(8) {
        seeds.push(named(format!("ascii-{byte}"), &[&[ASCII, byte]]));
        for place in (0..64).step_by(9) {
            let name = format!("byte-{byte}-{place}");
            seeds.push(named(
                name,
                &[b"a", &[FILL, place, byte], b"b", &[FILL, 63], b"1"],
            ));
        }
    }
    for kind in 0..96 {
        let one = [KIND, kind, 0x11];
        let between = [b"a", &one[..], b"b", &one, &one, b" 1", &one, b"2"];
        seeds.push(named(format!("kind-{kind}"), &between));
        let run = [&one[..], &[RUN, 200], b"a b", &[AGAIN, 99]];
        seeds.push(named(format!("run-{kind}"), &run));
        // At the end of a run of ASCII that is read as a block.
        for (number, before) in ["   ", "___", "aaa", "a.", "1,", "..", "\r\n"]
            .iter()
            .enumerate()
        {
            let name = format!("end-{kind}-{number}");
            let text = [b"a long, long way ", before.as_bytes(), &one, b" b"];
            seeds.push(named(name, &text));
        }
    }
    seeds.push(named(
        "number".into(),
        &[&[NUMBER, 1, 0xF6, 0, NUMBER, 0, 0xD8, 0]],
    ));
    seeds
}

fn snippets() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for (number, text) in TEXTS.iter().enumerate() {
        let next = TEXTS[(number + 1) % TEXTS.len()].as_bytes();
        let query: String = text.split(' ').take(3).collect::<Vec<_>>().join(" ");
        for (size, stride) in [(0, 0), (4, 1), (9, 3), (49, 9), (255, 255)] {
            let head = [number as u8, size, stride];
            let name = format!("text-{number}-{size}");
            let content = [next, text.as_bytes(), next, b" ", text.as_bytes()].concat();
            seeds.push(named(name, &[&head, query.as_bytes(), &[END], &content]));
        }
    }
    // Words of the vocabulary, in an order that a small generator gives; by turns only the first ones, in English.
    for number in 0..128u8 {
        let (language, vocabulary) = if number % 2 == 0 {
            (2, 10)
        } else {
            (number, 32)
        };
        let mut state = number.wrapping_mul(37);
        let mut words = |count: u8| -> Vec<u8> {
            let word = |_| {
                state = state.wrapping_mul(5).wrapping_add(113);
                [WORD, (state >> 3) % vocabulary]
            };
            (0..count).flat_map(word).collect()
        };
        let (query, content) = (words(1 + number % 24), words(120));
        let head = [language, number % 7, number % 5];
        let name = format!("words-{number}");
        seeds.push(named(
            name,
            &[&head, &query, &[END], &content, &[AGAIN, 255]],
        ));
    }
    for (number, language) in (0..).zip(Language::names()) {
        let stopwords: Vec<&String> = stopwords(language).collect();
        for (part, words) in stopwords.chunks(60).enumerate() {
            let content: String = words
                .iter()
                .map(|word| format!("{word} {}, {word}x ", word.to_uppercase()))
                .collect();
            let query = format!("{} {0}x", words[0]);
            let name = format!("stopwords-{language}-{part}");
            let texts = [query.as_bytes(), &[END], content.as_bytes()].concat();
            seeds.push(named(name, &[&[number, 4, 1], &texts]));
        }
    }
    seeds
}

fn spans() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for place in 0..4 {
        for least in [0, 8, 9, 12, 40, 255] {
            let head = [place, least, 10, 60, 6];
            let ledger = [0, 4, 20, 10, 31, 5, 37, 0, 60, 30, 15, 63];
            let rest = [5, 90, 4, 0, 10, 90, 95, 7, 7, 50, 20];
            let name = format!("place-{place}-{least}");
            seeds.push(named(name, &[&head, &ledger, &rest]));
        }
    }
    seeds
}

fn views() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    for (number, text) in TEXTS.iter().enumerate() {
        for shape in (0..=255u8).step_by(51) {
            let shape = shape.wrapping_add(number as u8);
            let mut data = vec![shape];
            for span in 0..1 + shape % 8 {
                data.extend([span * 5, 7 + span]);
            }
            data.extend(b"00&42");
            for part in [
                text,
                "title",
                "a <b> & \"c\"",
                "t",
                "True",
                "x|y",
                "two\nlines",
            ] {
                data.push(END);
                data.extend_from_slice(part.as_bytes());
            }
            seeds.push((format!("view-{number}-{shape}"), data));
        }
    }
    seeds
}
