"""Where a defect of an interface kind can and cannot show, and whether a signature looks in the right place.

spec: 09 §3.4 to §3.8
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from evalnb.engine.artifacts import DefectSignature, PointerOperand, Probe, ReferenceSetOperand, SetMembership
from evalnb.engine.compile.walks import ExpressionSite, NodeVisit, pointers_of
from evalnb.engine.pointers import parse_interaction_pointer
from evalnb.engine.score.qualify.result import QualificationFailure

OBSERVED: Final = "observed"
RESPONSE_SIDE: Final = frozenset(
    {"response-body", "response-headers", "response-status", "stdout", "stderr", "exit-code", "artifact"}
)
SUPPORTED_KINDS: Final = frozenset({"api", "cli", "mcp"})


@dataclass(frozen=True, slots=True)
class KindChannels:
    """The channels on which no signature of the kind can ever show, and how a detail names the kind."""

    phrase: str
    foreign: frozenset[str]


_API = KindChannels("an api interface", frozenset({"stdout", "stderr", "exit-code", "artifact"}))
CHANNELS_OF_KIND: Final[dict[str, KindChannels]] = {
    "api": _API,
    "web": _API,
    "cli": KindChannels(
        "an interface behind a command", frozenset({"response-body", "response-headers", "response-status"})
    ),
    "mcp": KindChannels("a tool call", frozenset({"stdout", "stderr", "artifact", "response-headers"})),
}


def presence_failures(probe: Probe, signature: DefectSignature | None, root: str) -> Iterator[QualificationFailure]:
    """A seeding probe needs a signature, and a canary must not have one."""
    if probe.expected_clean:
        return
    if probe.probe_class == "canary":
        if signature is not None:
            yield QualificationFailure(
                "signature-present-on-canary", f"{root}.defectSignature", "a canary carries no defect signature"
            )
    elif signature is None:
        yield QualificationFailure(
            "signature-absent",
            f"{root}.defectSignature",
            f'a seeding probe of class "{probe.probe_class}" needs a defect signature',
        )


def kind_failures(signature: DefectSignature, root: str) -> Iterator[QualificationFailure]:
    """A signature of an interface kind that the engine does not measure."""
    if signature.interface_kind not in SUPPORTED_KINDS:
        yield QualificationFailure(
            "signature-interface-kind-unsupported",
            f"{root}.interfaceKind",
            f'interface kind "{signature.interface_kind}" is not one of api, cli, mcp',
        )


def observable_channel_failures(signature: DefectSignature, root: str) -> Iterator[QualificationFailure]:
    """The declared channel must be one that comes back, and that the kind has."""
    channel, kind = signature.observable_channel, CHANNELS_OF_KIND[signature.interface_kind]
    if channel not in RESPONSE_SIDE:
        yield QualificationFailure(
            "signature-observable-channel-not-response-side",
            f"{root}.observableChannel",
            f'"{channel}" is what was sent, and a defect shows in what comes back',
        )
    elif channel in kind.foreign:
        yield _foreign(channel, kind, f"{root}.observableChannel")


def operand_failures(site: ExpressionSite) -> Iterator[QualificationFailure]:
    """Reference sets, which belong to one contract, anywhere an operand may stand."""
    for visit in site.visits:
        for suffix, name in _reference_sets(visit):
            yield QualificationFailure(
                "condition-reference-set-operand",
                f"{site.path}{suffix}",
                f'reference set "{name}" is declared by a contract, and a signature has none',
            )


def pointer_failures(signature: DefectSignature, site: ExpressionSite) -> Iterator[QualificationFailure]:
    """Pointers rooted elsewhere, into a contract's own files, or into a channel the kind does not have."""
    kind = CHANNELS_OF_KIND[signature.interface_kind]
    for visit in pointers_of(site):
        if visit.pointer.startswith("@"):
            continue
        target, path = parse_interaction_pointer(visit.pointer), f"{site.path}{visit.suffix}"
        if target.step_id != OBSERVED:
            yield QualificationFailure(
                "condition-pointer-not-observation-rooted",
                path,
                f'"{visit.pointer}" is rooted at step "{target.step_id}" and not at "{OBSERVED}"',
            )
            continue
        if target.channel == "artifact":
            yield QualificationFailure(
                "condition-artifact-channel-contract-local",
                path,
                f'"{visit.pointer}" names artifact "{target.artifact_id}", an identifier of one contract only',
            )
        if target.channel in kind.foreign:
            yield _foreign(target.channel, kind, path)


def channel_failures(signature: DefectSignature, site: ExpressionSite) -> Iterator[QualificationFailure]:
    """The condition must read the observable channel, or two channels of which one comes back."""
    collected = tuple(
        dict.fromkeys(
            target.channel
            for visit in pointers_of(site)
            if not visit.pointer.startswith("@")
            and (target := parse_interaction_pointer(visit.pointer)).step_id == OBSERVED
        )
    )
    observable = signature.observable_channel
    if observable in RESPONSE_SIDE and observable in collected:
        return
    if len(collected) >= 2 and not RESPONSE_SIDE.isdisjoint(collected):
        return
    named = "channels " + ", ".join(f'"{channel}"' for channel in collected) if collected else "no channel"
    yield QualificationFailure(
        "condition-channels-underspecified",
        site.path,
        f'the condition names {named}, and the signature declares "{observable}"',
    )


def _foreign(channel: str, kind: KindChannels, path: str) -> QualificationFailure:
    return QualificationFailure(
        "condition-text-channel-on-api", path, f'{kind.phrase} never shows anything on the "{channel}" channel'
    )


def _reference_sets(visit: NodeVisit) -> Iterator[tuple[str, str]]:
    for slot in visit.slots:
        if isinstance(slot.operand, ReferenceSetOperand):
            yield slot.suffix, slot.operand.reference_set
    if isinstance(visit.node, SetMembership):
        members = visit.node.operands[1]
        if isinstance(members, ReferenceSetOperand):
            yield f"{visit.suffix}.operands[1]", members.reference_set


def pointer_channel(operand: object) -> str | None:
    """The channel of a fully rooted pointer operand; None for a literal, a set or an `@` pointer."""
    if not isinstance(operand, PointerOperand) or operand.pointer.startswith("@"):
        return None
    return parse_interaction_pointer(operand.pointer).channel
