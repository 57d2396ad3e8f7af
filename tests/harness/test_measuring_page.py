"""The page on measuring: its files are read as they stand, and its tables are the ones in the code."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from evalnb.engine.operations import INPUT_CHANNELS_BY_KIND
from evalnb.harness.measured_targets import read_measured_targets
from evalnb.harness.measurement import Status
from evalnb.harness.mutants.catalogue import operators
from evalnb.harness.mutants.user import read_user_mutants
from evalnb.harness.stimuli import read_stimuli

PAGE = (Path(__file__).parents[2] / "docs" / "measuring.md").read_text(encoding="utf-8")
KINDS = ("api", "mcp", "cli")


def test_the_files_on_the_page_are_read(tmp_path: Path) -> None:
    for name, part in zip(("targets", "defects", "stimuli"), PAGE.split("```yaml\n")[1:], strict=True):
        (tmp_path / f"{name}.yaml").write_text(part.split("```")[0], encoding="utf-8")
    targets = read_measured_targets(tmp_path / "targets.yaml")
    assert (targets.systems[0].start_seconds, targets.working_copy) == (10, "./server")
    names = [mutant.mutant_id for mutant in read_user_mutants(tmp_path / "defects.yaml")]
    assert names == ["user-late-hazard", "user-lenient", "user-from-the-tracker"]
    chosen = read_stimuli(tmp_path / "stimuli.yaml", 0).chosen
    assert set(chosen["find-order"]) <= set(INPUT_CHANNELS_BY_KIND["api"])


def test_the_page_lists_every_operator_as_the_code_has_it() -> None:
    for one in operators():
        kinds = ", ".join(kind for kind in KINDS if kind in one.kinds)
        assert f"| `{one.name}` | {one.summary} | {kinds} | `{one.rule}` |" in PAGE
    assert PAGE.count("| api") + PAGE.count("| cli |") == len(operators())


def test_the_page_says_what_every_status_means() -> None:
    told = PAGE.split("| Status | Means |")[1].split("\n\n")[0]
    assert [row.split("|")[1].strip() for row in told.strip().splitlines()[1:]] == list(get_args(Status))
