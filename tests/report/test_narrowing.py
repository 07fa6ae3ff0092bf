"""Which dtype to use, by stage: right answers in one say nothing of the other."""

from tests.report import runs

from torchstone.records import Measurement, Setup
from torchstone.report.answers import answer_run

TRAINS, ANSWERS = "training/resnet50/train/batch=16", "inference/resnet50/batch=16"
NARROW = runs.changed(runs.ON_MPS, dtype="bfloat16", precision="cast")


def contest(name: str, times_narrow: float | None = None) -> list[Measurement]:
    seconds = {runs.PLAIN: 1.0, runs.ON_MPS: 0.1}
    seconds |= {NARROW: 0.1 / times_narrow} if times_narrow is not None else {}
    return runs.contest(name, seconds, items=16, item="images")


def wrong(name: str, setup: Setup = NARROW) -> Measurement:
    return runs.without(name, "wrong", "off by 3", setup)


def dtype_of(*records: Measurement) -> str:
    return answer_run(runs.make_run(*records)).use.dtype


def test_wrong_in_training_and_right_in_inference() -> None:
    answers = answer_run(runs.make_run(*contest(TRAINS), wrong(TRAINS), *contest(ANSWERS, 5.0)))
    assert answers.use.dtype == (
        "float32 on mps for training: bfloat16 gives wrong answers; "
        "bfloat16 for evaluation: right, 5 times as fast as the best float32."
    )
    assert {bar.stage: bar.how for bar in answers.bars} == {"training": "", "evaluation": "bfloat16"}


def test_stages_that_agree_are_told_together() -> None:
    found = dtype_of(*contest(TRAINS, 10.0), *contest(ANSWERS, 5.0))
    assert found == "bfloat16 on mps: right, 5 to 10 times as fast as the best float32."
    both_wrong = dtype_of(*contest(TRAINS), wrong(TRAINS), *contest(ANSWERS), wrong(ANSWERS))
    assert both_wrong == "float32 on mps: bfloat16 gives wrong answers."


def test_a_stage_in_which_no_other_dtype_was_met_claims_nothing() -> None:
    found = dtype_of(*contest(TRAINS), *contest(ANSWERS, 5.0))
    assert found == "bfloat16 on mps for evaluation: right, 5 times as fast as the best float32."


def test_wrong_in_one_model_and_faster_in_another_of_the_same_stage() -> None:
    other = "inference/vgg16/batch=16"
    found = dtype_of(*contest(ANSWERS, 5.0), *contest(other), wrong(other))
    assert found == (
        "float32 on mps: bfloat16 gives wrong answers in VGG-16, though it is 5 times as fast in ResNet-50."
    )


def test_slow_is_not_said_of_what_was_faster() -> None:
    assert dtype_of(*contest(ANSWERS, 0.5)) == "float32 on mps: bfloat16 is not faster beyond doubt."
