"""Grades tiny_gpt: shapes, no influence of later characters, bits of a known model, and bits after training."""

import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_post_hook

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, expect_reaches, guard, in_place, raw

PROMISES = {
    "The text has one piece at least.": None,
    "A text is a row of whole numbers, one for each character.": None,
    "Cut the text `(length,)` into pieces of context + 1": "bits_are_right",
    "A model that knows nothing needs 3 bits for each": None,
    "After 100 steps yours should need at most 1.9 for": "it_learns",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

VOCABULARY = 8
CONTEXT = 12
STEPS = 100
ENOUGH_BITS = 1.9
"""Chance is 3; what cannot be known leaves 1.0 to 1.2; from one character alone nothing can be learned."""
NOISE = 0.1
MEASURE = "The mean of −log₂ p of each piece's next characters, in eval mode: dropout would blur the answer."


def make_text(draw: Draw, length: int) -> Tensor:
    """Each character is a fixed one for the one `lag` places before, but one in ten is anything."""
    lag = draw.choice([2, 3])
    ring = torch.randperm(VOCABULARY, generator=draw.generator).tolist()
    follower = {ring[place - 1]: ring[place] for place in range(VOCABULARY)}
    text = torch.randint(VOCABULARY, (length,), generator=draw.generator).tolist()
    surprising = (torch.rand(length, generator=draw.generator) < NOISE).tolist()
    for place in range(lag, length):
        if not surprising[place]:
            text[place] = follower[text[place - lag]]
    return draw.place(torch.tensor(text), torch.int64)


class Known(nn.Module):
    """A model whose answers depend on character and place, and which drops half of them in train mode."""

    def __init__(self, draw: Draw, vocabulary: int, context: int, scale: float = 2.0) -> None:
        super().__init__()
        self.table = nn.Parameter(draw.normal(context, vocabulary, vocabulary, scale=scale))
        self.drop = nn.Dropout(0.5)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.drop(self.table[torch.arange(tokens.shape[1], device=tokens.device), tokens])


def count_bits(model: nn.Module, text: Tensor, context: int) -> float:
    """Piece by piece in float64."""
    total, count = 0.0, 0
    for begin in range(0, len(text) - context, context + 1):
        piece = text[begin : begin + context + 1]
        with torch.no_grad():
            logits = model(piece[None, :-1])[0].cpu().double()
        total -= (logits.log_softmax(-1) / torch.log(torch.tensor(2.0).double()))[range(context), piece[1:].cpu()].sum()
        count += context
    return float(total / count)


@check("solved")
def shapes_are_right(answer: Answer, draw: Draw) -> None:
    usual = [(n, VOCABULARY, CONTEXT) for n in (1, 5, CONTEXT)]
    for batch, (n, vocabulary, context) in enumerate([*usual, (5, 3, 5), (30, 40, 30)], 1):
        model = answer.TinyGPT(vocabulary, context).to(draw.device)
        logits = guard(model, "forward")(draw.integers(batch, n, high=vocabulary))
        wanted = [batch, n, vocabulary]
        expect(torch.is_tensor(logits), f"forward returned a {type(logits).__name__}, not a tensor of logits")
        expect(
            list(logits.shape) == wanted,
            f"the logits have the shape {list(logits.shape)} and should have {wanted}",
            teach="One prediction at every place of every text, over the vocabulary: all are used in training.",
        )


@check("solved")
def nothing_leaks_from_the_future(answer: Answer, draw: Draw) -> None:
    model = answer.TinyGPT(VOCABULARY, CONTEXT).to(draw.device)
    tokens = draw.integers(2, CONTEXT, high=VOCABULARY)
    blind = "What sees the next character need not predict it: mask attention causally, in every block."
    apart = "In train mode, too, a place may know only what came before: a mean over all places knows what comes later."
    for mode, teach in (("eval", blind), ("train", apart)):
        model.train(mode == "train")
        before = ask(model, tokens)
        for place in range(1, CONTEXT):
            changed = tokens.clone()
            changed[:, place:] = (changed[:, place:] + 1) % VOCABULARY
            what = f"what is predicted in {mode} mode up to place {place - 1}, after later characters have changed,"
            expect_close(ask(model, changed)[:, :place], before[:, :place], what=what, teach=teach)


def ask(model: nn.Module, tokens: Tensor) -> Tensor:
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)  # dropout drops the same each time
        return guard(model, "forward")(tokens).cpu()


@check("solved")
def bits_are_right(answer: Answer, draw: Draw) -> None:
    for vocabulary, context, length in ((2, 1, 2), (3, 2, 9), (8, 5, 64), (5, 7, 71), (3, 1, 1026)):
        model = Known(draw, vocabulary, context).to(draw.device)
        text = draw.integers(length, high=vocabulary)
        text[-1] = model.table[-1, text[-2]].argmin()  # in a mean of means a last batch of one piece counts too much
        expected = count_bits(model.eval(), text, context)
        for training in (False, True):
            model.train(training)
            got = answer.bits_per_character(model, text, context)
            expect(isinstance(got, float), f"bits_per_character returned a {type(got).__name__}, not a float")
            nats = abs(got / expected - 0.6931) < 1e-3
            expect_close(
                got,
                expected,
                what=f"the bits per character of a model that came in {'train' if training else 'eval'} mode",
                teach="These are nats: divide by log 2 to have bits." if nats else MEASURE,
            )
            expect(
                model.training == training,
                "the model is in another mode afterwards",
                teach="Who measures in the middle of training goes on training: restore the mode that you found.",
            )
    model = Known(draw, 5, 9).to(draw.device).eval()
    model.context = 9
    text = draw.integers(71, high=5)
    what = "the bits per character, in pieces of 4 + 1, of a model that could see 9"
    teach = "The argument says how long the pieces are, whatever the model could see."
    expect_close(answer.bits_per_character(model, text, 4), count_bits(model, text, 4), what=what, teach=teach)


@check("solved")
def surprises_cost_all_their_bits(answer: Answer, draw: Draw) -> None:
    teach = (
        "A character that the model took for impossible costs hundreds of bits: log_softmax knows them, no bound holds."
    )
    for scale in (30.0, 300.0):
        model = Known(draw, 6, 4, scale).to(draw.device).eval()
        text = draw.integers(60, high=6)
        got = answer.bits_per_character(model, text, 4)
        what = f"the bits per character of a model with logits of about ±{scale:g}"
        expect_close(got, count_bits(model, text, 4), what=what, teach=teach)


@check("solved")
def it_learns(answer: Answer, draw: Draw) -> None:
    text = make_text(draw, 4000)
    seen, unseen = text[:3000], text[3000:]
    model = answer.TinyGPT(VOCABULARY, CONTEXT).to(draw.device)
    taken: list[int] = []
    watch = register_optimizer_step_post_hook(lambda *_: taken.append(1))
    in_place(answer.train, also=("modes",))(model, seen, STEPS)
    watch.remove()
    # An optimizer of one's own is not counted here.
    wanted = f"train took {len(taken)} steps, and was asked for {STEPS}"
    expect(len(taken) in (0, STEPS), wanted, teach="One step of the optimizer for each that was asked for.")
    expect_reaches(
        f"the number of bits for each unseen character after {STEPS} steps",
        count_bits(raw(model).eval(), unseen, CONTEXT),
        at_most=ENOUGH_BITS,
        teach="Targets are the same piece one place further on; attention can only look back a fixed way if it knows "
        "positions; and a model this small bears a rate near 1e-2.",
    )
