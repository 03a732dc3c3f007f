//! Unicode 17's own WordBreakTest, as it ships in the `icu_segmenter` package.

use std::path::PathBuf;
use std::process::Command;

use sid_core::text::word_break::segments;

const LINES: usize = 1944;

fn test_file() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let manifest = metadata["packages"]
        .as_array()
        .expect("packages are listed")
        .iter()
        .find(|package| package["name"] == "icu_segmenter")
        .and_then(|package| package["manifest_path"].as_str())
        .expect("icu_segmenter is a dependency");
    PathBuf::from(manifest).with_file_name("tests/testdata/WordBreakTest.txt")
}

#[test]
fn every_line_passes() {
    let file = std::fs::read_to_string(test_file()).unwrap();
    assert!(file.starts_with("# WordBreakTest-17.0.0.txt"));
    let mut tested = 0;
    for line in file.lines() {
        let rule = line.split('#').next().unwrap_or_default().trim();
        if rule.is_empty() {
            continue;
        }
        let (mut text, mut expected) = (String::new(), Vec::new());
        for part in rule.split_whitespace() {
            match part {
                "÷" => expected.push(text.len()),
                "×" => {}
                hexadecimal => {
                    let code_point = u32::from_str_radix(hexadecimal, 16).unwrap();
                    text.push(char::from_u32(code_point).unwrap());
                }
            }
        }
        let mut boundaries = vec![0];
        boundaries.extend(segments(text.as_str().into()).map(|segment| segment.end));
        assert_eq!(boundaries, expected, "{line}");
        tested += 1;
    }
    assert_eq!(tested, LINES);
}
