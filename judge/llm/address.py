"""Where questions go: the endpoint as set or as the SDK's own environment variables say, and whether it is allowed. Imports no SDK."""

import ipaddress
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from judge.errors import UsageError
from judge.settings import Settings

EndpointKind = Literal["openai", "azure", "compatible", "llama"]
OPENAI_URL = "https://api.openai.com/v1"
LOCAL_PREFIX = "llama:"
DEFAULT_FILE = Path("models/SmolLM2-135M-Instruct.Q4_1.gguf")  # relative to the working folder; scripts/fetch_model.py puts it there


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint. url: without credentials, as it may be shown and hashed; secret_url: as it is called; api_key None: not set.
    query: what stands behind the question mark of the URL, sent with every request.
    secrets: everything that a request may carry and that nobody may see. has_secret_key: whether a key or token is set."""

    kind: EndpointKind
    url: str
    host: str
    secret_url: str = field(repr=False, default="")
    api_key: str | None = field(repr=False, default=None)
    query: tuple[tuple[str, str], ...] = field(repr=False, default=())
    secrets: tuple[str, ...] = field(repr=False, default=())
    has_secret_key: bool = False

    @property
    def is_loopback(self) -> bool:
        """Whether the texts stay on this machine."""
        if self.kind == "llama" or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def model_path(model: str) -> Path:
    """The file that a `llama:` name means."""
    name = model.removeprefix(LOCAL_PREFIX)
    return DEFAULT_FILE if name in ("", "default") else Path(name).expanduser()


def resolve_address(settings: Settings, model: str, environ: Mapping[str, str]) -> Address:
    """The endpoint of a model. Raises UsageError for a URL that is none, or one that is not allowed."""
    if model.startswith(LOCAL_PREFIX):
        if (path := model_path(model)).is_file():
            with path.open("rb") as file:
                if file.read(4) != b"GGUF":
                    raise UsageError(f"{path} is no model: a file in the GGUF format is needed")
        return Address("llama", model, "127.0.0.1", api_key="local")
    azure = environ.get("AZURE_OPENAI_ENDPOINT", "")
    given = settings.base_url or environ.get("OPENAI_BASE_URL", "")
    if azure and not given:
        address = _address("azure", azure, environ.get("AZURE_OPENAI_API_KEY"), environ)
    else:
        address = _address("compatible", given or OPENAI_URL, environ.get("OPENAI_API_KEY"), environ)
    allowed = {name.strip().casefold() for name in settings.allow_endpoint if name.strip()}
    if allowed and not {address.host.casefold(), urlsplit(address.url).netloc.casefold()} & allowed:
        told = f"the judge's endpoint {address.host} is not among the allowed ones (--allow-endpoint)"
        raise UsageError(f"{told}: {', '.join(sorted(allowed))}")
    if allowed and address.url.startswith("http:") and proxy_of(address):  # https is a tunnel that the proxy cannot read
        told = f"--allow-endpoint: a proxy of the environment would read what goes to {address.url}"
        raise UsageError(f"{told}; use https, or set NO_PROXY")
    return address


def _address(kind: EndpointKind, url: str, api_key: str | None, environ: Mapping[str, str]) -> Address:
    api_key = api_key and (api_key.strip() or None)  # a key from a file often has a line end
    try:
        parts = urlsplit(url.strip())
        number = parts.port
        if any(not character.isprintable() or character.isspace() for character in url.strip()):
            raise ValueError
    except ValueError:  # its own words may hold a password
        raise UsageError(f"the judge's base URL is no URL (it has {len(url)} characters)") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"the judge's base URL must begin with http:// or https:// and name a host (it has {len(url)} characters)")
    port = f":{number}" if number else ""
    host = parts.hostname
    shown = urlunsplit((parts.scheme, (f"[{host}]" if ":" in host else host) + port, parts.path.rstrip("/"), "", ""))
    is_openai = kind == "compatible" and host == "api.openai.com"
    return Address(
        "openai" if is_openai else kind,
        shown,
        host,
        secret_url=urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", "")),
        api_key=api_key,
        query=tuple(parse_qsl(parts.query, keep_blank_values=True)),
        secrets=_secrets(url, api_key, environ),
        has_secret_key=bool(api_key or (kind == "azure" and environ.get("AZURE_OPENAI_AD_TOKEN"))),
    )


def _secrets(url: str, api_key: str | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The key, and what else the SDK and the URL put into a request or its way."""
    found = [api_key or "", environ.get("AZURE_OPENAI_AD_TOKEN", "")]
    found += [line.partition(":")[2].strip() for line in environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()]
    found += [value for name, value in parse_qsl(urlsplit(url).query) if "version" not in name]
    for place in (url, *(value for name, value in environ.items() if name.lower().endswith("_proxy"))):
        user = place.partition("://")[2].partition("/")[0].rpartition("@")[0]
        found += [user, unquote(user), unquote(user.partition(":")[2])]
    return tuple(secret for secret in found if secret)


def proxy_of(address: Address) -> str | None:
    """URL of the proxy that the environment names for an endpoint; None for none, and for what stays on this machine."""
    proxies = urllib.request.getproxies()
    scheme, place = address.url.split(":")[0], urlsplit(address.url).netloc
    if not (proxy := proxies.get(scheme) or proxies.get("all")) or address.is_loopback:
        return None
    direct = [name.strip().casefold().lstrip("*.") for name in proxies.get("no", "").split(",") if name.strip()]  # "*" is every host
    if any(not name or name in (address.host, place) or address.host.endswith(f".{name}") for name in direct):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
