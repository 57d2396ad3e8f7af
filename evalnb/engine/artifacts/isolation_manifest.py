"""What a run was allowed to touch and what it was seen to touch.

A difference between the two parses; ingest decides what it means. spec: 02b §5
"""

from typing import Annotated

from pydantic import Field

from evalnb.engine.artifacts.lineage import Lineage
from evalnb.engine.artifacts.model import Items, StrictObject
from evalnb.engine.artifacts.primitives import Digest, Identifier, PositiveDecimalString, PositiveInt, Text
from evalnb.engine.artifacts.record import ResourceUse
from evalnb.engine.artifacts.text import Number


class ResourceCeilings(StrictObject):
    """The ceilings that were enforced; none of them is zero."""

    max_tool_calls: PositiveInt
    max_input_tokens: PositiveInt
    max_output_tokens: PositiveInt
    max_wall_clock_minutes: Annotated[float, Number(exclusive_minimum=0)]
    max_cost_usd: PositiveDecimalString


class InputAccounting(StrictObject):
    """Whether one forbidden input was kept from the evaluator."""

    withheld: bool
    note: str | None


class ForbiddenInputAccounting(StrictObject):
    """One account for each of the seven forbidden inputs."""

    original_spec: Annotated[InputAccounting, Field(alias="original-spec")]
    source_code: Annotated[InputAccounting, Field(alias="source-code")]
    repository: InputAccounting
    builder_transcript: Annotated[InputAccounting, Field(alias="builder-transcript")]
    implementation_logs: Annotated[InputAccounting, Field(alias="implementation-logs")]
    comparator_results: Annotated[InputAccounting, Field(alias="comparator-results")]
    human_labels: Annotated[InputAccounting, Field(alias="human-labels")]


class IsolationManifest(Lineage):
    """One run's isolation: what was declared, what was observed, and a violation where there was one."""

    run_id: Text
    contract_id: Identifier
    condition_arm: Text
    model_snapshot: Text
    system_prompt_digest: Digest
    contract_digest: Digest
    evaluator_configuration_digest: Digest
    workspace_identity: Text
    allowed_mounts: Items[Text]
    observed_mounts: Items[Text]
    network_allowlist: Items[Text]
    observed_network_targets: Items[Text]
    tool_allowlist: Items[Text]
    observed_tool_calls: Items[Text]
    resource_ceilings: ResourceCeilings
    actual_resource_use: ResourceUse
    forbidden_input_accounting: ForbiddenInputAccounting
    violation: Text | None
