"""The way to prepare images that `bench images` recommends on the CPU, beside Pillow, OpenCV, kornia and scikit-image.

Why: a recommendation that is slower than what everybody has is worth nothing, and neither is one that is faster because
it does less. So all do the same to the same photographs: decode the JPEG (or start from its pixels), shrink to 256²
with antialiasing, cut out the middle 224², mirror, normalize, and give one float32 tensor. Every result is compared
with an antialiased resize in float64, and whoever stays below 40 dB (PSNR) is shown but does not count: a plain
bilinear resize to an eighth of the size is quick because it looks at one pixel in sixteen.

Every peer is written as its documentation shows it, and where the library has a way to decode at a fraction of the size
(Pillow's `thumbnail`, OpenCV's `IMREAD_REDUCED_COLOR`), that stands beside it as a peer too. A batch is spread over the
same threads for all. For each size, batch and number of threads the experiment is run and asked what it recommends;
then it and the peers take turns in one process, in a new random order each round, and each peer's time over ours is
taken round by round. Who takes ten times as long is not timed again. `within` says that no peer of that quality was
found faster; `proven` that for each of them the whole interval lies above "as fast", less the margin. Both are said of
the clock and of the processor's seconds, which tell on a busy machine too. The last line is one JSON document.

    python benchmarks/images_vs_peers.py --budget 3 --sides 512 --threads 1    a short run
    python benchmarks/images_vs_peers.py    in full: about twenty minutes on two cores that do nothing else
"""

import argparse
import importlib
import io
import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import torch
from PIL import Image
from torch import Tensor

from peers import install_peers
from torchstone import stats
from torchstone.backends import find_device
from torchstone.data import imaging, preparing
from torchstone.data.imaging import MEAN, STD, Photographs
from torchstone.data.photographs import encode_jpeg, make_photographs
from torchstone.data.preparing import CROP, MIDDLE, SIDE, START
from torchstone.experiments import Plan, images
from torchstone.measuring.timing import without_garbage_collection
from torchstone.records import Finding
from torchstone.scheduling.case import Turn

PACKAGES = ("scikit-image",)
"""Pillow, OpenCV and kornia are installed with ours."""
HOPELESS = 10.0
RECOMMEND_S, RECOMMEND_S_PER_PIXEL = 6.0, 1e-6
"""For the experiment's own case, which measures six ways and compares the best of them."""
OURS = "recommended"
CLOCKS: dict[str, Callable[[], float]] = {"clock": time.perf_counter, "processor": time.process_time}
SAMPLE_S = 0.002
"""A short call is repeated to this much, beside which reading the clocks is nothing."""
LONG_S = 1.0
"""A first call that takes so long hides no warm-up that matters."""
FEWEST_ROUNDS, MOST_ROUNDS = 12, 400
"""Twelve give an interval even at the confidence that eight comparisons ask for."""
Call = Callable[[], Tensor]
Loader = Callable[[Sequence[bytes]], Tensor]
FromPixels = Callable[[Sequence[Photographs]], Tensor]


@dataclass(frozen=True)
class Scenario:
    what: str
    side: int
    batch: int

    @property
    def name(self) -> str:
        return f"images/{self.what}/{self.side}/batch={self.batch}"


@dataclass(frozen=True)
class Peer:
    """From files and from pixels; None where that makes no difference to another peer."""

    from_files: Loader
    from_pixels: FromPixels | None


def normalize(small: Any, out: Tensor) -> None:
    """Mirrored pixels from 0 to 255 to what a model gets."""
    mean, std = numpy.array(MEAN, dtype=numpy.float32), numpy.array(STD, dtype=numpy.float32)
    values = (numpy.asarray(small, dtype=numpy.float32) / 255 - mean) / std
    out.copy_(torch.from_numpy(values.transpose(2, 0, 1)))


def by_thumbnail(file: bytes, out: Tensor) -> None:
    """Pillow's own way to shrink a JPEG while it is decoded, to not less than twice the size wanted."""
    image = Image.open(io.BytesIO(file))
    image.thumbnail((SIDE, SIDE), Image.Resampling.BILINEAR, reducing_gap=2.0)
    finish_pillow(image, out)


def by_reducing_gap(photograph: Photographs, out: Tensor) -> None:
    image = Image.fromarray(photograph).resize((SIDE, SIDE), Image.Resampling.BILINEAR, reducing_gap=2.0)
    finish_pillow(image, out)


def finish_pillow(image: Image.Image, out: Tensor) -> None:
    middle = image.crop((START, START, START + CROP, START + CROP))
    normalize(middle.transpose(Image.Transpose.FLIP_LEFT_RIGHT), out)


def by_opencv_reduced(file: bytes, out: Tensor) -> None:
    cv2 = imaging.import_opencv()
    side = Image.open(io.BytesIO(file)).width
    flags = {2048: cv2.IMREAD_REDUCED_COLOR_4, 1024: cv2.IMREAD_REDUCED_COLOR_2}
    decoded = cv2.imdecode(numpy.frombuffer(file, numpy.uint8), flags.get(side, cv2.IMREAD_COLOR))
    shrink_by_opencv(cv2.INTER_AREA, cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB), out)


def by_opencv_linear(file: bytes, out: Tensor) -> None:
    cv2 = imaging.import_opencv()
    decoded = cv2.imdecode(numpy.frombuffer(file, numpy.uint8), cv2.IMREAD_COLOR)
    shrink_by_opencv(cv2.INTER_LINEAR, cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB), out)


def shrink_by_opencv(interpolation: int, photograph: Photographs, out: Tensor) -> None:
    cv2 = imaging.import_opencv()
    small = cv2.resize(photograph, (SIDE, SIDE), interpolation=interpolation)
    normalize(cv2.flip(small[MIDDLE, MIDDLE], 1), out)


def decode_by_kornia(file: bytes) -> Photographs:
    """kornia's own decoder, which its `load_image` uses."""
    kornia_rs: Any = importlib.import_module("kornia_rs")
    decoded: Photographs = kornia_rs.io.decode_image_jpegturbo(file, "rgb")
    return decoded


def files_by_kornia(files: Sequence[bytes]) -> Tensor:
    return pixels_by_kornia([decode_by_kornia(file) for file in files])


def pixels_by_kornia(photographs: Sequence[Photographs]) -> Tensor:
    return preparing.prepare_by_kornia(numpy.stack(photographs), "cpu")


def pixels_by_kornia_rs(photograph: Photographs, out: Tensor) -> None:
    """kornia's Rust library resizes and normalizes in one pass, not antialiased; cropped before, mirrored after."""
    kornia_rs: Any = importlib.import_module("kornia_rs")
    start = photograph.shape[0] * START // SIDE
    middle = numpy.ascontiguousarray(photograph[start:-start, start:-start])
    small = kornia_rs.pipeline.resize_normalize_to_tensor(middle, (CROP, CROP), MEAN, STD)
    out.copy_(torch.from_numpy(small).flip(-1))


def file_by_kornia_rs(file: bytes, out: Tensor) -> None:
    pixels_by_kornia_rs(decode_by_kornia(file), out)


def file_by_scikit_image(file: bytes, out: Tensor) -> None:
    skimage_io: Any = importlib.import_module("skimage.io")
    pixels_by_scikit_image(skimage_io.imread(io.BytesIO(file)), out)


def pixels_by_scikit_image(photograph: Photographs, out: Tensor) -> None:
    transform: Any = importlib.import_module("skimage.transform")
    small = transform.resize(photograph, (SIDE, SIDE), anti_aliasing=True, preserve_range=True)
    normalize(small[MIDDLE, MIDDLE][:, ::-1], out)


def peers() -> dict[str, Peer]:
    cv2, known = imaging.import_opencv(), preparing.ways()
    linear = partial(shrink_by_opencv, cv2.INTER_LINEAR)
    spread = preparing.prepare
    return {
        "Pillow": Peer(partial(spread, known["pillow"].from_file), partial(spread, known["pillow"].from_pixels)),
        "Pillow reducing": Peer(partial(spread, by_thumbnail), partial(spread, by_reducing_gap)),
        "OpenCV area": Peer(partial(spread, known["opencv"].from_file), partial(spread, known["opencv"].from_pixels)),
        "OpenCV reduced, area": Peer(partial(spread, by_opencv_reduced), None),
        "OpenCV linear": Peer(partial(spread, by_opencv_linear), partial(spread, linear)),
        "kornia": Peer(files_by_kornia, pixels_by_kornia),
        "kornia_rs": Peer(partial(spread, file_by_kornia_rs), partial(spread, pixels_by_kornia_rs)),
        "scikit-image": Peer(partial(spread, file_by_scikit_image), partial(spread, pixels_by_scikit_image)),
    }


def ask_experiment(scenario: Scenario) -> str:
    """Run the experiment's own case, as `bench images` would, and take what its finding names."""
    seconds = RECOMMEND_S + RECOMMEND_S_PER_PIXEL * scenario.batch * scenario.side**2
    plan = Plan(devices=(find_device("cpu")[1],), is_deep=True)
    case = next(case for case in images.cases(plan) if case.listing.name == scenario.name)
    names = [record.facts["fastest"] for record in case.run(Turn(seconds)) if isinstance(record, Finding)]
    if len(names) != 1:
        raise RuntimeError(f"nothing is recommended for {scenario.name}: this machine is too slow or too busy now")
    return str(names[0])


def compete(scenario: Scenario, budget_s: float) -> dict[str, Any]:
    """What is recommended, and every peer beside it."""
    files = [encode_jpeg(one) for one in make_photographs(scenario.batch, scenario.side, images.SEED)]
    pixels = imaging.decode_pillow(files)
    writable = [numpy.array(one) for one in pixels]
    exact = preparing.prepare_exactly(numpy.stack(pixels))
    engine = ask_experiment(scenario)
    way = preparing.ways()[engine]
    from_file = scenario.what == images.FROM_FILE
    ours: Call = (
        partial(preparing.prepare, way.from_file, files)
        if from_file
        else partial(preparing.prepare, way.from_pixels, writable)
    )
    calls: dict[str, Call] = {}
    for name, peer in peers().items():
        if from_file:
            calls[name] = partial(peer.from_files, files)
        elif peer.from_pixels is not None:
            calls[name] = partial(peer.from_pixels, writable)
    looks = {name: look(call, exact) for name, call in {OURS: ours, **calls}.items()}
    hopeless_s = HOPELESS * looks[OURS]["processor_s"]
    chosen = {name: call for name, call in calls.items() if looks[name]["processor_s"] <= hopeless_s}
    times = take_turns({OURS: ours, **chosen}, budget_s, sum(looks[name]["processor_s"] for name in (OURS, *chosen)))
    comparisons = sum(looks[name]["right"] for name in chosen)
    for name in chosen:
        looks[name] |= {way: compare(times[way][OURS], times[way][name], comparisons) for way in CLOCKS}
    return {
        **asdict(scenario),
        "recommended": engine,
        "contenders": looks,
        **{way: judge(looks, way) for way in CLOCKS},
    }


def look(call: Call, exact: Tensor) -> dict[str, Any]:
    """Quality, and the processor's seconds of the better of two calls, or of one that takes long."""
    outputs: list[Tensor] = []
    seconds: list[float] = []
    while len(outputs) < 2 and sum(seconds) < LONG_S:
        started = time.process_time()
        outputs.append(call())
        seconds.append(time.process_time() - started)
    right = preparing.explain_poor(outputs[-1], exact) is None
    return {"psnr_db": preparing.quality_db(outputs[-1], exact), "right": right, "processor_s": min(seconds)}


def take_turns(calls: dict[str, Call], budget_s: float, round_s: float) -> dict[str, dict[str, list[float]]]:
    """Seconds of every call by each clock, round by round; how many rounds is decided before the first."""
    times: dict[str, dict[str, list[float]]] = {way: {name: [] for name in calls} for way in CLOCKS}
    repeats = math.ceil(SAMPLE_S * len(calls) / round_s)
    rounds = min(MOST_ROUNDS, max(FEWEST_ROUNDS, int(budget_s / (round_s * repeats))))
    with without_garbage_collection():
        for _ in range(rounds):
            for name in random.sample(list(calls), len(calls)):
                started = {way: read() for way, read in CLOCKS.items()}
                for _ in range(repeats):
                    calls[name]()
                for way, read in CLOCKS.items():
                    times[way][name].append((read() - started[way]) / repeats)
    return times


def compare(ours: Sequence[float], theirs: Sequence[float], comparisons: int) -> dict[str, Any]:
    """Their time over ours, with an interval widened for the number of peers that count."""
    confidence = 1 - (1 - stats.CONFIDENCE) / max(1, comparisons)
    ratio = stats.paired_ratio(ours, theirs, confidence)
    interval = ratio.interval
    span = {"low": interval.low, "high": interval.high} if interval is not None else {"low": None, "high": None}
    return {"ratio": ratio.ratio, **span, "verdict": ratio.verdict, "rounds": ratio.rounds}


def judge(looks: dict[str, dict[str, Any]], way: str) -> dict[str, Any]:
    """By one clock; only who is as good counts."""
    counted = {name: one[way] for name, one in looks.items() if one["right"] and way in one}
    best = min(counted, key=lambda name: float(counted[name]["ratio"]), default=None)
    least = 1 / (1 + stats.MARGIN)
    return {
        "best_peer": best,
        "ratio": counted[best]["ratio"] if best else None,
        "within": all(one["verdict"] != "faster" for one in counted.values()),
        "proven": all(one["low"] is not None and one["low"] >= least for one in counted.values()),
    }


def show(threads: int, row: dict[str, Any]) -> None:
    print(f"{threads} threads, {row['what']}, {row['side']}², batch {row['batch']}:", file=sys.stderr)
    ours_s = row["contenders"][OURS]["processor_s"]
    for name, one in row["contenders"].items():
        quality = "exact" if one["psnr_db"] is None else f"{one['psnr_db']:.1f} dB"
        if name == OURS:
            words = f"{row['recommended']}, about {ours_s:.3g} s"
        elif "clock" in one:
            words = ", ".join(f"{way} {ratio_words(one[way])}" for way in CLOCKS) + f", {one['clock']['pairs']} rounds"
        else:
            words = f"about {one['processor_s'] / ours_s:.0f}×, not timed again"
        count = "" if one["right"] else "; does not count: too far from an antialiased resize"
        print(f"    {name}: {words}, {quality}{count}", file=sys.stderr, flush=True)


def ratio_words(found: dict[str, Any]) -> str:
    span = f" ({found['low']:.3f}–{found['high']:.3f})" if found["low"] is not None else ""
    return f"{found['ratio']:.3f}×{span}"


def run_here(options: argparse.Namespace) -> list[dict[str, Any]]:
    """All scenarios with one number of threads, in this process."""
    torch.set_num_threads(options.here)
    imaging.import_opencv().setNumThreads(options.here)
    rows = []
    for what in (images.FROM_FILE, images.FROM_PIXELS):
        for side in options.sides:
            for batch in (1, 8):
                rows.append({"threads": options.here, **compete(Scenario(what, side, batch), options.budget)})
                show(options.here, rows[-1])
    return rows


def run_afresh(python: Path, threads: int) -> list[dict[str, Any]]:
    """In a process of its own, because kornia_rs reads its number of threads when it starts."""
    command = [str(python), __file__, "--here", str(threads), *sys.argv[1:]]
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    rows: list[dict[str, Any]] = json.loads(done.stdout.strip().splitlines()[-1])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sides", type=int, nargs="+", choices=(512, 1024, 2048), default=[512, 2048])
    parser.add_argument("--threads", type=int, nargs="+", default=sorted({1, torch.get_num_threads()}))
    parser.add_argument(
        "--budget", type=float, default=20.0, help="seconds of each size and batch, at least twelve rounds"
    )
    parser.add_argument("--here", type=int, default=None, help="with so many threads, in this process")
    options = parser.parse_args()
    if options.here is not None:
        print(json.dumps(run_here(options)))
        return
    python = install_peers("peers-images", PACKAGES)
    rows = [row for threads in options.threads for row in run_afresh(python, threads)]
    print(json.dumps({"benchmark": "images_vs_peers", "scenarios": rows, **{way: sum_up(rows, way) for way in CLOCKS}}))


def sum_up(rows: Sequence[dict[str, Any]], way: str) -> dict[str, Any]:
    """Over all scenarios, by one clock."""
    found: dict[str, Any] = {word: all(row[way][word] for row in rows) for word in ("within", "proven")}
    ratios = [row[way]["ratio"] for row in rows if row[way]["ratio"] is not None]
    return {**found, "worst_ratio": min(ratios, default=None)}


if __name__ == "__main__":
    main()
