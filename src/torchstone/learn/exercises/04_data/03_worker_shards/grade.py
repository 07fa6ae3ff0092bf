"""Grades worker_shards: workers imitated in this process for the properties, then two real ones in a fresh Python,
last of all: it imports torch, a hundred times the cost of the rest.
"""

import itertools
import math
import multiprocessing.context
import pickle
import sys
from types import SimpleNamespace
from typing import Any

import torch.utils.data
from torch.utils.data._utils import worker as workers

from torchstone.learn.grading import Answer, Draw, check, expect, fail, raw

PROMISES = {
    "A DataLoader with four workers gives each of them a *copy* of an iterable dataset.": None,
    "`NoisyStream(length, seed)` is an `IterableDataset`, with a": "far_indices_do_not_overlap",
    "If the dataset doesn't know about it, every sample comes": None,
    "(That two draws of few digits are equal by chance is no fault.)": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 1), (2, 2), (3, 2), (7, 3), (10, 4), (2, 3), (0, 2)]
"""Length and workers."""
SIGMAS = 6.0
STRIDES = (2**16, 10**5, 10**6, 2**20)
"""How far apart indices are that a number made of seed and index takes for one another, such as seed · 10⁶ + index."""
ALIKE = "No two indices share a noise: the generator of each must be made from the whole index, not from a part of it."
Samples = list[tuple[int, float]]


def run_worker(dataset: Any, number: int | None, count: int) -> Samples:
    """What worker `number` of `count` yields; without workers where it is None."""
    info = None if number is None else SimpleNamespace(id=number, num_workers=count, seed=number, dataset=dataset)
    workers._worker_info = info
    try:
        samples = list(dataset)
    finally:
        workers._worker_info = None
    for sample in samples:
        right = isinstance(sample, tuple) and tuple(
            isinstance(one, (int, float)[at]) for at, one in enumerate(sample)
        ) == (True, True)
        expect(right, f"iterating yields {sample!r}, and should yield (index, noise), an int and a float")
    return samples


def stream(answer: Answer, length: int, seed: int) -> Any:
    return raw(answer.NoisyStream)(length, seed)


def all_noise(answer: Answer, length: int, seed: int, count: int) -> dict[int, float]:
    """The noise by index, from `count` workers; 0 is none."""
    numbers = range(count) if count else [None]
    samples = [one for number in numbers for one in run_worker(stream(answer, length, seed), number, count)]
    return {int(index): noise for index, noise in samples}


@check("solved")
def each_index_once(answer: Answer, draw: Draw) -> None:
    for length, count in [(3, 0), *SIZES]:
        seed = draw.integer(0, 10**6)
        numbers = range(count) if count else [None]
        shares = [[index for index, _ in run_worker(stream(answer, length, seed), one, count)] for one in numbers]
        found = sorted(index for share in shares for index in share)
        words = f"{length} samples, {count} workers: they yield {shares}"
        doubled = (
            "Every worker has a copy of the dataset; where it doesn't ask who it is, every worker yields everything."
        )
        expect(len(set(found)) == len(found), f"{words}, some of them twice", teach=doubled)
        missing = "Some indices are missing: mind lengths that the number of workers does not divide."
        expect(found == list(range(length)), words, teach=missing)


@check("solved")
def shares_are_equal(answer: Answer, draw: Draw) -> None:
    for length, count in SIZES:
        sizes = [len(run_worker(stream(answer, length, 1), number, count)) for number in range(count)]
        message = f"{length} samples, {count} workers: they yield {sizes} of them"
        expect(max(sizes) - min(sizes) <= 1, message, teach="Equal shares: at most one more than any other worker has.")


@check("solved")
def noise_is_its_own(answer: Answer, draw: Draw) -> None:
    length, seed = 12, draw.integer(0, 10**6)
    alone = all_noise(answer, length, seed, 0)
    for count in (2, 5):
        noise = all_noise(answer, length, seed, count)
        twice = len(set(noise.values())) < length
        teach = "A generator with one seed in each copy gives the same in every worker: two indices share a noise."
        expect(not twice, f"{count} workers: of {length} indices only {len(set(noise.values()))} differ", teach=teach)
        other = next((index for index in range(length) if noise[index] != alone[index]), None)
        teach = "The noise of an index must not depend on the number of workers, or on what was drawn before it."
        expect(other is None, f"index {other} has another noise with {count} workers than with none", teach=teach)
    longer = all_noise(answer, length + 5, seed, 0)
    teach = "The noise of an index depends on the seed and on that index alone, not on how long the stream is."
    expect(all(longer[one] == alone[one] for one in alone), "a longer stream has another noise", teach=teach)
    dataset = stream(answer, length, seed)
    passes = [run_worker(dataset, None, 0) for _ in range(2)]
    expect(passes[0] == passes[1], "a second pass gives another noise", teach="Every pass gives the same.")


@check("solved")
def seeds_do_not_overlap(answer: Answer, draw: Draw) -> None:
    teach = "No two seeds may share a noise: seed + index does, a tuple of both does not."
    seed = draw.integer(0, 10**6)
    # Neighbours over a long stretch, where seed · 1000 + index meets itself; small ones, where seed · index does.
    for seeds, length in (((seed, seed + 1, seed + 7), 2_500), (range(8), 20)):
        known: dict[float, int] = {}
        for one in seeds:
            noise = all_noise(answer, length, one, 0).values()
            few = len(set(noise))
            expect(few == length, f"seed {one}: of {length} indices only {few} differ", teach=ALIKE)
            shared = [known[value] for value in noise if value in known]
            words = f"the seeds {shared and shared[0]} and {one} have {len(shared)} of {length} numbers in common"
            expect(not shared, words, teach=teach)
            known |= dict.fromkeys(noise, one)


@check("solved")
def noise_is_normal(answer: Answer, draw: Draw) -> None:
    n = 1_500
    values = list(all_noise(answer, n, draw.integer(0, 10**6), 0).values())
    mean = sum(values) / n
    variance = sum((value - mean) ** 2 for value in values) / n
    right = abs(mean) < SIGMAS / math.sqrt(n) and abs(variance - 1) < SIGMAS * math.sqrt(2 / n)
    message = f"{n} numbers have the mean {mean:.3f} and the variance {variance:.3f}"
    expect(right, message, teach="The standard normal distribution has the mean 0 and the variance 1.")
    # 3 for a normal distribution, 1.8 for a uniform one, with a standard error of 0.13; far out, 1 in 16,000 beyond 4.
    fourth = sum((value - mean) ** 4 for value in values) / n / variance**2
    shape = f"{n} numbers have the fourth moment {fourth:.2f}, and a normal distribution has 3"
    expect(2.3 < fourth < 4.5, shape, teach="Mean 0 and variance 1 are not enough: a normal distribution has tails.")


def skips_the_rest(answer: Answer) -> bool:
    """Whether a worker of many does nothing for the indices of the others, so that a long stream costs nothing."""
    calls = 0

    def count(*_: Any) -> None:
        nonlocal calls
        calls += 1

    before, dataset = sys.getprofile(), stream(answer, 2_001, 1)
    sys.setprofile(count)
    try:
        run_worker(dataset, 0, 2_000)
    finally:
        sys.setprofile(before)
    return calls < 1_000


@check("solved")
def far_indices_do_not_overlap(answer: Answer, draw: Draw) -> None:
    teach = "A number made of seed and index meets itself somewhere: give the generator both, as a tuple."
    seed = draw.integer(2, 10**6)
    for stride in STRIDES if skips_the_rest(answer) else ():
        known: dict[float, tuple[int, int]] = {}
        # With so many workers the first and the last of them have 0 and `stride`, however the indices are shared.
        for one, number in itertools.product((0, 1, seed, seed + 1), (0, stride - 1)):
            for index, value in run_worker(stream(answer, stride + 1, one), number, stride):
                words = f"(seed, index) {known.get(value)} and {(one, index)} share a noise"
                expect(value not in known, words, teach=teach)
                known[value] = one, index


def single_noises(answer: Answer, seed: int, step: int, count: int) -> dict[float, tuple[int, int]]:
    """The noises of 0, `step`, 2 · `step` … of one seed, each the whole share of one of many workers."""
    found, length = {}, step * (count - 1) + 1
    for number in range(count):
        for index, value in run_worker(stream(answer, length, seed), number * step, length):
            found[value] = seed, index
    return found


@check("solved")
def no_multiple_is_a_way_out(answer: Answer, draw: Draw) -> None:
    """seed · k + index and index · k + seed for every k up to a million, where a worker skips the rest, as it should.

    Why: 0, 1, 2 … and 0, m, 2m … differ by every number up to m²."""
    teach = "Whatever seed is multiplied by, index gets there: give the generator both, as a tuple."
    if not skips_the_rest(answer):
        return
    seed, fine = draw.integer(0, 10**6), 120
    length = 1_100_000
    first = run_worker(stream(answer, length, seed), 0, 1_000)
    strided = [index for index, _ in first] == list(range(0, length, 1_000))
    coarse = {value: (seed, index) for index, value in first} if strided else single_noises(answer, seed, fine, fine)
    for after in (1, 2):
        dense = run_worker(stream(answer, 1_000 if strided else fine, seed + after), None, 0)
        for index, value in dense:
            words = f"(seed, index) {coarse.get(value)} and {(seed + after, index)} share a noise"
            expect(value not in coarse, words, teach=teach)
    known = {}
    for one in range(0, length, 1_000):
        for index, value in run_worker(stream(answer, 1, seed + one), None, 0):
            known[value] = seed + one, index
    for one in range(1_000):
        value = dict(run_worker(stream(answer, 2, seed + one), None, 0))[1]
        words = f"(seed, index) {known.get(value)} and {(seed + one, 1)} share a noise"
        expect(value not in known, words, teach=teach)


@check("solved")
def all_seeds_count(answer: Answer, draw: Draw) -> None:
    """Every bit of a seed: from 0 to 2³² − 1."""
    teach = "A seed counts whole, from 0 to 2³² − 1: no part of it is cut off, and seeds of 0 or of 2³² − 1 work too."
    base = draw.integer(0, 2**32 - 1)
    known: dict[float, int] = {}
    for one in {base, 0, 2**32 - 1, *(base ^ (1 << bit) for bit in range(32))}:
        for index, value in run_worker(stream(answer, 3, one), None, 0):
            words = f"the seeds {known.get(value)} and {one} share a noise, at index {index} of the latter"
            expect(value not in known, words, teach=teach)
            known[value] = one


def fresh_python() -> multiprocessing.context.BaseContext:
    """Workers that know nothing of this process, as spawned ones; where it can be, torch is imported once for both."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch.utils.data"])
    return context


@check("solved")
def works_with_spawned_workers(answer: Answer, draw: Draw) -> None:
    length, seed = 7, draw.integer(0, 10**6)
    dataset = stream(answer, length, seed)
    try:
        pickle.dumps(dataset)
    except Exception as error:  # pickle raises whatever it likes; that it does is the finding
        teach = "A spawned worker gets the dataset pickled: keep numbers in it, and make generators in __iter__."
        fail(f"the dataset can't be sent to a spawned worker: {error}", teach=teach)
    loader = torch.utils.data.DataLoader(
        dataset, batch_size=None, num_workers=2, multiprocessing_context=fresh_python()
    )
    samples = {int(index): float(noise) for index, noise in loader}
    teach = "Two spawned workers must give what one process gives: everything that counts has to travel in the object."
    expect(samples == all_noise(answer, length, seed, 0), f"two spawned workers gave {samples}", teach=teach)
