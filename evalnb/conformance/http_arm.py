"""The assertions about an environment probe over HTTP (spec: 10 §9.4)."""

from __future__ import annotations

from typing import Final

from evalnb.conformance.arm import ArmAssertion, Observed, PinnedCalls, Refused, anything, other_kind
from evalnb.conformance.subjects import ProbeSubject
from evalnb.engine.artifacts.port_messages import ApiProbeObservation, ProbeObservation, ProbeRequest

_DENIED: Final = Refused("forbidden-target")
_EXHAUSTED: Final = Refused("budget-exhausted")


def _status_500(subject: ProbeSubject, observation: ProbeObservation) -> str:
    if not isinstance(observation, ApiProbeObservation):
        return other_kind(observation, "status 500")
    return "" if observation.status == 500 else f"observed status {observation.status}, expected status 500"


def _none(subject: ProbeSubject, request: ProbeRequest) -> int | str:
    return 0


def _none_where_unmapped(subject: ProbeSubject, request: ProbeRequest) -> int | str:
    # Left open by the chapter for this arm; decided as in the other two.
    if any(entry.interface_id == request.interface_id for entry in subject.policy.authorizations):
        return f'the subject\'s policy names the interface "{request.interface_id}", so nothing is unmapped'
    return 0


def _first_hop(subject: ProbeSubject, request: ProbeRequest) -> int | str:
    return 1


def _every_allowed_hop(subject: ProbeSubject, request: ProbeRequest) -> int | str:
    named = (entry for entry in subject.policy.authorizations if entry.interface_id == request.interface_id)
    first = next(named, None)
    if first is None:
        return f'no authorization of the subject\'s policy names the interface "{request.interface_id}"'
    return first.max_redirects + 1


HTTP_ARM: Final[tuple[ArmAssertion[ProbeSubject], ...]] = (
    ArmAssertion(
        "probe/allow-authorized-loopback",
        "an authorized loopback target is reached",
        lambda subject: subject.authorized_request,
        Observed(anything),
    ),
    ArmAssertion(
        "probe/observe-anomalous-status",
        "a status of 500 is an observation",
        lambda subject: subject.faulting_request,
        Observed(_status_500),
    ),
    ArmAssertion(
        "probe/deny-unmapped-interface",
        "an interface without authorization is denied before anything is sent",
        lambda subject: subject.unmapped_request,
        _DENIED,
        PinnedCalls(_none_where_unmapped),
    ),
    ArmAssertion(
        "probe/deny-unauthorized-loopback",
        "a loopback address that is not named is denied before anything is sent",
        lambda subject: subject.denied_address_requests.loopback,
        _DENIED,
        PinnedCalls(_none),
    ),
    ArmAssertion(
        "probe/deny-private",
        "a private address that is not named is denied before anything is sent",
        lambda subject: subject.denied_address_requests.private,
        _DENIED,
        PinnedCalls(_none),
    ),
    ArmAssertion(
        "probe/deny-link-local",
        "a link-local address that is not named is denied before anything is sent",
        lambda subject: subject.denied_address_requests.link_local,
        _DENIED,
        PinnedCalls(_none),
    ),
    ArmAssertion(
        "probe/deny-metadata",
        "a metadata address that is not named is denied before anything is sent",
        lambda subject: subject.denied_address_requests.metadata,
        _DENIED,
        PinnedCalls(_none),
    ),
    ArmAssertion(
        "probe/deny-unauthorized-method",
        "a method that is not authorized is denied before anything is sent",
        lambda subject: subject.unauthorized_method_request,
        _DENIED,
        PinnedCalls(_none),
    ),
    ArmAssertion(
        "probe/deny-unauthorized-scheme",
        "a scheme that is not authorized is denied before anything is sent",
        lambda subject: subject.unauthorized_scheme_request,
        _DENIED,
        PinnedCalls(_none),
    ),
    ArmAssertion(
        "probe/deny-on-redirect",
        "a redirect to a denied target is not followed",
        lambda subject: subject.redirecting_request,
        _DENIED,
        PinnedCalls(_first_hop),
    ),
    ArmAssertion(
        "probe/cap-redirects",
        "a chain of redirects ends at its cap",
        lambda subject: subject.over_redirect_request,
        _EXHAUSTED,
        PinnedCalls(_every_allowed_hop),
    ),
    ArmAssertion(
        "probe/cap-response-bytes",
        "an answer larger than its cap is not read to its end",
        lambda subject: subject.oversize_response_request,
        _EXHAUSTED,
    ),
    ArmAssertion(
        "probe/cap-elapsed",
        "an answer later than its cap is an exhausted budget, not an abort",
        lambda subject: subject.slow_request,
        _EXHAUSTED,
    ),
)
