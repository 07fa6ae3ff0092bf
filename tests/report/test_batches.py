"""At which batches a device wins: as far as they were measured, by model, and never across a wrong answer."""

import msgspec
import pytest
from tests.report import runs

from torchstone.records import Measurement, Run
from torchstone.report.answers import Answers, answer_run
from torchstone.report.bench_screen import screen_lines
from torchstone.report.charts.ratios import batch_chart
from torchstone.report.page import render_page
from torchstone.report.sources import Machine
from torchstone.report.tiles import tiles_of

NET = "inference/efficientnet_lite0"
ON_MPS, PLAIN = runs.ON_MPS, runs.PLAIN


def raced(name: str, times: float, **facts: int) -> list[Measurement]:
    """The device so many times as fast as the CPU."""
    return runs.contest(name, {PLAIN: 0.1, ON_MPS: 0.1 / times}, **facts)


def at_batches(times: dict[int, float], model: str = NET) -> list[Measurement]:
    return [one for batch, factor in times.items() for one in raced(f"{model}/batch={batch}", factor)]


def answered(*records: Measurement) -> Answers:
    return answer_run(runs.make_run(*records))


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ({1: 5, 8: 2, 16: 0.5, 32: 0.25}, "mps up to batch 8, the CPU from batch 16 on (measured: 1, 8, 16 and 32)."),
        (
            {1: 0.5, 8: 3, 16: 0.3, 32: 3},
            "mps at batch 8 and 32, the CPU at batch 1 and 16 (measured: 1, 8, 16 and 32)",
        ),
        ({4: 0.5, 8: 2}, "mps at batch 8, the CPU at batch 4 (measured: 4 and 8)."),
        ({1: 0.5, 8: 2, 16: 3}, "mps from batch 8 on, the CPU at batch 1 (measured: 1, 8 and 16)"),
        ({1: 2, 8: 2}, "mps at every batch that was measured (1 and 8)."),
        ({1: 0.5, 8: 0.2}, "At no batch up to 8 does mps win."),
        ({1: 1, 8: 2, 16: 2}, "mps from batch 8 on, as fast at batch 1 (measured: 1, 8 and 16)"),
    ],
)
def test_every_batch_is_told_as_it_was_decided(times: dict[int, float], words: str) -> None:
    assert answered(*at_batches(times)).use.batch.startswith(words)


def test_a_device_that_wins_at_small_batches_is_not_left_off() -> None:
    found = answered(*at_batches({1: 5, 8: 2, 16: 0.5, 32: 0.25}))
    assert found.headline == "mps evaluates 4 times slower than the CPU at batch 32, but 5 times as fast at batch 1."
    exception = "But mps for EfficientNet-Lite0 evaluation at batch 1: 5 times as fast there."
    assert found.use.device == f"The CPU for evaluation. {exception}"
    assert tiles_of(found)[1].figure == "up to batch 8"
    assert answered(*at_batches({1: 0.5, 32: 0.25})).headline.startswith("Leave mps off: it evaluates 4 times slower")


def test_models_that_win_at_other_batches_are_named() -> None:
    found = answered(*at_batches({1: 0.5, 8: 2}), *at_batches({1: 2, 8: 2}, "inference/vit_b"))
    assert found.use.batch == (
        "EfficientNet-Lite0 evaluation: mps at batch 8, the CPU at batch 1 (measured: 1 and 8); "
        "ViT-B evaluation: mps at every batch that was measured (1 and 8); "
        "one EfficientNet-Lite0 item: 100 ms, on mps 200 ms."
    )


def test_the_batch_of_a_persons_own_model_is_named_and_that_it_is_the_only_one() -> None:
    run = runs.make_run(*raced("inference/mine.net", 0.5, items=4, batch=4))
    found = answer_run(run)
    assert found.headline == "Leave mps off: it evaluates 2 times slower than the CPU at batch 4."
    said = "Measured at batch 4 alone; others may differ: give another --input, or other inputs."
    assert found.use.batch == said
    assert said in "\n".join(line for _, line in screen_lines(found)), "not cut"
    assert (tiles_of(found)[1].figure, tiles_of(found)[1].what) == ("batch 4", "the only one that was measured")
    assert "batch 4" in "\n".join(line for _, line in screen_lines(found))
    assert "no batch found" not in render_page([Machine("here", "", run)])


def broken_at(batch: int, status: str) -> Run:
    names = {size: f"{NET}/batch={size}" for size in (1, 8, 16, 32)}
    sound = [one for size, name in names.items() if size != batch for one in raced(name, 4)]
    (cpu, _) = raced(names[batch], 4)
    reason = "differs from float64 by 3.0"
    return runs.make_run(*sound, cpu, runs.without(names[batch], status, reason))  # type: ignore[arg-type]


@pytest.mark.parametrize("batch", [1, 16, 32])
@pytest.mark.parametrize(("status", "words"), [("wrong", "gives wrong answers"), ("failed", "fails")])
def test_a_batch_without_a_right_answer_is_named_wherever_the_device_is_recommended(
    batch: int, status: str, words: str
) -> None:
    found = answer_run(broken_at(batch, status))
    fault = f"{words} in EfficientNet-Lite0 evaluation at batch {batch}"
    assert f"; but it {fault}." in found.headline
    assert found.use.device == f"mps for evaluation. But mps {fault}."
    assert f"on mps at batch {batch} (measured: 1, 8, 16 and 32)" in found.use.batch
    assert found.broken[0].what == f"evaluation (EfficientNet-Lite0) on mps at batch {batch}"
    assert (fault in found.trust.sentence) == (status == "wrong")


def test_a_line_breaks_where_the_device_gave_no_right_answer() -> None:
    found = answer_run(broken_at(16, "wrong"))
    spec = batch_chart(found.batches, found.holes, "any")
    assert spec is not None
    assert [(point["batch"], point["part"]) for point in spec["data"]["values"]] == [(1, 0), (8, 0), (32, 1)]
    crosses = next(layer["data"]["values"] for layer in spec["layer"] if "data" in layer)
    assert crosses == [{"batch": 16, "text": "✕ wrong"}]


def test_a_device_whose_every_answer_was_wrong_is_not_said_to_be_unmeasured() -> None:
    (cpu,) = runs.contest(f"{NET}/batch=8", {PLAIN: 0.1}, items=8, item="images")
    found = answered(cpu, runs.without(f"{NET}/batch=8", "wrong", "differs"))
    fault = "mps gives wrong answers in EfficientNet-Lite0 evaluation at batch 8"
    assert found.headline.startswith(f"{fault}; the CPU: EfficientNet-Lite0 evaluates 79.8 images a second")
    assert found.use.device == f"The CPU: {fault}."


def test_what_is_out_of_memory_ends_no_range() -> None:
    sound = at_batches({1: 0.5, 8: 2, 16: 3})
    found = answered(*sound, runs.without(f"{NET}/batch=32", "out_of_memory", "8 GiB"))
    assert found.use.from_batch == 8
    assert "out of memory on mps at batch 32" in found.use.batch
    assert "but it" not in found.headline


def test_decided_as_equal_is_no_want_of_samples() -> None:
    found = answered(*raced(f"{NET}/batch=16", 1.0))
    assert found.headline == "mps evaluates as fast as the CPU at batch 16."
    assert found.use.device == "The CPU or mps: they are as fast for evaluation."
    assert tiles_of(found)[0].figure == "as fast"
    both = answered(*raced(f"{NET}/batch=16", 1.0), *raced("inference/vit_b/batch=16", 2.0))
    assert both.headline == "mps evaluates 2 times as fast as the CPU (EfficientNet-Lite0 as fast) at batch 16."


def test_models_that_oppose_each_other_are_named() -> None:
    found = answered(*raced("inference/resnet50/batch=16", 10), *raced("inference/vit_b/batch=16", 1 / 9))
    assert "between 9 times slower (ViT-B) and 10 times as fast (ResNet-50) as the CPU at batch 16" in found.headline
    exception = "But mps for ResNet-50 evaluation at batch 16: 10 times as fast there."
    assert found.use.device == f"The CPU for evaluation. {exception}"


def test_the_search_for_a_batch_gives_way_to_a_contest_of_all_setups() -> None:
    searched = raced(f"{NET}/crossover/batch=8", 0.5)
    narrow = msgspec.structs.replace(ON_MPS, dtype="float16", precision="cast")
    full = runs.contest(f"{NET}/batch=8", {PLAIN: 0.1, ON_MPS: 0.2, narrow: 0.02})
    found = answered(*searched, *full, *at_batches({1: 2}))
    assert [(bar.batch, round(bar.times)) for bar in sorted(found.batches, key=lambda bar: bar.batch or 0)] == [
        (1, 2),
        (8, 5),
    ]
