//! The observation formats: protocol, section 6.

/// A span of a document's code points.
pub type Span = (usize, usize);

/// A view of a document.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The model-facing id.
    pub id: &'a [u32],
    /// The whole document.
    pub content: &'a [u32],
    /// What is displayed of it.
    pub displayed: &'a [Span],
    /// What is masked of it.
    pub seen: &'a [Span],
    /// Name, value, and whether the value stands in quotes.
    pub attributes: &'a [(&'a [u32], &'a [u32], bool)],
}

fn code_points(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

/// `&`, `<` and `>` as entities; quotes stay.
pub fn escaped(text: &[u32]) -> Vec<u32> {
    text.iter()
        .flat_map(|&one| match char::from_u32(one) {
            Some('&') => code_points("&amp;"),
            Some('<') => code_points("&lt;"),
            Some('>') => code_points("&gt;"),
            _ => vec![one],
        })
        .collect()
}

/// `id="…"`, `name="…"` or `name=…`.
fn attribute(name: &[u32], value: &[u32], quoted: bool) -> Vec<u32> {
    let quote = code_points(if quoted { "\"" } else { "" });
    [name, &code_points("="), &quote, &escaped(value), &quote].concat()
}

/// Every piece by its start, displayed ones first, with whether it is seen.
fn pieces(view: &View<'_>) -> Vec<(Span, bool)> {
    let mut pieces: Vec<(Span, bool)> = Vec::new();
    pieces.extend(view.displayed.iter().map(|&span| (span, false)));
    pieces.extend(view.seen.iter().map(|&span| (span, true)));
    pieces.sort_by_key(|&((start, _), seen)| (start, seen));
    pieces
}

/// From the start of the first piece to the end of the last one.
fn covered(view: &View<'_>) -> Span {
    let pieces = pieces(view);
    match (pieces.first(), pieces.last()) {
        (Some(((start, _), _)), Some(((_, end), _))) => (*start, *end),
        _ => (0, 0),
    }
}

/// The id, with the range where the view displays something and covers less than the document.
fn reference(view: &View<'_>) -> Vec<u32> {
    let (start, end) = covered(view);
    let mut reference = view.id.to_vec();
    if !view.displayed.is_empty() && (start, end) != (0, view.content.len()) {
        reference.extend(code_points(&format!("#{start}:{end}")));
    }
    reference
}

/// The text of the pieces between their ellipses.
pub fn body(view: &View<'_>) -> Vec<u32> {
    let (start, end) = covered(view);
    let displays = !view.displayed.is_empty();
    let mut body = Vec::new();
    if displays && start > 0 {
        body.extend(code_points("... "));
    }
    for ((start, end), seen) in pieces(view) {
        if seen {
            body.extend(code_points(&format!("[seen: \"#{start}:{end}\"]")));
        } else {
            body.extend(&view.content[start..end]);
        }
    }
    if displays && end < view.content.len() {
        body.extend(code_points(" ..."));
    }
    body
}

/// The `<doc>` element of a view, with its snippet or, if `metadata_only`, without.
pub fn element(view: &View<'_>, metadata_only: bool) -> Vec<u32> {
    let id = if metadata_only {
        view.id.to_vec()
    } else {
        reference(view)
    };
    let mut parts = vec![
        code_points("<doc"),
        attribute(&code_points("id"), &id, true),
    ];
    for &(name, value, quoted) in view.attributes {
        parts.push(attribute(name, value, quoted));
    }
    let mut element = parts.join(&u32::from(' '));
    element.push('>'.into());
    if !metadata_only {
        element.push('\n'.into());
        element.extend(escaped(&body(view)));
        element.push('\n'.into());
    }
    element.extend(code_points("</doc>"));
    element
}

/// A cell's text: no `|` and no line feed stays as it is.
fn cell(text: &[u32]) -> Vec<u32> {
    text.iter()
        .flat_map(|&one| match char::from_u32(one) {
            Some('|') => code_points("\\|"),
            Some('\n') => code_points(" "),
            _ => vec![one],
        })
        .collect()
}

/// `| one | two |`
fn line(cells: &[Vec<u32>]) -> Vec<u32> {
    let cells = cells.join(code_points(" | ").as_slice());
    [code_points("| "), cells, code_points(" |")].concat()
}

/// A table with at least one column.
pub fn table(columns: &[Vec<u32>], rows: &[Vec<Vec<u32>>]) -> Vec<u32> {
    let dashes: Vec<Vec<u32>> = columns
        .iter()
        .map(|name| code_points(&"-".repeat(name.len() + 2)))
        .collect();
    let rule = dashes.join(&u32::from('|'));
    let mut lines = vec![
        line(columns),
        [code_points("|"), rule, code_points("|")].concat(),
    ];
    for row in rows {
        let cells: Vec<Vec<u32>> = row.iter().map(|text| cell(text)).collect();
        lines.push(line(&cells));
    }
    lines.join(&u32::from('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: Vec<u32>) -> String {
        text.into_iter().filter_map(char::from_u32).collect()
    }

    #[test]
    fn a_view_with_a_masked_stretch() {
        let (id, content) = (code_points("7&"), code_points("0<23456\"89"));
        let (name, value) = (code_points("t"), code_points("a>\""));
        let view = View {
            id: &id,
            content: &content,
            displayed: &[(1, 3), (5, 9)],
            seen: &[(3, 5)],
            attributes: &[(&name, &value, true), (&name, &value, false)],
        };
        assert_eq!(
            string(element(&view, false)),
            "<doc id=\"7&amp;#1:9\" t=\"a&gt;\"\" t=a&gt;\">\n... &lt;2[seen: \"#3:5\"]56\"8 ...\n</doc>"
        );
        assert_eq!(
            string(element(&view, true)),
            "<doc id=\"7&amp;\" t=\"a&gt;\"\" t=a&gt;\"></doc>"
        );
    }

    #[test]
    fn whole_and_fully_seen_views_have_no_range_and_no_ellipsis() {
        let (id, content) = (code_points("7"), code_points("abc"));
        let whole = View {
            id: &id,
            content: &content,
            displayed: &[(0, 3)],
            seen: &[],
            attributes: &[],
        };
        assert_eq!(
            string(element(&whole, false)),
            "<doc id=\"7\">\nabc\n</doc>"
        );
        let seen = View {
            displayed: &[],
            seen: &[(1, 2)],
            ..whole
        };
        assert_eq!(
            string(element(&seen, false)),
            "<doc id=\"7\">\n[seen: \"#1:2\"]\n</doc>"
        );
    }

    #[test]
    fn a_table() {
        let columns = [code_points("id"), code_points("é")];
        let rows = [
            vec![code_points("1"), code_points("a|b\nc")],
            vec![vec![], vec![]],
        ];
        assert_eq!(
            string(table(&columns, &rows)),
            "| id | é |\n|----|---|\n| 1 | a\\|b c |\n|  |  |"
        );
    }
}
