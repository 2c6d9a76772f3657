"""Headings of rarer forms: without numbers (a letter, a term sheet, a note, rows of a table), numbered in brackets, inside lines."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from deterministic.clauses.clause import Clause
from deterministic.clauses.headings import LINE_END, Heading, HeadingKind, ends_sentence, is_left_open, next_line, title_words
from deterministic.clauses.numerals import number_key
from deterministic.lexicon.searching import find_lines
from deterministic.lexicon.spelling import fold_words, is_title_case
from deterministic.lexicon.stems import singular


@dataclass(frozen=True, slots=True)
class OutlineHead:
    """Where a section without a number begins. end: of its heading's line or lines; is_run_in: the heading opens its paragraph."""

    start: int
    end: int
    title: str
    is_run_in: bool = False


_RUN_IN = re.compile(
    r"[ \t\xa0•*]*(?:\(?[a-zA-Z0-9]{1,4}[.)][ \t\xa0]*)?(?P<title>[A-Z][^.:;\n“\"]{2,70}?)"
    r"(?::(?=[ \t\xa0]|$)|\.(?=[ \t\xa0]+[“\"(]?[A-Z])|\t|[ \t\xa0][–—](?=[ \t\xa0]))"
)
_BRACKETED = re.compile(r"[ \t\xa0•*]*\([a-zA-Z0-9]{1,4}\)")
_BESIDE = re.compile(r"([A-Z](?:[^\s]| (?! ))+) {2,}(?=\S)")
_LINE = re.compile(r"^.*\S.*$", re.M)
_LONGEST = 90
_GOES_ON = re.compile(r"\bshall\b|\b(?:and|or|that|the|of|to)$")  # in small letters
_BLOCK = 3  # lines in capitals one below the other from which on they are a paragraph
_BLANK = re.compile(r"_{3}|\.{5}|…{2}|\[[\s●•_.]*\]")  # what a form leaves to fill in
_CLOSED = re.compile(r"(?:[.;:!?”\"’)\]]|;\s*(?:and|or))\s*$")


def title_of(line: str) -> str:
    """A heading's words without marks around them."""
    return line.strip().strip("*_#").rstrip(" :.")


def find_heads(text: str, free: Sequence[tuple[int, int]]) -> list[OutlineHead]:
    """The headings in the stretches of the text that are free of numbered provisions, told by their words and the lines around them."""
    lines = [(start + line.start(), line[0]) for start, end in free for line in _LINE.finditer(text[start:end])]
    is_caps = [line.isupper() and sum(map(str.isalpha, line)) > 1 for _, line in lines]
    runs = (list(run) for is_run, run in groupby(range(len(lines)), is_caps.__getitem__) if is_run)
    blocks = {n for run in runs if len(run) >= _BLOCK and not lines[run[-1]][1].rstrip().endswith(":") for n in run}
    found: list[OutlineHead] = []
    columns = set[int]()  # where the text begins beside the labels of a margin
    for n, (start, line) in enumerate(lines):
        beside = _BESIDE.match(line)
        if n in blocks or (_BRACKETED.match(line) and any(not head.is_run_in for head in found)):
            continue
        previous = lines[n - 1][1] if n else ""
        following = lines[n + 1][1] if n + 1 < len(lines) else ""
        is_below = bool(found) and found[-1].start == lines[n - 1][0]
        if not _BLANK.search(line) and _is_heading(line, "" if is_below else previous, following):
            title, end = title_of(line), start + len(line)
            if found and not found[-1].is_run_in and not text[found[-1].end : start].strip() and is_caps[n] == is_caps[n - 1]:
                title = f"{found[-1].title} {title}"  # a heading of two lines
                found[-1] = OutlineHead(found[-1].start, end, title)
            else:
                found.append(OutlineHead(start, end, title))
        elif (match := _RUN_IN.match(line)) and is_title_case(match["title"]) and (is_below or _is_closed(previous)):
            title, begin = match["title"].strip(), start
            is_margin = beside is not None and beside[1].endswith(":")
            columns.update([beside.end()] if beside and is_margin else ())
            if is_margin and title.isupper() and [one.is_run_in for one in found[-2:]] == [True, False] and found[-1].title.isupper():
                gaps = text[found[-2].end : found[-1].start].strip(), text[found[-1].end : start].strip()
                if gaps[0] and not gaps[1]:  # a label of several lines
                    title, begin = f"{found[-1].title} {title}", found.pop().start
            found.append(OutlineHead(begin, start + match.end(), title, True))
        elif beside and beside.end() in columns and beside[1].isupper() and _is_closed(previous):
            found.append(OutlineHead(start, start + beside.end(1), beside[1], True))
    return found


def outline_clauses(text: str, heads: Sequence[OutlineHead], ends: Sequence[int], bounds: Sequence[int]) -> Iterator[Clause]:
    """Each heading with what stands below it, the last first: up to the next one, or to one of `ends`, where something else begins. In
    capitals and without text of its own it has what is below it up to the next in capitals, or one of `bounds`: no numbered clause."""
    following = lower = loud = len(text)
    for head in reversed(heads):
        stop = min([following if head.is_run_in else lower, *ends[(at := bisect_right(ends, head.start)) : at + 1]])
        if not head.is_run_in and head.title.isupper() and not text[head.end : stop].strip():
            stop = min([loud, *bounds[(at := bisect_right(bounds, head.start)) : at + 1]])
        yield Clause(f"heading {fold_words(head.title)}", head.title, head.start, stop, 0)
        following, lower = head.start, lower if head.is_run_in else head.start
        loud = head.start if not head.is_run_in and head.title.isupper() else loud


def _is_closed(line: str) -> bool:
    """It ends like a paragraph, or is so short that no paragraph would end before its margin."""
    is_short = len(line.strip()) < _LONGEST / 2 and not re.search(r"[a-z,]$", line.strip())
    return is_short or _CLOSED.search(line) is not None


def _is_heading(line: str, previous: str, following: str) -> bool:
    """Short, no sentence, and in capitals, or in title case between the end of a paragraph and the beginning of another."""
    words, shown, begins = title_of(line), line.strip(), following.lstrip()[:1]
    if begins.islower() and not _is_closed(previous):
        return False  # a name in the midst of a sentence
    if not 1 < len(words) <= _LONGEST or not re.search(r"[A-Za-z]{2}", words) or re.search(r"[.;,]$|\S {3,}\S|\t", shown):
        return False
    if (shown.endswith(":") and _BRACKETED.match(following) and not words.isupper()) or _GOES_ON.search(words):
        return False  # it leads into a list, or is a sentence
    if sum(map(str.isdecimal, words)) >= sum(map(str.isalpha, words)):
        return False  # an amount
    is_between = _is_closed(previous) and begins in '(“"' + begins.upper()
    return words.isupper() or (is_between and is_title_case(words) and not re.search(r"\d", words))


_COUNTED = re.compile(r"^[ \t\xa0]*\((\d{1,3})\)(?:[ \t\xa0]|\n[ \t\xa0]*(?!\())+(?=[A-Z“])([^\n]+)", re.M)
_FEWEST_COUNTED, _TITLED, _OWN_TEXT = 4, 0.6, 120


def bracketed_headings(text: str) -> list[Heading]:
    """Sections numbered (1), (2), (3): one count through the text, most of them with a title, and with text of their own."""
    found = list(find_lines(_COUNTED, text))
    run: list[Heading] = []
    for match in found:
        value, last, title = int(match[1]), run[-1].key[0] if run else 0, run_in_title(match[2])
        is_next = value == last + 1 or (last < value <= last + 3 and title)
        if is_next and (not run or match.start() - run[-1].start > _OWN_TEXT or title):
            run.append(Heading("section", (value,), match[1], title, match.start(), match.end(), 1.8, True))
    titled = sum(bool(heading.title) for heading in run)
    is_list = len(found) > 1.2 * len(run)  # lists that start again and again
    if is_list or len(run) < _FEWEST_COUNTED or titled < _TITLED * len(run) or run[-1].start - run[0].start < len(text) / 3:
        return []
    return run


_TITLE = re.compile(r"([A-Z][^.:\n]{2,90}?)\s*(?:[.:](?=\s|$)|$)")


def run_in_title(line: str) -> str:
    """The heading that a line begins with: a few words in capitals or in title case, closed by a full stop or the end of the line."""
    match = _TITLE.match(line.replace("\xa0", " "))
    return match[1] if match and is_title_case(match[1]) else ""


_INSIDE_LINE = re.compile(
    r"(?P<word>S(?:ECTION|ection)|ARTICLE)[ \xa0]+(?P<number>\d{1,3}(?:\.\d{1,3})?|[IVX]{1,5})"
    r"(?:\.[ \xa0]+(?=(?P<rest>[A-Z“][^\n]*))|[ \t\xa0]*$)",
    re.M,
)


def headings_inside_lines(text: str) -> list[Heading]:
    """Headings that the layout has left inside lines: "... mutatis mutandis. SECTION 1.02. Other Defined Terms. As used ..."."""
    found = []
    for match in _INSIDE_LINE.finditer(text):
        key, before, rest = number_key(match["number"]), text[max(0, match.start() - LINE_END) : match.start()], match["rest"]
        is_inside = before[-1:] in (" ", "\t", "\xa0") and before.rpartition("\n")[2].strip() and not is_left_open(before)
        title = run_in_title(rest) if rest else ""
        is_loud = match["word"].isupper() and (rest is not None or match["word"] == "ARTICLE")
        if key and is_inside and (is_loud or (title and ends_sentence(before))):
            kind: HeadingKind = "article" if match["word"] == "ARTICLE" else "section"
            title = title if rest is not None else title_words(next_line(text, match.end())[0])
            found.append(Heading(kind, key, match["number"].casefold(), title, match.start("word"), match.end("number"), 1.5, True))
    return found


GENERIC = frozenset(
    "clause section article paragraph the a an of in and to covenant covenants provision provisions agreement part page under heading sub "
    "headed titled".split()
)


def heading_parts(title: str) -> list[str]:
    """The headings that stand side by side in one: "Governing Law; Jurisdiction"; none when there is only one."""
    parts = [fold_words(part) for part in re.split(r"[;,/:]|\s[–—-]\s|\band\b|&", title)] if title else []
    return [part for part in parts if part] if len(parts) > 1 else []


def names_heading(words: str, title: str) -> bool:
    """Folded words that stand in a heading, or are the same one in the plural."""
    title = fold_words(title)
    return f" {words} " in f" {title} " or is_same_heading(words, title)


def is_same_heading(words: str, title: str) -> bool:
    """The same words but for words like "covenant" and order of singular and plural."""
    mine, other = ([singular(word) for word in text.split() if word not in GENERIC] for text in (words, title))
    return bool(mine) and mine == other
