"""A device is at its best whichever contest its best setup was raced in."""

import pytest
from tests.report import runs

from torchstone.report.answers import answer_run

NET = "inference/mine.net"
COMPILED = runs.changed(runs.PLAIN, engine="compile")
ON_MPS_COMPILED = runs.changed(runs.ON_MPS, engine="compile")


def test_the_cpu_that_a_device_is_set_against_has_its_fastest_right_engine() -> None:
    plain = runs.contest(NET, {runs.PLAIN: 0.1, runs.ON_MPS: 0.05}, items=4, batch=4)
    engines = runs.contest(f"{NET}/engines", {runs.PLAIN: 0.1, runs.ON_MPS: 0.05, COMPILED: 0.01}, items=4, batch=4)
    assert answer_run(runs.make_run(*plain)).headline.startswith("mps evaluates 2 times as fast as the CPU")
    found = answer_run(runs.make_run(*plain, *engines))
    assert found.headline == "Leave mps off: it evaluates 5 times slower than the CPU at batch 4."
    assert [bar.against for bar in found.bars] == ["compile"]
    assert found.use.setup == "compile on cpu: 10 times as fast as plain (mine.net)."


def test_so_has_the_device_and_where_only_the_cpu_is_there_its_gain_is_told() -> None:
    plain = runs.contest(NET, {runs.PLAIN: 0.1, runs.ON_MPS: 0.2}, items=4, batch=4)
    rivals = {runs.PLAIN: 0.1, runs.ON_MPS: 0.2, ON_MPS_COMPILED: 0.02}
    engines = runs.contest(f"{NET}/engines", rivals, items=4, batch=4)
    (bar,) = answer_run(runs.make_run(*plain, *engines)).bars
    assert bar.times == pytest.approx(5.0)
    assert bar.how == "compile"
    alone = runs.contest(f"{NET}/engines", {runs.PLAIN: 0.1, COMPILED: 0.02}, items=4, batch=4)
    assert "compile makes mine.net 5 times as fast" in answer_run(runs.make_run(plain[0], *alone)).headline


def test_an_engine_is_no_best_of_answers_that_nobody_verified_nor_at_another_batch() -> None:
    plain = runs.contest(NET, {runs.PLAIN: 0.1, runs.ON_MPS: 0.05}, items=4, batch=4, unverified="random")
    engines = runs.contest(f"{NET}/engines", {runs.PLAIN: 0.1, COMPILED: 0.001}, items=4, batch=4)
    assert [bar.against for bar in answer_run(runs.make_run(*plain, *engines)).bars] == [""]
    large = runs.contest("inference/vit_b/batch=8", {runs.PLAIN: 0.1, runs.ON_MPS: 0.05})
    small = runs.contest("inference/vit_b/batch=1/engines", {runs.PLAIN: 0.1, COMPILED: 0.001})
    assert [bar.against for bar in answer_run(runs.make_run(*large, *small)).bars] == [""]
