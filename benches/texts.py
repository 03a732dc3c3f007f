# ruff: noqa: RUF001 - these are texts in the scripts that they are meant to be in
"""Deterministic texts and queries.

English is real prose: the language reference that every CPython carries for ``help()``. The other languages are a few
sentences each, written for this file and shuffled. Every call makes a new string object, so that no implementation
profits from what another one made Python remember about a string, such as its hash or its UTF-8 form.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from pydoc_data.topics import topics

__all__ = ["ENGLISH_QUERIES", "QUERIES", "SENTENCES", "ColdText", "english", "query_from", "shuffled", "variants"]

ENGLISH_QUERIES = (
    "how does the import system find a module",
    "what happens when an exception is not handled",
    "string formatting with width and precision",
    "class with a custom metaclass",
    "order of evaluation of expressions in an assignment",
    "debugger command that sets a breakpoint with a condition",
    "lambda conditional operator precedence",
    "asynchronous context manager",
)

SENTENCES: dict[str, tuple[str, ...]] = {
    "ja": (
        "図書館は、本や雑誌を集めて、誰でも読めるようにする施設である。",
        "町の図書館では、一人につき十冊まで、二週間借りることができる。",
        "古い新聞はデータベースに保存され、カウンターで申し込めば閲覧できる。",
        "近年は、子どものための読み聞かせの会や、パソコンの使い方を教える講座も開かれている。",
        "梅雨の時期には、太平洋側から湿った空気が流れ込み、雨の日が何日も続く。",
        "気象台によると、昨日の最高気温は31.5度で、平年より3度ほど高かった。",
        "台風が近づくと、海岸では高い波に注意が必要になる。",
        "日本で最初の鉄道は、1872年に新橋と横浜の間で開業した。",
        "新幹線は時速300キロ近い速さで走り、数分おきに発車する路線もある。",
        "駅のホームでは、列に並び、降りる人を先に通すのがふつうだ。",
        "地方のローカル線では乗客が減り、バスへの切り替えが話し合われている。",
        "切符はスマートフォンでも買えるが、窓口で係員に相談する人も少なくない。",
    ),
    "zh": (
        "图书馆收集、整理并保存各种文献，供读者借阅和研究使用。",
        "城市图书馆一般设有阅览室、儿童区和自习室，周末也照常开放。",
        "读者凭借书证每次可以借十本书，期限为三十天，到期前可以续借一次。",
        "许多旧报纸和地方志已经扫描成电子版，在家里就能查到。",
        "每年夏天，来自海洋的暖湿气流给南方带来大量降水。",
        "气象部门预报，明天最高气温为28.5℃，夜间有小到中雨。",
        "冬季冷空气南下时，北方常常出现大风和降温天气。",
        "山区的天气变化很快，登山的人应当提前了解预报。",
        "高速列车从一座城市到另一座城市只需要两个多小时。",
        "2008年以后，新建铁路的里程增长得很快，车站也越来越大。",
        "乘客可以在手机上买票，进站时刷身份证就可以了。",
        "慢车虽然速度不快，却能停靠许多小站，方便沿线的居民赶集和上学。",
    ),
    "ru": (
        "Библиотека собирает книги, журналы и карты и выдаёт их всем, кто записан.",
        "В читальном зале можно работать до девяти часов вечера, а по субботам до шести.",
        "Редкие издания на дом не выдают, зато многие из них уже доступны в электронном виде.",
        "Каталог помогает найти книгу по автору, названию или теме.",
        "Зимой над равниной часто стоит антициклон, и тогда ночью мороз доходит до −30 градусов.",
        "Весной реки разливаются, и в низинах вода держится две-три недели.",
        "По данным метеостанции, за сутки выпало 12,5 миллиметра осадков.",
        "Первый поезд прошёл по этой линии в 1851 году и шёл почти целые сутки.",
        "Сегодня скорый поезд проходит то же расстояние меньше чем за четыре часа.",
        "Пассажиры дальних поездов берут с собой чай, книги и тёплые вещи.",
        "На маленьких станциях электричка стоит одну минуту, поэтому двери открываются сразу.",
    ),
    "ar": (
        "تجمع المكتبة العامة الكتب والمجلات والخرائط وتتيحها لجميع القراء.",
        "يستطيع القارئ أن يستعير خمسة كتب لمدة ثلاثة أسابيع، ثم يجددها مرة واحدة.",
        "في قاعة المطالعة أجهزة حاسوب يمكن البحث بها في الفهرس حسب المؤلف أو الموضوع.",
        "أما المخطوطات القديمة فلا تخرج من المكتبة، لكن صورها منشورة على الشبكة.",
        "يكون الصيف في السهول حارا وجافا، وقد تصل الحرارة إلى 45 درجة.",
        "تهطل أكثر الأمطار بين نوفمبر ومارس، وتكون غزيرة قرب الساحل.",
        "تحمل الرياح القادمة من الصحراء غبارا كثيفا يحجب الرؤية أحيانا.",
        "سجلت محطة الأرصاد أمس ١٢ مليمترا من المطر خلال ساعتين.",
        "بدأ العمل في خط السكة الحديدية عام 1854 بين المدينة والميناء.",
        "يقطع القطار السريع المسافة اليوم في أقل من ساعتين ونصف.",
        "يشتري المسافرون التذاكر من المحطة أو من الهاتف، ويصل أكثرهم قبل الموعد بربع ساعة.",
    ),
    "ko": (
        "도서관은 책과 잡지를 모아 누구나 읽을 수 있게 하는 곳이다.",
        "시립 도서관에서는 한 사람이 책을 다섯 권까지 두 주 동안 빌릴 수 있다.",
        "오래된 신문은 전자 자료로 바뀌어 집에서도 찾아볼 수 있다.",
        "어린이 자료실에서는 토요일마다 그림책을 읽어 주는 모임이 열린다.",
        "여름에는 장마전선이 남쪽에서 올라와 며칠씩 비가 내린다.",
        "기상청은 내일 낮 기온이 29.5도까지 오르겠다고 예보했다.",
        "겨울에는 북서쪽에서 찬 바람이 불어 맑고 건조한 날이 많다.",
        "산간 지방에는 눈이 많이 쌓여 길이 막히기도 한다.",
        "고속 열차는 2004년에 처음 달리기 시작했고, 두 도시를 두 시간 반 만에 잇는다.",
        "작은 역에는 하루에 열차가 네 번만 서지만 주민들에게는 꼭 필요한 교통수단이다.",
        "승객은 휴대전화로 표를 사고 좌석을 고를 수 있다.",
        "열차가 늦어지면 역무원이 방송으로 까닭과 도착 시각을 알려 준다.",
    ),
    "de": (
        "Öffentliche Bibliotheken verleihen nicht nur Bücher, sondern auch Spiele, Noten und Werkzeuge.",
        "Wer etwas Bestimmtes sucht, findet es über den Katalog oder fragt an der Auskunft im ersten Stock.",
        "Die Leihfrist beträgt vier Wochen und lässt sich zweimal verlängern, wenn niemand vorgemerkt ist.",
        "Ältere Zeitungen liegen als Mikrofilm vor; große Bestände sind inzwischen digitalisiert.",
        "Morgen zieht ein Tiefdruckgebiet von der Nordsee nach Süden und bringt bis zu 25 Liter Regen je Quadratmeter.",
        "Oberhalb von 1.200 Metern fällt Schnee, der auf den Straßen aber rasch schmilzt.",
        "Im Hochsommer kühlt es in den Tälern nachts stärker ab als auf den Höhen.",
        "Die ersten Züge brauchten für sechs Kilometer neun Minuten und fuhren nur bei Tageslicht.",
        "Heute verbinden Schnellzüge die größeren Städte stündlich, doch auf Nebenstrecken fährt oft nur ein Bus.",
        "Fahrgäste mit Fahrrad müssen früh genug einen Stellplatz reservieren.",
        "Bei Verspätungen von mehr als 60 Minuten wird ein Viertel des Fahrpreises erstattet.",
    ),
}
"""Sentences by ISO 639-1 code."""

QUERIES: dict[str, tuple[str, ...]] = {
    "ja": ("新幹線の速さ", "図書館で本を借りる", "台風と高い波"),
    "zh": ("图书馆可以借几本书", "明天的最高气温", "高速列车买票"),
    "ru": ("каталог библиотеки", "мороз зимой ночью", "скорый поезд четыре часа"),
    "ar": ("استعارة الكتب من المكتبة", "الأمطار قرب الساحل", "القطار السريع اليوم"),
    "ko": ("도서관 책 다섯 권", "내일 낮 기온", "고속 열차 좌석"),
    "de": ("Bücher in der Bibliothek verlängern", "Regen und Schnee morgen", "Züge auf Nebenstrecken"),
}
"""Queries by ISO 639-1 code."""

_WITHOUT_SPACES = ("ja", "zh")
_SENTENCES_PER_PARAGRAPH = 6
_PARAGRAPH_BREAK = "\n\n"
_TO_ASCII = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "--", "…": "...", "ß": "ss"})


def english(size: int, part: int = 0, *, ascii_only: bool = True) -> str:
    """Cut a text out of CPython's reference; where it is used up, its paragraphs come again in another order.

    Parameters
    ----------
    size
        Length in code points.
    part
        Which of the texts of this size: no two have a stretch in common until the reference is used up.
    ascii_only
        Whether to write the few typographic characters of the reference in ASCII. Otherwise about one code point in
        a thousand is not ASCII.
    """
    end = size * (part + 1)
    return _reference(1 << (end - 1).bit_length(), ascii_only)[end - size : end]


@cache
def _reference(least: int, ascii_only: bool) -> str:
    """Give at least as many code points of the reference as asked for."""
    whole = _PARAGRAPH_BREAK.join(topics[name] for name in sorted(topics))
    if ascii_only:
        whole = whole.translate(_TO_ASCII).encode("ascii", errors="ignore").decode("ascii")
    order = random.Random(0)
    paragraphs = whole.split(_PARAGRAPH_BREAK)
    pieces = [whole]
    length = len(whole)
    while length < least:
        order.shuffle(paragraphs)
        pieces.append(_PARAGRAPH_BREAK.join(paragraphs))
        length += len(pieces[-1])
    return _PARAGRAPH_BREAK.join(pieces)


def shuffled(language: str, size: int, part: int = 0) -> str:
    """Make a text of a language's sentences in random order.

    Its vocabulary is that of the sentences, so that the terms of a query are more frequent than in a book.

    Parameters
    ----------
    language
        A key of `SENTENCES`.
    size
        Length in code points.
    part
        Which of the texts of this size: each is another order.
    """
    order = random.Random(f"{language} {part}")
    space = "" if language in _WITHOUT_SPACES else " "
    pieces: list[str] = []
    length = 0
    while length < size:
        paragraph = space.join(order.choices(SENTENCES[language], k=_SENTENCES_PER_PARAGRAPH)) + _PARAGRAPH_BREAK
        pieces.append(paragraph)
        length += len(paragraph)
    return "".join(pieces)[:size]


def query_from(text: str, serial: int) -> str:
    """Make the query with a serial number: four words of an ASCII text, common ones more often than rare ones."""
    return " ".join(random.Random(serial).choices(_words(text), k=4))


@cache
def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z]{3,}", text)


class ColdText:
    """A text that can be had in millions of variants, so that none of them has been seen before.

    A variant differs from the text in at most five letters, each replaced by another letter of the same text.

    Parameters
    ----------
    text
        At least five letters, each of which leaves the next at least a fifth of the text on.
    """

    _LETTERS = 5

    def __init__(self, text: str) -> None:
        self._alphabet = sorted(filter(str.isalpha, set(text)))
        sites = list(self._sites(text))
        starts = [0, *(site + 1 for site in sites)]
        self._pieces = [text[start:end] for start, end in zip(starts, [*sites, len(text)], strict=True)]

    def _sites(self, text: str) -> Iterator[int]:
        """Find a letter in each fifth of the text."""
        for number in range(self._LETTERS):
            start = (2 * number + 1) * len(text) // (2 * self._LETTERS)
            yield next(site for site in count(start) if text[site].isalpha())

    def variant(self, serial: int) -> str:
        """Make the variant with a serial number."""
        pieces = [self._pieces[0]]
        for piece in self._pieces[1:]:
            serial, letter = divmod(serial, len(self._alphabet))
            pieces += (self._alphabet[letter], piece)
        return "".join(pieces)


def variants(texts: Sequence[ColdText], first: int, number: int) -> list[str]:
    """Make variants of texts in turn, from a serial number on."""
    return [texts[serial % len(texts)].variant(serial // len(texts)) for serial in range(first, first + number)]
