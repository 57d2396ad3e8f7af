"""Compile: decides whether a contract may go on. It adds nothing, rewrites nothing, and stops at the first defect.

spec: 04
"""

from __future__ import annotations

from evalnb.engine.artifacts import EVAL_CONTRACT, EvalContract, read
from evalnb.engine.artifacts.issues import as_written
from evalnb.engine.compile.checks import CHECKS, Check, check_contract
from evalnb.engine.json_values import Json

__all__ = ["CHECKS", "Check", "check_contract", "compile_contract"]


def compile_contract(contract: Json | EvalContract, *, strict_inputs: bool = True) -> EvalContract:
    """The contract, unchanged, once every check has passed; its `document` is the compiled contract.

    The result shares nothing with a raw `contract`.
    `strict_inputs` also refuses inputs and witnesses that the contract does not declare. Raises RuntimeFault
    (`schema-version-mismatch`, then `schema-parse-failure`) or StructuralFailure (see `CHECKS`).
    spec: 04 §1.1, §2
    """
    own = contract if isinstance(contract, EvalContract) else as_written(contract)
    parsed: EvalContract = read(EVAL_CONTRACT, own)
    check_contract(parsed, strict_inputs)
    return parsed
