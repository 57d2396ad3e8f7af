"""A first contract from a draft and its trials, with a decision for every place in it that was guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evalnb.engine.compile.plan import MOST_STEPS
from evalnb.engine.json_values import Json
from evalnb.scaffold.checks import Witness, malformed_check, oracle, shape_check, witness_for
from evalnb.scaffold.decisions import MARK, Decision
from evalnb.scaffold.draft import Channels, Draft, DraftOperation, identifier
from evalnb.scaffold.inputs import binding, witness_inputs
from evalnb.scaffold.json_shapes import KeyShape, keys_of
from evalnb.scaffold.plan_steps import takes_away, told_apart
from evalnb.scaffold.read_back import ReadBack, find_read_back
from evalnb.scaffold.trials import Trial

CONTRACT_FILE: Final = "contract.json"
_MOST_ITEMS: Final = 1000
_INDICATORS: Final = ("ok", "success", "succeeded")
_FORBIDDEN: Final = (
    "original-spec", "source-code", "repository", "builder-transcript", "implementation-logs", "comparator-results",
    "human-labels",
)  # fmt: skip


@dataclass(slots=True)
class ContractWriter:
    """Collects a contract operation by operation; `document` is the contract then, `decisions` what is left open."""

    draft: Draft
    trials: Mapping[str, Trial]
    given: Mapping[str, Json]
    decisions: list[Decision] = field(default_factory=list)
    _operations: list[Json] = field(default_factory=list)
    _behaviors: list[Json] = field(default_factory=list)
    _oracles: list[Json] = field(default_factory=list)
    _steps: list[Json] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)

    def write(self) -> dict[str, Json]:
        """The contract."""
        for operation in self.draft.operations:
            self._declare(operation)
        self._add_claims()
        for place, behavior in enumerate(self._behaviors):
            name = behavior["oracles"][0] if isinstance(behavior, dict) else ""
            self._decide(f"/behaviors/{place}/description", f"What is promised where {name} looks?")
            self._decide(f"/behaviors/{place}/severity", "How bad is it when this fails?", needed=False)
        self._decide("/testData", "What must the system hold before a run, and what is cleaned up after it?")
        if any(operation.changes_state for operation in self.draft.operations):
            self._decide(
                "/fixtureReset",
                "Which operation puts the system back? Until then no write is controlled.",
                needed=False,
            )
        return self._document()

    def _decide(self, pointer: str, question: str, *, needed: bool = True) -> None:
        self.decisions.append(Decision(CONTRACT_FILE, pointer, question, needed))

    def _declare(self, operation: DraftOperation) -> None:
        trial = self.trials.get(operation.operation_id)
        answer = self._answer(operation, trial)
        place = f"/permittedInterfaces/0/operations/{len(self._operations)}"
        volatile = trial.volatile if trial else ()
        witness = witness_for(self.draft.kind, operation, trial, answer, volatile, self.given)
        if not trial:
            self._decide(
                f"{place}/volatilePointers", "Never called: what in its answer changes by itself?", needed=False
            )
        if witness is not None and not witness.seen:
            self._decide(
                f"{place}/sensitivityWitness",
                f"No two inputs of {operation.name} were seen to be answered differently: give two that are.",
            )
        self._decide(f"{place}/stateChangeMarker", f"Is it true that {operation.name} changes "
                     f"{'state' if operation.changes_state else 'nothing'}?", needed=False)  # fmt: skip
        self._operations.append(self._declared(operation, answer, volatile, witness, place))

    def _answer(self, operation: DraftOperation, trial: Trial | None) -> KeyShape:
        """What is said of the answer; of one that nothing is said about, what was seen."""
        if operation.answer is not None:
            return operation.answer
        seen = trial.first.body if trial and trial.first.good else None
        if not isinstance(seen, dict):
            return KeyShape()
        kinds = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
        properties = {key: {"type": kinds.get(type(value))} for key, value in seen.items() if key}
        return keys_of({"properties": properties, "required": list(properties)}, {})

    def _declared(
        self,
        operation: DraftOperation,
        answer: KeyShape,
        volatile: tuple[str, ...],
        witness: Witness | None,
        place: str,
    ) -> dict[str, Json]:
        indicator = next((f"/{key}" for key in _INDICATORS if answer.types.get(key) == "boolean"), None)
        collections = [
            key for key in answer.permitted if answer.types[key] == "array" and "/" not in key and "~" not in key
        ]
        descriptor = f"{place}/responseDescriptor"
        if indicator is None and answer.permitted:
            self._decide(f"{descriptor}/successIndicator", "Which value says that the call succeeded?", needed=False)
        for number, key in enumerate(collections):
            pointer = f"{descriptor}/collectionLocations/{number}/expectedCardinality"
            self._decide(pointer, f"How many items may {key} hold?", needed=False)
        declared: dict[str, Json] = {
            "operationId": operation.operation_id,
            **operation.address,
            "stateChangeMarker": operation.changes_state,
            "requestShape": {channel: shape.document for channel, shape in operation.channels.items()},
            "responseDescriptor": {
                **answer.document,
                "successIndicator": indicator,
                "channelRoles": None if indicator is None else {indicator: "success-indicator"},
                "collectionLocations": [_collection(key) for key in collections],
            },
            "volatilePointers": list(volatile),
            "sensitivityWitness": None if witness is None else self._witness(operation, witness),
        }
        if self.draft.kind == "cli":
            declared |= {"artifacts": [], "descriptorChannel": {"kind": "stream", "channel": "stdout"}}
        if self.draft.kind == "mcp":
            declared |= {"descriptorChannel": {"kind": "structured-result"}}
        return declared

    def _witness(self, operation: DraftOperation, witness: Witness) -> dict[str, Json]:
        legs = [identifier(f"{operation.operation_id}-{which}-leg", self._ids) for which in ("first", "second")]
        pair = zip(legs, (witness.first, witness.second), strict=True)
        return {
            "witnessId": f"{operation.operation_id}-input-matters",
            "channel": operation.varied,
            "legs": [{"legId": leg, "inputs": witness_inputs(self.draft.kind, inputs)} for leg, inputs in pair],
            "relation": witness.relation(legs[0], legs[1]),
        }

    def _add_claims(self) -> None:
        """Claims as far as a plan has room: first about what writes leave behind, then form, then malformed calls.

        What takes away comes after all that looks: a collection that is empty by then shows nothing.
        """
        claims = [claim for operation in self.draft.operations for claim in self._claims_about(operation)]
        room, left = MOST_STEPS, []
        for claim in sorted(claims, key=lambda claim: claim.turn):
            if claim.steps > room:
                left.append(claim.about)
                continue
            room -= claim.steps
            claim.make()
        if left:
            told = (
                f"A plan holds {MOST_STEPS} steps. Not looked at: {', '.join(left)}. Split the contract or drop some."
            )
            self._decide("/interactionPlan", told)

    def _claims_about(self, operation: DraftOperation) -> Iterator[_Claim]:
        read_back = find_read_back(operation, self.draft.operations) if operation.changes_state else None
        steps = 1 if read_back is None else 2
        turn = 2 if takes_away(operation) else 2 - steps
        yield _Claim(turn, steps, operation.name, lambda: self._claim_call(operation, read_back))
        if _key_to_violate(operation) is not None:
            yield _Claim(3, 1, f"{operation.name} malformed", lambda: self._claim_refusal(operation))

    def _claim_call(self, operation: DraftOperation, read_back: ReadBack | None) -> None:
        trial = self.trials.get(operation.operation_id)
        inputs = operation.inputs(0, self.given)
        call = self._step(f"{operation.operation_id}-call", operation, binding(inputs))
        placed, negative = None, "An answer without what every answer holds"
        if read_back is not None:
            asked = _same_inputs(read_back.read.inputs(0, self.given), inputs)
            reading = self._step(f"{operation.operation_id}-read-back", read_back.read, binding(asked), after=call)
            placed, negative = (read_back, reading), "A change that is acknowledged and cannot be read back"
        status = trial.first.status if trial and trial.first.good else None
        answer = self._answer(operation, trial)
        check = shape_check(self.draft.kind, call, answer, status, read_back=placed, channel=operation.varied)
        told = (
            "Written from what the system says about itself: it asks for form, and for a read-back where it found one."
        )
        self._claim(check, f"{operation.name}: {operation.description}"[:200], negative, told)

    def _claim_refusal(self, operation: DraftOperation) -> None:
        violated = _key_to_violate(operation)
        assert violated is not None
        bound = binding(operation.inputs(0, self.given), violated)
        step = self._step(f"{operation.operation_id}-malformed", operation, bound)
        scope = f"Call {operation.name} with {violated[1]} of a wrong type"
        negative = "A malformed call that is answered as if it made sense"
        self._claim(malformed_check(self.draft.kind, step), scope, negative, None)

    def _step(self, name: str, operation: DraftOperation, bound: dict[str, Json], after: str | None = None) -> str:
        step = identifier(name, self._ids)
        self._steps.append(
            {
                "stepId": step,
                "interfaceId": self.draft.interface_id,
                "operationId": operation.operation_id,
                "inputBinding": bound,
                "after": after,
                "cardinality": "exactly-one",
            }
        )
        return step

    def _claim(self, check: dict[str, Json], scope: str, negative: str, commentary: str | None) -> None:
        number = len(self._oracles) + 1
        self._oracles.append(oracle(f"O-{number:03d}", check, scope, negative, commentary))
        self._behaviors.append(
            {
                "id": f"B-{number:03d}",
                "description": f"{MARK}what is promised here. {scope}",
                "severity": "material",
                "observableSuccessCriterion": f"{MARK}what can be seen when the promise is kept.",
                "requirementLinks": [{"scheme": "requirement", "id": f"{MARK}which requirement this is"}],
                "riskLinks": [],
                "oracles": [f"O-{number:03d}"],
            }
        )

    def _document(self) -> dict[str, Json]:
        return {
            "schemaVersion": 7,
            "parentDigest": None,
            "revisionCount": 0,
            "contractId": self.draft.interface_id,
            "sourceSpecDigest": None,
            "behaviors": self._behaviors,
            "oracles": self._oracles,
            "rubrics": [],
            "waivers": [],
            "permittedInterfaces": [
                {"logicalId": self.draft.interface_id, "kind": self.draft.kind, "operations": self._operations}
            ],
            "referenceSets": {},
            "siblingGroups": {"operations": [], "parameters": []},
            "interactionPlan": told_apart(self._steps),
            "scopedResources": [],
            "forbiddenInputs": list(_FORBIDDEN),
            "testData": {
                "setup": f"{MARK}what the system holds before a run.",
                "cleanup": f"{MARK}what is taken away after it.",
                "principals": {},
                "resources": {},
            },
            "budgets": {"maxToolCalls": 2 * len(self._steps) + 10, "maxWallClockMinutes": 10, "maxCostUsd": "1.00"},
            "safetyLimits": [],
            "requiredEvidence": ["Inputs and answer of every call."],
            "probeStepBound": 0,
            "fixtureReset": None,
        }


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim that could be made: when it gets its turn, how many steps it takes, and how it is made."""

    turn: int
    steps: int
    about: str
    make: Callable[[], None]


def _same_inputs(inputs: Channels, sent: Channels) -> Channels:
    """A read's inputs with what its write was sent under the same keys, so that it asks about the same."""
    known = {key: value for values in sent.values() for key, value in values.items()}
    return {
        channel: {key: known.get(key, value) for key, value in values.items()} for channel, values in inputs.items()
    }


def _key_to_violate(operation: DraftOperation) -> tuple[str, str] | None:
    """A channel and a key of it for a value of a wrong type, one that is needed where there is one."""
    keyed = (
        (channel, key) for channel, shape in operation.channels.items() for key in shape.required or shape.permitted
    )
    return next(keyed, None)


def _collection(key: str) -> dict[str, Any]:
    return {"pointer": f"/{key}", "expectedCardinality": {"mode": "at-most", "max": _MOST_ITEMS}, "referenceSet": None}
