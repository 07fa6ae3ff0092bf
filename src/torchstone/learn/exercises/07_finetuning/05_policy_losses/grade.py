"""Grades policy_losses: loops over tokens in float64 as references, for values and gradients; extremes on their own."""

import math

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_same, expect_same_gradients, looks_like

PROMISES = {
    "All are float32, or all are float64.": None,
    "Each takes log-probabilities and returns one number to minimise.": None,
    "`dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta)`": "dpo_is_right",
    "`ppo_loss(new, old, advantages, mask, clip)`: all `(sequences, tokens)`.": "ppo_is_right",
    "Each answer has at least one token.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

PAIRS = [(1, 0.5), (2, 0.1), (7, 2.0)]
SHEETS = [(1, 1, 0.2), (1, 3, 0.1), (3, 4, 0.2), (5, 6, 0.4)]
CLEAR = 0.01
"""How far the loss with known mistakes must be off for a case to show it: some ten tolerances."""
APART = 0.1
"""How far the rewards of a group differ at least: closer ones show where an eps stands, which is a check of its own."""
GROUPS = [(1, 2, 1, 0.2, 0.0), (1, 3, 2, 0.2, 0.5), (2, 2, 3, 0.1, 0.0), (3, 4, 5, 0.3, 0.1)]
DTYPES = (torch.float32, torch.float64)


def dpo(chosen: Tensor, rejected: Tensor, base_chosen: Tensor, base_rejected: Tensor, beta: float) -> Tensor:
    margin = chosen.double() - base_chosen.double() - rejected.double() + base_rejected.double()
    return torch.nn.functional.softplus(-beta * margin).mean().to(chosen.dtype)


def token_cost(new: Tensor, old: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """One token: which side counts is decided by cases, not by a minimum."""
    ratio = (new - old).exp()
    if advantage >= 0:
        return -advantage * (ratio if ratio < 1 + clip else (1 + clip))
    return -advantage * (ratio if ratio > 1 - clip else (1 - clip))


def ppo(new: Tensor, old: Tensor, advantages: Tensor, mask: Tensor, clip: float) -> Tensor:
    wide = new.double(), old.double(), advantages.double()
    costs = [token_cost(*(w[i, j] for w in wide), clip) for i, j in mask.nonzero().tolist()]
    return (sum(costs) / len(costs)).to(new.dtype) + 0 * new[mask].sum()


def grpo(
    new: Tensor,
    old: Tensor,
    base: Tensor,
    rewards: Tensor,
    mask: Tensor,
    clip: float,
    kl_weight: float,
    correction: int = 0,
) -> Tensor:
    answers = []
    for group, size in [(g, s) for g in range(rewards.shape[0]) for s in range(rewards.shape[1])]:
        own = rewards[group].double()
        deviation = math.sqrt(float((own - own.mean()).square().sum()) / (len(own) - correction))
        advantage = (own[size] - own.mean()) / (deviation + 1e-6)
        costs = []
        for token in mask[group, size].nonzero().flatten().tolist():
            place = group, size, token
            distance = base[place].double() - new[place].double()
            cost = token_cost(new[place].double(), old[place].double(), advantage, clip)
            costs.append(cost + kl_weight * (distance.exp() - distance - 1))
        answers.append(sum(costs) / len(costs))
    return (sum(answers) / len(answers)).to(new.dtype) + 0 * new[mask].sum()


def pairs(draw: Draw, count: int, beta: float, scale: float = 2.0) -> tuple[Tensor, ...]:
    return (*(draw.normal(count, scale=scale) - 5 for _ in range(4)), beta)


def tokens(draw: Draw, *shape: int) -> tuple[Tensor, Tensor]:
    """Old log-probabilities, and new ones that moved by up to a factor of three, but never near a clipping edge."""
    old = draw.normal(*shape) - 3
    moves = draw.place(torch.tensor([-1.0, -0.55, -0.04, 0.05, 0.5, 1.0]))[draw.integers(*shape, high=6)]
    return old + moves + draw.normal(*shape, scale=1e-3), old


def ragged(draw: Draw, *shape: int) -> Tensor:
    """Tokens at the front of each row, at least one."""
    lengths = draw.integers(*shape[:-1], low=1, high=shape[-1] + 1)
    return torch.arange(shape[-1], device=draw.device) < lengths[..., None]


def sheet(draw: Draw, rows: int, length: int, clip: float) -> tuple[Tensor, Tensor, Tensor, Tensor, float]:
    new, old = tokens(draw, rows, length)
    return new, old, draw.normal(rows, length) + 0.1, ragged(draw, rows, length), clip


def as_one_group(new: Tensor, old: Tensor, base: Tensor, rewards: Tensor, *rest: object) -> Tensor:
    one = (1, -1, new.shape[-1])
    mask, *numbers = rest
    return grpo(*(t.reshape(one) for t in (new, old, base)), rewards.reshape(1, -1), mask.reshape(one), *numbers)


def group_case(draw: Draw, groups: int, size: int, length: int, clip: float, kl_weight: float) -> tuple:
    while True:
        new, old = tokens(draw, groups, size, length)
        mask = ragged(draw, groups, size, length)
        base, rewards = new + draw.normal(groups, size, length), draw.normal(groups, size) * 3
        case = new, old, base, rewards, mask, clip, kl_weight
        on_host = [one.cpu() if isinstance(one, Tensor) else one for one in case]
        # Advantages add up to 0 in a group: where ratios are alike, the loss does not show how they were scaled.
        wrong = [grpo(*on_host, correction=1), *([as_one_group(*on_host)] if groups > 1 else [])]
        apart = float(rewards.std(1, correction=0).min()) > APART
        if apart and all(abs(float(grpo(*on_host) - one)) > CLEAR for one in wrong):
            return case


@check("solved")
def dpo_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda c, r, bc, br, beta: dpo(c, r, 0 * bc, 0 * br, beta),
            "The reference is missing: what counts is how much more the policy prefers the answer than the reference.",
        ),
        looks_like(
            lambda c, r, bc, br, beta: dpo(r, c, br, bc, beta),
            "The sign is turned round: this rewards the rejected answer.",
        ),
    ]
    for case in draw.cases(pairs, PAIRS, dtypes=DTYPES):
        expect_same(answer.dpo_loss, dpo, *case, diagnose=known)
        expect_same_gradients(answer.dpo_loss, dpo, *case, wrt=(0, 1))


@check("solved")
def dpo_bears_large_margins(answer: Answer, draw: Draw) -> None:
    teach = "sigmoid(−1,000) is 0, and its log −inf: logsigmoid (or softplus of the negative) knows the way round."
    for case in draw.cases(pairs, [(3, 0.5, 2000.0), (4, 1.0, 500.0), (4, 1.0, 1e6)]):
        expect_same(answer.dpo_loss, dpo, *case, teach=teach, rtol=1e-3)
        expect_same_gradients(answer.dpo_loss, dpo, *case, wrt=(0, 1), teach=teach, rtol=1e-3)


@check("solved")
def ppo_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda new, old, adv, mask, clip: -(((new - old).exp() * adv)[mask]).mean(),
            "Nothing is clipped here: beyond 1 ± clip a token earns no more.",
        ),
        looks_like(
            lambda new, old, adv, mask, clip: -((new - old).exp().clamp(1 - clip, 1 + clip) * adv)[mask].mean(),
            "Clipped on both sides: a token that went the wrong way must still pay in full, so take the minimum.",
        ),
        looks_like(
            lambda new, old, adv, mask, clip: ppo(new, old, adv, mask, clip) * mask.sum() / mask.numel(),
            "Padded tokens are counted: divide by the number of true places in the mask.",
        ),
        looks_like(
            lambda new, old, adv, mask, clip: torch.stack(
                [ppo(new[i : i + 1], old[i : i + 1], adv[i : i + 1], mask[i : i + 1], clip) for i in range(len(new))]
            ).mean(),
            "That is a mean over sequences of their means; here every token of the batch counts alike.",
        ),
    ]
    teach = "−min(r · A, clamp(r) · A), averaged over the true places of the mask."
    for case in draw.cases(sheet, SHEETS, dtypes=DTYPES, repeats=3):
        expect_same(answer.ppo_loss, ppo, *case, diagnose=known, teach=teach)
        expect_same_gradients(answer.ppo_loss, ppo, *case, wrt=(0,), teach=teach)


@check("solved")
def grpo_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda *args: grpo(*args, correction=1),
            "This divides by size − 1: the task asks for the deviation that divides by size (correction=0).",
        ),
        looks_like(
            as_one_group, "Mean and deviation are taken over all answers: each group is compared with itself only."
        ),
        looks_like(
            lambda *args: grpo(*args[:-1], 0.0),
            "The distance to the reference is missing: kl_weight · (exp(d) − d − 1).",
        ),
        looks_like(
            lambda new, old, base, *rest: grpo(new, old, 2 * new - base, *rest),
            "The distance has its sign turned round: d = reference − new.",
        ),
    ]
    teach = (
        "Mean over an answer's own tokens first, then over the answers: a long answer counts as much as a short one."
    )
    for case in draw.cases(group_case, GROUPS, dtypes=DTYPES, repeats=3):
        expect_same(answer.grpo_loss, grpo, *case, diagnose=known, teach=teach, rtol=1e-3, atol=1e-4)
        expect_same_gradients(answer.grpo_loss, grpo, *case, wrt=(0,), teach=teach, rtol=1e-3, atol=1e-4)


@check("solved")
def equal_rewards_teach_nothing(answer: Answer, draw: Draw) -> None:
    teach = "All rewards of a group are equal: its deviation is 0, and 0/0 is NaN. 1e-6 in the divisor is enough."
    for new, old, base, rewards, *rest in draw.cases(group_case, GROUPS):
        equal = rewards.clone()
        equal[0] = 2.0
        expect_same(answer.grpo_loss, grpo, new, old, base, equal, *rest, teach=teach, rtol=1e-3, atol=1e-4)
        expect_same_gradients(
            answer.grpo_loss, grpo, new, old, base, equal, *rest, wrt=(0,), teach=teach, rtol=1e-3, atol=1e-4
        )


@check("solved")
def padding_does_not_matter(answer: Answer, draw: Draw) -> None:
    teach = "inf · 0 is NaN, in the gradient too: fill the padded places with something harmless before exp."
    for poison in (300.0, -math.inf, math.inf):
        new, old, advantages, mask, clip = sheet(draw, 2, 4, 0.2)
        mask[0, 1:] = False
        bad = new.masked_fill(~mask, poison)
        expect_same(answer.ppo_loss, ppo, bad, old, advantages, mask, clip, teach=teach)
        expect_no_nan(answer.ppo_loss, bad, (old, advantages, mask, clip), mask, teach)
        new, old, base, rewards, mask, *rest = group_case(draw, 1, 2, 4, 0.2, 0.1)
        mask[0, 0, 1:] = False
        bad = new.masked_fill(~mask, poison)
        expect_same(answer.grpo_loss, grpo, bad, old, base, rewards, mask, *rest, teach=teach, rtol=1e-3)
        expect_no_nan(answer.grpo_loss, bad, (old, base, rewards, mask, *rest), mask, teach)
        # In the other arguments too, one at a time.
        for place in range(3):
            new, old, advantages, mask, clip = sheet(draw, 2, 4, 0.2)
            mask[0, 1:] = False
            args = [new, old, advantages]
            args[place] = args[place].masked_fill(~mask, poison)
            expect_same(answer.ppo_loss, ppo, *args, mask, clip, teach=teach)
            expect_no_nan(answer.ppo_loss, args[0], (*args[1:], mask, clip), mask, teach)
            new, old, base, rewards, mask, *rest = group_case(draw, 1, 2, 4, 0.2, 0.1)
            mask[0, 0, 1:] = False
            args = [new, old, base]
            args[place] = args[place].masked_fill(~mask, poison)
            expect_same(answer.grpo_loss, grpo, *args, rewards, mask, *rest, teach=teach, rtol=1e-3)
            expect_no_nan(answer.grpo_loss, args[0], (*args[1:], rewards, mask, *rest), mask, teach)


def expect_no_nan(function: object, new: Tensor, rest: tuple, mask: Tensor, teach: str) -> None:
    leaf = new.clone().requires_grad_()
    function(leaf, *rest).backward()
    stray = leaf.grad.masked_fill(mask, 0)
    expect(not bool(stray.isnan().any()), "the gradient at a padded place is NaN", teach=teach)
    expect(not bool(stray.any()), "the gradient at a padded place is not 0", teach=teach)


def far_group(draw: Draw, scale: float) -> tuple[Tensor, ...]:
    """One group of two answers, of which the first alone has moved, and rewards that differ by about `scale`."""
    old = draw.normal(1, 2, 2) - 3
    new = old.clone()
    new[:, 0] -= 1.0
    rewards = draw.place(torch.tensor([[scale, -scale]])) * draw.uniform(1, 1, low=1.0, high=2.0)
    return new, old, new.clone(), rewards, draw.place(torch.ones(1, 2, 2), torch.bool)


@check("solved")
def nothing_is_held_within_bounds(answer: Answer, draw: Draw) -> None:
    teach = "r = exp(new − old) is what it is, however far new has moved: only 1 ± clip holds it."
    for move in (6.0, 12.0, 25.0):
        new, old, _, rewards, mask = far_group(draw, 1.0)
        sign = draw.place(torch.tensor([[[1.0, -1.0], [-1.0, 1.0]]]))
        moved, advantages = old + move * sign, draw.place(torch.tensor([[-100.0, 90.0], [80.0, -70.0]]))
        case = moved[0], old[0], advantages, mask[0], 0.2
        expect_same(answer.ppo_loss, ppo, *case, teach=teach, rtol=1e-3)
        expect_same_gradients(answer.ppo_loss, ppo, *case, wrt=(0,), teach=teach, rtol=1e-3)
        expect_same(answer.grpo_loss, grpo, moved, old, moved, rewards, mask, 0.2, 0.0, teach=teach, rtol=1e-3)
        expect_same(answer.grpo_loss, grpo, new, old, moved, rewards, mask, 0.2, 0.5, teach=teach, rtol=1e-3)


@check("solved")
def rewards_may_hardly_differ(answer: Answer, draw: Draw) -> None:
    teach = "1e-6 is added to the deviation itself, not to the variance under the root, and is no lower bound."
    for scale in (1e-3, 1e-5, 1e-6, 1e-7):
        case = *far_group(draw, scale), 0.2, 0.0
        expect_same(answer.grpo_loss, grpo, *case, teach=teach, rtol=1e-3)
