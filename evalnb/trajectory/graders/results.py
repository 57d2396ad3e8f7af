"""Results: output schema, text where structure is due, size, and a protocol's failure told from a tool's."""

from __future__ import annotations

from collections.abc import Iterator

from evalnb.trajectory.events import ToolResult
from evalnb.trajectory.findings import Finding, finding
from evalnb.trajectory.grading import grader
from evalnb.trajectory.run_view import Call, RunView

_STATUS_CODES = {
    "protocol-error": "protocol-error",
    "malformed": "result-malformed",
    "ok": None,
}


@grader("results")
def results(view: RunView) -> list[Finding] | None:
    """None for a run without calls."""
    if not view.calls:
        return None
    limit = view.case.limits.result_size if view.case is not None else None
    found: list[Finding] = []
    for call in view.calls:
        result = call.result
        if result is None:
            found.append(finding("result-missing", f"{call.name} was never answered", (call.number,), call.name))
            continue
        if result.status != "ok":
            code = _STATUS_CODES.get(result.status, "execution-error")
            shown = (result.text or "")[:120]
            found.append(
                finding(code or "execution-error", f"{call.name}: {result.status}: {shown}", call.numbers, call.name)
            )
        else:
            found += _structure(view, call, result)
        if limit is not None and result.size > limit:
            detail = f"{call.name} answered {result.size} characters, more than {limit}"
            found.append(finding("result-oversized", detail, call.numbers, call.name))
    return found


def _structure(view: RunView, call: Call, result: ToolResult) -> Iterator[Finding]:
    check = view.suite.output_check(view, call.name)
    if check is None or check.problem is not None:
        return
    if result.structured is None:
        detail = f"{call.name} declares an output schema and answered text only"
        yield finding("text-for-structure", detail, call.numbers, call.name)
        return
    for violation in check.violations(result.structured):
        detail = f"{call.name}{violation.pointer}: {violation.keyword}: {violation.message}"
        yield finding("output-schema", detail, call.numbers, call.name)
