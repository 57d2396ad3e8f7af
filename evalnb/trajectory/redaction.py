"""Secrets and personal data leave a trace before it is stored: keyed hashes stand in, so equality can still be checked.

A value becomes `[kind#letters]`; the same value under the same key always becomes the same letters.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import pairwise

from evalnb.engine.json_values import Json

DEFAULT_KEYS = frozenset(
    {
        "password", "passwd", "passphrase", "secret", "clientsecret", "apikey", "accesstoken", "refreshtoken",
        "idtoken", "authtoken", "bearertoken", "authorization", "cookie", "setcookie", "privatekey", "ssn",
        "socialsecuritynumber", "cvv", "cvc", "pin", "cardnumber", "iban",
    }
)  # fmt: skip

# No standard detector but the one of e-mail addresses accepts anything shorter.
SHORTEST = 10

# Words of a field's name by which its whole value goes, alone or two in a row. A name that ends in "token" goes, too,
# unless the token is a place in a list.
SECRET_WORDS = frozenset({"password", "passwd", "pwd", "passphrase", "secret", "authorization"})
SECRET_PAIRS = frozenset(
    {("api", "key"), ("access", "key"), ("private", "key"), ("auth", "token"), ("access", "token"), ("set", "cookie")}
)
_PLACES = frozenset({"page", "next", "continuation", "sync"})
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

DEEPEST = 100
"""How many levels of a value are looked through; what lies deeper leaves whole."""
TOO_DEEP = "[nested deeper than 100 levels]"

_LETTERS = str.maketrans("0123456789abcdef", "abcdefghijklmnop")
_DIGITS = re.compile(r"\D")


@dataclass(frozen=True, slots=True)
class Detector:
    """A kind of value found by its shape.

    `hints` are texts in lower case of which one must be there before the pattern is tried; `accepts` looks closer at a
    match. Of a pattern with named groups the group that matched is the value.
    """

    kind: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...] = ()
    accepts: Callable[[str], bool] | None = None


def _is_card(text: str) -> bool:
    """13 to 19 digits of an issuer's range whose check digit holds."""
    digits = [int(digit) for digit in _DIGITS.sub("", text)]
    if not 13 <= len(digits) <= 19 or not 2 <= digits[0] <= 6:
        return False
    doubled = [digit * 2 - 9 if digit > 4 else digit * 2 for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_ssn(text: str) -> bool:
    area, group, serial = text.split("-")
    return area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"


def _has_long_part(text: str) -> bool:
    return any(len(part) >= 16 for part in re.split("[-_]", text))


_KEY_PREFIXES = ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "akia", "asia", "aiza")

# A secret beside its name, in a text of any kind: JSON, whole or cut, within a text of JSON, a repr, a query.
_NAMED = (
    r"(?i)(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|(?<![\w-])token(?![\w-])"
    r"|auth[_-]?token|access[_-]?token|refresh[_-]?token)[\w-]{0,20}\\*[\"']?\s{0,3}(?:=>|[:=])\s{0,3}"
)
_VALUE = (
    r"(?:\\+[\"'](?!\[[a-z-]+#)(?P<escaped>[^\"'\\]+)|\"(?!\[[a-z-]+#)(?P<double>[^\"\\]*(?:\\.[^\"\\]*)*)"
    r"|'(?!\[[a-z-]+#)(?P<single>[^'\\]*(?:\\.[^'\\]*)*)|(?!\[[a-z-]+#)(?P<bare>[^\s,;&\"'}\])\\]{4,}))"
)
_NAME_HINTS = ("passw", "passphrase", "secret", "token", "key")

DETECTORS: tuple[Detector, ...] = (
    Detector(
        "private-key",
        re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
        ("private key-----",),
    ),
    # A search starts where no earlier one has looked already: every pattern takes time in proportion to the text.
    Detector("token", re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"), ("eyj",)),
    Detector("token", re.compile(r"(?i)(?<=bearer )[\w.~+/=-]{12,}"), ("bearer ",)),
    Detector(
        "api-key",
        re.compile(
            r"(?<![\w-])(?:gh[pousr]_[A-Za-z0-9]{20,}"
            r"|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,})"
        ),
        _KEY_PREFIXES,
    ),
    Detector("api-key", re.compile(r"(?<![\w-])[srp]k[-_][\w-]{16,}"), ("sk-", "sk_", "rk_", "pk_"), _has_long_part),
    Detector(
        "field",
        re.compile(
            r"(?i)authorization\\*[\"']?\s{0,3}[:=]\s{0,3}\\*[\"']?(?:basic|digest|token|apikey)\s{1,3}"
            r"(?!\[[a-z-]+#)(?P<value>[^\s\"',;\\]{6,})"
        ),
        ("authorization",),
    ),
    Detector("field", re.compile(_NAMED + _VALUE), _NAME_HINTS),
    Detector("email", re.compile(r"[\w.+%-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"), ("@",)),
    # Looking back stands behind the first letter: a search then jumps from digit to digit.
    Detector(
        "card",
        re.compile(r"\d(?<![A-Za-z0-9.-]\d)\d{3}[ -]?\d{2,6}[ -]?\d{2,6}[ -]?\d{1,7}(?!\w|-\w)"),
        (),
        _is_card,
    ),
    Detector("ssn", re.compile(r"\d(?<![\w.-]\d)\d\d-\d\d-\d{4}(?![\w-])"), (), _is_ssn),
    Detector(
        "phone",
        re.compile(r"\+(?<![\w.]\+)\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]?\d{2,4}){1,4}(?![\w-])"),
        ("+",),
    ),
    Detector("phone", re.compile(r"\((?<![\w.]\()\d{3}\) ?\d{3}[ .-]\d{4}(?![\w-])"), ("(",)),
    Detector("phone", re.compile(r"\d(?<![\w.-]\d)\d\d[.-]\d{3}[.-]\d{4}(?![\w-])")),
)


@dataclass(frozen=True)
class Redactor:
    """Replaces values by keyed hashes.

    `key` is at least 16 bytes (ValueError otherwise); `keys` are names of fields whose whole value goes, compared
    without case and punctuation; `detectors` find values by shape; `keep` are texts that stay as they are; texts
    shorter than `shortest` and without `@` are not looked at.
    """

    key: bytes = field(repr=False)
    keys: frozenset[str] = DEFAULT_KEYS
    detectors: tuple[Detector, ...] = DETECTORS
    keep: frozenset[str] = frozenset()
    shortest: int = SHORTEST
    _unhinted: re.Pattern[str] | None = field(init=False, repr=False, compare=False)
    _by_words: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.key) < 16:
            raise ValueError(f"a redaction key needs at least 16 bytes; this one has {len(self.key)}")
        # Whoever gives names of their own means these alone.
        object.__setattr__(self, "_by_words", self.keys >= DEFAULT_KEYS)
        object.__setattr__(self, "_unhinted", _any_of([one.pattern for one in self.detectors if not one.hints]))

    def mark(self, kind: str, value: str) -> str:
        """What stands in for `value`."""
        digest = hmac.new(self.key, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:24]
        # Letters only: a stand-in never looks like a number to a detector that reads it again.
        return f"[{kind}#{digest.translate(_LETTERS)}]"

    def text(self, text: str) -> str:
        """`text` with every detected value replaced."""
        if len(text) < self.shortest and "@" not in text:
            return text
        # Text without any of these, as nearly all is, needs one search for all of them.
        unhinted = self._unhinted is None or self._unhinted.search(text) is not None
        lowered = text.lower()
        for detector in self.detectors:
            for hint in detector.hints:
                if hint in lowered:
                    break
            else:
                if detector.hints or not unhinted:
                    continue
            if detector.pattern.search(text) is not None:
                text = detector.pattern.sub(partial(self._replaced, detector), text)
        return text

    def value(self, value: Json, depth: int = 0) -> Json:
        """A JSON value with configured fields and every detected text replaced; keys are looked at as well."""
        if isinstance(value, str):
            return self.text(value)
        if depth > DEEPEST:
            return TOO_DEEP if isinstance(value, dict | list | tuple) else value
        if isinstance(value, dict):
            return {
                self.text(key): self._field(item) if self.names(key) else self.value(item, depth + 1)
                for key, item in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**12:
            text = self.text(str(value))
            return value if text == str(value) else text
        return value

    def leaves(self, document: str) -> bool:
        """Whether a JSON document, given as text, holds nothing that would be replaced; in doubt it says no."""
        if self.text(document) != document or "\\" in document:
            return False
        keys = {text[text.rfind('"') + 1 :] for text in document.split('":')}
        return not any(map(self.names, keys))

    def names(self, key: str) -> bool:
        """Whether a field of that name is replaced whole."""
        return _is_secret(key, self.keys, self._by_words)

    def _field(self, value: Json) -> Json:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str) and _STAND_IN.fullmatch(value):
            return value
        return self.mark("field", _text_of(value))

    def _replaced(self, detector: Detector, match: re.Match[str]) -> str:
        found = match[match.lastgroup or 0]
        if not found or found in self.keep or (detector.accepts is not None and not detector.accepts(found)):
            return match[0]
        mark = self.mark(detector.kind, _DIGITS.sub("", found) if detector.kind in ("card", "phone") else found)
        if match.lastgroup is None:
            return mark
        start, end = (place - match.start() for place in match.span(match.lastgroup))
        before, after = match[0][:start], match[0][end:]
        # A number in JSON becomes a text, so that it stays JSON.
        return f'{before}"{mark}"{after}' if match.lastgroup == "bare" and '"' in before else f"{before}{mark}{after}"


_STAND_IN = re.compile(r"\[[a-z-]+#[a-p]{24}\]")


def is_stand_in(text: str) -> bool:
    """Whether a text holds a stand-in for a value that left."""
    return "#" in text and _STAND_IN.search(text) is not None


def _any_of(patterns: list[re.Pattern[str]]) -> re.Pattern[str] | None:
    """One pattern that matches where one of `patterns` does; None where they cannot stand in one."""
    if not patterns or any(one.flags != re.UNICODE or one.groups for one in patterns):
        return None
    return re.compile("|".join(one.pattern for one in patterns))


def _plain(key: str) -> str:
    return "".join(letter for letter in key.casefold() if letter.isalnum())


@lru_cache(maxsize=4096)
def _is_secret(key: str, keys: frozenset[str], by_words: bool) -> bool:
    if _plain(key) in keys or not by_words:
        return _plain(key) in keys
    words = [word.casefold() for word in _WORDS.findall(key)]
    if SECRET_WORDS.intersection(words) or SECRET_PAIRS.intersection(pairwise(words)):
        return True
    return words[-1:] == ["token"] and not _PLACES.intersection(words)


def _text_of(value: Json) -> str:
    from evalnb.engine.canonical import canonical_text
    from evalnb.engine.faults import RuntimeFault

    if isinstance(value, str):
        return value
    try:
        return canonical_text(value, "redacted field")
    except (RuntimeFault, RecursionError):
        # What canonical JSON does not hold, such as an integer beyond 2^53, or a nesting that nothing holds.
        return repr(value) if not isinstance(value, dict | list | tuple) else TOO_DEEP


def redactor(key: bytes | None = None, *, keys: Iterable[str] = (), keep: Iterable[str] = ()) -> Redactor:
    """A redactor with the standard detectors, `keys` beside the standard fields, and `keep` left alone.

    Without a key a random one of this process is taken: equality then holds inside the process only.
    """
    return Redactor(
        key=key if key is not None else _process_key(),
        keys=DEFAULT_KEYS | {_plain(name) for name in keys},
        keep=frozenset(keep),
    )


@lru_cache(maxsize=1)
def _process_key() -> bytes:
    return secrets.token_bytes(32)
