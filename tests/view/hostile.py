"""Hostile texts, and documents whose every free text and every observed value is one of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import Any

MARK = "window.hostile=1"

PAYLOADS = (
    f"<script>{MARK}</script>",
    f"<img src=x onerror='{MARK}'>&amp;",
    f'"><svg/onload="{MARK}">',
    f"</script><script>{MARK}</script>",
    f"</style></title></textarea></template><iframe srcdoc='<script>parent.{MARK}</script>'>",
    f"<details open ontoggle={MARK}><summary>x",
    f"[link](javascript:{MARK}) ![i](x) # heading **bold** `code`",
    f"javascript:{MARK}",
    "$$\\href{javascript:window.hostile=1}{x}$$ \\(\\unicode{x}\\) $x^2$",
    "\x1b[31mred\x1b]8;;http://example.test\x07link\x1b]8;;\x07 \x00\x08\x9b",
    "\u202egnp.exe \u2066\u2067 \u200b\ufeff \ud800",
    f"&lt;img src=x onerror={MARK}&gt; &#60;script&#62;{MARK}&#60;/script&#62;",
    f"{{{{constructor.constructor('{MARK}')()}}}} ${{{MARK}}} signal('x') datum.x",
    f"<!--<script>{MARK}//--><noscript><p title='</noscript><img src=x onerror={MARK}>'>",
    "=cmd|'/c calc'!A1",
    "<" * 50_000 + "x" * 50_000,
)

_FREE_TEXT = frozenset(
    [
        "description",
        "commentary",
        "scope",
        "negativeDomain",
        "observableSuccessCriterion",
        "text",
        "note",
        "summary",
        "quote",
        "rationale",
        "reason",
        "runId",
        "conditionArm",
        "safetyLimits",
        "requiredEvidence",
        "setup",
        "cleanup",
        "systemId",
        "verdictBasis",
        "condition",
        "approval",
        "anchor",
        "literal",
        "scheme",
    ]
)
_OBSERVED = frozenset({"responseBody", "responseHeaders", "callInputs", "stdout", "stderr", "artifacts", "members"})
_DECLARED = frozenset({"types", "kind", "bodyEncoding"})


def poisoned(document: Any) -> Any:
    """A copy of `document` with a hostile text wherever an author or a subject may write one."""
    payloads = cycle(PAYLOADS)
    return _poisoned(document, payloads, free=False)


def _poisoned(value: Any, payloads: Iterator[str], *, free: bool) -> Any:
    if isinstance(value, dict):
        copied = {}
        for key, item in value.items():
            if key in _DECLARED:
                copied[key] = item
                continue
            inside = free or key in _OBSERVED or (key in _FREE_TEXT and not isinstance(item, dict))
            copied[key] = _poisoned(item, payloads, free=inside)
        return copied
    if isinstance(value, list):
        return [_poisoned(item, payloads, free=free) for item in value]
    if isinstance(value, str) and free:
        payload = next(payloads)
        # A document cannot hold a lone surrogate; everywhere else one may turn up.
        return payload.replace("\ud800", "")
    return value
