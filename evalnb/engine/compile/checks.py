"""The ordered list of compile checks, and the walk over it that stops at the first failure.

spec: 04 §1.3
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from evalnb.engine.artifacts import EVAL_CONTRACT, EvalContract, check_stamp
from evalnb.engine.compile.captures import (
    check_binding_cycles,
    check_captured_channels,
    check_captured_reachability,
)
from evalnb.engine.compile.evidence import (
    check_artifact_references,
    check_evidence_reachability,
    check_rubric_evidence,
)
from evalnb.engine.compile.excluded_content import check_excluded_content
from evalnb.engine.compile.inputs import check_declared_inputs, check_witness_declared
from evalnb.engine.compile.operand_legality import (
    check_bound_element_scope,
    check_operand_legality,
    check_reference_sets,
)
from evalnb.engine.compile.operation_signatures import check_operation_signatures
from evalnb.engine.compile.oracles import check_oracle_alignment, check_oracle_channels, check_step_references
from evalnb.engine.compile.plan import check_scripting_bound, check_temporal_clauses
from evalnb.engine.compile.quantifiers import check_quantifier_collections, check_quantifier_nesting
from evalnb.engine.compile.regex_constructs import check_regex_constructs
from evalnb.engine.compile.requirements import (
    check_forbidden_input_floor,
    check_interface_identifiers,
    check_interface_kinds,
    check_requirement_linkage,
    check_scoped_references,
    check_success_criteria,
    check_waivers,
)
from evalnb.engine.compile.rubrics import (
    check_reasoning_prose,
    check_rubric_anchoring,
    check_rubric_identifiers,
)
from evalnb.engine.compile.subject import Subject
from evalnb.engine.compile.volatile import check_state_reset_pointers
from evalnb.engine.compile.walks import ExpressionSite
from evalnb.engine.compile.witnesses import check_leg_identifiers, check_witnesses


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name, what it runs, and whether it runs with strict inputs only.

    `run` returns nothing, or raises StructuralFailure at the first violation in its own walk order.
    """

    id: str
    run: Callable[[Subject], None]
    strict_only: bool = False


def _schema_version(subject: Subject) -> None:
    check_stamp(EVAL_CONTRACT, {"schemaVersion": subject.contract.schema_version}, "EvalContract.schemaVersion")


def _at_every_site(check: Callable[[ExpressionSite], None]) -> Callable[[Subject], None]:
    def run(subject: Subject) -> None:
        for site in subject.sites:
            check(site)

    return run


def _bound_element_scope(subject: Subject) -> None:
    for site in subject.oracle_sites:
        check_bound_element_scope(site)


def _operand_legality(subject: Subject) -> None:
    for site in subject.sites:
        check_operand_legality(site, subject.contract.reference_sets)


def _reference_sets(subject: Subject) -> None:
    for site in subject.sites:
        check_reference_sets(site, subject.contract.reference_sets)


CHECKS: Final[tuple[Check, ...]] = (
    Check("schema-version", _schema_version),
    Check("interface-identifiers", lambda subject: check_interface_identifiers(subject.interfaces)),
    Check("requirement-linkage", lambda subject: check_requirement_linkage(subject.contract.behaviors)),
    Check("observable-success-criterion", lambda subject: check_success_criteria(subject.contract.behaviors)),
    Check("artifact-references", check_artifact_references),
    Check(
        "evidence-reachability",
        lambda subject: check_evidence_reachability(subject.oracle_sites, subject.index),
    ),
    Check("captured-reachability", check_captured_reachability),
    Check("state-reset-pointers", lambda subject: check_state_reset_pointers(subject.interfaces)),
    Check("bound-element-scope", _bound_element_scope),
    Check("operand-legality", _operand_legality),
    Check("regex-constructs", _at_every_site(check_regex_constructs)),
    Check("quantifier-over-non-collection", _at_every_site(check_quantifier_collections)),
    Check("quantifier-nesting", _at_every_site(check_quantifier_nesting)),
    Check("reference-set-resolution", _reference_sets),
    Check("operation-signatures", lambda subject: check_operation_signatures(subject.interfaces)),
    Check("undeclared-mandatory-input", check_declared_inputs, strict_only=True),
    Check("witness-declared", check_witness_declared, strict_only=True),
    Check("oracle-channel", lambda subject: check_oracle_channels(subject.contract.oracles)),
    Check("oracle-alignment", check_oracle_alignment),
    Check("interface-kind", lambda subject: check_interface_kinds(subject.interfaces)),
    Check("nested-temporal-clause", lambda subject: check_temporal_clauses(subject.contract.interaction_plan)),
    Check("scripting-bound", lambda subject: check_scripting_bound(subject.contract.interaction_plan)),
    Check("binding-cycle", check_binding_cycles),
    Check("captured-channel", check_captured_channels),
    Check("rubric-identifiers", lambda subject: check_rubric_identifiers(subject.contract.rubrics)),
    Check("rubric-reasoning-prose", lambda subject: check_reasoning_prose(subject.contract.rubrics)),
    Check("rubric-anchoring", lambda subject: check_rubric_anchoring(subject.contract.rubrics)),
    Check(
        "rubric-evidence-reachability",
        lambda subject: check_rubric_evidence(subject.contract.rubrics, subject.index),
    ),
    Check(
        "forbidden-input-floor",
        lambda subject: check_forbidden_input_floor(subject.contract.forbidden_inputs),
    ),
    Check("excluded-content", lambda subject: check_excluded_content(subject.contract)),
    Check("scoped-references", lambda subject: check_scoped_references(subject.contract)),
    Check("waivers", lambda subject: check_waivers(subject.contract.waivers)),
    Check("step-reference-reducibility", check_step_references),
    Check("witness-leg-identifiers", check_leg_identifiers),
    Check("witness-legality", check_witnesses),
)


def check_contract(contract: EvalContract, strict_inputs: bool = True) -> None:
    """Runs every check of `CHECKS` in order; returns nothing, or raises what the first failing one raises."""
    subject = Subject(contract)
    for check in CHECKS:
        if strict_inputs or not check.strict_only:
            check.run(subject)
