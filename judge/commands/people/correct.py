"""`judge correct`: disputes a verdict of the program; a second person confirms it."""

from pathlib import Path

import click

from judge.commands.options import RUN_CONTRACT, TEXT_CACHE, with_flags
from judge.errors import UsageError
from judge.printing import put
from judge.settings import Settings, default_cache_dir


@click.command("correct")
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("case")
@click.argument("item")
@click.argument("label")
@with_flags("correct", (RUN_CONTRACT, TEXT_CACHE))
def command(results: Path, case: str, item: str, label: str, tranche: str | None, by: str | None, why: str | None,
            reviewers: str | None, contract: str | None, cache_dir: str | None) -> int:  # fmt: skip
    """Say that the program's verdict on ITEM of CASE is wrong and LABEL is right.

    The verdict stays as it is; the correction is shown beside it and listed in report and sign-off. The same command by a second person
    confirms it. Whether confirmed corrections count in the gates is in the contract (gates.corrections_count; by default they do not). With
    the program's own label a correction is withdrawn. `judge export RESULTS --corrections --to FILE.jsonl` is for the program's authors.
    """
    from judge.labelling.correcting import correct
    from judge.labelling.people import read_reviewers
    from judge.labelling.run_sink import apply_again
    from judge.results.decisions import utc_now
    from judge.results.folder import ResultFolder
    from judge.results.reading import contract_of_run, read_results

    people = read_reviewers(Path(reviewers) if reviewers else None, results)
    if not by:
        raise UsageError("say who you are with --by: your name, or with --reviewers your token")
    who = people.of_token(by) if people.tokens else people.checked(by)
    rules = contract_of_run(results, contract)
    with ResultFolder(results):
        found = read_results(results, rules.label_scores)
        put(correct(found, (case, item, tranche), label, who, why or "", utc_now()))
        people.remember(results)
        put(apply_again(results, Settings(contract=contract, cache_dir=Path(cache_dir) if cache_dir else default_cache_dir()), rules))
    return 0
