"""The evaluator that ran: who it was, what it could use, how it judged.

Trials of one run share one configuration digest, so nothing here names a trial. spec: 02b §6
"""

from evalnb.engine.artifacts.declarations import Budgets
from evalnb.engine.artifacts.lineage import Lineage
from evalnb.engine.artifacts.model import Items, StrictObject
from evalnb.engine.artifacts.primitives import Digest, JsonObjectValue, SafeInt, Text


class JudgeConfiguration(StrictObject):
    """The model that scores rubrics, and its prompt where one is fixed."""

    model_snapshot: Text
    system_prompt_digest: Digest | None


class EvaluatorConfiguration(Lineage):
    """How one evaluator was set up; `judge_configuration` is None where nothing is judged by a model."""

    sealed_brief_digest: Digest
    evaluator_identity: Text
    model_snapshot: Text
    system_prompt_digest: Digest
    decoding_parameters: JsonObjectValue
    tool_inventory: Items[str]
    permission_inventory: Items[str]
    budgets: Budgets
    seed: SafeInt | None
    judge_configuration: JudgeConfiguration | None
