"""What a run answers: five questions of five kinds of run, and honest words where there is nothing to say."""

import json

import msgspec
import pytest
from tests.report import runs

from torchstone.records import HUNG, PEAK_IN_DOUBT, Finding, Measurement, Run, Scalar, Setup
from torchstone.report.answers import Answers, answer_run
from torchstone.report.bench_screen import screen_lines
from torchstone.report.markdown import render_markdown
from torchstone.report.sources import Machine
from torchstone.report.standings import rate_of
from torchstone.report.tiles import tiles_of
from torchstone.report.trusting import busy_words, load_words, scatter_words

PLAIN = runs.PLAIN


@pytest.mark.parametrize(
    ("run", "headline"),
    [
        (
            runs.accelerated_run(),
            "mps trains 8.3 to 17 times as fast as the CPU at batch 64–128, and evaluates 8 to 16 times as fast.",
        ),
        (
            runs.cpu_run(),
            "No GPU measured: ResNet-50 trains 55.9 and evaluates 179 images a second; "
            "channels_last makes ResNet-50 1.4 times as fast.",
        ),
        (
            runs.slow_device_run(),
            "Leave vulkan off: it trains 35 to 70 times slower than the CPU at batch 64–128, "
            "and evaluates 88 to 175 times slower.",
        ),
        (
            runs.busy_run(),
            "Nothing could be decided between mps and the CPU: this machine was busy "
            "(3.4 tasks waited for each core just before). Run again when it is quiet: --wait-quiet 600.",
        ),
        (runs.make_run(), "Nothing was measured."),
        (
            runs.make_run(runs.without("a/b", "failed", "it crashed")),
            "Nothing could be measured: 1 case failed: it crashed.",
        ),
        (
            runs.make_run(runs.without("a/b", "failed", "it crashed"), runs.without("a/c", "failed", "no memory")),
            "Nothing could be measured: 2 cases failed.",
        ),
        (
            runs.make_run(runs.without("a/b", "skipped", "no time")),
            "Nothing could be measured: a/b: no time.",
        ),
        (runs.make_run(runs.finding("leak", "leak")), "No speed was measured; 1 problem found."),
    ],
    ids=["accelerated", "cpu", "slow", "busy", "empty", "failed", "failed in several ways", "skipped", "findings"],
)
def test_the_headline_says_what_was_decided(run: Run, headline: str) -> None:
    assert answer_run(run).headline == headline


ONE_THREAD = runs.changed(PLAIN, threads=1)
BFLOAT16 = runs.changed(PLAIN, dtype="bfloat16", precision="cast")


def test_fewer_threads_win_nothing_beside_other_programs() -> None:
    raced = runs.contest("inference/resnet50/batch=1", {PLAIN: 0.1, ONE_THREAD: 0.01}, items=1, item="images")
    quiet, busy = answer_run(runs.make_run(*raced)), answer_run(runs.make_run(*raced, load=3.0))
    assert quiet.headline.endswith("; 1 thread makes ResNet-50 10 times as fast.")
    assert quiet.use.setup == "1 thread on cpu: 10 times as fast as plain (ResNet-50)."
    assert "thread" not in busy.headline + busy.use.setup
    assert [bar.times for bar in busy.bars] == [1.0]


@pytest.mark.parametrize(("seconds", "how"), [(0.02, ""), (0.005, "bfloat16")])
def test_beside_other_programs_one_thread_is_the_one_to_beat(seconds: float, how: str) -> None:
    raced = {PLAIN: 0.1, ONE_THREAD: 0.01, BFLOAT16: seconds}
    contest = runs.contest("inference/resnet50/batch=1", raced, items=1, item="images")
    answers = answer_run(runs.make_run(*contest, load=3.0))
    assert [bar.how for bar in answers.bars] == [how]
    assert "this machine was busy" in answers.headline
    assert "narrower dtype was measured" not in answers.use.dtype
    assert ("bfloat16 gains is not declared on a busy machine" in answers.use.dtype) == (not how)
    assert [tile.figure == "undecided" for tile in tiles_of(answers)] == [False, not how, False]


def test_words_of_a_model_that_is_of_float64_name_no_other_dtype() -> None:
    double, one_thread = runs.changed(PLAIN, dtype="float64"), runs.changed(ONE_THREAD, dtype="float64")
    raced = runs.contest("inference/mine.net", {double: 0.01, one_thread: 0.005}, items=8, item="rows")
    quiet, busy = (runs.make_run(*raced, devices=(runs.CPU,), load=load) for load in (0.1, 3.0))
    assert answer_run(quiet).use.setup == "1 thread on cpu: 2 times as fast as plain (mine.net)."
    assert answer_run(quiet).headline.endswith("; 1 thread makes mine.net 2 times as fast.")
    page = render_markdown([Machine("here", "", quiet)])
    assert "Against plain float64: mine.net evaluation on cpu, float64, 1 thread is 2.00× as fast" in page
    for run in (quiet, busy):
        answers = answer_run(run)
        said = [answers.headline, *answers.use.sentences, *(tile.figure for tile in tiles_of(answers))]
        assert "float32" not in " ".join(said) + render_markdown([Machine("here", "", run)])


def sustained(seconds: float, setup: Setup = PLAIN) -> Measurement:
    found = runs.timed("inference/mine.net/latency=sustained", seconds, setup)
    return msgspec.structs.replace(found, quantity="latency", protocol="sustained")


@pytest.mark.parametrize(
    ("more", "setups", "highest"),
    [
        ([], {PLAIN: 0.016, ONE_THREAD: 16e-6}, "499 k"),
        ([sustained(20e-6)], {PLAIN: 0.016}, "400 k"),
        ([sustained(20e-6)], {PLAIN: 0.016, ONE_THREAD: 16e-6}, "499 k"),
    ],
    ids=["one thread", "another case", "both"],
)
def test_a_rate_that_its_own_run_contradicts_by_far_is_no_figure(
    more: list[Measurement], setups: dict[Setup, float], highest: str
) -> None:
    raced = runs.contest("inference/mine.net", setups, items=8, item="rows")
    run = runs.make_run(*raced, *more, devices=(runs.CPU,), load=3.0)
    answers = answer_run(run)
    assert f"mine.net evaluates between 499 and {highest} rows a second; this machine was busy" in answers.headline
    (bar,) = answers.bars
    assert (bar.rate, bar.rates_seen is None) == (None, False)
    assert tiles_of(answers)[0].figure == f"499–{highest}/s"
    page = render_markdown([Machine("here", "", run)])
    assert f"between 499 and {highest} rows/s" in page
    assert "1 thread" not in page
    assert all("1 thread" not in line for _, line in screen_lines(answers))


def test_a_quick_sample_among_slow_ones_contradicts_a_rate_on_a_busy_machine() -> None:
    (raced,) = runs.contest("inference/mine.net", {PLAIN: 0.02}, items=8, item="rows")
    raced = msgspec.structs.replace(raced, samples=(20e-6, *raced.samples[1:]))
    busy, quiet = (answer_run(runs.make_run(raced, devices=(runs.CPU,), load=load)) for load in (3.0, 0.1))
    assert "between 399 and 400 k rows a second" in busy.headline
    assert "evaluates 399 rows a second" in quiet.headline


def test_near_figures_and_another_setup_on_a_quiet_machine_leave_a_rate() -> None:
    near = runs.contest("inference/mine.net", {PLAIN: 0.016, ONE_THREAD: 0.008}, items=8, item="rows")
    far = runs.contest("inference/mine.net", {PLAIN: 0.016, ONE_THREAD: 0.001}, items=8, item="rows")
    assert answer_run(runs.make_run(*near, load=3.0)).bars[0].rate == pytest.approx(500, rel=0.01)
    assert answer_run(runs.make_run(*far)).bars[0].rate == pytest.approx(8000, rel=0.01)
    calm = runs.contest("inference/mine.net", {PLAIN: 0.016}, items=8, item="rows")
    hot = answer_run(runs.make_run(*calm, sustained(0.16), load=3.0))
    assert hot.bars[0].rate == pytest.approx(500, rel=0.01), "heat makes a sustained latency slower"


def test_cases_that_contradict_each_other_on_a_quiet_machine_leave_no_rate_neither() -> None:
    raced = runs.contest("inference/mine.net", {PLAIN: 0.016}, items=8, item="rows")
    found = answer_run(runs.make_run(*raced, sustained(20e-6), devices=(runs.CPU,)))
    assert found.headline == (
        "No GPU measured: mine.net evaluates between 499 and 400 k rows a second; "
        "the cases of this run contradict each other."
    )


def killed(name: str, setup: Setup = PLAIN, reason: str = "killed by SIGSEGV") -> Measurement:
    return runs.without(name, "failed", reason, setup)


def test_a_setup_that_broke_in_one_case_is_no_advice_and_has_no_rate_in_another() -> None:
    raced = runs.contest("inference/mine.net/engines", {PLAIN: 0.01}, items=8, item="rows")
    broken = [killed("inference/mine.net", setup) for setup in (PLAIN, ONE_THREAD, BFLOAT16)]
    run = runs.make_run(*broken, killed("inference/mine.net/latency"), *raced)
    found = answer_run(run)
    assert found.headline == "Nothing here can be relied on: 4 cases failed: killed by SIGSEGV."
    assert found.use.sentences == []
    assert "mine.net evaluation (cpu, 8 threads) broke in one case" in found.trust.sentence
    assert [one.what for one in found.broken] == ["mine.net, in every setup that was tried"]


def test_a_crash_of_other_setups_leaves_the_plain_one_its_rate() -> None:
    raced = runs.contest("inference/mine.net", {PLAIN: 0.016}, items=8, item="rows")
    found = answer_run(runs.make_run(*raced, killed("inference/mine.net", BFLOAT16, "killed by SIGILL")))
    assert "evaluates 499 rows a second" in found.headline
    assert [one.to_do for one in found.broken] == ["leave this setup out; the run file holds the whole message"]


def test_a_model_that_fails_alike_in_every_setup_is_at_fault_itself() -> None:
    reason = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x65 and 64x256)"
    cases = [killed("inference/mine.net", setup, reason) for setup in (PLAIN, ONE_THREAD, BFLOAT16)]
    cases.append(killed("inference/mine.net/latency=hot", PLAIN, reason))
    (found,) = answer_run(runs.make_run(*cases)).broken
    assert (found.what, found.evidence, found.count) == ("mine.net, in every setup that was tried", reason, 4)
    assert found.to_do.startswith("the model or its input is at fault, not a setup")
    on_device = [killed("inference/mine.net", runs.ON_MPS, reason), *runs.contest("inference/mine.net", {PLAIN: 0.1})]
    assert "leave this setup out" in answer_run(runs.make_run(*on_device)).broken[0].to_do


def test_what_was_done_with_a_model_before_it_was_measured_is_said_once() -> None:
    remark = "it came in train mode (layers: 1 dropout), and answers are measured in evaluation mode"
    raced = runs.contest("inference/mine.net", {PLAIN: 0.1, BFLOAT16: 0.05}, remark=remark)
    run = runs.make_run(*raced)
    answers = answer_run(run)
    assert answers.remarks == (f"mine.net: {remark}",)
    assert f"Note     mine.net: {remark[:40]}" in "\n".join(line for _, line in screen_lines(answers))
    assert remark[:20] in render_markdown([Machine("here", "", run)])


def test_of_answers_that_nobody_verified_only_the_plain_setup_counts() -> None:
    seconds = {PLAIN: 0.1, BFLOAT16: 0.01}
    raced = runs.contest("inference/resnet50/batch=1", seconds, items=1, item="images", unverified="none agree")
    found = answer_run(runs.make_run(*raced))
    assert found.headline == "Only the CPU could be measured: ResNet-50 evaluates 9.98 images a second."
    assert found.use.setup == ""


def test_a_run_without_a_models_step_tells_what_it_measured() -> None:
    peak = Measurement(name="peak/copy", setup=PLAIN, unit="bytes/s", samples=(1e9,) * 3, quantity="peak")
    checked = [runs.finding("leak", "ok"), runs.finding("leak", "ok", "memory")]
    assert answer_run(runs.make_run(peak)).headline == "Peak: copy 953.7 MiB/s."
    assert (
        answer_run(runs.make_run(peak, *checked)).headline == "Peak: copy 953.7 MiB/s; no leak was found in 2 checks."
    )
    growing = runs.make_run(peak, *checked, runs.finding("leak", "unclear"))
    assert answer_run(growing).headline.endswith("whether anything leaks is unclear (1 of 3 checks).")
    leaking = runs.make_run(peak, *checked, runs.finding("leak", "leak"))
    assert answer_run(leaking).headline.endswith("a leak was found in 1 of 3 checks.")


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ({"rate": 1085.0}, "keeps 1,085 queries a second within 100 ms (99 of 100; proven)."),
        (
            {"highest_seen_rate": 1140.0},
            "kept 1,140 queries a second within 100 ms in a short run; no rate is proven yet",
        ),
        (
            {"lowest_broken_rate": 41.0},
            "kept no rate of queries that was tried within 100 ms: 41 a second were too many.",
        ),
    ],
)
def test_a_run_under_load_is_answered_by_the_rate_that_was_kept(rates: dict[str, float], words: str) -> None:
    latency = Measurement(name="load/convnet/Server/load=75%", setup=PLAIN, unit="s", samples=(14.0,) * 3)
    judged = runs.finding("load", "proven", "load/convnet/Server: highest rate, cpu")
    facts: dict[str, Scalar] = {"device": "cpu", "latency_bound_s": 0.1, **rates}
    found = answer_run(runs.make_run(latency, msgspec.structs.replace(judged, facts=facts)))
    assert found.headline.startswith(f"On the CPU small ConvNet {words}")
    assert json.loads(json.dumps(found.as_json()))["loads"][0]["bound_s"] == 0.1


def test_which_device_for_training() -> None:
    assert answer_run(runs.accelerated_run()).use.training_device == "mps"
    assert answer_run(runs.accelerated_run()).use.device == "mps for training and evaluation."
    assert answer_run(runs.slow_device_run()).use.device == "The CPU, not vulkan."
    assert answer_run(runs.cpu_run()).use.training_device == "cpu"
    assert answer_run(runs.busy_run()).use.device == "The CPU, until the difference is decided."


def test_a_device_may_train_fast_and_evaluate_slowly() -> None:
    found = answer_run(runs.make_run(*runs.of_a_device("mps", 8.0, 1 / 30)))
    exception = " But mps for ResNet-50 evaluation at batch 64: 9 times as fast there."
    assert found.use.device == f"mps for training, the CPU for evaluation.{exception}"
    assert found.use.training_device == "mps"


def test_from_which_batch() -> None:
    found = answer_run(runs.accelerated_run()).use
    assert found.from_batch == 4
    measured = "mps from batch 4 on, the CPU at batch 1 (measured: 1, 4, 16, 64 and 128)"
    assert found.batch == f"ResNet-50 evaluation: {measured}; one ResNet-50 item: 3.01 ms, on mps 6.01 ms."
    assert answer_run(runs.slow_device_run()).use.batch == "At no batch up to 128 does vulkan win."
    assert answer_run(runs.cpu_run()).use.batch == ""
    undecided = "ResNet-50 evaluation: undecided at every batch that was measured (1, 4, 16, 64 and 128)."
    assert answer_run(runs.busy_run()).use.batch == undecided


def test_the_search_for_a_batch_is_taken_at_its_word() -> None:
    searched = Finding(
        kind="crossover",
        subject="inference/efficientnet_lite0/crossover",
        verdict="any words",
        level="ok",
        tier="measured",
        evidence="",
        facts={"device": "mps", "batch=1": 0.5, "batch=2": 0.9, "batch=8": 1.2},
    )
    assert answer_run(runs.make_run(*runs.of_a_device("mps", 8.0, 10.0), searched)).use.from_batch == 8


def test_which_dtype() -> None:
    found = answer_run(runs.accelerated_run()).use.dtype
    gain = "float16 autocast on mps for training: right, 1.3 times as fast as the best float32"
    assert found == f"{gain}; float16 gives wrong answers."
    assert answer_run(runs.cpu_run()).use.dtype == "float32 on cpu: no narrower dtype was measured."


def test_what_is_broken_and_what_to_do() -> None:
    found = answer_run(runs.accelerated_run()).broken
    assert [one.kind for one in found] == ["wrong", "leak", "missing"]
    assert found[0].words == "float16 training (ResNet-50) on mps at batch 128: the loss is NaN"
    assert all(one.to_do for one in found)
    assert found[2].to_do == "PYTORCH_ENABLE_MPS_FALLBACK=1 runs it on the CPU"
    assert answer_run(runs.cpu_run()).broken == ()


def test_undecided_and_unclear_are_nothing_broken() -> None:
    noted = runs.finding("leak", "unclear")
    assert answer_run(runs.make_run(noted)).broken == ()


def test_is_this_run_to_be_trusted() -> None:
    assert answer_run(runs.cpu_run()).trust.is_trusted
    busy = answer_run(runs.busy_run()).trust
    assert not busy.is_trusted
    assert "this machine was busy" in busy.sentence
    assert "made up" in answer_run(runs.accelerated_run()).trust.sentence
    torn = answer_run(runs.cpu_run(), ["the last line is torn"]).trust
    assert "the last line is torn" in torn.sentence


def test_a_run_that_measured_or_settled_nothing_is_not_called_trusted() -> None:
    failed = answer_run(runs.make_run(runs.without("inference/resnet50", "failed", "boom")))
    assert (failed.trust.is_trusted, failed.trust.doubts[0]) == (False, "nothing could be measured")
    assert [tile.figure for tile in tiles_of(failed)] == ["1 broken"]
    name = "inference/resnet50/8"
    undecided = runs.make_run(runs.timed(name, 0.1), runs.timed(name, 0.1001, runs.ON_MPS))
    assert answer_run(undecided).trust.sentence.startswith("With care: it settles no comparison")


def test_what_was_not_done_is_counted_with_its_reason() -> None:
    assert answer_run(runs.cpu_run()).not_done_words == "1 case: out of time, give more --budget (1)"
    reasons = [runs.without(f"a/{n}", "skipped", f"needs {n} GiB", PLAIN) for n in range(5)]
    assert answer_run(runs.make_run(*reasons)).not_done_words == "5 cases: needs 0 GiB (5)"


def test_the_cpu_at_its_best_is_what_a_device_must_beat() -> None:
    gpu = Setup(device="mps", dtype="float32")
    rivals = {PLAIN: 1.0, runs.CHANNELS_LAST: 0.5, gpu: 0.25}
    (bar,) = answer_run(runs.make_run(*runs.contest("training/vgg16/train/batch=64", rivals))).bars
    assert (round(bar.times, 6), bar.against) == (2.0, "channels_last")
    assert round(bar.times_plain or 0, 6) == 4.0


def test_images_of_another_quality_are_never_compared() -> None:
    rivals = {PLAIN: 1.0, runs.changed(PLAIN, engine="opencv"): 0.01}
    found = answer_run(runs.make_run(*runs.contest("images/resize/512/batch=1/other quality", rivals)))
    assert "times as fast" not in found.headline + " ".join(found.use.sentences)


def test_a_withdrawn_rival_is_told_as_single_calls() -> None:
    name = "training/resnet50/train/batch=8"
    alone = Measurement(
        name=name, setup=Setup(device="vulkan", dtype="float32"), unit="s", samples=(80.0,), protocol="contest"
    )
    found = answer_run(runs.make_run(*runs.contest(name, {PLAIN: 1.0}), alone, devices=(runs.CPU, runs.VULKAN)))
    assert found.headline == "Leave vulkan off: single calls took about 80 times as long as the CPU's."


@pytest.mark.parametrize("make", [runs.accelerated_run, runs.cpu_run, runs.slow_device_run, runs.busy_run])
def test_answers_are_plain_data(make: object) -> None:
    found: Answers = answer_run(make())  # type: ignore[operator]
    told = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert told["headline"] == found.headline
    assert told["trust"]["sentence"]


def test_a_machine_that_was_watched_is_believed_more_than_its_load() -> None:
    watched = Finding(
        kind="machine",
        subject="a busy machine, during the run",
        verdict="busy",
        level="warning",
        tier="measured",
        evidence="other programs kept 1.4 of 2 cores busy: speeds are lower than this machine's",
        facts={"others": 1.4},
    )
    assert load_words(0.52) == "other work kept 52 % of its cores busy just before"
    assert busy_words(runs.make_run(watched)) == "this machine was busy (other programs kept 1.4 of 2 cores busy)"
    quiet = msgspec.structs.replace(watched, verdict="quiet", level="ok")
    assert busy_words(runs.make_run(quiet, load=1.3)) == ""
    assert busy_words(runs.make_run(load=1.3)) != ""


def scattered(share: float) -> Run:
    """Every second round of the rival is disturbed."""
    plain, rival = runs.contest("training/x/train/batch=1", {runs.PLAIN: 1.0, runs.ON_MPS: 0.5})
    samples = tuple(second * (1 + share * (-1) ** number) for number, second in enumerate(rival.samples))
    return runs.make_run(plain, msgspec.structs.replace(rival, samples=samples))


def test_a_result_beyond_a_peak_in_doubt_is_to_be_trusted_with_care() -> None:
    facts: dict[str, Scalar] = {PEAK_IN_DOUBT: "impossible; but the machine was busy"}
    beyond = msgspec.structs.replace(runs.timed("inference/resnet50/batch=1", 0.1), facts=facts)
    trust = answer_run(runs.make_run(beyond)).trust
    assert not trust.is_trusted
    assert "ResNet-50 ran beyond the device's measured peak, which is in doubt" in trust.sentence


def test_rounds_that_scatter_are_doubted() -> None:
    assert scatter_words(scattered(0.01)) == ""
    assert scatter_words(scattered(0.3)).startswith("its rounds scattered by 30%")


def own_contest(seconds: dict[Setup, float], **facts: str) -> Run:
    rivals = runs.contest("inference/mine.net", seconds)
    return runs.make_run(*(msgspec.structs.replace(one, facts={**one.facts, **facts}) for one in rivals))


def test_what_nobody_could_verify_is_never_recommended_and_is_said() -> None:
    narrow = Setup(device="cpu", dtype="bfloat16", precision="cast", threads=8)
    found = answer_run(own_contest({PLAIN: 1.0, narrow: 0.1}, unverified="its answer is random"))
    assert "bfloat16" not in found.use.dtype
    assert "as fast as plain" not in found.use.setup
    assert [(one.kind, one.evidence) for one in found.broken] == [("unverified", "its answer is random")]
    assert "the answers of mine.net could not be verified" in found.trust.sentence


def test_a_narrow_dtype_must_beat_float32_at_its_best() -> None:
    one_thread = runs.changed(PLAIN, threads=1)
    narrow = Setup(device="cpu", dtype="bfloat16", precision="cast", threads=8)
    grown = runs.changed(PLAIN, memory_format="channels_last")
    assert "bfloat16 on cpu: right" in answer_run(own_contest({PLAIN: 1.0, narrow: 0.5})).use.dtype
    for faster in (one_thread, grown):
        assert "not faster" in answer_run(own_contest({PLAIN: 1.0, faster: 0.1, narrow: 0.5})).use.dtype


def test_a_model_that_is_of_bfloat16_itself_has_a_baseline() -> None:
    as_it_came = Setup(device="cpu", dtype="bfloat16", threads=8)
    compiled = runs.changed(as_it_came, engine="compile")
    found = answer_run(own_contest({as_it_came: 1.0, compiled: 0.5}, items="1"))
    assert [bar.model for bar in found.bars] == ["mine.net"]
    assert found.use.dtype == ""


def test_a_case_that_hung_is_named_with_what_to_do() -> None:
    reason = "did not end within 60 s, where it had 12 s: it hangs, or is too slow for the budget; give more --budget"
    hung = msgspec.structs.replace(runs.without("inference/x", "skipped", reason, PLAIN), facts={HUNG: True})
    found = answer_run(runs.make_run(hung))
    assert "inference/x: did not end within 60 s" in found.headline
    assert [(one.kind, one.what) for one in found.broken] == [("hang", "evaluation (x) on cpu")]
    assert "call it once by itself" in found.broken[0].to_do
    assert found.not_done == ()


@pytest.mark.parametrize(
    ("samples", "is_told"), [((1e-5, 1e-3), False), ((1e-3, 1.1e-3), True), ((1e-3,) * 9 + (1.0,), True)]
)
def test_a_few_samples_far_apart_tell_no_rate(samples: tuple[float, ...], is_told: bool) -> None:
    one = Measurement(name="inference/x/batch=8", setup=runs.PLAIN, unit="s", samples=samples, facts={"items": 8})
    assert (rate_of(one) is not None) == is_told


def test_what_was_not_done_is_counted_once_and_not_where_it_was_done_later() -> None:
    skipped = Measurement(name="a", setup=PLAIN, unit="s", status="skipped", reason="no time: give more --budget")
    done = Measurement(name="b", setup=PLAIN, unit="s", samples=(1.0,) * 8)
    run = runs.make_run(done, skipped, skipped, msgspec.structs.replace(skipped, name="b"))
    assert sum(one.count for one in answer_run(run).not_done) == 1


def test_a_setup_that_differs_by_its_threads_has_a_name() -> None:
    plain, one = Setup(device="cpu", threads=2), Setup(device="cpu", threads=1)
    slow, fast = (
        Measurement(
            name="inference/x/batch=1", setup=setup, unit="s", samples=(s,) * 20, contest="c", facts={"items": 1}
        )
        for setup, s in ((plain, 1.0), (one, 0.5))
    )
    assert "1 thread makes x 2 times as fast" in answer_run(runs.make_run(slow, fast)).headline
