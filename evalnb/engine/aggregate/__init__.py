"""Many evidence artifacts, one a probe, read as the strength of one contract. spec: 09 §13"""

from evalnb.engine.aggregate.stage import aggregate_artifacts, aggregate_strength

__all__ = ["aggregate_artifacts", "aggregate_strength"]
