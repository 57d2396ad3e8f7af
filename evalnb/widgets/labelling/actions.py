"""All that can be done to a draft: one pure function over a table of actions.

An action is a JSON object with its name under `do`; it comes from a form, so everything in it is checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from evalnb.widgets.labelling.draft import (
    DISPOSITIONS,
    FINDING_TYPES,
    RECOMMENDATIONS,
    SEVERITIES,
    Draft,
    DraftFinding,
    Quote,
)

T = TypeVar("T", bound=str)

LONGEST_NOTE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Ground:
    """What a draft may speak of: oracles with the behavior and severity a finding of them starts from, and calls."""

    oracles: Mapping[str, OracleGround]
    observation_ids: Collection[str]
    passages: Callable[[str], tuple[Quote, ...]]
    """The quotable passages of an observation, in a fixed order."""


@dataclass(frozen=True, slots=True)
class OracleGround:
    """What a finding about an oracle starts from."""

    behavior_id: str | None
    severity: str


def apply(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    """The draft after the action. Raises ValueError for one that makes no sense, LookupError for unknown names."""
    act = _ACTIONS.get(str(action.get("do")))
    if act is None:
        raise LookupError(f"there is no action {action.get('do')!r}")
    return act(draft, action, ground)


def continues(action: Mapping[str, Any], last: Mapping[str, Any] | None) -> bool:
    """Whether an action only writes on where the last one wrote: both are then undone together."""
    if last is None or action.get("do") not in ("note", "change-finding"):
        return False
    if action.get("field") not in (None, "summary", "confidence"):
        return False
    return all(action.get(key) == last.get(key) for key in ("do", "oracle", "finding", "field"))


def _judge(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    oracle = _oracle(action, ground)
    given = action.get("disposition")
    disposition = None if given is None else _one_of(given, DISPOSITIONS, "disposition")
    return draft.judged(oracle, replace(draft.judgement(oracle), disposition=disposition))


def _cite(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    oracle, observation = _oracle(action, ground), _observation(action, ground)
    judgement = draft.judgement(oracle)
    cited = _toggled(judgement.observation_ids, observation, action.get("on"))
    return draft.judged(oracle, replace(judgement, observation_ids=cited))


def _note(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    oracle = _oracle(action, ground)
    return draft.judged(oracle, replace(draft.judgement(oracle), note=_text(action.get("text"))))


def _add_finding(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    oracle = _oracle(action, ground)
    start = ground.oracles[oracle]
    number = max((int(one.finding_id[2:]) for one in draft.findings), default=0) + 1
    finding = DraftFinding(
        finding_id=f"F-{number:03}",
        finding_type="defect" if draft.judgement(oracle).disposition == "violated" else "observation",
        oracle_id=oracle,
        behavior_id=start.behavior_id,
        severity=_one_of(start.severity, SEVERITIES, "severity"),
        observation_ids=draft.judgement(oracle).observation_ids,
    )
    return replace(draft, findings=(*draft.findings, finding))


def _change_finding(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    finding, value = draft.finding(str(action.get("finding"))), action.get("value")
    match action.get("field"):
        case "type":
            changed = replace(finding, finding_type=_one_of(value, FINDING_TYPES, "finding type"))
        case "severity":
            changed = replace(finding, severity=_one_of(value, SEVERITIES, "severity"))
        case "summary":
            changed = replace(finding, summary=_text(value))
        case "confidence":
            changed = replace(finding, confidence=_share(value))
        case unknown:
            raise ValueError(f"a finding has no {unknown}")
    return draft.with_finding(changed)


def _cite_finding(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    finding, observation = draft.finding(str(action.get("finding"))), _observation(action, ground)
    cited = _toggled(finding.observation_ids, observation, action.get("on"))
    quotes = tuple(one for one in finding.quotes if one.observation_id in cited)
    return draft.with_finding(replace(finding, observation_ids=cited, quotes=quotes))


def _quote(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    """Takes a passage over; the observation it stands in is then cited as well."""
    finding, observation = draft.finding(str(action.get("finding"))), _observation(action, ground)
    passages, place = ground.passages(observation), action.get("passage")
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(passages):
        raise LookupError("there is no such passage")
    if passages[place] in finding.quotes:
        return draft
    cited = _toggled(finding.observation_ids, observation, True)
    return draft.with_finding(replace(finding, observation_ids=cited, quotes=(*finding.quotes, passages[place])))


def _unquote(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    finding, place = draft.finding(str(action.get("finding"))), action.get("quote")
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(finding.quotes):
        raise LookupError("there is no such quotation")
    left = finding.quotes[:place] + finding.quotes[place + 1 :]
    return draft.with_finding(replace(finding, quotes=left))


def _remove_finding(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    finding = draft.finding(str(action.get("finding")))
    return replace(draft, findings=tuple(one for one in draft.findings if one is not finding))


def _recommend(draft: Draft, action: Mapping[str, Any], ground: Ground) -> Draft:
    given = action.get("recommendation")
    return replace(draft, recommendation=None if given is None else _one_of(given, RECOMMENDATIONS, "recommendation"))


_ACTIONS: Final[Mapping[str, Callable[[Draft, Mapping[str, Any], Ground], Draft]]] = {
    "judge": _judge,
    "cite": _cite,
    "note": _note,
    "add-finding": _add_finding,
    "change-finding": _change_finding,
    "cite-finding": _cite_finding,
    "quote": _quote,
    "unquote": _unquote,
    "remove-finding": _remove_finding,
    "recommend": _recommend,
}


def _oracle(action: Mapping[str, Any], ground: Ground) -> str:
    oracle = action.get("oracle")
    if not isinstance(oracle, str) or oracle not in ground.oracles:
        raise LookupError(f"the brief has no direction for {oracle!r}")
    return oracle


def _observation(action: Mapping[str, Any], ground: Ground) -> str:
    observation = action.get("observation")
    if not isinstance(observation, str) or observation not in ground.observation_ids:
        raise LookupError(f"there is no observation {observation!r}")
    return observation


def _toggled(listed: tuple[str, ...], one: str, on: object) -> tuple[str, ...]:
    wanted = one not in listed if on is None else bool(on)
    if wanted == (one in listed):
        return listed
    return (*listed, one) if wanted else tuple(other for other in listed if other != one)


def _one_of(value: object, known: tuple[T, ...], noun: str) -> T:
    for one in known:
        if one == value:
            return one
    raise ValueError(f"{value!r} is no {noun}")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a text is missing")
    # A lone surrogate has no UTF-8 form, so no file could hold it.
    return value[:LONGEST_NOTE].encode("utf-8", "replace").decode("utf-8")


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("a confidence is a number from 0 to 1")
    return value
