"""BM25 over whole documents, by the statistics of those that are given alone."""

from __future__ import annotations

import math
from collections import Counter

from .analysis import kept_terms, token_bounds, token_terms
from .snippet import K1, B


def bm25_scores(terms: list[str], texts: list[str], language: str) -> list[tuple[float, int, int]]:
    """Give ``(score, matched, length)`` of each text for the distinct terms.

    That is its BM25 among these texts alone, how many of the terms it holds, and its kept tokens.
    """
    distinct = list(dict.fromkeys(terms))
    counts = [
        Counter(term for term, _ in kept_terms(token_terms(text, *token_bounds(text)), language)) for text in texts
    ]
    lengths = [count.total() for count in counts]
    scores, matched = [0.0] * len(texts), [0] * len(texts)
    for term in distinct:
        held = [number for number, count in enumerate(counts) if term in count]
        if not held:
            continue
        idf = math.log(1.0 + (len(texts) - len(held) + 0.5) / (len(held) + 0.5))
        average = sum(lengths) / len(texts)
        for number in held:
            frequency = float(counts[number][term])
            norm = K1 * (1.0 - B + B * lengths[number] / average)
            scores[number] += idf * (frequency * (K1 + 1.0)) / (frequency + norm)
            matched[number] += 1
    return list(zip(scores, matched, lengths, strict=True))
