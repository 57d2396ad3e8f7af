"""The contract and the targets of the report command: a working copy of it is what runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.harness.notes import FLOOR, at, behavior, equal, every, exists, oracle, same

TOOL = Path(__file__).with_name("report_tool.py")

RENDERED = every(
    equal("render-two/exit-code", 0),
    same("render-two/stdout/title", "render-two/call-inputs/option/title"),
    {"op": "regex", "operands": [at("render-two/artifact/report")], "pattern": "^Plan 1\\nPlan 2\\n$"},
)
REFUSED = equal("render-malformed/exit-code", 2)
LOOSE = every(exists("render-two/stdout"), equal("render-two/exit-code", 0))


def contract(*checks: dict[str, Any]) -> dict[str, Any]:
    options = {"title": "string", "count": "number"}
    empty: dict[str, Any] = {"requiredKeys": [], "permittedKeys": [], "types": {}}
    sent = {"argument": {}, "environment": {}, "stdin": {"kind": "absent"}}
    return {
        "schemaVersion": 7,
        "parentDigest": None,
        "revisionCount": 0,
        "contractId": "reports",
        "sourceSpecDigest": None,
        "behaviors": [behavior(n, "material", f"O-{n:03d}") for n, _ in enumerate(checks, 1)],
        "oracles": [oracle(n, check) for n, check in enumerate(checks, 1)],
        "rubrics": [],
        "waivers": [],
        "permittedInterfaces": [
            {
                "logicalId": "reports",
                "kind": "cli",
                "operations": [
                    {
                        "operationId": "render",
                        "invocation": {"executable": "report", "subcommandPath": ["render"]},
                        "stateChangeMarker": False,
                        "requestShape": {
                            "argument": empty,
                            "option": {"requiredKeys": list(options), "permittedKeys": list(options), "types": options},
                            "environment": empty,
                            "stdin": empty,
                        },
                        "artifacts": ["report"],
                        "descriptorChannel": {"kind": "stream", "channel": "stdout"},
                        "responseDescriptor": {
                            "requiredKeys": ["ok", "title", "lines"],
                            "permittedKeys": ["ok", "title", "lines", "error"],
                            "types": {"ok": "boolean", "title": "string", "lines": "number", "error": None},
                            "successIndicator": "/ok",
                            "channelRoles": {"/ok": "success-indicator"},
                            "collectionLocations": [],
                        },
                        "volatilePointers": [],
                        "sensitivityWitness": {
                            "witnessId": "count-matters",
                            "channel": "option",
                            "legs": [
                                {"legId": f"leg-{n}", "inputs": {**sent, "option": {"title": "Plan", "count": n}}}
                                for n in (1, 3)
                            ],
                            "relation": {"op": "not", "operands": [same("leg-1/stdout/lines", "leg-3/stdout/lines")]},
                        },
                    }
                ],
            }
        ],
        "referenceSets": None,
        "siblingGroups": None,
        "interactionPlan": [
            _step("render-two", {"title": {"literal": "Plan"}, "count": {"literal": 2}}),
            _step("render-malformed", {"title": {"literal": "Plan B"}, "count": {"matcher": "type-violating"}}),
        ],
        "scopedResources": None,
        "forbiddenInputs": FLOOR,
        "testData": {"setup": None, "cleanup": None, "principals": None, "resources": None},
        "budgets": {"maxToolCalls": 5, "maxWallClockMinutes": 5, "maxCostUsd": "0"},
        "safetyLimits": [],
        "requiredEvidence": [],
        "probeStepBound": None,
        "fixtureReset": None,
    }


def targets(working_copy: Path, tool: Path) -> dict[str, Any]:
    """`tool` is an executable that starts the working copy's `report_tool.py` with what it is given."""
    return {
        "workingCopy": str(working_copy),
        "cli": {
            "authorizations": [
                {
                    "interfaceId": "reports",
                    "executable": "report",
                    "target": "{working}/" + tool.name,
                    "permittedSubcommandPaths": [["render"]],
                    "permittedEnvironmentKeys": [],
                    "cwd": "{working}",
                    "artifacts": {"report": "report.txt"},
                    "maxElapsedMs": 20_000,
                    "maxOutputBytes": 100_000,
                }
            ]
        },
    }


def _step(step_id: str, options: dict[str, Any]) -> dict[str, Any]:
    return {
        "stepId": step_id,
        "interfaceId": "reports",
        "operationId": "render",
        "inputBinding": {"argument": None, "option": options, "environment": None, "stdin": None},
        "after": None,
        "cardinality": "exactly-one",
    }
