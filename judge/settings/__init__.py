"""Every setting of `judge run` and where it came from: flag > environment > .env > judge.toml (or [tool.judge]) > default.
An unknown or wrong key stops the program before any call, naming its source and the nearest known key."""

import io
import json
import os
import tomllib
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo

from calibration.strict_json import loads
from judge.capabilities.registry import checked_name
from judge.errors import UsageError, did_you_mean
from judge.printing import has_lone_surrogates, quoted
from judge.settings.folder_trust import ENDPOINTS, ROUTE_SETTINGS, Folder
from rubrics.named_file import read_settings
from rubrics.wording import message_of

PREFIX = "JUDGE_"
# What travels with every request to the judge, when it is set: part of the fingerprint, of a run's identity and of the cache's keys.
# With a field below, a name here is all that another one needs.
REQUEST_PARAMETERS = ("temperature", "max_tokens", "seed", "logprobs", "max_output_tokens", "reasoning_effort", "extra_body")
OWN_PARTS = frozenset({"model", "messages", "response_format", "tools", "tool_choice", "stream", "n"})
OTHER_VARIABLES = frozenset({"JUDGE_TRACEBACK"})


def _listed(value: Any) -> Any:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _fraction(value: Any) -> Any:
    return Fraction(repr(value)) if isinstance(value, float) else value


def _object(value: Any) -> Any:
    """The text of a JSON object as that object; a request's own parts are not to be set."""
    found = loads(value) if isinstance(value, str) else value
    if not isinstance(found, dict) or (taken := OWN_PARTS & found.keys()):
        raise ValueError("is no JSON object" if not isinstance(found, dict) else f"{', '.join(sorted(taken))} is the program's own to set")
    json.dumps(found, allow_nan=False)
    return found


def _ocr(value: Any) -> Any:
    """`--ocr` alone, `JUDGE_OCR=1` and `ocr = true` mean on."""
    named = {"1": "on", "true": "on", "yes": "on", "0": "off", "false": "off", "no": "off"}
    return named.get(str(value).casefold(), value)


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Paths = Annotated[tuple[Path, ...], BeforeValidator(_listed)]
JsonObject = Annotated[dict[str, Any], BeforeValidator(_object)]
Share = Annotated[Fraction, BeforeValidator(_fraction), Field(ge=0, le=1)]
Level = Annotated[str, Field(pattern=r"^[A-Za-z_-]{1,40}$")]
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]
Positive = Annotated[float, Field(gt=0, le=1_000_000_000)]


def _can_be_met(quorum: int, given: ValidationInfo) -> int:
    if quorum > (voters := len(given.data.get("panel") or "1")):
        raise ValueError(f"so many votes never come of {voters} model{'s' * (voters > 1)}")
    return quorum


def _once_each(panel: tuple[str, ...]) -> tuple[str, ...]:
    if len({*panel}) < len(panel):
        raise ValueError("names one model twice: it would have two votes")
    return panel


def default_cache_dir() -> Path:
    """The user's cache folder (XDG)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "loan-judge"


def flag(default: Any, text: str, metavar: str = "", alias: str | None = None, **options: Any) -> Any:
    """A setting that is a flag of the command line too; without a metavar it is a switch. options: how click reads it otherwise."""
    made = {"default_factory": default} if callable(default) else {"default": default}
    return Field(**made, alias=alias, description=text, json_schema_extra={"metavar": metavar, **options} if metavar else {"is_flag": True})


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class InputSettings(_Group):
    """What is judged."""

    gold: Path | None = flag(None, "What is true: gold file or folder.", "GOLD")
    gold_by: Annotated[str, Field(min_length=1)] = flag(
        "case", "Key of an output's metadata that names its gold line, for several outputs of a case (case).", "KEY"
    )
    no_gold: bool = flag(False, "Judge without reference, as in production.")
    documents: Path = flag(Path("documents"), "Folder of the documents (PDF, Word, images of pages).", "DIR")
    ocr: Annotated[Literal["auto", "on", "off"], BeforeValidator(_ocr)] = flag(
        "auto",
        "Recognise pages without text (Tesseract; seconds a page): auto (default, where it is installed), on or off.",
        "[auto|on|off]",
        is_flag=False,
        flag_value="on",
    )
    partial: bool = flag(False, "Allow gold without output; it counts as missed.")
    limit: Count | None = flag(None, "Judge only the first N selected cases.", "N")
    case: str | None = flag(None, "Judge only cases whose id matches, for example 'acme-*'.", "GLOB")
    capability: Annotated[str, AfterValidator(checked_name)] | None = flag(
        None, "Judge only cases of one capability: loan_onboarding, ...", "NAME"
    )
    contract: str | None = flag(None, "A shipped quality contract by its version, or a file of your own.", "NAME|FILE")
    exceptions: Path | None = flag(None, "File of deviations that a person accepted.", "FILE")


class RunSettings(_Group):
    """How a run goes and where its results go."""

    out: Path = flag(Path("judge-results"), "Result folder (judge-results); the same command goes on where it was interrupted.", "DIR")
    system: str | None = flag(None, "Name and version of what is judged, for the reports.", "NAME")
    fresh: bool = flag(False, "Start over instead of resuming.")
    require_calibrated: Paths = flag((), "Without these valid calibration records, judged items stay open for the gates.", "RECORD,...")
    certified_threshold: Paths = flag((), "Verdicts below the records' certified confidence go to a person.", "RECORD,...")
    max_judge_errors: Share | None = flag(None, "Allowed share of items with a judge error, 0..1 (0).", "SHARE")
    allow_empty: bool = flag(False, "Exit 0 when nothing was evaluated.")
    dry_run: bool = flag(False, "Show every text that can leave the machine, in all rounds; send nothing.")
    checks: Path | None = flag(None, "A Python file with checks of your own; it runs with your rights, and no folder can name it.", "FILE")
    display: Literal["auto", "rich", "plain", "none"] = flag("auto", "auto (rich on a terminal), rich, plain or none.", "HOW")
    json_output: bool = flag(False, "Summary as JSON on standard output.", alias="json")
    reports: Literal["auto", "all", "none"] = flag("auto", "auto (unless nothing is new, or above 20,000 items), all or none.", "HOW")
    engine: Literal["local", "ray"] = flag("local", "local (default) or ray.", "NAME")
    ray_address: str | None = flag(None, "An existing Ray cluster.", "ADDRESS")
    judge_mode: Literal["calls", "batch"] = flag("calls", "calls (default), or batch for the provider's batch API.", "MODE")
    batch_fallback: bool = flag(False, "Ask by single calls what a batch failed at.")
    batch_poll: Positive = flag(30.0, "Seconds between two looks at a batch (30).", "S")
    batch_price: Share = flag(Fraction(1, 2), "Share of the price that a batch costs, 0..1 (0.5).", "SHARE")


class ModelSettings(_Group):
    """Who is asked, and what that may cost."""

    judge: str = flag("offline", "Model at the endpoint, llama:default, or offline (default).", "MODEL")
    panel: Annotated[Names, AfterValidator(_once_each)] = flag((), "Models that vote instead of one; a majority decides.", "M1,M2,M3")
    quorum: Annotated[Count, AfterValidator(_can_be_met)] | None = flag(
        None, "Least number of valid votes of a panel (more than half).", "N"
    )
    repeats: Annotated[int, Field(ge=1, le=100)] = flag(1, "Ask every question N times, at most 100; the majority counts (1).", "N")
    together: bool = flag(False, "Put an item's next question into the request of its first (off).")
    judge_images: bool = flag(False, "Show the judge pages that have no text as pictures (off); its model must read pictures.")
    concurrency: Annotated[int, Field(ge=1, le=10_000)] = flag(16, "Most calls in flight (16).", "N")
    rpm: Positive | None = flag(None, "Most requests a minute (no limit).", "N")
    tpm: Positive | None = flag(None, "Most tokens a minute (no limit).", "N")
    budget: Annotated[float, Field(ge=0, le=1_000_000_000)] | None = flag(None, "Hard cap on money (none); needs a known price.", "USD")
    max_retries: Annotated[int, Field(ge=0, le=1000)] = flag(5, "Attempts after the first (5).", "N")
    timeout: Positive = flag(60.0, "Seconds for one attempt (60).", "S")
    deadline: Positive = flag(600.0, "Seconds for one question with all attempts (600).", "S")
    base_url: str | None = flag(None, "The endpoint, in place of OPENAI_BASE_URL.", "URL")
    temperature: Annotated[float, Field(ge=0, le=2)] | None = flag(None, "Sampling temperature; sent only when given.", "T")
    max_tokens: Count | None = flag(None, "Most tokens of an answer; sent only when given.", "N")
    max_output_tokens: Count | None = flag(
        None, "Never allow an answer more tokens, also where a cut one is asked again; sent when given.", "N"
    )
    reasoning_effort: Level | None = flag(None, "How long a reasoning model thinks: low, medium, ...; sent only when given.", "LEVEL")
    extra_body: JsonObject | None = flag(None, "Further parts of every request, for a provider's own switches.", "JSON")
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = flag(None, "The model's seed; sent only when given.", "N")
    logprobs: bool = flag(False, "Ask for the probability of the verdict.")
    prices: Path | None = flag(None, "Price table of your own, asked before the shipped one.", "FILE")
    rubrics: Paths = flag((), "Rubric files that override or add.", "PATH,...")
    allow_endpoint: Names = flag((), "Only these hosts may be called.", "HOST,...")
    trust_folder: bool = flag(False, "Let .env and judge.toml say where your key goes, this once (`judge trust`: always).")
    cache_dir: Path = flag(default_cache_dir, "Where answers and document texts are kept.", "DIR")
    cache_days: Positive = flag(365.0, "Days that answers are kept (365).", "N")
    cache_mb: Positive = flag(2048.0, "Megabytes that the answer cache may grow to (2048).", "N")
    shared_cache: Path | None = flag(None, "A folder for answers that several machines share.", "DIR")
    no_cache: bool = flag(False, "Neither read nor write cached answers.")
    explain_cache: bool = flag(False, "Say which part of the key changed at a miss.")


class Settings(InputSettings, RunSettings, ModelSettings):
    """All settings, checked. None means "not set"."""

    baseline: Path | None = flag(None, "Result folder of an earlier run for the paired regression test.", "RESULTS")

    @property
    def models(self) -> tuple[str, ...]:
        """The voters: the panel, or the one model."""
        return self.panel or (self.judge,)

    @property
    def answers(self) -> Path | None:
        """The folder of kept answers; None for no cache."""
        return None if self.no_cache else self.cache_dir / "answers"

    @property
    def request_parameters(self) -> dict[str, Any]:
        """What travels with every request to the judge: only what was set."""
        given = {name: getattr(self, name) for name in REQUEST_PARAMETERS}
        return {name: value for name, value in given.items() if value is not None and value is not False}


KNOWN: tuple[str, ...] = tuple(sorted(info.alias or name for name, info in Settings.model_fields.items()))

Sourced = dict[str, tuple[Any, str]]  # setting -> value, and where it came from in words


def resolve(
    flags: Mapping[str, tuple[Any, str]],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    other_variables: Callable[[], Collection[str]] = frozenset,
    *,
    asks: bool = True,
) -> Settings:
    """The settings of a command. flags: what the command line gave, with the source in words. folder: where .env and judge.toml are looked
    for. other_variables: JUDGE_ variables that other commands read, asked for only when one is unknown here. asks: whether a judge may be
    asked, so that where its key goes must be settled (folder_trust.py). Raises UsageError that lists every wrong setting with its
    source."""
    env = os.environ if environment is None else environment
    here, own = folder_files(folder)
    stronger: Sourced = {**_prefixed(env, "environment"), **flags}
    if has_endpoint := "base_url" in stronger or bool(ENDPOINTS & here.outside()):
        own.pop("base_url", None)
    if "trust_folder" in own:
        raise UsageError(f"{own['trust_folder'][1]}: trust_folder: a folder cannot say that it is trusted (`judge trust`)")
    if "checks" in own:
        raise UsageError(f"{own['checks'][1]}: checks: a folder cannot name code that runs; give --checks FILE, or JUDGE_CHECKS")
    found: Sourced = {**own, **stronger}
    if unknown := [key for key in sorted(found) if key not in KNOWN]:
        elsewhere = {name.removeprefix(PREFIX).lower() for name in other_variables()}
        if wrong := [k for k in unknown if PREFIX not in found[k][1] or k not in elsewhere]:
            raise UsageError("\n".join(f"{found[k][1]}: unknown setting {k!r}{did_you_mean(k, KNOWN)}" for k in wrong))
    if broken := [source for value, source in found.values() if any(has_lone_surrogates(t) or "\0" in t for t in _texts(value))]:
        raise UsageError("\n".join(f"{source}: is not UTF-8 text" for source in broken))
    try:
        settings = Settings.model_validate({key: value for key, (value, _) in found.items() if key in KNOWN})
    except ValidationError as error:
        raise UsageError("\n".join(dict.fromkeys(_wrong(entry, found) for entry in error.errors(include_url=False)))) from None
    if settings.no_gold and settings.gold is not None:
        weaker, other = sorted(("gold", "no_gold"), key=lambda name: (name in flags, name in stronger))
        if (weaker in flags, weaker in stronger) != (other in flags, other in stronger):
            settings = settings.model_copy(update={weaker: Settings.model_fields[weaker].default})
    is_far = settings.engine == "ray"
    held = {name for name in ROUTE_SETTINGS if name in own and name not in stronger and (is_far or name != "ray_address")}
    asks = asks and (is_far or settings.judge != "offline" or bool(settings.panel))
    here.adopt(held, has_endpoint=has_endpoint, is_trusted=settings.trust_folder, asks=asks)
    return settings


def _texts(value: Any) -> list[str]:
    return [text for text in (value if isinstance(value, list | tuple) else [value]) if isinstance(text, str)]


def _wrong(entry: Any, found: Sourced) -> str:
    key = str(entry["loc"][0])
    value, source = found[key]
    return f"{source}: {key} = {quoted(value)}: {message_of(entry)}"


def _from_toml(folder: Path) -> Sourced:
    for name, table in (("judge.toml", ()), ("pyproject.toml", ("tool", "judge"))):
        path = folder / name
        if not path.is_file():
            continue
        try:
            data: Any = tomllib.loads(read_settings(path))
        except (ValueError, RecursionError, OSError) as error:
            raise UsageError(f"{name}: cannot be read: {error}") from None
        for part in table:
            data = data.get(part, {})
            if not isinstance(data, dict):
                raise UsageError(f"{name}: {part} = {quoted(data)} is no table")
        if tables := [key for key, value in data.items() if isinstance(value, dict) and key.replace("-", "_") != "extra_body"]:
            raise UsageError(f"{name}: [{'.'.join((*table, tables[0]))}] is a table, and no setting is one{did_you_mean(tables[0], KNOWN)}")
        if name == "judge.toml" or data:
            return {key.replace("-", "_"): (value, name) for key, value in data.items()}
    return {}


def _dotenv(folder: Path) -> dict[str, str]:
    path = folder / ".env"
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    try:
        found = dotenv_values(stream=io.StringIO(read_settings(path)), interpolate=False)
        return {key: value for key, value in found.items() if value is not None}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f".env: cannot be read: {error}") from None


def folder_files(folder: Path) -> tuple[Folder, Sourced]:
    """What a working folder's files say, and the settings among it with their sources. Raises UsageError."""
    dotenv = _dotenv(folder)
    own = {**_from_toml(folder), **_prefixed(dotenv, ".env")}
    return Folder(folder, dotenv, {name: value for name, (value, _) in own.items()}), own


def _prefixed(values: Mapping[str, str], source: str) -> Sourced:
    """JUDGE_ variables, and Ray's own for its cluster; an empty one counts as not set."""
    own = {"ray_address": (values["RAY_ADDRESS"], f"{source}: RAY_ADDRESS")} if values.get("RAY_ADDRESS") else {}
    given = {key: value for key, value in values.items() if key.startswith(PREFIX) and value != "" and key not in OTHER_VARIABLES}
    return own | {key.removeprefix(PREFIX).lower(): (value, f"{source}: {key}") for key, value in given.items()}
