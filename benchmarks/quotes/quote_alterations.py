"""Alterations that change what a quote says: sixty sentences a kind of two real agreements, and what the quote check makes of them.

    python -m benchmarks.quotes.quote_alterations --documents DIR      (the folder with the two agreements named below)

Each kind changes one thing in a sentence that stands in the document. A change that really stands somewhere is left out. No kind may
get full marks; partial only where R1 says so (a quantifier, a standard, a label, a number in another form). `decided` are those called
altered by rule, `question` those left to the judge.
"""

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from benchmarks.quotes.quote_recall import LOWER, plain, read_pymupdf, sample_sentences
from deterministic.documents.documents import Document, open_document
from deterministic.quotes.find import find_quote

AGREEMENTS = ("agreements/ProFrac_fourth_amendment_credit_agreement_2023_216p_Skia.pdf", "Ribbon_credit_agreement_2024_289p_Prince.pdf")
PER_KIND = 60
Change = Callable[[str, random.Random], str | None]


def swap(*pairs: tuple[str, str]) -> Change:
    """The first pattern that stands in the sentence, at a place drawn at random, in place of which the other words stand."""

    def change(sentence: str, rng: random.Random) -> str | None:
        usable = [(pattern, other) for pattern, other in pairs if re.search(rf"\b{pattern}\b", sentence)]
        if not usable:
            return None
        pattern, other = rng.choice(usable)
        place = rng.choice(list(re.finditer(rf"\b{pattern}\b", sentence)))
        return sentence[: place.start()] + place.expand(other) + sentence[place.end() :]

    return change


def both(*words: tuple[str, str]) -> Change:
    return swap(*words, *((other, word) for word, other in words))


def _figure(change: Callable[[str], str | None], pattern: str = r"\d[\d,]*(?:\.\d+)?") -> Change:
    def alter(sentence: str, rng: random.Random) -> str | None:
        places = [m for m in re.finditer(pattern, sentence) if m.start() > 12 and change(m[0]) not in (None, m[0])]
        if not places:
            return None
        place = rng.choice(places)
        return sentence[: place.start()] + str(change(place[0])) + sentence[place.end() :]

    return alter


def drop(*patterns: str) -> Change:
    return swap(*((pattern, "") for pattern in patterns))


def _front_cut(sentence: str, rng: random.Random) -> str | None:
    """The sentence from behind its "no" on, where a statement is left."""
    match = re.search(r"\b[Nn]o (?=[A-Z][a-z]+ (?:shall|will|may|has|is)\b)", sentence)
    return sentence[match.end() :] if match and len(sentence) - match.end() > 40 else None


def _ellipsis_over(words: str) -> Change:
    def change(sentence: str, rng: random.Random) -> str | None:
        places = list(re.finditer(rf"\b(?:{words})\b", sentence))
        usable = [m for m in places if len(sentence[: m.start()].split()) >= 3 and len(sentence[m.end() :].split()) >= 4]
        if not usable or re.search(r"[;()]", sentence):
            return None
        place = rng.choice(usable)
        return f"{sentence[: place.start()].strip()} … {sentence[place.end() :].strip()}"

    return change


def _turned_ratio(figure: str) -> str | None:
    left, _, right = figure.partition(":")
    return f"{right}:{left}" if left != right else None


NEGATION = re.compile(r"(?i)\b(?:no|not|none|nothing|neither|nor|never|without)\b")
"""After a negation an obligation and a permission are one (design/quotes.md)."""
MODALS = both(("shall", "may"), ("must", "may"), ("may", "will"))

KINDS: Mapping[str, Change] = {
    # findings 3.4: signs and ratios
    "ratio turned": _figure(_turned_ratio, r"\d+(?:\.\d+)?:\d+(?:\.\d+)?(?!:|\d)"),
    "greater than / less than": both(("greater than", "less than"), ("more than", "less than")),
    "equal to or greater / less": both(("equal to or greater", "equal to or less"), ("greater than or equal", "less than or equal")),
    "exceed / fall below": swap(("exceed", "fall below"), ("exceeds", "is below"), ("exceeding", "below"), ("in excess of", "below")),
    "plus / minus": both(("plus", "minus")),
    # 3.5: ellipses
    "ellipsis over not": _ellipsis_over("not"),
    "ellipsis over no other": _ellipsis_over("no other|no such|without"),
    "ellipsis over a limiter": _ellipsis_over("unless|except|other than|provided that|only if"),
    # 3.6: cut off
    "negation cut off in front": _front_cut,
    "not dropped": drop("not"),
    "no dropped": swap(("no", "any"), ("No", "Any")),
    "never / always": swap(("at all times", "at no time"), ("at any time", "at no time")),
    "unless dropped": swap(("unless", "and"), ("except", "and")),
    "non- dropped": swap((r"[Nn]on-(\w+)", r"\1")),
    "un- added or dropped": swap(
        ("unpaid", "paid"),
        ("unsecured", "secured"),
        ("secured", "unsecured"),
        ("unable", "able"),
        ("lawful", "unlawful"),
        ("reasonable", "unreasonable"),
        ("undrawn", "drawn"),
        ("enforceable", "unenforceable"),
        ("consolidated", "unconsolidated"),
    ),
    "in- added or dropped": swap(
        ("direct", "indirect"),
        ("indirect", "direct"),
        ("directly", "indirectly"),
        ("complete", "incomplete"),
        ("accurate", "inaccurate"),
        ("solvent", "insolvent"),
        ("valid", "invalid"),
        ("consistent", "inconsistent"),
    ),
    # 3.7: outside the old lists
    "prior to / following": both(("prior to", "following"), ("before", "after")),
    "within / after": swap(("within", "after")),
    "increase / reduce": both(("increase", "reduction"), ("increased", "reduced"), ("increases", "decreases")),
    "higher / lower": both(("higher", "lower"), ("highest", "lowest"), ("greater of", "lesser of"), ("maximum", "minimum")),
    "include / exclude": both(("including", "excluding"), ("included", "excluded"), ("include", "exclude"), ("includes", "excludes")),
    "repay / borrow": both(
        ("repay", "borrow"), ("repaid", "borrowed"), ("repayment", "borrowing"), ("prepay", "reborrow"), ("prepaid", "borrowed")
    ),
    "interest / principal": both(("interest", "principal")),
    "subject to / notwithstanding": swap(("[Ss]ubject to", "notwithstanding"), ("[Nn]otwithstanding", "subject to")),
    "in whole / in part": both(("in whole", "in part"), ("in full", "in part"), ("wholly", "partly"), ("entirely", "partially")),
    "a.m. / p.m.": swap((r"a\.m", "p.m"), (r"p\.m", "a.m")),
    "days / hours": swap(("days", "hours"), ("day", "hour")),
    "days / Business Days": swap((r"Business Days", "days"), (r"(?<!Business )days", "Business Days")),
    "months / years": both(("months", "years"), ("month", "year")),
    "quarter / year": both(("fiscal quarter", "fiscal year"), ("Fiscal Quarter", "Fiscal Year"), ("quarterly", "annually")),
    "month exchanged": swap(
        ("March", "April"), ("June", "July"), ("September", "October"), ("December", "November"), ("January", "February")
    ),
    "currency exchanged": swap((r"Dollars", "Euros"), (r"dollars", "francs"), ("USD", "EUR")),
    "currency sign exchanged": _figure(lambda f: "€" + f[1:], r"\$\d[\d,]*"),
    "thousand / million": both(("million", "billion"), ("thousand", "million")),
    "figure cut short": _figure(lambda f: f.rsplit(",", 1)[0] if f.count(",") > 1 else None),
    "figure times ten": _figure(lambda f: f.replace(",000", ",0000", 1) if ",000" in f else None),
    "decimal moved": _figure(lambda f: f"{f[0]}{f[2:]}" if re.fullmatch(r"\d\.\d\d", f) else None),
    "number word exchanged": swap(
        ("one", "two"), ("two", "three"), ("three", "four"), ("five", "six"), ("ten", "twelve"), ("thirty", "forty")
    ),
    "ordinal exchanged": swap(("first", "second"), ("second", "third"), ("third", "fourth"), ("last", "first")),
    "section number exchanged": _figure(
        lambda f: f"{f.split('.')[0]}.{int(f.split('.')[1]) + 1}" if re.fullmatch(r"\d{1,2}\.\d{1,2}", f) else None
    ),
    "senior / junior": both(("senior", "junior"), ("Senior", "Junior"), ("first priority", "second priority")),
    "purchase / sell": both(("purchase", "sale"), ("sell", "purchase"), ("acquire", "dispose of"), ("acquisition", "disposition")),
    "assets / liabilities": both(("assets", "liabilities"), ("debt", "equity"), ("income", "expense"), ("gains", "losses")),
    "pay / receive": both(("pay", "receive"), ("payable", "receivable")),
    "from / to": swap(("from", "to")),
    "commence / end": both(("commencing", "ending"), ("beginning", "ending"), ("commencement", "termination")),
    "permitted / prohibited": both(("permitted", "prohibited"), ("required", "forbidden")),
    "fixed / floating": both(("fixed", "floating"), ("variable", "fixed"), ("gross", "net"), ("net", "gross")),
    "joint / several": swap(("jointly and severally", "severally"), ("joint and several", "several")),
    "with / without": swap(("with", "without"), ("without", "with")),
    "fails to / dropped": swap((r"fails to (\w+)", r"\1s"), (r"shall fail to (\w+)", r"shall \1"), (r"failure to (\w+)", r"promise to \1")),
    "and / or": both(("and", "or")),
    "shall / may": lambda sentence, rng: None if NEGATION.search(sentence) else MODALS(sentence, rng),
    "Borrower / Lender": both(("Borrower", "Lender"), ("Agent", "Borrower"), ("Lenders", "Borrowers")),
    "company name exchanged": swap(
        ("Holdings", "Northgate"), ("Ribbon", "Northgate"), ("ProFrac", "Northgate"), ("Wilmington", "Kettering")
    ),
    "invented words added": lambda sentence, rng: (
        re.sub(r"(,)", r", with the consent of the Trustee,", sentence, count=1) if "," in sentence[20:] else None
    ),
    # R1: partial by rule
    "any / all / each (R1: partial)": both(("any", "each"), ("all", "any"), ("every", "any"), ("each", "any")),
    "material, reasonable dropped (R1: partial)": drop("material", "materially", "reasonable", "reasonably", "commercially"),
    "label exchanged (R1: partial)": swap((r"(?<=clause \()a\b", "b"), (r"(?<=clauses \()a\b", "c"), (r"(?<=Section \d\.\d\d\()a\b", "b")),
    "number in another form (R1: partial)": _figure(
        lambda f: f"{f.removesuffix(',000,000')} million" if f.endswith(",000,000") else None, r"(?<=\$)\d[\d,]*"
    ),
}
PARTIAL_BY_R1 = (*(kind for kind in KINDS if "(R1" in kind), "ellipsis over a limiter")


def unlabelled(sentence: str) -> str:
    """Without the label at its head."""
    return re.sub(r"^(?:\(\w{1,4}\)|[\d.]+)\s+", "", sentence)


def sentences_of(document: Document, path: Path, count: int) -> list[tuple[int, str]]:
    return [(page, s) for page, s in sample_sentences(read_pymupdf(path), count, random.Random(11)) if 60 <= len(s) <= 600]


def measure(path: Path, show: bool, each: int = PER_KIND) -> Iterator[tuple[str, Counter[str]]]:
    document = open_document(path, cache_dir=None)
    whole = plain(" ".join(page.text for page in document.pages))
    sentences = sentences_of(document, path, 20_000)
    for kind, change in KINDS.items():
        rng = random.Random(kind)
        tally: Counter[str] = Counter()
        for page, sentence in rng.sample(sentences, len(sentences)):
            altered = change(sentence, rng)
            if altered is None or altered == sentence or (plain(unlabelled(altered)) in whole and "sign" not in kind):
                continue
            match = find_quote(document, altered, page_hint=page, lower=LOWER)
            word = "full" if match.is_verbatim else match.verdict
            tally[word] += 1
            if show and (word == "full" or (word == "paraphrased" and kind not in PARTIAL_BY_R1)):
                print(f"!! {kind}: {word} {match.findings}\n   {sentence!r}\n   {altered!r}\n   {match.window!r}", file=sys.stderr)
            if tally.total() == each:
                break
        yield kind, tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, nargs="+", required=True)
    parser.add_argument("--show", action="store_true", help="print what got marks, to stderr")
    parser.add_argument("--each", type=int, default=PER_KIND, help="sentences a kind and agreement")
    options = parser.parse_args()
    paths = [folder / name for name in AGREEMENTS for folder in options.documents if (folder / name).exists()]
    total: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for path in paths:
        for kind, tally in measure(path, options.show, options.each):
            total[kind] += tally
    print(f"| kind | sentences of {len(paths)} agreements | altered, by rule | question | partial | full marks |")
    print("|---|--:|--:|--:|--:|--:|")
    for kind, tally in total.items():
        cells = (tally.total(), tally["not_found"], tally["open"] + tally["unreadable"], tally["paraphrased"], tally["full"])
        print(f"| {kind} | {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
