"""The inputs that make up a scoring version, and the version that is left when some of them may differ."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from evalnb.corpora.scored import ScoredProbe
from evalnb.engine.artifacts.evidence import ScoringVersionInputs
from evalnb.engine.score.comparability import scoring_version

VERSION_INPUTS: Final = tuple(str(field.alias) for field in ScoringVersionInputs.model_fields.values())
"""By their JSON names, in the order of the artifact. spec: 09 §12.1"""


def checked_inputs(names: Iterable[str]) -> tuple[str, ...]:
    """`names` in the order of `VERSION_INPUTS`, each once. Raises `ValueError` for anything else."""
    given = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in given if name not in VERSION_INPUTS]
    if unknown:
        raise ValueError(
            f"accept_differing takes names of scoring version inputs ({', '.join(VERSION_INPUTS)}); "
            f"{', '.join(map(repr, unknown))} is none"
        )
    return tuple(name for name in VERSION_INPUTS if name in given)


def version_left(scored: ScoredProbe, accepted: tuple[str, ...]) -> str:
    """The scoring version of `scored`, made of the inputs alone that are not `accepted`."""
    return _version_left(scored.version_inputs, accepted) if accepted else scored.scoring_version


@lru_cache(maxsize=1024)
def _version_left(inputs: ScoringVersionInputs, accepted: tuple[str, ...]) -> str:
    document = inputs.model_dump(by_alias=True)
    return scoring_version({name: value for name, value in document.items() if name not in accepted})
