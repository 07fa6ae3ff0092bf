"""Times faster than the CPU, by hand."""

from torchstone.records import Measurement, Setup
from torchstone.report.names import describe_setup
from torchstone.report.speedups import baseline_words, own_dtype, plain_words, speedups

PLAIN = Setup(threads=2)


def timed(seconds: float, setup: Setup, name: str = "inference/x", count: int = 20, **rest: object) -> Measurement:
    return Measurement(name=name, setup=setup, unit="s", samples=(seconds,) * count, **rest)  # type: ignore[arg-type]


def test_a_device_against_the_plain_cpu() -> None:
    (found,) = speedups([timed(1.0, PLAIN), timed(0.25, Setup(device="mps", threads=2))])
    assert (found.ratio, found.low, found.high) == (4.0, 4.0, 4.0)
    assert found.setup.device == "mps"


def test_slower_is_below_one() -> None:
    (found,) = speedups([timed(1.0, PLAIN), timed(4.0, Setup(device="mps"))])
    assert found.ratio == 0.25


def test_the_baseline_has_the_most_threads() -> None:
    found = speedups([timed(2.0, Setup(threads=1)), timed(1.0, Setup(threads=8)), timed(0.5, Setup(device="mps"))])
    assert {one.setup.device: one.ratio for one in found} == {"cpu": 0.5, "mps": 2.0}


def test_without_a_baseline_nothing_is_said() -> None:
    assert speedups([timed(1.0, Setup(device="mps"))]) == []
    assert speedups([timed(1.0, Setup(dtype="bfloat16")), timed(1.0, Setup(device="mps"))]) == []


def test_what_is_wrong_or_otherwise_measured_is_left_out() -> None:
    wrong = timed(0.1, Setup(device="mps"), status="wrong", reason="garbage")
    paced = timed(0.1, Setup(device="mps"), protocol="paced, 0.1 s apart")
    other = timed(0.1, Setup(device="mps"), name="inference/y")
    assert speedups([timed(1.0, PLAIN), wrong, paced, other]) == []


def test_few_samples_have_no_interval() -> None:
    (found,) = speedups([timed(1.0, PLAIN, count=3), timed(0.5, Setup(device="mps"), count=3)])
    assert found.low is None
    assert found.high is None


def test_a_setup_in_few_words() -> None:
    assert describe_setup(Setup(device="mps")) == "mps"
    assert describe_setup(Setup(threads=1)) == "cpu, 1 thread"
    everything = Setup(device="cuda:0", dtype="float16", engine="compile", memory_format="channels_last")
    assert describe_setup(everything) == "cuda:0, float16, compile, channels_last"


def test_the_cpus_own_setups_are_set_against_what_the_model_is_in() -> None:
    plain, cast, mps = timed(1.0, PLAIN), timed(0.5, Setup(dtype="bfloat16", precision="cast")), Setup(device="mps")
    assert baseline_words(speedups([plain, cast])) == "plain float32"
    assert baseline_words(speedups([plain, cast, timed(0.5, mps)])) == "the plain CPU"
    assert baseline_words([]) == "the plain CPU"
    double = [timed(1.0, Setup(dtype="float64", threads=threads)) for threads in (2, 1)]
    assert baseline_words(speedups(double)) == "plain float64"
    assert plain_words(["float32", "bfloat16"]) == "the model as it came"


def test_a_model_came_in_the_dtype_that_nothing_was_cast_to() -> None:
    cast = Setup(dtype="bfloat16", precision="cast")
    assert own_dtype([Setup(dtype="float64"), cast]) == "float64"
    assert own_dtype([Setup(dtype="float16"), Setup(dtype="float32")]) == "float32"
    assert own_dtype([Setup(), cast]) == own_dtype([]) == "float32"
