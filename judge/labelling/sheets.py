"""The items of a run as a sheet with columns for decisions, and decided rows as labels."""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from calibration.label_files.identity import fold_name
from judge.capabilities.registry import title_of
from judge.disk import Check
from judge.errors import InputError, Problem, UsageError, did_you_mean
from judge.inputs.sheets import EXCEL, Row, Sheet, read_sheet
from judge.labelling.label_file import Label
from judge.labelling.people import ANYBODY, Reviewers, local_user
from judge.labelling.tasks import Task, item_task, open_choices, outcome_choices, written_choice
from judge.printing import quoted, shown_lines
from judge.records import Item, Key
from judge.report.page_cuts import attention_order
from judge.report.rendering import csv_text, is_formula
from judge.report.wording import DECIDERS, OUTCOME_TITLES
from judge.results.decisions import changed_since, point_of
from judge.results.reading import Results
from rubrics.verdicts import CANNOT_DETERMINE

DECISION, NAME, NOTE = "decision", "name", "note"
ROW_KEY = "row key"  # what a decision on the row is bound to
ITEMS = "items"
KEY_COLUMNS = ("case", "item", "tranche")
# title -> width in characters
COLUMNS: Mapping[str, int] = {
    "case": 18, "item": 26, "tranche": 14, "capability": 20, "outcome": 14, "score": 8, "can be": 24, "open point": 34, "question": 34,
    "reported": 34, "gold": 34, "why": 50, "document": 26, "page": 8, "section": 18, "quote": 50, "decided by": 12, "rule": 16,
    DECISION: 18, NAME: 16, NOTE: 40, ROW_KEY: 26,
}  # fmt: skip
_WRAPPED = frozenset({"can be", "open point", "question", "reported", "gold", "why", "quote", NOTE})
LABELS = "labels"  # the second sheet: what each capability's labels mean
LABEL_COLUMNS: Mapping[str, int] = {"capability": 22, "label": 18, "meaning": 110}
# the labels beside the row's own capability, which stand together; found anew when a person sorts the sheet
_LABELS_OF_ROW = "OFFSET(labels!$B$1,MATCH(${0}2,labels!$A$1:$A$999,0)-1,0,COUNTIF(labels!$A$1:$A$999,${0}2),1)"
_CELL_MOST = 32_000  # characters that an Excel cell holds, with some room


def item_rows(results: Results) -> Iterator[list[str | float | None]]:
    """A row an item, worst outcomes first; three columns are for people, the last says what their decision is bound to."""
    for number in attention_order(results.items):
        item = results.items[number]
        claim = item.provenance.claim
        page = claim.page if claim.page != "" else ", ".join(map(str, item.provenance.pages_found))
        cells: list[Any] = [item.case_id, item.item, item.tranche or "", title_of(item.capability), OUTCOME_TITLES[item.outcome]]
        offered = open_choices(item.asked, results.label_scores)[0] if item.asked is not None else ()
        can_be = ", ".join(choice.title for choice in offered if choice.value != CANNOT_DETERMINE)
        cells += ["" if item.score is None else item.score, can_be, point_of(item)]
        cells += [item.question, item.reported, item.gold, item.reason]
        cells += [item.document, page, claim.section, claim.quote, DECIDERS[item.decided_by], item.rule, "", "", "", results.binding(item)]
        yield [cell if isinstance(cell, int | float) else shown_lines(cell, _CELL_MOST) or None for cell in cells]


def csv_sheet(results: Results) -> bytes:
    """The sheet as CSV with a byte order mark, so that Excel reads it as UTF-8."""
    return csv_text((COLUMNS, *item_rows(results))).encode("utf-8-sig", "backslashreplace")


def excel_sheet(results: Results) -> bytes:
    """The sheet as an Excel file: every text a text, decisions from the labels of the row's capability, which a second sheet explains."""
    from openpyxl import Workbook
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook(write_only=True)
    sheet = book.create_sheet(ITEMS)
    sheet.freeze_panes = "C2"  # before the first row: what stands above the rows is written with it
    capability, decision = (get_column_letter([*COLUMNS].index(title) + 1) for title in ("capability", DECISION))
    rows = _fill(sheet, COLUMNS, item_rows(results))
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(COLUMNS))}{rows}"
    known = _LABELS_OF_ROW.format(capability)
    said = f"Choose one of the list; the sheet `{LABELS}` explains them."
    choices = DataValidation("list", known, allow_blank=True, showErrorMessage=True, errorTitle="Not a label of this row", error=said)
    choices.add(f"{decision}2:{decision}{max(rows, 2)}")
    sheet.data_validations.append(choices)
    names = sorted({item.capability for item in results.items})
    _fill(book.create_sheet(LABELS), LABEL_COLUMNS, ([title_of(n), c.title, c.hint] for n in names for c in outcome_choices(n)))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _fill(sheet: Any, columns: Mapping[str, int], rows: Iterable[Sequence[str | float | None]]) -> int:
    """Writes titles and rows; how many lines that is."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    wrapped = Alignment(wrap_text=True, vertical="top")

    def text(value: str | float | None, title: str) -> Any:
        if not isinstance(value, str) or not (value.startswith("=") or title in _WRAPPED):
            return value
        cell = WriteOnlyCell(sheet, value="")
        cell.value, cell.data_type, cell.alignment = value, "s", wrapped
        return cell

    for number, width in enumerate(columns.values(), 1):
        sheet.column_dimensions[get_column_letter(number)].width = width
    if ROW_KEY in columns:
        sheet.column_dimensions[get_column_letter(len(columns))].hidden = True
    heads = [WriteOnlyCell(sheet, value=title) for title in columns]
    for head in heads:
        head.font, head.alignment = Font(bold=True), Alignment(vertical="top")
    sheet.append(heads)
    lines = 1
    for cells in rows:
        sheet.append([text(cell, title) for title, cell in zip(columns, cells, strict=True)])
        lines += 1
    return lines


def undecided(path: Path) -> Check:
    """Whether the file of this name is such a sheet. Raises UsageError for one in which people wrote, as soon as it is asked."""

    def check(_: bytes) -> bool:
        try:
            sheet = read_sheet(path, ROW_KEY, COLUMNS)
        except InputError:
            return False
        if any(row.cells.get(title) is not None for row in sheet.rows for title in (DECISION, NAME, NOTE)):
            raise UsageError(f"{path}: holds what people decided: `judge import` takes it; give another name here, or take the file away")
        return {*KEY_COLUMNS, DECISION, ROW_KEY} <= {*sheet.columns}

    return check


def decided_labels(sheet: Sheet, results: Results, when: str, people: Reviewers = ANYBODY, by: str = "") -> list[tuple[Task, Label]]:
    """The rows with a decision as labels of the items. by: the token of whoever made them, where people have one. Raises InputError with
    every problem by row, and then nothing counts; UsageError without a token."""
    giver = people.of_token(by) if people.tokens else ""
    lacking = [title for title in (*KEY_COLUMNS, "reported", "gold", DECISION, NAME, ROW_KEY) if title not in sheet.columns]
    if lacking:
        raise InputError([Problem(str(sheet.path), 1, "", f"has no column {', '.join(lacking)}; start from `judge export`")])
    items = {item.key: item for item in results.items}
    problems: list[Problem] = []
    found: dict[tuple[Key, str], tuple[int, Task, Label]] = {}
    for row in (Row(row.line, {title: people.without_tokens(cell) for title, cell in row.cells.items()}) for row in sheet.rows):
        if row.cells.get(DECISION) is None:
            continue
        if (read := _label(row, sheet.path, items, results, when, people, problems)) is None:
            continue
        key, task, label = read
        if giver and label.annotator != giver:
            problems.append(Problem(str(sheet.path), row.line, NAME, f"the token of --by is {giver}'s; everybody imports their own rows"))
        line, _, before = found.setdefault((key, fold_name(label.annotator)), (row.line, task, label))
        if before.value != label.value:
            problems.append(Problem(str(sheet.path), row.line, DECISION, f"{label.annotator} says otherwise on line {line}"))
    if problems:
        raise InputError(problems)
    return [(task, label) for _, task, label in found.values()]


def _label(
    row: Row, path: Path, items: Mapping[Key, Item], results: Results, when: str, people: Reviewers, problems: list[Problem]
) -> tuple[Key, Task, Label] | None:
    def wrong(column: str, message: str) -> None:
        problems.append(Problem(str(path), row.line, column, message))

    case, name, tranche, decision, who, note = (_cell_text(row, title, path) for title in (*KEY_COLUMNS, DECISION, NAME, NOTE))
    if (item := items.get((case, name, tranche or None))) is None:
        wrong("case", f"there is no item {quoted(name)} of case {quoted(case)} in this run")
        return None
    if changed := _changed(row, path, item, results):
        wrong(*changed)
        return None
    task = item_task(item, results)
    choices = (*outcome_choices(item.capability), *(c for c in task.choices if ":" in c.value or c.value == "extra"))
    if (value := written_choice(choices, decision)) is None:
        titles = [c.title for c in choices]
        wrong(DECISION, f"{quoted(decision)} is no label of {title_of(item.capability)}{did_you_mean(decision, titles)}")
        return None
    try:
        annotator = people.checked(who)
    except Exception as error:
        wrong(NAME, str(error))
        return None
    if value not in (c.value for c in task.choices):
        wrong(DECISION, f"{quoted(decision)} is not open to this item. {task.barred}")
        return None
    said = (task.task_id, task.rubric, annotator, value, note.strip()[:2000], "", when)
    return item.key, task, Label(*said, settles=task.settles, shown=item.reported, user=local_user())


def _changed(row: Row, path: Path, item: Item, results: Results) -> tuple[str, str] | None:
    """The column and the reason where a row shows something else than the item that a decision on it would settle."""
    is_same = _cell_text(row, ROW_KEY, path) == results.binding(item)
    claim = item.provenance.claim
    cited = (("document", item.document), ("section", claim.section), ("quote", claim.quote))
    for column, value in (("reported", item.reported), ("gold", item.gold), ("question", item.question), *cited):
        cell, shown = _cell_text(row, column, path), shown_lines(value, _CELL_MOST)
        if column in row.cells and cell.split() != shown.split():
            why = "was edited in the sheet" if is_same else "changed since the sheet was exported"
            return (
                column,
                f"{why}: {quoted(cell, 400)} here, {quoted(shown, 400)} in this run; export the sheet again and decide on what it shows",
            )
    if is_same:
        return None
    why = changed_since(_cell_text(row, ROW_KEY, path), results.binding(item))
    return ROW_KEY, f"{why}: export the sheet again and decide anew"


def _cell_text(row: Row, title: str, path: Path) -> str:
    cell = row.cells.get(title)
    text = "" if cell is None else str(cell)
    is_guarded = path.suffix.lower() not in EXCEL and text[:1] == "'" and is_formula(text[1:])
    return text[1:] if is_guarded else text


def not_yet_given(given: Sequence[tuple[Task, Label]], labels: Sequence[Label]) -> list[tuple[Task, Label]]:
    """Those of the labels that their people have not given already."""
    known = {label.key: label for label in labels}
    return [(t, x) for t, x in given if x.key not in known or (known[x.key].value, known[x.key].note) != (x.value, x.note)]
