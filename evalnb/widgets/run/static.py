"""A run as a page without scripts: the arms, and the first outcomes.

It goes out with every display of the widget, so it is small whatever the run's size, and loads no statistics.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from evalnb.evaluation import EvaluationRun
from evalnb.evaluation.run import ArmResult
from evalnb.view.badges import badge
from evalnb.view.cards.parts import Fact, code, facts, frame, small_table
from evalnb.view.cards.runs import class_of, planted, result_of, verdict_of
from evalnb.view.frames import outcomes
from evalnb.view.html import Child, Html, join
from evalnb.view.json_view import text_html
from evalnb.view.tables import static_table
from evalnb.view.theme import style_of

MOST_ROWS: Final = 100
_WORST_FIRST: Final = ("INVALID", "FAIL", "CONCERNS", "WAIVED", "PASS")


def static_page(run: EvaluationRun) -> Html:
    """The page: every arm up to fifty, outcomes up to a hundred."""
    worst = min(map(verdict_of, run.arms), key=_WORST_FIRST.index, default="INVALID")
    card = frame(
        "Evaluation run",
        run.contract.contract_id,
        badge(worst),
        facts(Fact("run", run.evaluation.run_id), Fact("arms", len(run.arms)), Fact("exit code", run.exit_code)),
        small_table(["probe", "class", "what was planted", "verdict", "came out as"], map(_arm, run.arms)),
        tone=style_of(worst).tone,
    )
    shown: list[ArmResult] = []
    rows = 0
    for arm in run.arms:
        if rows > MOST_ROWS:
            break
        shown.append(arm)
        rows += 0 if arm.evidence is None else len(arm.evidence.outcomes)
    table = outcomes(replace(run, arms=tuple(shown)))
    caption = "Every outcome" if len(table) <= MOST_ROWS else f"The first {MOST_ROWS} outcomes"
    return join([card, static_table(table.head(MOST_ROWS), caption=caption).html])


def _arm(arm: ArmResult) -> list[Child]:
    return [
        code(arm.arm.probe.probe_id),
        class_of(arm.arm.probe),
        text_html(planted(arm.arm.probe)),
        badge(verdict_of(arm)),
        badge(result_of(arm)),
    ]
