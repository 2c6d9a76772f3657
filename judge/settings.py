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

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from judge.capabilities.registry import checked_name
from judge.errors import UsageError, did_you_mean
from judge.folder_trust import ENDPOINTS, ROUTE_SETTINGS, Folder
from judge.inputs.json_text import loads
from judge.printing import has_lone_surrogates, quoted
from rubrics.named_file import read_settings

PREFIX = "JUDGE_"
# What travels with every request to the judge, when it is set: part of the fingerprint, of a run's identity and of the cache's keys.
# With a field below and a flag in options.py, a name here is all that another one needs.
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
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def default_cache_dir() -> Path:
    """The user's cache folder (XDG)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "loan-judge"


class Settings(BaseModel):
    """All settings, checked. None means "not set"."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    gold: Path | None = None
    gold_by: Annotated[str, Field(min_length=1)] = "case"
    documents: Path = Path("documents")
    out: Path = Path("judge-results")
    system: str | None = None
    contract: str | None = None
    no_gold: bool = False
    partial: bool = False
    exceptions: Path | None = None
    checks: Path | None = None
    limit: Count | None = None
    case: str | None = None
    ocr: Annotated[Literal["auto", "on", "off"], BeforeValidator(_ocr)] = "auto"
    capability: Annotated[str, AfterValidator(checked_name)] | None = None

    judge: str = "offline"
    panel: Names = ()
    quorum: Count | None = None
    repeats: Count = 1
    together: bool = False
    judge_images: bool = False
    concurrency: Count = 16
    rpm: Positive | None = None
    tpm: Positive | None = None
    budget: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    max_retries: Annotated[int, Field(ge=0)] = 5
    timeout: Positive = 60.0
    deadline: Positive = 600.0
    base_url: str | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Count | None = None
    seed: int | None = None
    logprobs: bool = False
    max_output_tokens: Count | None = None
    reasoning_effort: Annotated[str, Field(pattern=r"^[A-Za-z_-]{1,40}$")] | None = None
    extra_body: JsonObject | None = None
    prices: Path | None = None
    rubrics: Paths = ()
    allow_endpoint: Names = ()
    trust_folder: bool = False
    require_calibrated: Paths = ()
    certified_threshold: Paths = ()
    max_judge_errors: Share | None = None

    cache_dir: Path = Field(default_factory=default_cache_dir)
    cache_days: Positive = 365.0
    cache_mb: Positive = 2048.0
    no_cache: bool = False
    explain_cache: bool = False
    fresh: bool = False
    allow_empty: bool = False
    dry_run: bool = False
    display: Literal["auto", "rich", "plain", "none"] = "auto"
    json_output: bool = Field(default=False, alias="json")
    engine: Literal["local", "ray"] = "local"
    ray_address: str | None = None
    judge_mode: Literal["calls", "batch"] = "calls"
    batch_fallback: bool = False
    batch_poll: Positive = 30.0
    batch_price: Share = Fraction(1, 2)
    shared_cache: Path | None = None
    baseline: Path | None = None
    reports: Literal["auto", "all", "none"] = "auto"

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
    message = entry["msg"]
    return f"{source}: {key} = {quoted(value)}: {message[:1].lower()}{message[1:]}"


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
        if name == "judge.toml" or data:
            return {key.replace("-", "_"): (value, name) for key, value in data.items()}
    return {}


def _dotenv(folder: Path) -> dict[str, str]:
    path = folder / ".env"
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    try:
        return {
            key: value
            for key, value in dotenv_values(stream=io.StringIO(read_settings(path)), interpolate=False).items()
            if value is not None
        }
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
    return own | {
        key.removeprefix(PREFIX).lower(): (value, f"{source}: {key}")
        for key, value in values.items()
        if key.startswith(PREFIX) and value != "" and key not in OTHER_VARIABLES
    }
