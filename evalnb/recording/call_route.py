"""The way of one tools/call: hidden tool, approval, fault, server, answer; recorded is what the agent sees of it."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evalnb.engine.json_values import Json
from evalnb.recording.approvals import Approvals, Decision, Review, decision_of, question, refusal_text
from evalnb.recording.fault_plan import FaultPlan, FaultRule
from evalnb.recording.faulted_answers import ALTERS_ANSWER, INSTEAD_OF_SERVER, settled
from evalnb.recording.frames import INVALID_PARAMS, Frame, error_frame, params_of, result_frame, tool_text
from evalnb.trajectory.events import ResultStatus

if TYPE_CHECKING:
    from evalnb.recording.proxy import Proxy

_QUESTION: Final = "evalnb-approval"
_STATE_PREFIX: Final = "evalnb:"


@dataclass(frozen=True, slots=True)
class _Call:
    """One call on its way: the agent's message and what is called with what."""

    frame: Frame
    name: str
    server_name: str
    arguments: dict[str, Any]

    @property
    def request_id(self) -> Json:
        request_id: Json = self.frame["id"]
        return request_id

    @property
    def key(self) -> str:
        return f"{self.name} {json.dumps(self.arguments, sort_keys=True)}"


class CallRoute:
    """Takes every call of a session. `before_first` runs once, before the first call reaches the server."""

    def __init__(
        self,
        proxy: Proxy,
        plan: FaultPlan,
        approvals: Approvals | None,
        before_first: Callable[[], Awaitable[None]],
        warn: Callable[[str], None],
    ) -> None:
        self._proxy = proxy
        self._plan = plan
        self._approvals = approvals
        self._before_first = before_first
        self._warn = warn
        self._prepared: asyncio.Task[None] | None = None
        self._reviews: dict[str, Review] = {}
        self._asked_by_server: set[str] = set()
        self._earlier: dict[str, Frame] = {}

    async def take(self, frame: Frame) -> None:
        """Bring one call to its answer."""
        params = params_of(frame)
        name, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta")
        assert isinstance(name, str)
        given = arguments if isinstance(arguments, dict) else {}
        call = _Call(frame, name, self._proxy.surface.server_name(name) or "", given)
        if not call.server_name:
            self._proxy.log.called(call.request_id, name, arguments, meta)
            self._answer(call, error_frame(call.request_id, INVALID_PARAMS, f"Unknown tool: {name}"))
            return
        if self._prepared is None:
            self._prepared = asyncio.ensure_future(self._before_first())
        await asyncio.shield(self._prepared)
        refused = await self._approve(call)
        if refused is _ASKED:
            return
        if call.key in self._asked_by_server and ("inputResponses" in params or "requestState" in params):
            self._asked_by_server.discard(call.key)
            self._proxy.log.resumed(call.request_id, call.key)
        else:
            self._proxy.log.called(call.request_id, name, arguments, meta)
        if refused is not None:
            self._answer(call, self._in_its_form(refused), "denied")
            return
        await self._make(call, self._plan.choose(name, given))

    async def _approve(self, call: _Call) -> Frame | None:
        """None for a call that may be made; the refusal otherwise; `_ASKED` where the agent will call again."""
        approvals = self._approvals
        rule = approvals.rule_for(call.name) if approvals is not None else None
        if approvals is None or rule is None or rule.ruling == "pass":
            return None
        review = self._answered_review(call)
        if review is None:
            if approvals.holds_already(call.name, call.arguments):
                return None
            review = approvals.request(rule, call.name, call.arguments, str(call.request_id))
            if rule.ruling == "ask" and self._proxy.can_ask() and self._proxy.is_modern:
                self._reviews[review.approval_id] = review
                self._proxy.reply(result_frame(call.request_id, _input_required(review)))
                return _ASKED
        decision = await self._decision(call, review, rule.ruling)
        decision = approvals.decide(review, decision)
        if decision.approved:
            return None
        return result_frame(call.request_id, tool_text(refusal_text(call.name, decision), is_error=True))

    def _answered_review(self, call: _Call) -> Review | None:
        """The review whose answer the call brings; an answer for another call than the reviewed one counts nothing."""
        state = params_of(call.frame).get("requestState")
        if not isinstance(state, str) or not state.startswith(_STATE_PREFIX):
            return None
        review = self._reviews.pop(state[len(_STATE_PREFIX) :], None)
        return review if review is not None and review.key == call.key else None

    async def _decision(self, call: _Call, review: Review, ruling: str) -> Decision:
        if ruling != "ask":
            return Decision(ruling == "allow", "policy", None if ruling == "allow" else "the policy denies it")
        if not self._proxy.can_ask():
            return Decision(False, "recorder", "the agent's program cannot ask its user: it offers no elicitation")
        if self._proxy.is_modern:
            answers = params_of(call.frame).get("inputResponses")
            return decision_of(answers.get(_QUESTION) if isinstance(answers, dict) else None)
        return decision_of(await self._proxy.ask_agent(question(review)))

    async def _make(self, call: _Call, rule: FaultRule | None) -> None:
        if rule is not None and rule.seconds and rule.kind != "timeout-after-commit":
            await asyncio.sleep(rule.seconds)
        if rule is not None and rule.kind in INSTEAD_OF_SERVER:
            made = INSTEAD_OF_SERVER[rule.kind](call.request_id, rule)
            await self._answer_with_fault(call, self._in_its_form(made), rule)
            return
        if rule is not None and rule.kind == "stale-read":
            earlier = self._earlier.get(call.key)
            if earlier is not None:
                self._answer(call, {**copy.deepcopy(earlier), "id": call.request_id})
                return
            self._plan.withdraw(rule)
            self._warn(f"no earlier answer of {call.name} to give again: the call passes as it is")
            rule = None
        answer = await self._proxy.pass_on(self._for_server(call))
        if self._asks_for_input(call, answer):
            return
        if "result" in answer:
            self._earlier.setdefault(call.key, answer)
        if rule is None:
            self._answer(call, answer)
            return
        rule = settled(rule, answer, self._plan.generator(rule))
        if rule.seconds and rule.kind == "timeout-after-commit":
            await asyncio.sleep(rule.seconds)
        await self._answer_with_fault(call, ALTERS_ANSWER[rule.kind](answer, rule), rule)

    def _in_its_form(self, made: Frame) -> Frame:
        """An answer of our own making, in the form that the session's generation of the protocol asks for."""
        if not self._proxy.is_modern or "result" not in made:
            return made
        return {**made, "result": {"resultType": "complete", **made["result"]}}

    def _for_server(self, call: _Call) -> Frame:
        """The call under the server's own name of the tool, without the answers to our own question."""
        params = {**params_of(call.frame), "name": call.server_name}
        state = params.get("requestState")
        if isinstance(state, str) and state.startswith(_STATE_PREFIX):
            params.pop("requestState")
            params.pop("inputResponses", None)
        return {**call.frame, "params": params}

    def _asks_for_input(self, call: _Call, answer: Frame) -> bool:
        """Whether the server wants to be called again with more; the agent answers that by itself."""
        result = answer.get("result")
        if not isinstance(result, dict) or result.get("resultType") != "input_required":
            return False
        self._asked_by_server.add(call.key)
        self._proxy.log.suspended(call.request_id, call.key)
        self._proxy.reply(answer)
        return True

    async def _answer_with_fault(self, call: _Call, answer: Frame, rule: FaultRule) -> None:
        if rule.silent:
            await asyncio.get_running_loop().create_future()  # until the agent stops waiting
        self._answer(call, answer, "malformed" if rule.form == "cut-text" else None)
        if rule.kind == "duplicate-result":
            self._answer(call, answer)

    def _answer(self, call: _Call, answer: Frame, status: ResultStatus | None = None) -> None:
        self._proxy.log.answered(call.request_id, answer, status)
        self._proxy.reply(answer)


def _input_required(review: Review) -> dict[str, Any]:
    return {
        "resultType": "input_required",
        "inputRequests": {_QUESTION: {"method": "elicitation/create", "params": question(review)}},
        "requestState": f"{_STATE_PREFIX}{review.approval_id}",
    }


_ASKED: Final[Frame] = {}
"""Stands for: the question is asked, and the agent makes the call again with its answer."""
