"""The compiler's own checks of an expression, asked about a signature's condition. spec: 09 §3.11"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from evalnb.engine.compile.evidence import check_reachable_on
from evalnb.engine.compile.operand_legality import check_bound_element_scope, check_operand_legality
from evalnb.engine.compile.quantifiers import check_quantifier_collections, check_quantifier_nesting
from evalnb.engine.compile.regex_constructs import check_regex_constructs
from evalnb.engine.compile.walks import ExpressionSite
from evalnb.engine.faults import StructuralFailure
from evalnb.engine.operations import AnyOperation
from evalnb.engine.score.qualify.result import QualificationFailure

# These read the condition alone. A signature has no reference sets, so a set it names is left to the check that
# forbids such operands.
_CONDITION_CHECKS: Final[dict[str, Callable[[ExpressionSite], None]]] = {
    "condition-bound-element-outside-quantifier": check_bound_element_scope,
    "condition-operand-illegal": lambda site: check_operand_legality(site, None),
    "condition-regex-illegal": check_regex_constructs,
    "condition-quantifier-nesting": check_quantifier_nesting,
}
# These read what the home operation declares as well.
_DECLARATION_CHECKS: Final[dict[str, Callable[[ExpressionSite, AnyOperation], None]]] = {
    "condition-quantifier-over-non-collection": lambda site, home: check_quantifier_collections(site),
    "condition-pointer-unwritable": check_reachable_on,
}


def legality_failures(site: ExpressionSite, home: AnyOperation | None) -> Iterator[QualificationFailure]:
    """The first refusal of each check, under its own path and text; two of them need the home operation.

    `site` resolves the observed step to that operation. Anything that is no structural failure propagates.
    """
    for code, check in _CONDITION_CHECKS.items():
        try:
            check(site)
        except StructuralFailure as failure:
            yield QualificationFailure(code, failure.artifact_path, failure.detail)
    if home is None:
        return
    for code, declared_check in _DECLARATION_CHECKS.items():
        try:
            declared_check(site, home)
        except StructuralFailure as failure:
            yield QualificationFailure(code, failure.artifact_path, failure.detail)
