use sid_core::intervals::Span;
use sid_core::render::{escape, DocElement, Layout, MarkdownTable, Piece, Value};

use crate::input::{encoded, Input, Source};
use crate::model::masking;
use crate::model::rendering as model;

/// Elements and tables are the model's, code point by code point.
pub fn rendering(data: &[u8]) {
    let mut input = Input::new(data);
    let shape = input.number();
    let spans: Vec<(u8, u8)> = (0..1 + shape % 8)
        .map(|_| (input.number(), input.number()))
        .collect();
    let attributes = usize::from(shape >> 3) % 4;
    let columns = 1 + usize::from(shape >> 5) % 3;
    let by_hand = shape >= 0x80;

    let (id, content) = (input.source(), input.source());
    check_escape(&content);
    let (displayed, seen) = if by_hand {
        made_by_hand(&spans, content.code_points.len())
    } else {
        masked(&spans, content.code_points.len())
    };
    let attributes: Vec<(Source, Source, bool)> = (0..attributes)
        .map(|number| (input.source(), input.source(), number != 1))
        .collect();
    check_element(&id, &content, &displayed, &seen, &attributes);

    let names: Vec<Source> = (0..columns).map(|_| input.source()).collect();
    let mut rows = vec![vec![id]];
    rows[0].resize(columns, content);
    for _ in 0..shape % 3 {
        rows.push((0..columns).map(|_| input.source()).collect());
    }
    check_table(&names, &rows);
}

/// The view of the first span where the others were seen, as far as the document goes; nothing of an empty one.
fn masked(spans: &[(u8, u8)], length: usize) -> (Vec<model::Span>, Vec<model::Span>) {
    let length = length as i128;
    let place = |&(start, size): &(u8, u8)| {
        let start = i128::from(start) % length;
        (start, (start + 1 + i128::from(size)).min(length))
    };
    if length == 0 {
        return Default::default();
    }
    let seen = spans[1..].iter().map(place).flat_map(masking::points);
    let plan = masking::mask(place(&spans[0]), &seen.collect(), 3);
    let offsets = |spans: Vec<masking::Span>| {
        spans
            .into_iter()
            .map(|(start, end)| (start as usize, end as usize))
            .collect()
    };
    (offsets(plan.displayed), offsets(plan.seen))
}

/// Any spans inside the document, displayed and seen by turns: overlapping, in no order, empty.
fn made_by_hand(spans: &[(u8, u8)], length: usize) -> (Vec<model::Span>, Vec<model::Span>) {
    let mut kinds: [Vec<model::Span>; 2] = Default::default();
    for (number, &(start, size)) in spans.iter().enumerate() {
        let start = usize::from(start).min(length);
        kinds[number % 2].push((start, (start + usize::from(size)).min(length)));
    }
    let [displayed, seen] = kinds;
    (displayed, seen)
}

fn check_escape(source: &Source) {
    // What is there already stays.
    let mut out = b"<".to_vec();
    escape(&mut out, source.text().as_bytes());
    let expected = [
        b"<".as_slice(),
        &encoded(&model::escaped(&source.code_points)),
    ]
    .concat();
    assert_eq!(out, expected, "escape {:x?}", source.code_points);
}

fn check_element(
    id: &Source,
    content: &Source,
    displayed: &[model::Span],
    seen: &[model::Span],
    attributes: &[(Source, Source, bool)],
) {
    let attributes_of_model: Vec<(&[u32], &[u32], bool)> = attributes
        .iter()
        .map(|(name, value, quoted)| {
            (
                name.code_points.as_slice(),
                value.code_points.as_slice(),
                *quoted,
            )
        })
        .collect();
    let view = model::View {
        id: &id.code_points,
        content: &content.code_points,
        displayed,
        seen,
        attributes: &attributes_of_model,
    };

    let body = body(content, displayed, seen);
    assert_eq!(body.1, encoded(&model::body(&view)), "{view:x?}");
    let mut reference = id.text().as_bytes().to_vec();
    if let Some(Span { start, end }) = body.0 {
        reference.extend_from_slice(format!("#{start}:{end}").as_bytes());
    }
    let element = |id: &[u8], body: Option<&[u8]>| {
        let mut element = DocElement::new(id);
        for (name, value, quoted) in attributes {
            let value = value.text().as_bytes();
            let value = if *quoted {
                Value::Quoted(value)
            } else {
                Value::Bare(value)
            };
            element.attribute(name.text().as_bytes(), value);
        }
        element.finish(body)
    };
    assert_eq!(
        element(&reference, Some(&body.1)),
        encoded(&model::element(&view, false)),
        "{view:x?}"
    );
    assert_eq!(
        element(id.text().as_bytes(), None),
        encoded(&model::element(&view, true)),
        "{view:x?}"
    );
}

/// The range that the view's reference names, if any, and its body, by the core.
fn body(
    content: &Source,
    displayed: &[model::Span],
    seen: &[model::Span],
) -> (Option<Span>, Vec<u8>) {
    let spans = |spans: &[model::Span]| -> Vec<Span> {
        spans
            .iter()
            .map(|&(start, end)| Span::new(start as i64, end as i64))
            .collect()
    };
    let layout = Layout::new(&spans(displayed), &spans(seen));
    let pieces: Vec<Piece<'_>> = layout
        .spans
        .iter()
        .map(|&(span, is_seen)| {
            if is_seen {
                return Piece::Seen(span);
            }
            let byte = |offset: i64| content.byte(offset as usize);
            Piece::Displayed(content.text().slice(byte(span.start), byte(span.end)))
        })
        .collect();
    let length = content.code_points.len() as i64;
    let range = layout.names_range(length).then_some(layout.covered);
    (range, layout.body(&pieces, length))
}

fn check_table(names: &[Source], rows: &[Vec<Source>]) {
    let columns: Vec<_> = names.iter().map(Source::text).collect();
    let mut table = MarkdownTable::new(&columns);
    for row in rows {
        table.row(row.iter().map(Source::text));
    }
    let code_points = |sources: &[Source]| -> Vec<Vec<u32>> {
        sources
            .iter()
            .map(|source| source.code_points.clone())
            .collect()
    };
    let expected = model::table(
        &code_points(names),
        &rows.iter().map(|row| code_points(row)).collect::<Vec<_>>(),
    );
    assert_eq!(table.finish(), encoded(&expected), "{names:x?} {rows:x?}");
}
