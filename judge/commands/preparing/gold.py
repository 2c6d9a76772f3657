"""`judge gold`: gold from cases that people write."""

from pathlib import Path

import click

from judge.commands.options import with_flags
from judge.errors import InputError, UsageError
from judge.printing import say
from rubrics.named_file import read_named


@click.group("gold")
def command() -> None:
    """Work with gold."""


@command.command("import")
@click.argument("source", metavar="DIR", type=click.Path(path_type=Path))
@with_flags("gold import")
def import_cases(source: Path, out: str | None, draft: bool | None) -> int:
    """Make a gold file of the cases in Markdown (.md) in DIR, one file a case; `--gold DIR` of other commands reads them as they are.

    Exit code 2 lists every fault with file and line, and writes nothing. With --draft a person completes needs.jsonl with
    `judge label needs.jsonl --make-gold`.
    """
    from judge.disk import lines_with, to_json, write_named
    from judge.inputs.case_files import needs_line, read_case_file
    from judge.inputs.files import case_files
    from judge.report.wording import counted

    if not source.exists() or not (files := case_files(source)):
        told = "the folder holds no .md files with cases" if source.exists() else "there is no such folder or file"
        raise UsageError(f"{source}: {told}")
    cases = [read_case_file(file, read_named(file)) for file in files]
    whole = [case for case in cases if not case.problems]
    if (problems := [problem for case in cases for problem in case.problems]) and not draft:
        raise InputError(problems)
    target = Path(out or "gold.jsonl")
    is_ours = lines_with("case_id", "gold", among={case.case_id for case in whole})
    write_named(target, (to_json(case.gold_line) + "\n" for case in whole), is_ours)
    say(f"{len(whole)} of {counted(len(cases), 'case')} written to {target}")
    if not problems:
        return 0
    drafts = [(case, needs_line(case)) for case in cases if case.problems]
    needs = target.with_name("needs.jsonl")
    write_named(needs, (to_json(line) + "\n" for _, line in drafts if line is not None), lines_with("case_id", "output", "metadata"))
    for problem in problems:
        say(problem)
    lost = [case.case_id for case, line in drafts if line is None]
    say(f"{counted(len(drafts) - len(lost), 'case')} for a person to fill in: judge label {needs} --make-gold --gold {target}")
    if lost:
        say(f"in neither file, for want of a capability or document: {', '.join(lost)}")
    return 2 if lost else 0
