"""What a redirecting answer asks for next; whether that may be reached is the policy's to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import httpx2

from evalnb.adapters.http_answer import HttpAnswer
from evalnb.adapters.http_target import Origin
from evalnb.adapters.policies.decisions import Denied

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_KEEP_METHOD: Final = frozenset({307, 308})
# What a request carried for one origin is not handed to another.
_BOUND_TO_ORIGIN: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
_OF_BODY: Final = frozenset({"content-type", "content-encoding", "content-language", "content-location"})


@dataclass(frozen=True, slots=True)
class Hop:
    """One request of a chain. `trusted` as long as it stays on the origin that the policy's secrets are for."""

    method: str
    url: httpx2.URL
    headers: Mapping[str, str]
    body: bytes | None
    trusted: bool = True

    @property
    def origin(self) -> Origin:
        """Where the request goes."""
        return Origin.of_url(self.url)


def next_hop(hop: Hop, answer: HttpAnswer) -> Hop | None:
    """The request that `answer` redirects `hop` to, None where it does not redirect.

    RuntimeFault `forbidden-target` for a place that cannot be read: no policy names it.
    """
    location = answer.header("location")
    if answer.status not in _REDIRECTS or location is None:
        return None
    url = _resolved(hop.url, location)
    keeps_method = answer.status in _KEEP_METHOD or hop.method in ("GET", "HEAD")
    if not keeps_method and answer.status != 303 and hop.method != "POST":
        keeps_method = True  # 301 and 302 turn only a POST into a GET
    dropped = frozenset() if keeps_method else _OF_BODY
    same_origin = Origin.of_url(url) == hop.origin
    if not same_origin:
        dropped |= _BOUND_TO_ORIGIN
    return Hop(
        method=hop.method if keeps_method else "GET",
        url=url,
        headers={name: value for name, value in hop.headers.items() if name not in dropped},
        body=hop.body if keeps_method else None,
        trusted=hop.trusted and same_origin,
    )


def _resolved(current: httpx2.URL, location: str) -> httpx2.URL:
    try:
        url = current.join(location)
        # Rebuilt from its parts, so that no user name of a URL becomes a credential.
        return httpx2.URL(scheme=url.scheme, host=url.host, port=url.port, raw_path=url.raw_path)
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise Denied("host-not-authorized", "the answer redirects to a place that cannot be read").fault() from None
