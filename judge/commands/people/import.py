"""`judge import`: decisions from an exported sheet settle items as the label page does."""

import json
from collections import Counter
from pathlib import Path

import click

from judge.commands.options import RUN_CONTRACT, TEXT_CACHE, with_flags
from judge.printing import put
from judge.settings import Settings, default_cache_dir


@click.command("import")
@click.argument("sheet", type=click.Path(path_type=Path))
@click.argument("results", type=click.Path(path_type=Path), default="judge-results")
@with_flags("import", (RUN_CONTRACT, TEXT_CACHE))
def command(sheet: Path, results: Path, contract: str | None, cache_dir: str | None, **given: str | None) -> int:
    """Take the decisions of SHEET (.xlsx, .csv) into RESULTS: labels, verdicts, gates and reports, as the label page would.

    Every problem is listed by row, and then nothing is written. Decisions on items that are not open go to the label file alone;
    a verdict of the program is disputed with `judge correct`. SHEET may be the labels.jsonl of the last release's result folder: a
    decision counts where output, documents, gold, citation, contract and verdict are the same; elsewhere it is shown as a former one.
    """
    from judge.commands.people.label import whole_number
    from judge.inputs.sheets import read_sheet
    from judge.labelling.label_file import check_source, file_of_run
    from judge.labelling.people import read_reviewers
    from judge.labelling.run_sink import RunSink, tasks_of_run
    from judge.labelling.settling import MOST_PEOPLE, people_needed
    from judge.labelling.sheets import COLUMNS, ROW_KEY, decided_labels, not_yet_given
    from judge.report.wording import counted
    from judge.results.decisions import changed_since, utc_now
    from judge.results.folder import ResultFolder
    from judge.results.reading import contract_of_run, read_results

    reviewing, rules = read_reviewers(Path(given["reviewers"]) if given["reviewers"] else None, results), contract_of_run(results, contract)
    with ResultFolder(results):  # a run that writes into the folder is refused meanwhile
        found = read_results(results, rules.label_scores)
        file, overlap = file_of_run(results, given["labels"]), whole_number(given, "overlap", 1, MOST_PEOPLE) if given["overlap"] else None
        if sheet.suffix == ".jsonl":
            check_source(sheet, has_tokens=bool(reviewing.tokens))
            came = file.take_over(sheet, reviewing.checked)
            asked = tasks_of_run(found, sample=0, design="", seed=0)
            tasks = [task for task in asked if file.labels_of(task)]
            put(f"{counted(came, 'label')} taken over; answered as it stands: {len(tasks)} of what was open, the others are former ones")
            waiting = [(task, x) for task in asked if task not in tasks for x in file.labels_of(task, is_former=True)]
            reasons = Counter(changed_since(x.settles, task.settles) for task, x in waiting)
            for why, count in reasons.items():
                put(f"{counted(count, 'former answer')}: {why}")
        else:
            rows = decided_labels(read_sheet(sheet, ROW_KEY, COLUMNS), found, utc_now(), reviewing, given["by"] or "")
            file.people = people_needed(results, overlap)
            fresh = not_yet_given(rows, file.labels())
            file.append_all(fresh)
            tasks = [task for task, _ in rows]
            put(f"{len(fresh)} of {len(rows)} decisions are new")
            if decided := [", ".join(filter(None, json.loads(task.task_id))) for task, _ in fresh if task.key is None]:
                named = "; ".join(decided[:5]) + "; …" * (len(decided) > 5)
                told = "kept as labels, no verdict changes; `judge correct` disputes one"
                put(f"{len(decided)} on items that the program decided ({named}): {told}")
        reviewing.remember(results)
        people, before = (
            people_needed(results, overlap),
            max([people_needed(sheet.parent, None), *(label.people for label in file.labels())]),
        )
        if sheet.suffix == ".jsonl" and overlap is None and before > people:
            people = people_needed(results, min(before, MOST_PEOPLE))
            put(f"{people} people must agree on an item, as where its answers were given: --overlap N says otherwise")
        settings = Settings(contract=contract, cache_dir=Path(cache_dir) if cache_dir else default_cache_dir())
        sink = RunSink(found, settings, rules, people)
        sink.resume(tasks, file)
        put(sink.finish())
    return 0
