"""Grades decode: sets built one token at a time, a beam search over lists, and frequencies over many calls."""

import itertools
import math

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, expect_same, looks_like, note, raw, when

PROMISES = {
    "Ties do not occur.": None,
    "`step(tokens)` takes `(beams, n)` tokens and returns the log-probabilities `(beams,": None,
    "`speculate(target, draft, tokens)` decides which of k guessed tokens to keep.": None,
    "A cheap model has drawn `tokens` `(k,)` from its own": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(2,), (3,), (2, 5), (2, 3, 8)]
CALLS = 800
INDEPENDENT = 400
SIGMAS = 5.5
"""A right answer strays this far once in some ten million gradings; the wrong ones known here stray by 15 and more."""
DTYPES = (torch.float32, torch.float64)
PLACES = 10
NEAR = 1e-4
"""Cases that rounding could decide are drawn again."""


def nucleus(logits: Tensor, p: float, crossing: bool = True, renormalize: bool = True) -> Tensor:
    rows = logits.double().softmax(-1).reshape(-1, logits.shape[-1])
    result = torch.zeros_like(rows)
    for row, kept in zip(rows, result, strict=True):
        total = 0.0
        for rank, token in enumerate(row.argsort(descending=True).tolist()):
            reached = total + (0 if crossing else float(row[token]))
            if (reached >= p if crossing else reached > p) and rank > 0:
                break
            kept[token] = row[token]
            total += float(row[token])
        if renormalize:
            kept /= kept.sum()
    return result.reshape(logits.shape).to(logits.dtype)


def logits_case(draw: Draw, *shape: int) -> tuple[Tensor, float]:
    p = draw.choice([0.0, 0.05, 0.3, 0.6, 0.9, 0.99, 1.0])
    while True:
        logits = draw.normal(*shape, scale=2.0)
        sums = logits.cpu().double().softmax(-1).sort(descending=True).values.cumsum(-1)
        if p == 1 or bool(((sums - p).abs() > NEAR).all()):
            return logits, p


@check("solved")
def top_p_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        when(
            lambda got, expected: bool((got.isnan() | (got.sum(-1, keepdim=True) == 0)).any()),
            "The most likely token is gone when it alone is beyond p: the first one always stays.",
        ),
        looks_like(
            lambda logits, p: nucleus(logits, p, crossing=False),
            "The token that crosses p is missing: what stays has to add up to at least p.",
        ),
        looks_like(
            lambda logits, p: nucleus(logits, p, renormalize=False),
            "What stays no longer adds up to 1: divide by its sum.",
        ),
        looks_like(lambda logits, p: logits.softmax(-1), "Nothing is left out here."),
        looks_like(
            lambda logits, p: nucleus(logits, p).sort(descending=True).values,
            "Sorted by probability: each value has to go back to its own token (scatter with the order).",
        ),
    ]
    teach = "A token stays if what is more likely than it adds up to less than p."
    # First, because a mistake is recognised here for sure: where p is 1, rounding decides what a wrong answer does.
    exact = draw.place(torch.tensor([[0.5, 0.125, 0.25, 0.125 - 1e-4, 1e-4]]).log())
    for p in (0.49, 0.51, 0.74, 0.76, 0.0, 1.0):
        expect_same(answer.top_p, nucleus, exact, p, diagnose=known, teach=teach, atol=1e-5)
    layouts = ("contiguous", "strided")
    for logits, p in draw.cases(logits_case, SIZES, dtypes=DTYPES, layouts=layouts, repeats=5):
        near = 1e-5 if logits.dtype == torch.float32 else None
        expect_same(answer.top_p, nucleus, logits, p, diagnose=known, teach=teach, atol=near)


class Chain:
    """A language in which the next token depends on the place and on the last two tokens; counts its calls."""

    def __init__(self, draw: Draw, vocabulary: int) -> None:
        self.table = draw.normal(PLACES, vocabulary, vocabulary, vocabulary, scale=2.0).log_softmax(-1)
        self.calls = 0

    def step(self, tokens: Tensor) -> Tensor:
        self.calls += 1
        return self.table[tokens.shape[1], tokens[:, -2], tokens[:, -1]]


def search(table: Tensor, start: list[int], width: int, length: int) -> tuple[Tensor, Tensor, float]:
    """Beam search over Python lists, and how near it came to deciding otherwise."""
    beams, gap = [(0.0, start)], math.inf
    for _ in range(length):
        grown = [
            (total + float(table[len(tokens), tokens[-2], tokens[-1], token]), [*tokens, token])
            for total, tokens in beams
            for token in range(table.shape[-1])
        ]
        ranked = sorted(grown, key=lambda beam: -beam[0])
        gap = min([gap, ranked[0][0] - ranked[1][0]] + [ranked[width - 1][0] - beam[0] for beam in ranked[width:]])
        beams = ranked[:width]
    return torch.tensor(beams[0][1]), torch.tensor(beams[0][0], dtype=table.dtype), gap


def clear_chain(draw: Draw, vocabulary: int, start: Tensor, width: int, length: int) -> Chain:
    """A language in which no decision of the search is so near that rounding could turn it."""
    while True:
        chain = Chain(draw, vocabulary)
        if search(chain.table.cpu(), start.tolist(), width, length)[2] > NEAR:
            return chain


@check("solved")
def beams_are_right(answer: Answer, draw: Draw) -> None:
    for vocabulary, width, length in [
        (2, 1, 1),
        (3, 1, 3),
        (2, 2, 2),
        (3, 2, 4),
        (4, 3, 5),
        (5, 4, 4),
        (3, 100, 4),
        *[(4, 3, 6), (6, 2, 5)] * 6,
    ] * 3:
        start = draw.integers(draw.integer(2, 4), high=vocabulary)
        chain = clear_chain(draw, vocabulary, start, width, length)
        expected = search(chain.table.cpu(), start.tolist(), width, length)
        greedy = search(chain.table.cpu(), start.tolist(), 1, length)
        got = answer.beam_search(chain.step, start, width, length)
        expect(isinstance(got, tuple) and len(got) == 2, "beam_search should return the tokens and their sum")
        hint = (
            "That is the greedy way, one best token after the other: all continuations of all beams compete."
            if width > 1 and torch.equal(torch.as_tensor(got[0]).cpu(), greedy[0])
            else "All continuations of all beams compete: add each beam's sum, flatten, take the best `width`."
        )
        expect_close(got[0], expected[0], what="the best sequence", teach=hint, device=draw.device)
        expect_close(got[1], expected[1], what="the sum of its log-probabilities", teach=hint, device=draw.device)
        expect(
            chain.calls == length,
            f"step was called {chain.calls} times for {length} tokens",
            teach="The model takes all beams at once: one call a round, whatever the width.",
        )


def frequencies(draws: list[int], vocabulary: int) -> Tensor:
    return torch.bincount(torch.tensor(draws), minlength=vocabulary) / len(draws)


def expect_frequencies(draws: list[int], expected: Tensor, what: str, teach: str) -> None:
    """Each token as often as its probability says, but for chance."""
    found = frequencies(draws, len(expected))
    for token, (share, wanted) in enumerate(zip(found.tolist(), expected.tolist(), strict=True)):
        allowed = SIGMAS * math.sqrt(max(wanted * (1 - wanted), 1e-3) / len(draws)) + 2 / len(draws)
        expect(
            abs(share - wanted) <= allowed,
            f"{what} is token {token} in {share:.1%} of {len(draws):,} calls; it should be {wanted:.1%}",
            teach=teach,
        )


@check("solved")
def sure_cases_are_right(answer: Answer, draw: Draw) -> None:
    one = torch.eye(4)
    same = draw.place(one[[1, 2, 3]])
    for _ in range(5):
        kept = answer.speculate(same, same[:2], draw.place(torch.tensor([1, 2]), torch.int64))
        teach = "Where both models agree every guess is kept, and one more token is drawn from target[k]."
        expect_close(kept, torch.tensor([1, 2, 3]), what="what is kept of two sure guesses", teach=teach)
    for _ in range(5):
        other = draw.place(one[[1, 0, 3]])
        kept = answer.speculate(other, same[:2], draw.place(torch.tensor([1, 2]), torch.int64))
        teach = (
            "A token that the target never says is not kept: another is drawn in its place, and the rest is dropped."
        )
        expect_close(kept, torch.tensor([1, 0]), what="what is kept when the second guess is impossible", teach=teach)


@check("solved")
def places_are_decided_one_by_one(answer: Answer, draw: Draw) -> None:
    sure, even = torch.tensor([1.0, 0.0]), torch.tensor([0.5, 0.5])
    draft, target = draw.place(torch.stack([sure] * 2)), draw.place(torch.stack([even] * 3))
    guess = draw.place(torch.zeros(2), torch.int64)
    kept = sum(len(answer.speculate(target, draft, guess)) == 3 for _ in range(INDEPENDENT)) / INDEPENDENT
    allowed = SIGMAS * math.sqrt(0.25 * 0.75 / INDEPENDENT)
    message = f"two guesses, each kept with the probability 1/2, are both kept in {kept:.0%} of the calls, not in 25 %"
    expect(abs(kept - 0.25) <= allowed, message, teach="Draw a new random number for each place.")


@check("solved")
def speculation_is_the_target(answer: Answer, draw: Draw) -> None:
    order = torch.randperm(3, generator=draw.generator)
    target = draw.place(torch.tensor([[0.1, 0.3, 0.6], [0.7, 0.1, 0.2], [0.2, 0.5, 0.3]])[:, order])
    draft = draw.place(torch.tensor([[0.6, 0.3, 0.1], [0.3, 0.4, 0.3]])[:, order])
    guesses = torch.multinomial(draft.cpu(), CALLS, replacement=True, generator=draw.generator).mT
    results = [answer.speculate(target, draft, guess).tolist() for guess in guesses.to(draw.device).contiguous()]
    lengths = {len(result) for result in results}
    expect(
        lengths <= {1, 2, 3} and lengths != {1},
        f"of two guesses {sorted(lengths)} tokens came back; it should be 1 to 3",
        teach="Between none and all of the guesses are kept, and one more token always follows.",
    )
    for place, name in enumerate(("the first token", "the second token, where there is one,", "the third token")):
        there = [result[place] for result in results if len(result) > place]
        teach = (
            "Kept tokens and newly drawn ones together must be distributed as the target: keep with min(1, p/q), and "
            "draw what is missing from max(p − q, 0), not from p."
        )
        expect_frequencies(there, target[place].cpu(), name, teach)
    expect_kept_shares(results, target.cpu(), draft.cpu())


def expect_kept_shares(results: list[list[int]], target: Tensor, draft: Tensor) -> None:
    """Σ min(p, q) of the guesses at each place are kept: fewer would be right, too, and slow."""
    teach = "Keep as many guesses as can be kept: each with the probability min(1, p/q)."
    going_on = len(results)
    for place in range(2):
        longer = sum(len(result) > place + 1 for result in results)
        wanted = torch.minimum(target[place], draft[place]).sum().item()
        allowed = SIGMAS * math.sqrt(wanted * (1 - wanted) / going_on)
        expect(
            abs(longer / going_on - wanted) <= allowed,
            f"{longer / going_on:.1%} of the guesses at place {place} are kept; it should be {wanted:.1%}",
            teach=teach,
        )
        going_on = longer
    note(f"distributed as the target over {len(results):,} calls")


def late_bloomer(draw: Draw, start: list[int]) -> Chain:
    """The best sequence is the least likely one of all until its last token: whoever keeps fewer beams has lost it."""
    chain = Chain(draw, 2)
    table = torch.full((PLACES, 2, 2, 2), 0.5) + torch.tensor([0.001, -0.001])
    first = len(start)
    table[first, start[-2], start[-1]] = torch.tensor([0.55, 0.45])
    table[first + 1, start[-1]] = torch.tensor([[0.55, 0.45], [0.54, 0.46]])
    table[first + 2, 1, 1] = torch.tensor([1e-3, 1 - 1e-3])
    chain.table = draw.place(table.log())
    return chain


@check("solved")
def width_may_be_beyond_the_vocabulary(answer: Answer, draw: Draw) -> None:
    start = draw.integers(2, high=2)
    chain = late_bloomer(draw, start.tolist())
    for width in (1, 2, 4, 8):
        expected = search(chain.table.cpu(), start.tolist(), width, 3)
        tokens, total = answer.beam_search(chain.step, start, width, 3)
        teach = "There may be more beams than tokens in the vocabulary: beams times tokens continuations compete."
        expect_close(tokens, expected[0], what=f"the best sequence with {width} beams of 2 tokens", teach=teach)
        expect_close(total, expected[1], what="the sum of its log-probabilities", teach=teach)


@check("solved")
def vocabularies_may_be_large(answer: Answer, draw: Draw) -> None:
    """The likeliest tokens are the last of many; log-probabilities in float64 have a float64 sum."""
    logits = torch.zeros(1_500, dtype=torch.float64)
    logits[-3:] = torch.tensor([4.0, 6.0, 5.0])
    scores = draw.place(logits.log_softmax(-1), torch.float64)
    start = draw.integers(2, high=1_500)
    tokens, total = answer.beam_search(lambda tokens: scores.expand(len(tokens), -1), start, 3, 2)
    expected = torch.cat([start.cpu(), torch.tensor([1_498, 1_498])])
    teach = "Every token of the vocabulary continues every beam; sums have the dtype of the log-probabilities."
    expect_close(tokens, expected, what="the best sequence of 1,500 tokens", teach=teach)
    expect_close(total, 2 * scores[1_498].cpu(), what="the sum of its log-probabilities", teach=teach)


@check("solved")
def seeds_repeat_a_call(answer: Answer, draw: Draw) -> None:
    speculate = raw(answer.speculate)
    draft = draw.place(torch.full((3, 4), 0.25))
    target = draw.place(torch.tensor([0.1, 0.1, 0.4, 0.4]).expand(4, 4))
    guess = draw.place(torch.tensor([0, 1, 0]), torch.int64)
    for seed in range(30):
        results = []
        for _ in range(2):
            torch.manual_seed(seed)
            results.append(speculate(target, draft, guess).tolist())
        teach = (
            "All dice are torch's: torch.rand and torch.multinomial repeat after torch.manual_seed, random.random not."
        )
        expect(results[0] == results[1], f"with one seed speculate gave {results[0]} and {results[1]}", teach=teach)


@check("solved")
def best_of_all_is_found(answer: Answer, draw: Draw) -> None:
    start = draw.integers(2, high=3)
    chain = clear_chain(draw, 3, start, 27, 3)
    tokens, total = answer.beam_search(chain.step, start, 27, 3)
    table = chain.table.cpu()
    sums = {}
    for tail in itertools.product(range(3), repeat=3):
        whole = [*start.tolist(), *tail]
        sums[tuple(whole)] = sum(float(table[n, whole[n - 2], whole[n - 1], whole[n]]) for n in range(2, 5))
    best = max(sums, key=sums.get)
    teach = "A beam as wide as the number of sequences misses nothing."
    expect_close(tokens, torch.tensor(best), what="the best of all sequences", teach=teach)
    expect_close(total, torch.tensor(sums[best], dtype=table.dtype), what="its sum", teach=teach)


@check("solved")
def rare_tokens_are_right(answer: Answer, draw: Draw) -> None:
    """A guess that the draft hardly ever makes, and a remainder that is nearly nothing: no bound may move them."""
    draft = draw.place(torch.tensor([[0.004, 0.996, 0.0, 0.0]]))
    target = draw.place(torch.tensor([[0.002, 0.998, 0.0, 0.0]] * 2))
    guess = draw.place(torch.zeros(1), torch.int64)
    results = [answer.speculate(target, draft, guess).tolist() for _ in range(INDEPENDENT)]
    kept = sum(len(result) == 2 for result in results) / INDEPENDENT
    allowed = SIGMAS * math.sqrt(0.25 / INDEPENDENT)
    message = f"a guess with the probabilities 0.004 and 0.002 is kept in {kept:.0%} of the calls, not in 50 %"
    expect(abs(kept - 0.5) <= allowed, message, teach="Kept with target / draft, however small both are.")
    others = {result[0] for result in results if len(result) == 1}
    teach = "max(target − draft, 0) is 0 for these tokens: nothing may be added to it."
    expect(others <= {1}, f"in place of a guess came {sorted(others)}, and only 1 is left to draw", teach=teach)
