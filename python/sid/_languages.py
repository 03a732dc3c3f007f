"""The languages that text can be analysed in."""

# Written by `cargo run -p sid-tablegen`; do not edit.

SUPPORTED_LANGUAGES: tuple[str, ...] = (
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "generic",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "russian",
    "spanish",
    "swedish",
)
