"""Results of any backend become plain data that is displayed as they are."""

from __future__ import annotations

import datetime
import decimal
import enum
import json

import numpy as np
import pytest

from sid.backends import Corpus
from sid.document_rendering import DocumentView
from sid.episode.fetch import Search
from sid.episode.hits import plain_hits

from .corpora import WordBackend

SEARCH = Search(1, "text_search", Corpus(text_search=WordBackend()), "text_search", "q", 5, 50, None)


class Kind(enum.IntEnum):
    MAIL = 3


class Name(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("text", "text"),
        ({"a": [1, None, {"b": 0.5}]}, {"a": [1, None, {"b": 0.5}]}),
        ([1, "x", None, True], [1, "x", None, True]),
        (datetime.date(2024, 5, 1), "2024-05-01"),
        (decimal.Decimal("1.50"), "1.50"),
        (decimal.Decimal(0), None),
        ((1, 2), "(1, 2)"),
        ((), None),
        ({1: (2,)}, "{1: (2,)}"),
        ([(1, 2), datetime.date(2024, 5, 1)], ["(1, 2)", "2024-05-01"]),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        (Kind.MAIL, 3),
        (Name("x"), "x"),
        (np.float64(0.5), "0.5"),
        (b"raw", "b'raw'"),
    ],
    ids=str,
)
def test_values(value, plain) -> None:
    (hit,) = plain_hits(SEARCH, [{"id": "1", "content": "x", "field": value}])
    assert hit == {"id": "1", "content": "x", "field": plain}
    assert json.loads(json.dumps(hit, allow_nan=False)) == hit

    def shown(one: object) -> str:
        return DocumentView("1", "123456", {"field": one}, ["field"]).render_xml()

    assert shown(hit["field"]) == shown(value)


def test_names_of_fields() -> None:
    assert plain_hits(SEARCH, [{"id": "1", "content": "x", 5: True}]) == [{"id": "1", "content": "x", "5": True}]
