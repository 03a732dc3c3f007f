"""Views as ``<doc>`` elements and as Markdown tables."""

from __future__ import annotations

import datetime
import enum
import re
from decimal import Decimal
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import models
from models import points, runs
from sid import DocumentView, DocumentViewWithSnippet, parse_rendered_model_facing_id, render_markdown_table
from strategies import field_names, markup, non_empty_texts, texts, values

TEXT = "one two three four"


def attributes_view(document: dict[Any, Any], *fields: Any, model_id: str = "123456") -> DocumentView:
    return DocumentView("d", model_id, document, list(fields or document))


def text_view(
    displayed: list[tuple[int, int]],
    seen: list[tuple[int, int]] = (),
    text: str = TEXT,
    model_id: str = "123456",
    **attributes: object,
) -> DocumentViewWithSnippet:
    document = {**attributes, "text": text}
    return DocumentViewWithSnippet("d", model_id, document, "text", list(seen), displayed, list(document))


@st.composite
def views(draw: st.DrawFn, field_pool: tuple[Any, ...] | None = None) -> DocumentView:
    """Draw views with and without text, of documents that have the fields of the pool and perhaps more."""
    fields = draw(st.lists(field_names, unique=True, max_size=4)) if field_pool is None else list(field_pool)
    document: dict[Any, Any] = {field: draw(values) for field in fields}
    model_id = draw(st.one_of(st.from_regex(r"[0-9]{6}", fullmatch=True), markup))
    if not fields or draw(st.booleans()):
        return DocumentView("d", model_id, document, draw(st.permutations(fields)))
    snippet_field = draw(st.sampled_from(fields))
    content = document[snippet_field] = draw(st.one_of(non_empty_texts, markup.filter(bool)))
    covered_from, covered_to = sorted(draw(st.lists(st.integers(0, len(content)), min_size=2, max_size=2, unique=True)))
    covered = range(covered_from, covered_to)
    seen = draw(st.one_of(st.just(set()), st.just(set(covered)), st.sets(st.sampled_from(covered))))
    return DocumentViewWithSnippet(
        "d", model_id, document, snippet_field, runs(seen), runs(set(covered) - seen), draw(st.permutations(fields))
    )


# --- views ------------------------------------------------------------------------------------------------------------


def test_what_a_view_holds():
    document = {"a": 1, "text": TEXT}
    view = DocumentView("d", "m", document, ["a"])
    assert (view.data_id, view.model_facing_id, view.display_fields, view.snippet_display_spans) == (
        "d",
        "m",
        ["a"],
        [],
    )
    assert view.document is document
    view = DocumentViewWithSnippet("d", "m", document, "text", [(0, 3)], [(3, 9)], ["text", "a"])
    assert isinstance(view, DocumentView)
    assert (view.data_id, view.model_facing_id, view.snippet_field) == ("d", "m", "text")
    assert (view.snippet_seen_spans, view.snippet_display_spans) == ([(0, 3)], [(3, 9)])
    assert (view.display_fields, view.document) == (["text", "a"], document)


def test_parts():
    view = attributes_view({"a": 0, "b": None, 3: "c"}, "b", 3, "a")
    assert view._render_parts() == ("123456", {"b": None, 3: "c", "a": 0}, None)
    assert list(view._render_parts()[1]) == ["b", 3, "a"]
    assert view._render_parts(["a"]) == ("123456", {"a": 0}, None)
    view = text_view([(4, 7)], [(7, 8)], a=0, b="x")
    assert view._render_parts() == ("123456#4:8", {"doc_length": 18, "a": 0, "b": "x"}, '... two[seen: "#7:8"] ...')
    assert list(view._render_parts()[1]) == ["doc_length", "a", "b"]
    assert view._render_parts(["b", "text"])[1] == {"doc_length": 18, "b": "x"}


# --- XML --------------------------------------------------------------------------------------------------------------


@given(views())
def test_xml_agrees_with_the_naive_renderer(view):
    assert view.render_xml() == models.xml(view)


@pytest.mark.parametrize(
    ("displayed", "seen", "element"),
    [
        ([(0, 18)], [], '<doc id="123456" doc_length=18>\none two three four\n</doc>'),
        ([(0, 3)], [], '<doc id="123456#0:3" doc_length=18>\none ...\n</doc>'),
        ([(14, 18)], [], '<doc id="123456#14:18" doc_length=18>\n... four\n</doc>'),
        ([(4, 7)], [], '<doc id="123456#4:7" doc_length=18>\n... two ...\n</doc>'),
        ([(0, 4), (14, 18)], [(4, 14)], '<doc id="123456" doc_length=18>\none [seen: "#4:14"]four\n</doc>'),
        ([(7, 13)], [(4, 7)], '<doc id="123456#4:13" doc_length=18>\n... [seen: "#4:7"] three ...\n</doc>'),
        ([(4, 7)], [(0, 4), (7, 18)], '<doc id="123456" doc_length=18>\n[seen: "#0:4"]two[seen: "#7:18"]\n</doc>'),
        ([], [(4, 7)], '<doc id="123456" doc_length=18>\n[seen: "#4:7"]\n</doc>'),
        ([], [(0, 18)], '<doc id="123456" doc_length=18>\n[seen: "#0:18"]\n</doc>'),
    ],
)
def test_bodies(displayed, seen, element):
    assert text_view(displayed, seen).render_xml() == element


def test_without_a_snippet_field_there_is_no_body():
    assert attributes_view({}).render_xml() == '<doc id="123456"></doc>'
    assert attributes_view({"a": "x", "b": 2}).render_xml() == '<doc id="123456" a="x" b=2></doc>'


class _Number(enum.IntEnum):
    TWO = 2


class _Int(int):
    def __str__(self) -> str:
        return "<int>"


class _Value:
    def __init__(self, text: str, truth: bool = True) -> None:
        self.text, self.truth = text, truth

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return self.truth


ATTRIBUTES: list[tuple[object, str]] = [
    ("x", ' a="x"'),
    ("", ""),
    (" ", ' a=" "'),
    (5, " a=5"),
    (-5, " a=-5"),
    (0, ""),
    (10**40, f" a={10**40}"),
    (True, " a=True"),
    (False, ""),
    (None, ""),
    (_Number.TWO, " a=2"),
    (_Int(7), " a=&lt;int&gt;"),
    (1.5, ' a="1.5"'),
    (0.0, ""),
    (float("nan"), ' a="nan"'),
    (Decimal("1.50"), ' a="1.50"'),
    (np.int64(5), ' a="5"'),
    (np.float64(0), ""),
    (np.str_("s"), ' a="s"'),
    (["x", 1, None, True], ' a="x, 1, None, True"'),
    ([[1, 2], ["a"]], " a=\"[1, 2], ['a']\""),
    ([""], ' a=""'),
    ([0], ' a="0"'),
    ([], ""),
    (("x", "y"), " a=\"('x', 'y')\""),
    ((), ""),
    ({"k": "<v>"}, " a=\"{'k': '&lt;v&gt;'}\""),
    ({}, ""),
    (datetime.date(2020, 1, 2), ' a="2020-01-02"'),
    (b"x", " a=\"b'x'\""),
    (_Value("t<"), ' a="t&lt;"'),
    (_Value("t", truth=False), ""),
    ([_Value("t", truth=False)], ' a="t"'),
    ("&<>\"'&amp;", ' a="&amp;&lt;&gt;"\'&amp;amp;"'),
    ("a\nb\r\t", ' a="a\nb\r\t"'),
    ("\ud800<\udc00", ' a="\ud800&lt;\udc00"'),
    (["\ud800", "漢"], ' a="\ud800, 漢"'),
]


@pytest.mark.parametrize(("value", "written"), ATTRIBUTES, ids=lambda value: ascii(value)[:30])
def test_attributes(value, written):
    assert attributes_view({"a": value}).render_xml() == f'<doc id="123456"{written}></doc>'
    assert text_view([(0, 18)], a=value).render_xml() == f'<doc id="123456" doc_length=18{written}>\n{TEXT}\n</doc>'


@pytest.mark.parametrize("name", ["a b", "", "a<b", 'a"b', "漢", "\ud800", 5, True, None, ("x", 1), _Number.TWO])
def test_attribute_names_are_written_as_they_are(name):
    assert attributes_view({name: "x"}).render_xml() == f'<doc id="123456" {name}="x"></doc>'


def test_attributes_follow_the_display_fields():
    document = {"a": 1, "text": TEXT, "b": 2, "c": 3}
    view = DocumentViewWithSnippet("d", "m", document, "text", [], [(0, 18)], ["c", "text", "a"])
    assert view.render_xml() == f'<doc id="m" doc_length=18 c=3 a=1>\n{TEXT}\n</doc>'
    view.display_fields = ["b"]
    assert view.render_xml() == f'<doc id="m" doc_length=18 b=2>\n{TEXT}\n</doc>'


def test_fields_named_like_the_renderings_own():
    assert attributes_view({"id": "x", "doc_length": 7}).render_xml() == '<doc id="123456" id="x" doc_length=7></doc>'
    element = text_view([(0, 3)], id="x", a=1, doc_length="long").render_xml()
    assert element == '<doc id="123456#0:3" doc_length="long" id="x" a=1>\none ...\n</doc>'


def test_only_markup_is_escaped_everywhere():
    view = text_view([(0, 9)], text='<a & "\'">', model_id="<&>\"'", a="&lt;")
    assert view.render_xml() == ('<doc id="&lt;&amp;&gt;"\'" doc_length=9 a="&amp;lt;">\n&lt;a &amp; "\'"&gt;\n</doc>')


def test_the_text_is_displayed_verbatim():
    text = ' \r\n\x00... [seen: "#0:1"]\u2028é漢🙂\ud800 \n'
    view = text_view([(0, len(text))], text=text)
    assert view.render_xml() == f'<doc id="123456" doc_length={len(text)}>\n{text}\n</doc>'


@pytest.mark.parametrize("text", ["aé漢🙂b\ud800cd", "abcdefgh", "漢字漢字漢字漢字"])
def test_offsets_count_code_points(text):
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            shown = text_view([(start, end)], text=text)._render_parts()[2]
            assert shown == ("... " if start else "") + text[start:end] + (" ..." if end < len(text) else "")


def test_views_follow_a_string_that_is_replaced():
    view = text_view([(0, 3)], a="old")
    view.document["text"], view.document["a"] = "A longer text that came later", "new"
    assert view.render_xml() == '<doc id="123456#0:3" doc_length=29 a="new">\nA l ...\n</doc>'
    view.document["text"] = "now"
    assert view.render_xml() == '<doc id="123456" doc_length=3 a="new">\nnow\n</doc>'


def test_any_mapping_is_a_document():
    view = DocumentViewWithSnippet("d", "m", MappingProxyType({"a": 1, "t": "xy"}), "t", [], [(0, 1)], ("a", "t"))
    assert view.render_xml() == '<doc id="m#0:1" doc_length=2 a=1>\nx ...\n</doc>'


def test_a_missing_field_is_a_key_error():
    with pytest.raises(KeyError, match="b"):
        attributes_view({"a": 1}, "a", "b").render_xml()
    with pytest.raises(KeyError, match="b"):
        render_markdown_table([attributes_view({"a": 1}, "a")], ["b"])
    view = text_view([(0, 3)])
    del view.document["text"]
    with pytest.raises(KeyError, match="text"):
        view.render_xml()


@pytest.mark.parametrize("content", [None, 5, b"one two", ["one"]])
def test_a_text_that_is_none_any_more_is_a_type_error(content):
    view = text_view([(0, 3)])
    view.document["text"] = content
    with pytest.raises(TypeError, match=re.escape(repr(content))):
        view.render_xml()


def test_a_view_of_no_span_is_refused():
    with pytest.raises(ValueError, match="'d'"):
        text_view([], []).render_xml()


class _Refusing:
    def __str__(self) -> str:
        raise LookupError("no text")


class _Undecided:
    def __bool__(self) -> bool:
        raise LookupError("no truth")


@pytest.mark.parametrize("value", [_Refusing(), [_Refusing()], _Undecided()])
def test_errors_of_values_are_passed_on(value):
    with pytest.raises(LookupError, match="no t"):
        attributes_view({"a": value}).render_xml()


def test_values_without_one_truth_are_an_error_of_their_own():
    with pytest.raises(ValueError, match="ambiguous"):
        attributes_view({"a": np.array([1, 2])}).render_xml()


class _Wordy(DocumentViewWithSnippet):
    def _render_parts(self, display_fields=None):
        doc_id, attributes, body = super()._render_parts(display_fields)
        return f"w{doc_id}", {**attributes, "extra": True}, body and body.upper()


def test_a_subclass_may_make_other_parts():
    view = _Wordy("d", "m", {"t": "abc", "a": 1}, "t", [], [(0, 2)], ["t", "a"])
    assert view.render_xml() == '<doc id="wm#0:2" doc_length=3 a=1 extra=True>\nAB ...\n</doc>'
    assert render_markdown_table([view]).splitlines()[::2] == [
        "| id | doc_length | extra | t | a |",
        "| wm#0:2 | 3 | True | AB ... | 1 |",
    ]


# --- Markdown ---------------------------------------------------------------------------------------------------------


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[DocumentView], list[Any] | None]:
    pool = tuple(draw(st.lists(field_names, unique=True, min_size=1, max_size=4)))
    drawn = draw(st.lists(views(pool), max_size=4))
    return drawn, draw(st.one_of(st.none(), st.lists(st.sampled_from(pool), max_size=5, unique=True)))


@given(tables())
def test_markdown_agrees_with_the_naive_renderer(table):
    assert render_markdown_table(*table) == models.markdown(*table)


@given(tables())
@settings(max_examples=40)
def test_every_view_is_one_line_of_as_many_cells_as_the_header(table):
    drawn, fields = table
    names = [str(name) for view in drawn[:1] for name in (*view.display_fields, *(fields or ()))]
    assume(drawn and not any(character in name for name in names for character in "|\n"))
    lines = render_markdown_table(drawn, fields).split("\n")
    assert len(lines) == 2 + len(drawn)
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


@pytest.mark.parametrize("none", [[], ()])
def test_no_views_make_no_table(none):
    assert render_markdown_table(none) == render_markdown_table(none, ["a"]) == ""


def test_a_table_of_attributes():
    documents = [{"title": "A|B", "year": 0}, {"title": None, "year": False}, {"title": ["x", 1], "year": "1\n2\r|"}]
    views = [
        attributes_view(document, "title", "year", model_id=f"m|{number}") for number, document in enumerate(documents)
    ]
    assert render_markdown_table(views) == "\n".join(
        [
            "| id | title | year |",
            "|----|-------|------|",
            r"| m\|0 | A\|B | 0 |",
            r"| m\|1 | None | False |",
            "| m\\|2 | x, 1 | 1 2\r\\| |",
        ]
    )


def test_a_table_of_texts():
    views = [
        text_view([(0, 3)], a=1),
        text_view([], [(4, 7)], a="<&>"),
        text_view([(0, 18)], text="a\nb|c" + "." * 13, a=""),
    ]
    assert render_markdown_table(views) == "\n".join(
        [
            "| id | doc_length | a | text |",
            "|----|------------|---|------|",
            "| 123456#0:3 | 18 | 1 | one ... |",
            '| 123456 | 18 | <&> | [seen: "#4:7"] |',
            r"| 123456 | 18 |  | a b\|c............. |",
        ]
    )


def test_absent_cells_are_empty_and_the_first_row_decides_the_columns():
    with_text, without = text_view([(0, 3)], a=1), attributes_view({"a": 2, "text": "whole"}, "text", "a", model_id="m")
    assert render_markdown_table([with_text, without]).splitlines()[3] == "| m |  | 2 | whole |"
    assert render_markdown_table([without, with_text]).splitlines() == [
        "| id | text | a |",
        "|----|------|---|",
        "| m | whole | 2 |",
        "| 123456#0:3 | one ... | 1 |",
    ]


def test_chosen_fields_in_their_order():
    views = [attributes_view({"a": 1, "b": 2, "c": 3}), attributes_view({"c": 4, "a": 5}, "a")]
    assert render_markdown_table(views, ["c", "a"]).splitlines()[0::2] == ["| id | c | a |", "| 123456 | 3 | 1 |"]
    assert render_markdown_table(views, ("c",)).splitlines()[3] == "| 123456 | 4 |"
    assert render_markdown_table(views, []) == "| id |\n|----|\n| 123456 |\n| 123456 |"


@pytest.mark.parametrize("name", ["a", "漢字", "\ud800", "🙂🙂", 5, "x|y"])
def test_the_rule_is_two_wider_than_the_name_in_code_points(name):
    assert render_markdown_table([attributes_view({name: 1})]).splitlines()[:2] == [
        f"| id | {name} |",
        f"|----|{'-' * (len(str(name)) + 2)}|",
    ]


@pytest.mark.parametrize("value", [_Refusing(), [_Refusing()]])
def test_errors_of_cells_are_passed_on(value):
    with pytest.raises(LookupError, match="no text"):
        render_markdown_table([attributes_view({"a": value})])


def test_the_truth_of_cells_is_not_asked():
    table = render_markdown_table([attributes_view({"a": SimpleNamespace(), "b": np.array([1, 2]), "c": [_Undecided]})])
    assert "| namespace() | [1 2] |" in table


# --- text of any kind -------------------------------------------------------------------------------------------------


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@given(non_empty_texts, texts)
def test_a_view_shows_just_its_characters(text, title):
    view = text_view([(0, len(text))], text=text, model_id="m", title=title)
    attribute = f' title="{escaped(title)}"' if title else ""
    assert view.render_xml() == f'<doc id="m" doc_length={len(text)}{attribute}>\n{escaped(text)}\n</doc>'


@given(views().filter(lambda view: isinstance(view, DocumentViewWithSnippet)))
@settings(max_examples=60)
def test_the_reference_names_what_the_view_covers(view):
    reference, attributes, _ = view._render_parts([])
    covered = points([*view.snippet_display_spans, *view.snippet_seen_spans])
    assert attributes == {"doc_length": len(view.document[view.snippet_field])}
    if view.snippet_display_spans and len(covered) < attributes["doc_length"]:
        assert parse_rendered_model_facing_id(f"m{reference}".replace(view.model_facing_id, "", 1)) == (
            "m",
            (min(covered), max(covered) + 1),
        )
    else:
        assert reference == view.model_facing_id
