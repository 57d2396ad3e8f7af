"""The code registries, each in its published order (spec: 01 §9, 09 §3.12)."""

from __future__ import annotations

FAILURE_CODES = (
    "missing-requirement-linkage",
    "no-observable-success-criterion",
    "unreachable-check-evidence",
    "malformed-operator-expression",
    "quantifier-over-non-collection",
    "quantifier-nesting-exceeded",
    "unresolved-reference-set",
    "duplicate-operation-signature",
    "undeclared-mandatory-input",
    "oracle-missing-channel",
    "direction-check-misaligned",
    "unsupported-interface-kind",
    "nested-temporal-clause",
    "plan-exceeds-scripting-bound",
    "binding-cycle",
    "captured-channel-undeclared",
    "rubric-scores-reasoning-prose",
    "rubric-unanchored",
    "rubric-evidence-unreachable",
    "forbidden-input-floor-incomplete",
    "scoped-reference-resolves-forbidden",
    "waiver-incomplete",
    "brief-exceeds-scripting-bound",
    "unresolved-artifact-reference",
    "irreducible-step-reference",
    "excluded-content-in-declaration",
    "duplicate-interface-identifier",
)

AGGREGATION_REFUSAL_CODES = (
    "strength-inputs-disagree",
    "strength-input-inconsistent",
)

RUNTIME_FAULT_CODES = (
    "schema-parse-failure",
    "schema-version-mismatch",
    "non-canonicalizable-value",
    "digest-mismatch",
    "budget-exhausted",
    "port-failure",
    "port-contract-violation",
    "forbidden-target",
    "aborted",
    "operator-cannot-accept-operand",
)

FORBIDDEN_TARGET_REASONS = (
    "interface-not-authorized",
    "scheme-not-authorized",
    "host-not-authorized",
    "port-not-authorized",
    "address-not-authorized",
    "address-unparseable",
    "method-not-authorized",
    "executable-not-authorized",
    "subcommand-not-authorized",
    "environment-key-not-authorized",
    "tool-not-authorized",
)

PORT_FAILURE_REASONS = ("launch-too-large",)

QUALIFICATION_FAILURE_CODES = (
    "qualification-route-incompatible",
    "qualification-defect-sources-mixed",
    "qualification-evidence-unverified",
    "signature-absent",
    "signature-present-on-canary",
    "signature-interface-kind-unsupported",
    "signature-observable-channel-not-response-side",
    "condition-channels-underspecified",
    "condition-disjunct-without-response-channel",
    "condition-selector-key-undeclared",
    "condition-pointer-not-observation-rooted",
    "condition-pointer-unwritable",
    "condition-artifact-channel-contract-local",
    "condition-text-channel-on-api",
    "condition-reference-set-operand",
    "condition-operand-illegal",
    "condition-regex-illegal",
    "condition-quantifier-nesting",
    "condition-quantifier-over-non-collection",
    "condition-bound-element-outside-quantifier",
)
