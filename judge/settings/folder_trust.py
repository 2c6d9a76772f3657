"""Where the user's own key goes is never said by a folder that may be somebody else's.
A checkout's `.env`, judge.toml and pyproject.toml may name an endpoint, a proxy, a CA, a log, a Ray cluster ("routes"). They count where
the key comes from the same folder, where there is none, and where a person has said that the folder is trusted: once (`--trust-folder`) or
until a route changes (`judge trust`). Else the command is refused, or does without them where it asks no judge."""

import hashlib
import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from judge.disk import read_json, write_atomically
from judge.errors import InputError, UsageError
from judge.printing import shown

# Taken from .env when the environment does not set them; never written over.
FOREIGN_PREFIXES = ("OPENAI_", "AZURE_OPENAI_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
ROUTE_SETTINGS = ("base_url", "ray_address")
ENDPOINTS = frozenset({"OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"})
_AZURE_KEYS = frozenset({"AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"})
_SECRETS = frozenset({"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_CUSTOM_HEADERS"}) | _AZURE_KEYS
_NO_ROUTES = _SECRETS | {"OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_VERSION"}

_taken: dict[str, Path] = {}  # variables of this process that a folder's .env gave


@dataclass(frozen=True, slots=True)
class Folder:
    """What a working folder's files say. settings: of judge.toml or pyproject.toml and of .env, whether or not something stronger holds."""

    path: Path
    dotenv: Mapping[str, str]
    settings: Mapping[str, object]

    @property
    def foreign(self) -> dict[str, str]:
        """The variables that other programs read."""
        given = {name: value for name, value in self.dotenv.items() if "\0" not in name + value}
        return {name: value for name, value in given.items() if name.upper().startswith(FOREIGN_PREFIXES)}

    @property
    def routes(self) -> dict[str, str]:
        """All that is said about the way of a key."""
        variables = {name: value for name, value in self.foreign.items() if name.upper() not in _NO_ROUTES}
        return variables | {name: str(self.settings[name]) for name in ROUTE_SETTINGS if self.settings.get(name)}

    @property
    def digest(self) -> str:
        """SHA-256 of place and routes: another route is another decision."""
        return hashlib.sha256(json.dumps([str(self.path.resolve()), sorted(self.routes.items())]).encode()).hexdigest()

    def outside(self) -> set[str]:
        """Names, in capitals, of the variables that are set and do not come from here."""
        return {name.upper() for name, value in os.environ.items() if value.strip() and _taken.get(name) != self.path.resolve()}

    def adopt(self, held: Collection[str], *, has_endpoint: bool, is_trusted: bool, asks: bool) -> None:
        """Puts the variables into the environment, where it has none of the name. Raises UsageError for a route of another's key. held:
        settings for which nothing stronger holds; has_endpoint: whether something stronger names one; asks: whether a key may be used."""
        outside = self.outside()
        dropped = outside | (ENDPOINTS if has_endpoint else set())
        own = {name: value for name, value in self.foreign.items() if name.upper() not in dropped}
        named = {name: value for name, value in self.routes.items() if name in own or name in held}
        has_identity = "AZURE_OPENAI_ENDPOINT" in named and not _AZURE_KEYS & (outside | own.keys())  # that of the person who is signed in
        is_risky = bool(outside & _SECRETS) or has_identity or "ray_address" in named
        if named and is_risky and not is_trusted and _stored().get(str(self.path.resolve())) != self.digest:
            if asks:
                raise UsageError(_refusal(self.path, named))
            own = {name: value for name, value in own.items() if name not in named}
        for name, value in own.items():
            os.environ[name], _taken[name] = value, self.path.resolve()


def described(named: Mapping[str, str]) -> str:
    """Routes as they may be shown: URLs without user names, passwords and queries."""
    return ", ".join(f"{name} = {shown(value.rpartition('@')[2].partition('?')[0])[:120]}" for name, value in sorted(named.items()))


def _refusal(folder: Path, named: Mapping[str, str]) -> str:
    return (
        f"the files of {shown(str(folder))} say where a key and the documents' texts go: {described(named)}; your key, which does not come "
        "from there, is not sent there. If you trust them: `judge trust` (until they change) or --trust-folder (this once). Or say it "
        "yourself, with --base-url or in the environment"
    )


def store() -> Path:
    """The user's own list of trusted folders (XDG)."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "loan-judge" / "trusted.json"


def _stored() -> dict[str, str]:
    """Digest by folder. A list that cannot be read trusts nobody."""
    try:
        return {name: value for name, value in read_json(store()).items() if isinstance(value, str)}
    except InputError:
        return {}


def trusted() -> list[str]:
    """The folders that are trusted."""
    return sorted(_stored())


def decide(folder: Path, value: str | None) -> None:
    """Stores the digest of a folder that is trusted from now on; None: no longer."""
    name = str(folder.resolve())
    kept = {known: digest for known, digest in _stored().items() if known != name} | ({name: value} if value else {})
    store().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(store(), [json.dumps(kept, indent=1)])
