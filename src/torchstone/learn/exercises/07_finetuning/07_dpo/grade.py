"""Grades dpo: loops in float64 as the reference, one step by hand, and a small transformer that learns a preference."""

import copy
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_reaches,
    in_place,
    looks_like,
    note,
    only_values_change,
    raw,
)

PROMISES = {
    "People find it easier to say which of two answers is better than": None,
    "DPO trains on just that, without a reward model and without sampling": None,
    "The model here is a small transformer that is made on the spot": None,
    "chosen and rejected are each (tokens, mask), of equal shapes": None,
    "A row is a question, its answer (masked true) and padding": "log_probabilities_are_right",
    "Logits may come in bfloat16; the sum is float32": "sums_are_float32",
    "The policy is in train mode, if it was": "modes_stay",
    "nothing is done to give both the same mask": "modes_stay",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

VOCABULARY = 11
BETA = 0.5
SIZES = [(1, 2), (2, 3), (3, 7)]
HELD_OUT = 64
STEPS = 40


class TinyLM(nn.Module):
    """A causal transformer of one layer, and what of it is asked for is counted."""

    def __init__(self, width: int = 16, dropout: float = 0.0, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, width)
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(width, VOCABULARY)
        self.dtype = dtype
        self.calls: list[tuple[int, bool]] = []

    def forward(self, tokens: Tensor) -> Tensor:
        self.calls.append((len(tokens), torch.is_grad_enabled()))
        x = self.tokens(tokens)
        length = tokens.shape[1]
        scores = self.query(x) @ self.key(x).mT / x.shape[-1] ** 0.5
        later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        x = x + scores.masked_fill(later, float("-inf")).softmax(-1) @ self.value(x)
        return self.head(x + self.dropout(self.feed(x))).to(self.dtype)


class Table(nn.Module):
    """Logits in bfloat16 that depend on the last token alone, the same to the last bit in any batch."""

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self.logits = nn.Embedding.from_pretrained(draw.normal(VOCABULARY, VOCABULARY, scale=3.0).cpu(), freeze=False)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.logits(tokens).to(torch.bfloat16)


def model_of(draw: Draw, **options: Any) -> TinyLM:
    model = TinyLM(**options)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(draw.normal(*parameter.shape).cpu() * 0.3)
    return model.to(draw.device)


def rows(draw: Draw, n: int, length: int) -> tuple[Tensor, Tensor]:
    """Questions, answers and padding; the mask is that of the answers."""
    tokens = draw.integers(n, length, low=0, high=VOCABULARY)
    mask = torch.zeros(n, length, dtype=torch.bool)
    for row in range(n):
        begin = draw.integer(1, length - 1)
        mask[row, begin : draw.integer(begin + 1, length)] = True
    return tokens, draw.place(mask, torch.bool)


def log_probabilities(model: nn.Module, tokens: Tensor, mask: Tensor, shift: int = 1) -> Tensor:
    """One token at a time."""
    log_p = copy.deepcopy(model).cpu()(tokens).double().log_softmax(-1)
    totals = []
    for row in range(len(tokens)):
        places = [t for t in range(tokens.shape[1]) if mask[row, t] and t - shift >= 0]
        totals.append(sum((log_p[row, t - shift, tokens[row, t]] for t in places), torch.zeros((), dtype=log_p.dtype)))
    return torch.stack(totals).float()


def all_tokens(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    return log_probabilities(model, tokens, torch.ones_like(mask))


def means(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    return log_probabilities(model, tokens, mask) / mask.sum(-1)


KNOWN = [
    looks_like(
        lambda *args: log_probabilities(*args, shift=0), "The logits at place t are for the token at t + 1, not at t."
    ),
    looks_like(all_tokens, "Question and padding are counted: only the answer is."),
    looks_like(means, "That is the mean over the answer's tokens; the log-probability of all of it is the sum."),
]


@check("solved")
def log_probabilities_are_right(answer: Answer, draw: Draw) -> None:
    teach = "log p(answer) = Σ log p(token t | tokens before), from the logits at t − 1, where the mask is true at t."
    for tokens, mask in draw.cases(rows, SIZES):
        model = model_of(draw)
        expect_same_numbers(answer, model, tokens, mask, teach)
    tokens, mask = rows(draw, 3, 6)
    first = mask.clone()
    first[:, 0] = True
    expect_same_numbers(answer, model_of(draw), tokens, first, "Nothing stands before place 0: it counts as nothing.")
    none = torch.zeros_like(mask)
    expect_same_numbers(answer, model_of(draw), tokens, none, "An answer without tokens has the log-probability 0.")


def expect_same_numbers(answer: Answer, model: TinyLM, tokens: Tensor, mask: Tensor, teach: str) -> None:
    expected = log_probabilities(model, tokens.cpu(), mask.cpu()).detach()
    with only_values_change(model):
        got = answer.answer_log_probabilities(model, tokens, mask)
    cpu = (model.cpu(), tokens.cpu(), mask.cpu())
    expect_close(got, expected, what="answer_log_probabilities", diagnose=KNOWN, teach=teach, args=cpu)
    model.to(tokens.device)


@check("solved")
def sums_are_float32(answer: Answer, draw: Draw) -> None:
    """Many tokens of one log-probability each: in bfloat16 the sum of them stops growing."""
    model = model_of(draw, dtype=torch.bfloat16)
    tokens = draw.integers(2, 400, low=0, high=VOCABULARY)
    mask = torch.ones_like(tokens, dtype=torch.bool)
    expected = log_probabilities(model, tokens.cpu(), mask.cpu()).detach()
    got = answer.answer_log_probabilities(model, tokens, mask)
    teach = "bfloat16 has three digits: make the logits float32 before log_softmax."
    expect_close(got, expected, what="answer_log_probabilities of 400 tokens", teach=teach, rtol=1e-3)
    # One token of each row: here no rounding is lost among others.
    table = Table(draw).to(draw.device)
    tokens = draw.integers(48, 3, low=0, high=VOCABULARY)
    alone = torch.zeros_like(tokens, dtype=torch.bool)
    alone[:, 1] = True
    expected = log_probabilities(table, tokens.cpu(), alone.cpu()).detach()
    got = answer.answer_log_probabilities(table, tokens, alone)
    expect_close(got, expected, what="answer_log_probabilities of one token each", teach=teach)


@check("solved")
def impossible_padding_does_not_matter(answer: Answer, draw: Draw) -> None:
    class Silenced(TinyLM):
        def forward(self, tokens: Tensor) -> Tensor:
            """Token 0, the padding, is impossible anywhere."""
            return (
                super()
                .forward(tokens)
                .index_fill(-1, torch.zeros(1, dtype=torch.long, device=tokens.device), float("-inf"))
            )

    model = Silenced().to(draw.device)
    tokens = draw.integers(3, 6, low=1, high=VOCABULARY)
    mask = torch.ones_like(tokens, dtype=torch.bool)
    tokens[:, 4:], mask[:, 4:] = 0, False
    expected = log_probabilities(model, tokens.cpu(), mask.cpu()).detach()
    got = answer.answer_log_probabilities(model, tokens, mask)
    teach = "Padding may be impossible for the model: choose with where, since 0 · −inf is NaN."
    expect_close(got, expected, what="answer_log_probabilities where padding is impossible", teach=teach)


@check("solved")
def reference_stays(answer: Answer, draw: Draw) -> None:
    model = model_of(draw, dropout=0.5).train()
    model.query.requires_grad_(False)
    model.feed.eval()
    model.register_buffer("seen", torch.zeros(1, device=draw.device))
    reference = answer.make_reference(model)
    teach = "A deep copy, .eval(), .requires_grad_(False): the model goes on learning, its reference does not."
    expect(reference is not model, "make_reference returns the model itself", teach=teach)
    expect(not any(part.training for part in reference.modules()), "the reference is in train mode", teach=teach)
    expect(
        not any(p.requires_grad for p in reference.parameters()), "the reference has parameters that learn", teach=teach
    )
    tokens = draw.integers(2, 4, low=0, high=VOCABULARY)
    expected = copy.deepcopy(model).eval()(tokens).detach().cpu()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1)
        model.seen.add_(1)
    expect(float(reference.seen) == 0, "a buffer of the reference is the model's own", teach=teach)
    expect_close(reference(tokens), expected, what="the reference after the model has learned", teach=teach)


def step_by_hand(
    policy: TinyLM, reference: TinyLM, chosen: Any, rejected: Any, beta: float
) -> tuple[Any, float, float]:
    policy, reference = copy.deepcopy(policy).cpu().double(), copy.deepcopy(reference).cpu().double()
    policy.dtype = reference.dtype = torch.float64
    better, worse = (
        log_probabilities64(policy, *one) - log_probabilities64(reference, *one).detach() for one in (chosen, rejected)
    )
    margin = better - worse
    loss = -nn.functional.logsigmoid(beta * margin).mean()
    policy.zero_grad()
    loss.backward()
    gradients = {name: p.grad.float() for name, p in policy.named_parameters() if p.grad is not None}
    return gradients, loss.item(), (margin > 0).double().mean().item()


def log_probabilities64(model: nn.Module, tokens: Tensor, mask: Tensor) -> Tensor:
    log_p = model(tokens)[:, :-1].log_softmax(-1)
    return (log_p.gather(-1, tokens[:, 1:, None])[..., 0] * mask[:, 1:]).sum(-1)


def pair_of(draw: Draw, n: int, length: int) -> tuple[Any, Any]:
    return rows(draw, n, length), rows(draw, n, length)


def on_cpu(one: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    return one[0].cpu(), one[1].cpu()


def margins_show(policy: TinyLM, reference: TinyLM, chosen: Any, rejected: Any) -> bool:
    """Whether as many margins are above 0 as chosen answers have gained, or rejected ones lost: if so, no."""
    mine, theirs = copy.deepcopy(policy).cpu(), copy.deepcopy(reference).cpu()
    with torch.no_grad():
        better, worse = (
            log_probabilities64(mine, *one) - log_probabilities64(theirs, *one) for one in (chosen, rejected)
        )
    above, gained, lost = (int((one > 0).sum()) for one in (better - worse, better, -worse))
    return above not in (gained, lost)


@check("solved")
def steps_are_right(answer: Answer, draw: Draw) -> None:
    lr = 0.25
    for n, length, far in ((1, 3, 1.0), (4, 5, 1.0), (3, 80, 100.0)):
        policy, reference = model_of(draw), model_of(draw)
        with torch.no_grad():
            policy.head.weight.mul_(far), policy.head.bias.mul_(far)
        chosen, rejected = pair_of(draw, n, length)
        while n > 3 and not margins_show(policy, reference, on_cpu(chosen), on_cpu(rejected)):
            chosen, rejected = pair_of(draw, n, length)
        if far > 1:
            better = step_by_hand(policy, reference, on_cpu(chosen), on_cpu(rejected), 1.0)[2]
            if better > 0.5:  # margins far below zero are what is asked for here
                chosen, rejected = rejected, chosen
        gradients, loss, share = step_by_hand(policy, reference, on_cpu(chosen), on_cpu(rejected), BETA)
        before = {name: p.detach().cpu().clone() for name, p in policy.named_parameters()}
        fixed = copy.deepcopy(reference.state_dict())
        for parameter in policy.parameters():
            parameter.grad = torch.full_like(parameter, torch.inf if n == 4 else 1.0)
        optimizer = torch.optim.SGD(policy.parameters(), lr=lr)
        got = in_place(answer.dpo_step, 0, 2)(policy, reference, optimizer, chosen, rejected, BETA)
        expect(
            isinstance(got, tuple) and len(got) == 2 and all(isinstance(one, float) for one in got),
            f"dpo_step returned {got!r}, not two floats",
        )
        expect_close(got[0], loss, what="the loss", teach="The mean of −log σ(beta · margin).", rtol=1e-3, atol=1e-4)
        expect_close(got[1], share, what="the share of pairs with a margin above 0", atol=1e-6)
        for name, start in before.items():
            wanted = start - lr * gradients.get(name, torch.zeros_like(start))
            expect_close(
                dict(policy.named_parameters())[name].detach().cpu(),
                wanted,
                what=f"{name} of the policy after one step",
                teach="One step along the gradient of the loss alone, with logsigmoid, which has one for every margin.",
                rtol=1e-3,
                atol=1e-3 if far > 1 else 1e-4,  # right answers need a twentieth of it
            )
        for name, value in fixed.items():
            expect(torch.equal(reference.state_dict()[name], value), f"the reference's {name} changed in the step")


@check("solved")
def no_preference_is_not_above_zero(answer: Answer, draw: Draw) -> None:
    policy = model_of(draw)
    nn.init.zeros_(policy.head.weight)  # the same logits everywhere, to the last bit, in whatever batch
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
    tokens, mask = rows(draw, 3, 5)
    pair = (tokens, mask), (tokens.clone(), mask.clone())
    got = in_place(answer.dpo_step, 0, 2)(policy, copy.deepcopy(policy), optimizer, *pair, BETA)
    teach = "A margin of 0 is not above 0: nothing has been learned yet."
    expect_close(got[1], 0.0, what="the share of pairs above 0 where both answers are the same", teach=teach)
    short, long = torch.zeros_like(mask), torch.zeros_like(mask)
    short[:, 1], long[:, 1:3] = True, True  # the policy finds a shorter answer more likely, and so does its reference
    got = in_place(answer.dpo_step, 0, 2)(
        policy, copy.deepcopy(policy), optimizer, (tokens, short), (tokens.clone(), long), BETA
    )
    teach = "A margin is what the policy has gained over its reference: where both are the same, it is 0."
    expect_close(got[1], 0.0, what="the share of pairs above 0 of a policy that is its reference", teach=teach)


@check("solved")
def modes_stay(answer: Answer, draw: Draw) -> None:
    policy, reference = model_of(draw, dropout=0.5).train(), model_of(draw).eval()
    seen: list[bool] = []
    policy.dropout.register_forward_pre_hook(lambda module, _: seen.append(module.training))
    chosen, rejected = pair_of(draw, 3, 5)
    policy.feed.eval()
    before = [part.training for part in policy.modules()]
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.0)
    in_place(answer.dpo_step, 0, 2, also=("modes",))(policy, reference, optimizer, chosen, rejected, BETA)
    stayed = before == [part.training for part in policy.modules()]
    expect(all(seen) and stayed, "the policy was taken out of train mode", teach="Dropout belongs to training.")


def preferences(draw: Draw, n: int) -> tuple[Any, Any]:
    """The better answer counts on from the question; the worse one is anything."""
    length = 6
    question = draw.integers(n, 1, low=0, high=VOCABULARY)
    better = (question + torch.arange(length, device=question.device)) % VOCABULARY
    worse = torch.cat([question, draw.integers(n, length - 1, low=0, high=VOCABULARY)], 1)
    mask = torch.ones(n, length, dtype=torch.bool, device=question.device)
    mask[:, 0] = False
    return (better, mask), (worse, mask.clone())


@check("solved")
def preferences_are_learned(answer: Answer, draw: Draw) -> None:
    policy = model_of(draw)
    reference = raw(answer.make_reference)(policy)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
    step = raw(answer.dpo_step)
    for _ in range(STEPS):
        step(policy, reference, optimizer, *preferences(draw, 32), 0.3)
    better, worse = preferences(draw, HELD_OUT)
    with torch.no_grad():
        margin = [log_probabilities64(policy, *one) - log_probabilities64(reference, *one) for one in (better, worse)]
    share = (margin[0] > margin[1]).float().mean().item()
    expect_reaches("the share of held-out pairs in the right order", share, at_least=0.9)
    note(f"{share:.0%} of held-out pairs in the right order")


@check("lean")
def each_model_is_called_once(answer: Answer, draw: Draw) -> None:
    for pairs in (3, 70):
        expect_one_call(answer, draw, pairs)


def expect_one_call(answer: Answer, draw: Draw, pairs: int) -> None:
    policy, reference = model_of(draw), model_of(draw)
    chosen, rejected = pair_of(draw, pairs, 5)
    raw(answer.dpo_step)(policy, reference, torch.optim.SGD(policy.parameters(), lr=0.1), chosen, rejected, BETA)
    for name, model in (("policy", policy), ("reference", reference)):
        expect(
            len(model.calls) == 1,
            f"the {name} is called {len(model.calls)} times in one step",
            teach="Chosen and rejected are rows of one batch: torch.cat them, and chunk what comes out.",
        )
    expect(
        not reference.calls[0][1],
        "the reference keeps a graph that nobody goes back through",
        teach="Frozen parameters are not enough to say so: call it under torch.no_grad().",
    )
