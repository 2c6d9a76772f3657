"""The tables of the lexicon, a text file each: one row a line, what begins with # is a remark."""

from importlib import resources


def rows(name: str) -> list[str]:
    """The rows of a table."""
    text = resources.files(__name__).joinpath(f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def lists(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """The rows of a table of lists ("name: form, form"), each by its name."""
    return [(key, tuple(forms.split(", "))) for key, forms in (row.split(": ") for row in rows(name))]


def forms(name: str) -> dict[str, str]:
    """Each form of a table of lists -> the name of its row."""
    return {form: key for key, listed in lists(name) for form in listed}


def patterns(name: str) -> dict[str, str]:
    """The names of a table of wordings ("name: form", any number of rows a name), each with the source of a regular expression for any."""
    found: dict[str, list[str]] = {}
    for key, _, form in (row.partition(": ") for row in rows(name)):
        found.setdefault(key, []).append(form)
    return {key: "|".join(forms) for key, forms in found.items()}
