"""The two kinds of failure: the author's artifact is wrong, or this run could not be done.

Every failure carries a registry code, the artifact path it is about and what is wrong (spec: 01 §9).
"""

from __future__ import annotations

from evalnb.engine.codes import (
    AGGREGATION_REFUSAL_CODES,
    FAILURE_CODES,
    FORBIDDEN_TARGET_REASONS,
    PORT_FAILURE_REASONS,
    RUNTIME_FAULT_CODES,
)


class EvaluationFailure(Exception):
    """What all failures share: `code`, `artifact_path`, `detail` and, where known, `cause`.

    The message is `<code> in <artifact path>: <detail>`.
    """

    codes: tuple[str, ...] = ()

    def __init__(self, code: str, artifact_path: str, detail: str, cause: BaseException | None = None) -> None:
        if code not in self.codes:
            raise TypeError(f"{code!r} is not a code of {type(self).__name__}")
        super().__init__(f"{code} in {artifact_path}: {detail}")
        self._code = code
        self._artifact_path = artifact_path
        self._detail = detail
        self._cause = cause
        if cause is not None:
            self.__cause__ = cause

    @property
    def code(self) -> str:
        """The registry code."""
        return self._code

    @property
    def artifact_path(self) -> str:
        """Which artifact, and where in it."""
        return self._artifact_path

    @property
    def detail(self) -> str:
        """What is wrong and what to do about it."""
        return self._detail

    @property
    def cause(self) -> BaseException | None:
        """The error this failure was made from, for example a `ShapeError` with its issues."""
        return self._cause

    def __reduce__(self) -> tuple[type[EvaluationFailure], tuple[object, ...]]:
        return type(self), (self._code, self._artifact_path, self._detail, self._cause)


class StructuralFailure(EvaluationFailure):
    """The contract, or the brief generated from it, is structurally wrong (exit 4)."""

    codes = FAILURE_CODES


class AggregationRefusal(EvaluationFailure):
    """Evidence artifacts cannot be read as one coherent run (exit 4). Takes no cause."""

    codes = AGGREGATION_REFUSAL_CODES

    def __init__(self, code: str, artifact_path: str, detail: str) -> None:
        super().__init__(code, artifact_path, detail)

    def __reduce__(self) -> tuple[type[EvaluationFailure], tuple[object, ...]]:
        return type(self), (self._code, self._artifact_path, self._detail)


class RuntimeFault(EvaluationFailure):
    """An input, version, digest, port or policy problem: this run could not be done (exit 5).

    `reason` is kept only for `forbidden-target`, `port_failure_reason` only for `port-failure`, each only when it
    belongs to its vocabulary; anything else is dropped.
    """

    codes = RUNTIME_FAULT_CODES

    def __init__(
        self,
        code: str,
        artifact_path: str,
        detail: str,
        cause: BaseException | None = None,
        *,
        reason: str | None = None,
        port_failure_reason: str | None = None,
    ) -> None:
        super().__init__(code, artifact_path, detail, cause)
        self._reason = reason if code == "forbidden-target" and reason in FORBIDDEN_TARGET_REASONS else None
        self._port_failure_reason = (
            port_failure_reason if code == "port-failure" and port_failure_reason in PORT_FAILURE_REASONS else None
        )

    @property
    def reason(self) -> str | None:
        """Why a target was denied, for `forbidden-target`."""
        return self._reason

    @property
    def port_failure_reason(self) -> str | None:
        """Why a port failed, for `port-failure`."""
        return self._port_failure_reason

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:  # type: ignore[override]
        return _rebuild_fault, (
            self._code,
            self._artifact_path,
            self._detail,
            self._cause,
            self._reason,
            self._port_failure_reason,
        )


def _rebuild_fault(
    code: str,
    artifact_path: str,
    detail: str,
    cause: BaseException | None,
    reason: str | None,
    port_failure_reason: str | None,
) -> RuntimeFault:
    return RuntimeFault(code, artifact_path, detail, cause, reason=reason, port_failure_reason=port_failure_reason)
