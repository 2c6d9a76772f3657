"""Lines that look like the heading of a numbered provision, and the most plausible numbering among them.
A line that starts with a number may be a heading, an entry of the contents page, the wrapped end of a cross-reference or a cell of a table.
Each candidate gets a weight from its looks; the numbering is then the chain of candidates with the best sum of weights and steps, where a
step to the next number is free, a gap costs a little and a step back costs much. One pass over the text with one pattern, so that a
document of 500 pages stays cheap."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from deterministic.clauses.numerals import ATTACHMENTS, attachment_label, number_key, order_key
from deterministic.lexicon.records import record
from deterministic.lexicon.searching import find_lines
from deterministic.lexicon.spelling import NUMBER_WORDS, ORDINALS

HeadingKind = Literal["article", "section", "attachment", "part", "unplaced"]


@record
class Heading:
    """A candidate: `key` is (2, 1) for 2.01, (2,) for ARTICLE II, () for an attachment or a part, whose `number` names it. A lettered
    number lies between its neighbours: (12.001, 1) for 12A.1."""

    kind: HeadingKind
    key: tuple[float, ...]
    number: str
    title: str
    start: int
    end: int
    """End of the heading's line(s): where its text begins at the latest."""
    weight: float
    has_word: bool = False
    """Written with "SECTION", "Clause" or "ARTICLE"."""
    shown: str = ""
    """The number that is printed, where another one is meant; "" for the same."""


_ORDINAL = "|".join(form for word in ORDINALS for form in (word.upper(), word.capitalize()))
_MARKS = r"[ \t\xa0•*_#|>~\u200b\ufeff-]*"
_GAP = r"[ \t\xa0]+"
_ATTACHMENTS = "|".join(form for word in ("schedule", "annexure", "annex", "appendix") for form in (word.upper(), word.capitalize()))
_SPELLED = "|".join(form for word in NUMBER_WORDS for form in (word.upper(), word.capitalize()))
_FORMS = (
    # ARTICLE II, Chapter Three
    rf"(?P<article>ARTICLE|Article|CHAPTER|Chapter|TITLE){_GAP}(?P<article_number>[IVXLC]{{1,7}}|\d{{1,3}}|[A-Z]{{3,9}}|"
    r"(?:One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|Eleven|Twelve))\b",
    # SECTION 2.03, Clause 12A, § 4, Section I.2, Section G-1; with a zero for O as a recognition reads it
    r"(?P<word>SECTI[O0]N|Secti[o0]n|CLAUSE|Clause|Sec\.|SEC\.|§(?=\s*\d)\n?)\.?[ \t\xa0]*"
    r"(?P<word_number>\d{1,3}(?:[A-Za-z](?!\w))?(?:\.\d{1,3}(?:[A-Z](?!\w))?){0,3}(?=[A-Z][a-z]|[^\w(]|$)|"
    rf"[IVX]{{1,5}}\.\d{{1,3}}(?![\w(])|[A-Z]-\d{{1,2}}(?=[ .:–—-])|(?:[IVX]{{1,6}}|{_SPELLED})(?=[ .:–—-]|$))",
    # Schedule 2, EXHIBIT B-1, Annex - I, Attachment "A"
    rf"(?P<attachment>{_ATTACHMENTS}|EXHIBIT|Exhibit|ATTACHMENT|Attachment){_GAP}(?:[Nn][Oo]\.?[ \t]*)?(?:[-–—][ \t\xa0]*)?"
    r"[“\"(]?(?P<label>(?!(?:OF|TO|IN|AS|OR|BY|IS|NO|AN|AT|ON|IF|WE)\b)[A-Z]{1,2}(?:[ ]?[-–][ ]?\d{1,2})?|"
    r"\d{1,3}(?:\.\d{1,3}(?:\([a-z]\))?)?[A-Z]?(?:-\d{1,2})?|[IVXLC]{1,6}(?:-[A-Z\d]+)?|"
    r"ONE|TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE|TEN)\b[”\")]?",
    # EXHIBITK
    r"(?P<glued>EXHIBIT|SCHEDULE)(?P<glued_label>[A-RT-Z]|\d{1,2})(?=[ \t\xa0]*$)",
    # THE FIRST SCHEDULE
    rf"(?:THE |The )?(?P<ordinal>{_ORDINAL}){_GAP}(?P<ordered>{_ATTACHMENTS})\b",
    # SCHEDULE, alone
    r"(?:THE |The )?(?P<only>SCHEDULE|APPENDIX|ANNEXURE|ANNEX)(?=[ \t\xa0]*:?[ \t\xa0]*(?:\([^()\n]*\)[ \t\xa0]*)?$)",
    # Part II
    rf"(?P<part>PART|Part){_GAP}(?P<part_number>[IVX]{{1,5}}|\d{{1,2}}|[A-H])\b",
    # 5.1, 12., 2a, II.3, IV., 14.Fees
    r"(?P<number>\d{1,3}[A-Z]?(?:\.\d{1,3}[A-Za-wyz]?){1,3}\.?|\d{1,3}[A-Za-z]?\.?|[IVX]{1,5}\.\d{1,3}\.?|[IVX]{1,5}\.)"
    r"(?=[ \t\xa0]|$|(?:(?<=\d\.)|(?<=\.\d)|(?<=\.\d\d))[A-Z][A-Za-z])",
)
_CANDIDATE = re.compile(rf"^{_MARKS}(?:{'|'.join(_FORMS)})[ \t\xa0.:)—–-]*(?P<rest>[^\n]*)$", re.M)
_OPEN_SIGNS = tuple(
    "§ ( , $ £ € clause clauses section sections article articles paragraph paragraphs schedule schedules exhibit exhibits annex appendix "
    "part parts".split()
)
_OPEN_WORDS = frozenset("of to in under the by with at from than see no. nos. page is for a or and through".split())
_CITES = re.compile(r"(?:§|\(|\b(?:clause|section|article|paragraph|schedule)s?|,\s*\d[\d.]*)$", re.I)  # before a number of several parts
_LAST_WORD = re.compile(r"\w+\.?\Z")
_ATTACHMENT_ALONE = re.compile(
    r"\s*(?:THE )?(?:SCHEDULE|APPENDIX|ANNEXURE|ANNEX)\W*|"
    r"\W*(?:LIST OF |List of )?(?:SCHEDULES|Schedules|EXHIBITS|Exhibits|ANNEXES|Annexes|APPENDICES|Appendices)\W*"
)
"""A line of its own above an attachment, or above a list or a group of them: not the open end of a sentence."""
_SENTENCE_END = re.compile(r"[.;:!?”\"’)\]]\s*$|(?:;|,)\s*(?:and|or)\s*$|\.\s*\d*\s*$")
_UNIT = re.compile(
    r"^(?:%|per\s?cent|percent|x\b|times|million|billion|months?\b|days?\b|years?\b|bps|basis|[ap]\.?m\b|st\b|nd\b|rd\b|th\b|to\s[\d$]|\)|\(or|"
    r",|;|/|MILLION\b|PER CENT)"
)
_GOES_ON = re.compile(r"^(?:hereof|thereof|above|below|of|and|or|to|in|shall|is|are|hereto|hereunder)\b")
_WEAK = 0.05  # of a line that begins like a sentence's middle: it counts only where the numbers lead to it
_TITLE_START = re.compile(r"[A-Z“\"‘'\[(ÀÁÂÄÉÈÍÎÓÖÚÜ]|[^\x00-\xff]")
LONGEST_TITLE = 90
_SENTENCE = re.compile(r"^[“\"]|[,;]$|\b(?:means?|shall|is|are|has|have|will)\b")
"""What no title has that stands on the line below its number."""
_MONTH = re.compile(r"^(?:January|February|March|April|May|June|July|August|September|October|November|December)\b", re.I)
_LEADER = re.compile(r"(?:\.[ \xa0]?){4,}|…{2,}|_{4,}")


_ENTRY = 0.8  # what it takes from a line's weight that dots lead to a page number


def find_candidates(text: str, page_starts: Sequence[int] = ()) -> list[Heading]:
    """Every line that could be a heading, in text order, with its weight; none above 0 for one that only begins with a number."""
    found: list[Heading] = []
    for match in find_lines(_CANDIDATE, text):
        around = text[max(0, match.start() - 120) : match.start()]
        before = around.rstrip("\n \t\xa0")
        previous = before[before.rfind("\n") + 1 :]
        page = bisect_right(page_starts, match.start()) - 1
        is_top = not before or (page >= 0 and page_starts[page] >= match.start() - (len(around) - len(before)))
        rest = match["rest"].replace("\xa0", " ").strip()
        has_dots = rest.count(".") > 3 or "…" in rest or "_" in rest  # told faster than by the pattern
        leader = _LEADER.search(rest) if has_dots else None
        read = _article if match["article"] else _section if match["word"] or match["number"] else _attachment
        if leader:  # an entry of a contents page: its page number is no part of the title
            entry = read(match, text, rest[: leader.start()].rstrip(" ."), previous, is_top) if leader.start() else None
            heading = replace(entry, weight=max(entry.weight - _ENTRY, 0.1), end=match.end()) if entry else None
        else:
            heading = read(match, text, rest, previous, is_top)
        found += [heading] if heading else []
    return found


_FIGURED = re.compile(rf"^{_MARKS}(\(?)([\dlIOSB]{{1,3}})[.)](?=\s)", re.M)
_FIGURES = str.maketrans("lIOSB", "11058")


def with_figures(text: str) -> str:
    """Same length; letters that stand for figures in a label are figures where the labels around it say so: "l." before "2." is "1."."""
    labels = sorted((match[1], match.start(2), match[2]) for match in find_lines(_FIGURED, text))
    figures: dict[int, str] = {}
    for n, (sign, at, label) in enumerate(labels):
        if (shown := label.translate(_FIGURES)) != label:
            near = [labels[n + step] if 0 <= n + step < len(labels) else ("", 0, "") for step in (-1, 1)]
            before, behind = ((one[0], one[2]) == (sign, str(int(shown) + step)) for one, step in zip(near, (-1, 1), strict=True))
            is_first = int(shown) == 1 and (near[0][0], near[0][2]) != (sign, shown)
            if (behind and (before or is_first)) or (before and re.search(r"\d", label)):
                figures[at] = shown
    return _FIGURED.sub(lambda m: m[0].replace(m[2], figures.get(m.start(2), m[2])), text) if figures else text


LINE_END = 24
"""Characters at the end of a line that tell how it ends: more than the longest word of the patterns."""


def is_left_open(line: str) -> bool:
    end = line[-LINE_END:].rstrip().lower()
    return end.endswith(_OPEN_SIGNS) or ((word := _LAST_WORD.search(end)) is not None and word[0] in _OPEN_WORDS)


def ends_sentence(line: str) -> bool:
    return _SENTENCE_END.search(line[-LINE_END:]) is not None


def next_line(text: str, at: int) -> tuple[str, int]:
    """The next line with text after `at`, and its end."""
    for _ in range(3):
        stop = text.find("\n", at + 1)
        stop = len(text) if stop < 0 else stop
        if (line := text[at + 1 : stop].replace("\xa0", " ").strip()) or stop >= len(text):
            return line, stop
        at = stop
    return "", at


def _attachment(match: re.Match[str], text: str, rest: str, previous: str, is_top: bool) -> Heading | None:
    word = match["attachment"] or match["glued"] or match["ordered"] or match["only"] or "part"
    label = match["label"] or match["glued_label"] or match["ordinal"] or match["part_number"] or ""
    shown = text[match.start() : match.end()].strip()
    is_wrapped = is_top and word.isupper() and rest[:1].isupper() and shown.endswith(",")  # a title of two lines
    is_sentence = re.search(r"[,;]$|[a-z)]\.$", shown) and not is_wrapped
    if len(shown.split("...")[0]) > 100 or is_sentence or re.match(r"[a-z,;)]", rest):
        return None
    is_first = not text[max(0, match.start() - 200) : match.start()].strip()
    if re.fullmatch(r"(?i)exhibit", word) and re.match(r"(?:4|10|99)(?!\d)" if is_first else r"(?:4|10|99)\.\d", label):
        return None  # the number of a stock-exchange filing, not of this document's attachments
    is_caps = word.isupper()
    is_bare = not rest or rest.startswith(("(", "–", "-", "—", ":"))
    signs = (
        (is_caps, 1.0),
        (is_top, 1.0),
        (is_bare, 0.4),
        (not is_top and is_left_open(previous) and not _ATTACHMENT_ALONE.fullmatch(previous), -1.8),
        (not is_top and len(previous) > 60 and not ends_sentence(previous), -1.2),
        (not is_caps and not is_top and rest.endswith("."), -1.0),
    )
    weight = 1.0 + sum(value for holds, value in signs if holds)
    title, end = (rest.strip("()–-—: "), match.end()) if rest else next_line(text, match.end())
    if not rest and (len(title) > 90 or re.match(r"(?!to\b)[a-z]", title)):
        title, end = "", match.end()
    kind: HeadingKind = "part" if match["part"] else "attachment"
    name = "part" if kind == "part" else ATTACHMENTS[word.casefold()]
    return Heading(kind, (), f"{name} {attachment_label(label)}".rstrip(), title, match.start(), end, min(weight, 3.0), True)


def _article(match: re.Match[str], text: str, rest: str, previous: str, is_top: bool) -> Heading | None:
    if (key := number_key(match["article_number"])) is None or re.match(r"[a-z(,;)]|hereof", rest):
        return None
    weight = (2.5 if match["article"].isupper() else 1.5) - 2.0 * is_left_open(previous) - 1.0 * (len(rest) > 90)
    title, end = (rest, match.end()) if rest else next_line(text, match.end())
    return Heading("article", key, match["article_number"].casefold(), title_words(title), match.start(), end, weight, True)


def _section(match: re.Match[str], text: str, rest: str, previous: str, is_top: bool) -> Heading | None:
    number, word = (match["word_number"] or match["number"]).rstrip("."), (match["word"] or "").strip()
    if word and number.isalpha() and (spelled := number_key(number)):
        number = str(spelled[0])
    key = order_key(number[2:] if number[:1].isalpha() and number[1:2] == "-" else number)
    if key is None or any(n > 199 for n in key) or (len(key) > 1 and key[0] == 0) or (number.endswith(".00") and not rest.isupper()):
        return None  # 12.00 is an amount, but before a title in capitals the number of an article
    line = text[match.start() : match.end() - len(match["rest"])]
    has_dot = re.search(r"[\dIVXLC][A-Za-z]?\.(?:\D|$)", line) is not None
    title, end = (rest, match.end()) if rest else next_line(text, match.end())
    is_plain = len(key) == 1 and not has_dot and not word
    goes_on = _GOES_ON.match(title) is not None
    is_amount = _UNIT.match(title) is not None or (goes_on and (is_plain or bool(word)))
    if not title or is_amount or (len(key) == 1 and _MONTH.match(title)) or (is_plain and _CANDIDATE.match(title)):
        return None
    if is_plain and not rest and (len(title) > LONGEST_TITLE or _SENTENCE.search(title)):
        return None  # the number of a page above its text
    is_loud = word.isupper() and word != "§"
    is_deep = len(key) > 2
    is_open = (_CITES.search(previous) is not None if is_deep else is_left_open(previous)) and not (
        number[-1].isalpha() and previous.endswith(("$", "£", "€"))
    )  # 2b below a blank to fill in
    is_item_end = (has_dot or len(key) > 1) and re.search(r"[;,]\s*(?:and|or)$", previous) is not None  # the next number is no part of it
    signs = (
        (len(key) > 1, 0.5),
        (is_loud, 1.0),
        (bool(word) and not is_loud, 0.3),
        (has_dot, 0.3),
        (not _TITLE_START.match(title), -0.4 if is_deep else -1.2),
        (word and not has_dot and not word.isupper() and not rest.istitle() and len(rest) > 60, -0.8),
        (is_open, -0.6 if is_item_end else -2.1 if word else -1.3),  # "specified in", and below it "Section 2.01."
        (not is_open and not is_deep and len(previous) > 60 and not ends_sentence(previous), -0.6),
        (is_plain, -0.5 if title.isupper() else -0.8),
    )
    weight = 0.0 if goes_on else 1.0 + sum(value for holds, value in signs if holds)
    if not (is_plain or word) and (is_item_end or (not is_open and ends_sentence(previous))):
        weight = max(weight, _WEAK)
    # A roman number alone stands above the sections, as an article does.
    kind: HeadingKind = "article" if len(key) == 1 and not number[:1].isdigit() else "section"
    return Heading(kind, key, number.casefold(), title_words(title), match.start(), end, weight, bool(word))


def title_words(line: str) -> str:
    """Heading words of a heading's line: up to the first full stop, "" when the line is a paragraph without a heading."""
    line = line.strip().lstrip('“"-–—:. ')
    match = re.match(r"(.{2,140}?)(?:\.(?=\s|$|[A-Z“])|[:—–](?=\s|$)|$)", line)
    title = match[1].strip() if match else line[:80]
    if len(title.split()) > 20 or (len(title) > 100 and len(line) <= len(title) + 1):
        return ""
    return title.strip("*_ ")


WINDOW = 90
_RESTART, _BACK = 1.6, 5.0


def choose_chain(candidates: Sequence[Heading]) -> list[Heading]:
    """The candidates that make up the numbering(s), in text order."""
    best = [0.0] * len(candidates)
    link = [-1] * len(candidates)
    for j, heading in enumerate(candidates):
        alone = best[j] = heading.weight - (0.8 if heading.key and not is_first(heading.key) else 0.0)
        for i in range(j - 1, max(-1, j - WINDOW - 1), -1):
            bound = best[i] + heading.weight
            if bound < best[j]:  # a step costs nothing or more
                continue
            if (value := bound - _step_cost(candidates[i], heading)) >= best[j] and value > alone:
                best[j], link[j] = value, i
    at = max(range(len(candidates)), key=best.__getitem__, default=-1)
    chain = []
    while at >= 0:
        chain.append(candidates[at])
        at = link[at]
    chain.reverse()
    # A few lone figures ("1" at the foot of a letter, "7.2" at the beginning of a line) are no numbering.
    numbered = [heading for heading in chain if heading.key]
    is_stray = len(numbered) == 1 and numbered[0].weight < 1.5 and not numbered[0].has_word
    is_bare = all(len(heading.key) == 1 and heading.weight <= 1.0 and not heading.has_word for heading in chain)
    if is_stray or (len(chain) < 3 and is_bare):
        return [heading for heading in chain if not heading.key]
    return chain


def is_first(key: tuple[float, ...]) -> bool:
    """The number with which a numbering starts: 1, 1.1, 0.1."""
    return all(n <= 1 for n in key)


def _step_cost(before: Heading, after: Heading) -> float:
    """What it costs to take `after` as the heading that follows `before`."""
    if not after.key:
        return 0.0 if after.kind == "attachment" else (0.2 if not before.key else 0.6)
    if not before.key:
        is_own = before.kind == "part" and number_key(before.number.removeprefix("part ")) == after.key[:1]  # 2.1 below Part 2
        return 0.0 if is_first(after.key) or is_own else 2.5
    old, new = before.key, after.key
    if new == old:
        # ARTICLE 1 is followed by Section 1 in some forms; a number that only repeats is a cross-reference.
        return 0.4 if before.kind == "article" and after.kind == "section" else _BACK
    if new < old:
        return _RESTART if is_first(new) else _BACK
    gap, tail, missed = _leap(old, new)
    return 0.0 if gap == 1 and not tail and missed <= 0 else 0.1 * min(gap - 1, 4) + 0.4 * min(tail, 8) + 0.15 * missed


def _leap(old: tuple[float, ...], new: tuple[float, ...]) -> tuple[int, int, int]:
    """From a number to a later one: how far apart they are where they part, how far below that the later one is from the first, and how
    many levels below it stands."""
    shared = 0
    while shared < min(len(old), len(new)) and old[shared] == new[shared]:
        shared += 1
    gap = max(1, int(new[shared] - (old[shared] if shared < len(old) else 0)))
    return gap, sum(max(0, int(n) - 1) for n in new[shared + 1 :]), len(new) - shared - 1


def leaves_out(old: tuple[float, ...], new: tuple[float, ...]) -> bool:
    """Numbers are missing between the two: the numbering does not go on from one to the other (from 1.4 to 4.14, to 10 from none)."""
    gap, tail, _ = _leap(old, new) if new > old else (0, 0, 0)
    return gap > 1 or tail > 0
