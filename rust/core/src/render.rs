//! The observation formats: `<doc>` elements and Markdown tables.
//!
//! Input is generalized UTF-8 and so is what is appended to `out`.

use crate::intervals::Span;
use crate::text::Text;

/// Appends `text` with `&`, `<` and `>` escaped. Quotes stay as they are: the format was trained so.
pub fn escape(out: &mut Vec<u8>, text: &[u8]) {
    let mut copied = 0;
    for at in memchr::memchr3_iter(b'&', b'<', b'>', text) {
        out.extend_from_slice(&text[copied..at]);
        out.extend_from_slice(match text[at] {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            _ => b"&gt;",
        });
        copied = at + 1;
    }
    out.extend_from_slice(&text[copied..]);
}

/// The value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Written without quotes.
    Bare(&'a [u8]),
    /// Written between double quotes.
    Quoted(&'a [u8]),
}

/// Bytes that most elements fit in.
const ROOM: usize = 1024;

/// Writes one `<doc>` element.
#[derive(Debug)]
pub struct DocElement {
    out: Vec<u8>,
}

impl DocElement {
    /// Starts the element with its id.
    pub fn new(id: &[u8]) -> Self {
        DocElement::after(Vec::with_capacity(ROOM), id)
    }

    /// The same after what is in `out`.
    pub fn after(mut out: Vec<u8>, id: &[u8]) -> Self {
        out.extend_from_slice(b"<doc id=\"");
        escape(&mut out, id);
        out.push(b'"');
        DocElement { out }
    }

    /// Adds an attribute. Names are written as they are.
    pub fn attribute(&mut self, name: &[u8], value: Value<'_>) {
        self.out.push(b' ');
        self.out.extend_from_slice(name);
        self.out.push(b'=');
        match value {
            Value::Bare(text) => escape(&mut self.out, text),
            Value::Quoted(text) => {
                self.out.push(b'"');
                escape(&mut self.out, text);
                self.out.push(b'"');
            }
        }
    }

    /// Adds an attribute that is a whole number.
    pub fn number(&mut self, name: &[u8], number: i64) {
        self.out.push(b' ');
        self.out.extend_from_slice(name);
        self.out.push(b'=');
        push_number(&mut self.out, number);
    }

    /// Ends the element, around `body` if there is one, and gives all that was written.
    pub fn finish(mut self, body: Option<&[u8]>) -> Vec<u8> {
        self.out.push(b'>');
        if let Some(body) = body {
            self.out.push(b'\n');
            escape(&mut self.out, body);
            self.out.push(b'\n');
        }
        self.out.extend_from_slice(b"</doc>");
        self.out
    }

    /// Ends the element around the body of a view, and gives all that was written.
    pub fn finish_view(mut self, layout: &Layout, pieces: &[Piece<'_>], length: i64) -> Vec<u8> {
        self.out.extend_from_slice(b">\n");
        layout.write(&mut self.out, pieces, length, escape);
        self.out.extend_from_slice(b"\n</doc>");
        self.out
    }
}

/// Appends a whole number in decimal digits.
pub fn push_number(out: &mut Vec<u8>, number: i64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    let mut left = number.unsigned_abs();
    loop {
        first -= 1;
        digits[first] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[first..]);
}

/// Appends `#start:end`, which names a span.
pub fn push_span(out: &mut Vec<u8>, span: Span) {
    out.push(b'#');
    push_number(out, span.start);
    out.push(b':');
    push_number(out, span.end);
}

/// A part of a view's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Shown as it is.
    Displayed(Text<'a>),
    /// Replaced by a marker that names its span.
    Seen(Span),
}

/// The order of a view's pieces, and what they cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Every span, and whether it is seen rather than displayed; by their starts, displayed before seen.
    pub spans: Vec<(Span, bool)>,
    /// Where the first piece starts and the last one ends.
    pub covered: Span,
    /// Whether anything is displayed.
    pub displays: bool,
}

impl Layout {
    /// Lays out the spans of a view; without any, it covers nothing.
    pub fn new(displayed: &[Span], seen: &[Span]) -> Self {
        let mut spans: Vec<(Span, bool)> = Vec::with_capacity(displayed.len() + seen.len());
        spans.extend(displayed.iter().map(|&span| (span, false)));
        spans.extend(seen.iter().map(|&span| (span, true)));
        spans.sort_by_key(|(span, _)| span.start);
        let start = spans.first().map_or(0, |(span, _)| span.start);
        let end = spans.last().map_or(0, |(span, _)| span.end);
        Layout {
            spans,
            covered: Span::new(start, end),
            displays: !displayed.is_empty(),
        }
    }

    /// Whether the view's reference names a range: it displays something, and not from end to end of a document of
    /// `length` code points.
    pub fn names_range(&self, length: i64) -> bool {
        self.displays && self.covered != Span::new(0, length)
    }

    /// Joins the pieces, which are those of `spans` in their order, with an ellipsis where something is displayed and a
    /// document of `length` code points goes on before or after.
    pub fn body(&self, pieces: &[Piece<'_>], length: i64) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out, pieces, length, |out, text| {
            out.extend_from_slice(text)
        });
        out
    }

    /// Appends the body, displayed text as `show` writes it; nothing else in it needs escaping.
    fn write(
        &self,
        out: &mut Vec<u8>,
        pieces: &[Piece<'_>],
        length: i64,
        show: impl Fn(&mut Vec<u8>, &[u8]),
    ) {
        if self.displays && self.covered.start > 0 {
            out.extend_from_slice(b"... ");
        }
        for piece in pieces {
            match piece {
                Piece::Displayed(text) => show(out, text.as_bytes()),
                Piece::Seen(span) => {
                    out.extend_from_slice(b"[seen: \"");
                    push_span(out, *span);
                    out.extend_from_slice(b"\"]");
                }
            }
        }
        if self.displays && self.covered.end < length {
            out.extend_from_slice(b" ...");
        }
    }
}

/// Writes a Markdown table row by row.
#[derive(Debug)]
pub struct MarkdownTable {
    out: Vec<u8>,
}

impl MarkdownTable {
    /// Starts the table with its header and the rule below it. Column names are written as they are.
    pub fn new(columns: &[Text<'_>]) -> Self {
        let mut out = Vec::new();
        for column in columns {
            out.extend_from_slice(if out.is_empty() { b"| " } else { b" | " });
            out.extend_from_slice(column.as_bytes());
        }
        out.extend_from_slice(b" |\n|");
        for column in columns {
            out.resize(out.len() + column.count_code_points() + 2, b'-');
            out.push(b'|');
        }
        MarkdownTable { out }
    }

    /// Adds a row, one cell for each column. `|` is escaped and a line feed becomes a space.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Text<'a>>) {
        self.out.extend_from_slice(b"\n|");
        for cell in cells {
            self.out.push(b' ');
            self.cell(cell.as_bytes());
            self.out.extend_from_slice(b" |");
        }
    }

    fn cell(&mut self, text: &[u8]) {
        let mut copied = 0;
        for at in memchr::memchr2_iter(b'|', b'\n', text) {
            self.out.extend_from_slice(&text[copied..at]);
            self.out
                .extend_from_slice(if text[at] == b'|' { b"\\|" } else { b" " });
            copied = at + 1;
        }
        self.out.extend_from_slice(&text[copied..]);
    }

    /// The table, without a line feed at its end.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }
}
