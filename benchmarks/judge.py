"""Who judges the judge? Right outputs in odd styles and wrong ones of many kinds, through the documented interface.

Why: a judge that calls right outputs wrong is switched off, and one that calls wrong ones ok is worse than none.
Written from docs/measuring.md alone. Right outputs come from honest devices: the CPU in the model's own dtype, one that
adds in another order, one that convolves in TF32, one that resolves ties the other way, one that negates eigenvectors.
Wrong ones are planted on one operator or in one place of the output, well beyond what the documentation tolerates.
What it tolerates although it is wrong is a `gap`: printed, not counted as a miss. The last line is one JSON document.

    OMP_NUM_THREADS=1 python benchmarks/judge.py [part of a name]
"""

import copy
import importlib
import itertools
import json
import random
import re
import sys
import time
import warnings
from collections import Counter, deque, namedtuple
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.correctness import Judgement, Reference
from torchstone.models.inputs import Inputs

Handler = Callable[..., Any]
Run = Callable[[nn.Module, tuple[Any, ...]], Any]

CAUSES = {  # what a reason must say to have named the true cause
    "values": r"differs? .*(by|where)|values of .* differ|is '.*' where",
    "shape": r"shape \(",
    "dtype": r"gives (b?float|int|uint|bool|complex|integer|exact)\w* where",
    "missing": r"gives (no )?output",
    "NaN": r"(?i)\bnan\b|not finite",
    "inf": r"(?i)\binf|not finite|overflow",
    "random": r"random",
    "dropout": r"(?i)random.*dropout",
    "state": r"keeps a state.*(calls|seen|history)",
    "state outside": r"keeps a state",
    "in-place": r"args\[0\] in place",
    "input": r"(?i)(input|args\[0\])",
    "call to call": r"differs from call to call",
    "ceiling": r"can't be judged",
}


@dataclass(frozen=True)
class Case:
    name: str
    truth: Literal["right", "wrong", "unverifiable", "gap"]
    model: nn.Module
    args: tuple[Any, ...]
    run: Run
    cause: str = ""
    where: str = ""
    dtype: str | None = None
    rows: tuple[int, ...] | None = None
    examples: tuple[Any, ...] | None = None


class Function(nn.Module):
    """A model without weights."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


class Head(nn.Module):
    """A model whose answer is put into another shape by a function."""

    def __init__(self, body: nn.Module, function: Callable[..., Any]) -> None:
        super().__init__()
        self.body = body
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(self.body(*args))


# Devices, honest and not.


class Device(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A device some of whose operators are its own."""

    def __init__(self, operators: Mapping[str, Handler]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.operators = operators
        self.calls = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        own = self.operators.get(func.overloadpacket.__name__)
        if own is None:
            return func(*args, **(kwargs or {}))
        self.calls += 1
        return own(func, *args, **(kwargs or {}))


def plain(model: nn.Module, args: tuple[Any, ...]) -> Any:
    with torch.no_grad():
        return copy.deepcopy(model)(*args)


def on(**operators: Handler) -> Run:
    def run(model: nn.Module, args: tuple[Any, ...]) -> Any:
        device = Device(operators)
        with device:
            output = plain(model, args)
        assert device.calls, f"none of {sorted(operators)} was called"
        return output

    return run


def to_tf32(x: Any) -> Any:
    if not isinstance(x, Tensor) or x.dtype != torch.float32:
        return x
    return ((x.contiguous().view(torch.int32) + 0x1000) & -0x2000).view(torch.float32)


def convolve_tf32(func: Any, x: Tensor, weight: Tensor, *rest: Any) -> Any:
    return func(to_tf32(x), to_tf32(weight), *rest)


def mm_reversed(func: Any, a: Tensor, b: Tensor) -> Any:
    return func(a.flip(-1), b.flip(-2))


def addmm_in_parts(func: Any, bias: Tensor, a: Tensor, b: Tensor, **kwargs: Any) -> Any:
    wide = torch.promote_types(a.dtype, torch.float32)  # rounded once, as accelerators do
    parts = [x.to(wide) @ y.to(wide) for x, y in zip(a.chunk(7, 1), b.chunk(7, 0), strict=True)]
    return (sum(reversed(parts)) + bias).to(a.dtype)


def sum_in_parts(func: Any, x: Tensor, *rest: Any, **kwargs: Any) -> Any:
    return func(x.flip(0), *rest, **kwargs)


def last_of_ties(func: Any, x: Tensor, *rest: Any, **kwargs: Any) -> Any:
    found = func(x.flip(-1), *rest, **kwargs)
    if isinstance(found, Tensor):
        return x.shape[-1] - 1 - found
    return found[0], x.shape[-1] - 1 - found[1]


def negated_vectors(func: Any, *args: Any, **kwargs: Any) -> Any:
    values, vectors = func(*args, **kwargs)
    return values, -vectors


REORDERED = on(mm=mm_reversed, bmm=mm_reversed, addmm=addmm_in_parts, sum=sum_in_parts)
TF32 = on(convolution=convolve_tf32)
OTHER_TIES = on(topk=last_of_ties, argmax=last_of_ties, sort=last_of_ties)


def changed(function: Callable[[Any], Any]) -> Run:
    """The right output, changed afterwards."""
    return lambda model, args: function(plain(model, args))


def planted(operator: str, function: Callable[[Tensor], Tensor]) -> Run:
    """The right output but for the result of one operator."""
    return on(**{operator: lambda func, *args, **kwargs: function(func(*args, **kwargs))})


def edited(key: Any, function: Callable[[Tensor], Any]) -> Callable[[Any], Any]:
    """A copy of a tensor in which some values are changed."""

    def edit(x: Tensor) -> Tensor:
        x = x.clone()
        x[key] = function(x[key])
        return x

    return edit


# Models.


def mlp(out: int = 40, width: int = 64) -> nn.Module:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(16, width), nn.GELU(), nn.Linear(width, out)).eval()


def convolutions(channels: int = 40, deep: int = 2) -> nn.Module:
    torch.manual_seed(2)
    layers: list[nn.Module] = [nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()]
    for _ in range(deep - 2):
        layers += [nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()]
    return nn.Sequential(*layers, nn.Conv2d(16, channels, 3, padding=1)).eval()


def detector(last: bool = False) -> nn.Module:
    """Boxes of 640 and scores of 0.01 in one tensor, like YOLO's."""

    def head(y: Tensor) -> Tensor:
        y = y.flatten(2)
        y = torch.cat([y[:, :4].sigmoid() * 640, (y[:, 4:] - 4).sigmoid()], 1)
        return y.transpose(1, 2) if last else y

    return Head(convolutions(24), head)


def rows_of(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7))


def picture(size: int = 16, batch: int = 2) -> Tensor:
    return rows_of(batch, 3, size, size)


class Counter_(nn.Module):  # noqa: N801
    calls: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x * self.calls


class PythonCounter(nn.Module):
    def __init__(self, used: bool = True) -> None:
        super().__init__()
        self.seen = 0
        self.used = used

    def forward(self, x: Tensor) -> Tensor:
        self.seen += 1
        return x + self.seen if self.used else x + 1


class WarmUp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen = 0

    def forward(self, x: Tensor) -> Tensor:
        self.seen += 1
        return x if self.seen < 3 else x * 2


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.history: list[Tensor] = []

    def forward(self, x: Tensor) -> Tensor:
        self.history.append(x.clone())
        return torch.stack(self.history).sum(0)


class InPlaceBlock(nn.Module):
    """Writes into its own intermediate values, as residual blocks do."""

    def __init__(self) -> None:
        super().__init__()
        self.body = mlp()

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.body(x)
        y.relu_().add_(1).mul_(2)
        y[:, 0] = 3
        return y


@dataclass
class Found:
    boxes: Tensor
    scores: Tensor
    labels: Tensor
    masks: Tensor | None = None
    extra: dict[str, Any] = field(default_factory=dict)


class OwnClass:
    def __init__(self, x: Tensor) -> None:
        self.x = x
        self.parts = [x[:1], x[1:]]


Pair = namedtuple("Pair", ["mean", "deviation"])


def to_found(y: Tensor) -> Found:
    return Found(y[:, :4] * 640, y[:, 4:].softmax(1), y.argmax(1), extra={"name": "found", "n": len(y), "rate": 0.5})


def to_nest(y: Tensor) -> Any:
    return {"a": (y, [y.exp(), None], {3: y.sum()}), "text": "yes", "flag": True, "number": float(y[0, 0])}


def masked_attention(x: Tensor) -> Tensor:
    scores = x @ x.transpose(-1, -2)
    mask = torch.ones_like(scores, dtype=torch.bool).tril(-1)  # nothing to look at in the first row: NaN
    return scores.masked_fill(~mask, float("-inf")).softmax(-1) @ x


def bert() -> nn.Module:
    library: Any = importlib.import_module("transformers")
    torch.manual_seed(3)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    model: nn.Module = library.BertModel(library.BertConfig(vocab_size=100, **sizes)).eval()
    return model


def gpt() -> nn.Module:
    library: Any = importlib.import_module("transformers")
    torch.manual_seed(3)
    sizes = {"n_positions": 32, "n_embd": 32, "n_layer": 2, "n_head": 2, "bos_token_id": 0, "eos_token_id": 0}
    model: nn.Module = library.GPT2LMHeadModel(library.GPT2Config(vocab_size=100, **sizes)).eval()
    return model


# Right ones.


def right(name: str, model: nn.Module | Callable[..., Any], *args: Any, run: Run = plain, **more: Any) -> Case:
    return Case(name, "right", model if isinstance(model, nn.Module) else Function(model), args, run, **more)


def right_dtypes() -> Iterator[Case]:
    x = rows_of(8, 16)
    yield right("float32 MLP", mlp(), x)
    yield right("float32 MLP, other order of sums", mlp(), x, run=REORDERED)
    for name, dtype in (("bfloat16", torch.bfloat16), ("float16", torch.float16), ("float64", torch.float64)):
        yield right(f"{name} MLP of its own", mlp().to(dtype), x.to(dtype))
        yield right(f"{name} MLP of its own, other order", mlp().to(dtype), x.to(dtype), run=REORDERED)
        yield right(f"{name} convolutions of their own", convolutions().to(dtype), picture().to(dtype))
    for dtype_name in ("bfloat16", "float16"):
        yield right(f"float32 MLP judged in {dtype_name}", mlp(), x, dtype=dtype_name)
        yield right(f"detector judged in {dtype_name}", detector(), picture(), dtype=dtype_name)
    torch.manual_seed(4)
    layer = nn.TransformerEncoderLayer(32, 2, 64, batch_first=True).eval()
    yield right("transformer layer in bfloat16", layer.bfloat16(), rows_of(2, 9, 32).bfloat16())
    yield right("bfloat16 model that answers in float32", Head(mlp().bfloat16(), lambda y: y.float()), x.bfloat16())
    yield right("model that fixes its dtype", Head(mlp(), lambda y: y.float() @ torch.ones(40, 3)), x)
    yield right("float64 only", lambda x: x @ torch.ones(16, 4, dtype=torch.float64), x.double())
    yield right("wider than asked", mlp(), x, run=changed(lambda y: y.double()))


def right_structures() -> Iterator[Case]:
    x = rows_of(8, 16)
    yield right("nested dict, tuple, list, None, text, number", Head(mlp(), to_nest), x)
    yield right("nested, other order of sums", Head(mlp(), to_nest), x, run=REORDERED)
    yield right("dataclass", Head(mlp(), to_found), x)
    yield right("named tuple", lambda x: Pair(x.mean(0), x.std(0)), x)
    yield right("class of its own", Head(mlp(), OwnClass), x)
    yield right("None only", lambda x: None, x)
    yield right("empty tuple", lambda x: (), x)
    yield right("BERT's ModelOutput", bert(), torch.arange(24).reshape(2, 12))
    yield right("BERT, other order of sums", bert(), torch.arange(24).reshape(2, 12), run=REORDERED)
    yield right("GPT-2's ModelOutput with its cache", gpt(), torch.arange(24).reshape(2, 12))
    yield right("GPT-2 in bfloat16", gpt().bfloat16(), torch.arange(24).reshape(2, 12))
    yield right("dict in another order", Head(mlp(), lambda y: {"a": y, "b": -y}), x, run=changed(reversed_dict))
    yield right("the same tensor twice", Head(mlp(), lambda y: (y, y)), x)
    yield right("its input as it is", lambda x: x, x)


def reversed_dict(found: dict[str, Any]) -> dict[str, Any]:
    return dict(reversed(found.items()))


def right_kinds() -> Iterator[Case]:
    x = rows_of(8, 16)
    yield right("integers", Head(mlp(), lambda y: y.argmax(1)), x)
    yield right("booleans", Head(mlp(), lambda y: y > 0), x)
    yield right("complex", lambda x: torch.fft.fft(x, dim=1), x)
    yield right("complex, a conjugated view", lambda x: torch.fft.fft(x, dim=1).conj(), x)
    yield right("sparse COO", lambda x: x.relu().to_sparse(), x)
    yield right("sparse COO, not coalesced", lambda x: uncoalesced(x), x)
    yield right("sparse CSR", lambda x: x.relu().to_sparse_csr(), x)
    yield right("nested tensors", lambda x: torch.nested.nested_tensor([x[:3], x[3:]]), x)
    yield right("empty tensors", lambda x: {"boxes": x[:0], "scores": x[:0, 0], "labels": x[:0, 0].long()}, x)
    yield right("0-dim", Head(mlp(), lambda y: y.square().mean()), x)
    yield right("all zeros", lambda x: x * 0, x)
    yield right("minus zero for zero", lambda x: x * 0, x, run=changed(lambda y: -y.abs()))
    yield right("uint8 pixels", Head(mlp(), lambda y: (y.sigmoid() * 255).round().to(torch.uint8)), x)
    yield right("item()", Head(mlp(), lambda y: y.sum().item()), x, run=REORDERED)
    yield right("expanded and transposed views", lambda x: (x.T, x[:, None].expand(8, 5, 16)), x)


def uncoalesced(x: Tensor) -> Tensor:
    return torch.sparse_coo_tensor(torch.tensor([[0, 0, 2]]), x[:3, 0], (4,))


def right_not_finite() -> Iterator[Case]:
    x = rows_of(8, 16)
    yield right("NaN in the right places", lambda x: x.log(), x)
    yield right("NaN and infinities in the right places", lambda x: x / (x * (x > 0)) - 1 / (x * (x > 1)), x)
    yield right("-inf masks", lambda x: x.masked_fill(x < 0, float("-inf")), x)
    yield right("attention with a row fully masked", masked_attention, rows_of(2, 9, 32))
    yield right("that in bfloat16", masked_attention, rows_of(2, 9, 32).bfloat16())
    yield right("lowest number as a mask, float16", lambda x: x.masked_fill(x < 0, torch.finfo(x.dtype).min), x.half())


def right_objects() -> Iterator[Case]:
    x = rows_of(8, 16)
    yield right("numpy array", Head(mlp(), lambda y: y.numpy()), x)
    yield right("class with slots", Head(mlp(), Slots), x)
    yield right("class that holds itself", Head(mlp(), Cyclic), x)
    yield right("distribution", Head(mlp(), normal), x)
    yield right("set of numbers", lambda x: {len(x), 3}, x)
    yield right("frozen set, range, slice, size", lambda x: (frozenset({1}), range(3), slice(1, 2), x.shape, x), x)
    yield right(
        "packed sequence", lambda x: nn.utils.rnn.pack_padded_sequence(x[..., None], torch.arange(8, 0, -1)), x.T
    )
    named = Function(lambda x: {"y": x * 2, "device": x.device})
    yield right("its device, by name", named, x, run=changed(lambda y: {**y, "device": torch.device("cuda", 0)}))
    yield right("its dtype, by name", lambda x: {"y": x * 2, "dtype": x.dtype}, x)
    yield right("its dtype, by name, in bfloat16", lambda x: {"y": x * 2, "dtype": x.dtype}, x, dtype="bfloat16")
    yield right("generator", Head(mlp(), lambda y: (row for row in y)), x)
    yield right("function beside a tensor", lambda x: (x * 2, len), x)


class Slots:
    __slots__ = ("y",)

    def __init__(self, y: Tensor) -> None:
        self.y = y


class Colour(Enum):
    RED = 1
    BLUE = 2


class Private:
    def __init__(self, y: Tensor) -> None:
        self._y = y


class Cyclic:
    def __init__(self, y: Tensor) -> None:
        self.y = y
        self.me = self


def normal(y: Tensor) -> Any:
    return torch.distributions.Normal(y, y.exp())


def wrong_objects() -> Iterator[Case]:
    x = rows_of(8, 16)

    def object_(name: str, make: Callable[[Tensor], Any], run: Run) -> Case:
        return wrong(name, Head(mlp(), make), x, run=run, cause="values|missing")

    yield object_("numpy array doubled", lambda y: y.numpy(), changed(lambda y: y * 2))
    yield object_("class with slots, doubled", Slots, changed(lambda y: Slots(y.y * 2)))
    yield object_("class that holds itself, doubled", Cyclic, changed(lambda y: Cyclic(y.y * 2)))
    yield object_("distribution moved", normal, changed(lambda d: torch.distributions.Normal(d.loc + 1, d.scale)))
    yield object_("set of numbers changed", lambda y: (y, {1, 2}), changed(lambda y: (y[0], {1, 3})))
    yield object_("set of tensors doubled", lambda y: {y}, changed(lambda y: {next(iter(y)) * 2}))
    yield object_("range changed", lambda y: (y, range(3)), changed(lambda y: (y[0], range(4))))
    yield object_(
        "two values of a dict swapped", lambda y: {"a": y, "b": -y}, changed(lambda y: {"a": y["b"], "b": y["a"]})
    )
    yield object_("generator of other rows", lambda y: (row for row in y), changed(lambda y: (row * 2 for row in y)))
    yield object_("enum changed", lambda y: (y, Colour.RED), changed(lambda y: (y[0], Colour.BLUE)))
    yield object_("decimal changed", lambda y: (y, Decimal(1)), changed(lambda y: (y[0], Decimal(2))))
    beside = "beside a tensor, doubled"
    yield object_(f"slots {beside}", lambda y: (y, Slots(y)), changed(lambda y: (y[0], Slots(y[0] * 2))))
    yield object_(f"set {beside}", lambda y: (y, {-y}), changed(lambda y: (y[0], {y[0] * 2})))
    yield object_(f"generator {beside}", lambda y: (y, iter(y)), changed(lambda y: (y[0], iter(y[0] * 2))))
    yield object_(
        f"private attribute {beside}", lambda y: (y, Private(y)), changed(lambda y: (y[0], Private(y[0] * 2)))
    )
    yield object_(f"deque {beside}", lambda y: (y, deque([y])), changed(lambda y: (y[0], deque([y[0] * 2]))))
    yield object_("buffers of a module", lambda y: (y, norm(0.0)), changed(lambda y: (y[0], norm(5.0))))


def norm(mean: float) -> nn.Module:
    module = nn.BatchNorm1d(4)
    nn.init.constant_(module.get_buffer("running_mean"), mean)
    return module


def right_scales() -> Iterator[Case]:
    x, big = rows_of(8, 16), rows_of(200_000)
    yield right("huge", Head(mlp(), lambda y: y * 1e30), x, run=REORDERED)
    yield right("tiny", Head(mlp(), lambda y: y * 1e-30), x, run=REORDERED)
    yield right("subnormal, flushed to zero", lambda x: x * 1e-41, x, run=changed(lambda y: y * 0))
    yield right("softmax over far-apart logits", lambda x: (x * 300).softmax(1), x)
    yield right("softmax over far-apart logits, bfloat16", lambda x: (x * 300).softmax(1), x.bfloat16())
    yield right("log-softmax over far-apart logits", lambda x: (x * 300).log_softmax(1), x)
    yield right("large sum", lambda x: x.abs().sum(), big, run=REORDERED)
    yield right("large sum that cancels", lambda x: x.sum(), big, run=REORDERED)
    yield right("large mean in float16", lambda x: x.mean(), big.half() * 8)
    yield right("long cumulative sum", lambda x: x.cumsum(0), big)
    yield right("variance far from zero", lambda x: (x + 1000).var(1), x)
    yield right("layer norm of nearly constant rows", lambda x: F.layer_norm(1000 + x * 1e-2, (16,)), x)
    yield right("mean of rows, beside the rows", lambda x: torch.cat([x, x - x.mean(1, keepdim=True)], 1), x)


def right_pictures() -> Iterator[Case]:
    yield right("convolutions in TF32", convolutions(), picture(), run=TF32)
    yield right("twenty convolutions in TF32", convolutions(deep=20), picture(), run=TF32)
    yield right("channels_last", convolutions().to(memory_format=torch.channels_last), channels_last(picture()))  # type: ignore[call-overload]
    yield right("output in channels_last", convolutions(), picture(), run=changed(channels_last))
    yield right("detector", detector(), picture())
    yield right("detector in TF32", detector(), picture(), run=TF32)
    yield right("detector, classes last, TF32", detector(last=True), picture(), run=TF32)
    yield right("detector in bfloat16", detector().bfloat16(), picture().bfloat16())
    yield right("bilinear in float16", lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear"), picture().half())
    yield right("segmentation labels in TF32", Head(convolutions(), lambda y: y.argmax(1)), picture(64), run=TF32)
    yield right("mask of pixels in TF32", Head(convolutions(1), lambda y: y > 0), picture(64, 4), run=TF32)
    yield right("uint8 pixels in TF32", Head(convolutions(3), to_pixels), picture(64), run=TF32)
    yield right("pixels above a threshold in TF32", Head(convolutions(1), lambda y: y[y > 0]), picture(64, 4), run=TF32)
    yield right("edges of a smooth picture in TF32", edges, smooth_picture(), run=TF32)


def channels_last(x: Tensor) -> Tensor:
    return x.contiguous(memory_format=torch.channels_last)


def to_pixels(y: Tensor) -> Tensor:
    return (y.sigmoid() * 255).round().to(torch.uint8)


def smooth_picture() -> Tensor:
    line = torch.linspace(0.3, 0.9, 64)
    return (line[:, None] * line.cos() + 0.01 * (9 * line).sin())[None, None]


def edges(x: Tensor) -> Tensor:
    return F.conv2d(x, torch.tensor([[[[0.0, 1, 0], [1, -4, 1], [0, 1, 0]]]], dtype=x.dtype))


def right_ties() -> Iterator[Case]:
    x = rows_of(8, 16)
    coarse = (rows_of(8, 64) * 2).round()
    yield right("top-k with ties", lambda x: x.topk(5), coarse)
    yield right("top-k with ties, resolved the other way", lambda x: tuple(x.topk(5)), coarse, run=OTHER_TIES)
    yield right("argmax with ties, resolved the other way", lambda x: x.argmax(1), coarse, run=OTHER_TIES)
    yield right("sort with ties, resolved the other way", lambda x: tuple(x.sort()), coarse, run=OTHER_TIES)
    for seed in range(6):
        tokens = torch.randn(64, 16, generator=torch.Generator().manual_seed(seed)).bfloat16()
        model = Head(mlp(500).bfloat16(), lambda y: y.argmax(1))
        yield right(f"next tokens in bfloat16, other order, {seed}", model, tokens, run=REORDERED)
        yield right(f"top-5 in bfloat16, {seed}", Head(mlp(500).bfloat16(), lambda y: tuple(y.topk(5))), tokens)
    square = x[:, :8] @ x[:, :8].T
    yield right("eigenvectors", lambda x: tuple(torch.linalg.eigh(x)), square)
    opposite = on(_linalg_eigh=negated_vectors)
    yield right("eigenvectors with the other sign", lambda x: tuple(torch.linalg.eigh(x)), square, run=opposite)


def right_effects() -> Iterator[Case]:
    x = rows_of(8, 16)
    yield right("in place within", InPlaceBlock(), x)
    yield right("in-place ReLU on its input", nn.Sequential(nn.ReLU(inplace=True), mlp()), x)
    yield right("counter that leaves the answer alone", PythonCounter(used=False), x)
    torch.manual_seed(5)
    yield right("batch norm in train mode", nn.Sequential(nn.Linear(16, 40), nn.BatchNorm1d(40)).train(), x)
    yield right("LSTM", nn.LSTM(16, 40, batch_first=True).eval(), rows_of(2, 9, 16))
    yield right("state that matters from the third call on", WarmUp(), x, run=third_call)
    yield right("dropout of nothing", nn.Sequential(mlp(), nn.Dropout(0.0)).train(), x)
    yield right("draws and throws away", lambda x: (torch.rand(3), x * 2)[1], x)
    yield right("random numbers from a seed of its own", seeded_noise, x)
    batch = torch.cat([rows_of(2, 16)] * 3)[:5]
    yield right("a batch of examples repeated", mlp(), batch, examples=(rows_of(2, 16),), rows=(0, 1, 0, 1, 0))


def third_call(model: nn.Module, args: tuple[Any, ...]) -> Any:
    return [model(*args) for _ in range(3)][-1]


def seeded_noise(x: Tensor) -> Tensor:
    return x + torch.randn(x.shape, generator=torch.Generator().manual_seed(3))


def unverifiable() -> Iterator[Case]:
    """Nobody can say whether these are right; the reason must say why."""
    x = rows_of(8, 16)

    def effect(name: str, model: nn.Module, cause: str) -> Case:
        return Case(name, "unverifiable", model, (x.clone(),), plain, cause)

    yield effect("dropout in train mode", nn.Sequential(mlp(), nn.Dropout(0.5)).train(), "dropout")
    yield effect("functional dropout", Head(mlp(), lambda y: F.dropout(y, 0.5, training=True)), "random")
    yield effect("noise", Function(lambda x: x + torch.randn_like(x)), "random")
    yield effect("sampled tokens", Head(mlp(), lambda y: y.softmax(1).multinomial(3)), "random")
    yield effect("Python's random", Function(lambda x: x + random.random()), "random|call to call")
    yield effect("numpy's random", Function(lambda x: x + float(np.random.rand())), "random|call to call")
    numbers = itertools.count()
    yield effect("counter outside of the model", Function(lambda x: x + next(numbers)), "state outside|call to call")
    yield effect("counter in a buffer", Counter_(), "state")
    yield effect("counter in an attribute", PythonCounter(), "state")
    yield effect("history in a list", Recurrent(), "state")
    yield effect("adds to its input", Function(lambda x: x.add_(1) * 2), "in-place")
    yield effect("scales its input, then a model", nn.Sequential(Function(lambda x: x.mul_(0.5)), mlp()), "in-place")
    yield effect("the time", Function(lambda x: x * time.perf_counter()), "call to call")
    yield effect("all NaN", Function(lambda x: x * float("nan")), "NaN")
    yield effect("cancellation to noise", Function(lambda x: (x * 1e-8 + 1000) - 1000), "ceiling")


# Wrong ones.


def wrong(name: str, model: nn.Module | Callable[..., Any], *args: Any, run: Run, cause: str, **more: Any) -> Case:
    return Case(name, "wrong", model if isinstance(model, nn.Module) else Function(model), args, run, cause, **more)


def wrong_values() -> Iterator[Case]:
    x = rows_of(8, 16)

    def value(name: str, run: Run, **more: Any) -> Case:
        return wrong(name, mlp(), x, run=run, cause="values", **more)

    yield value("sign flipped", planted("gelu", torch.neg))
    yield value("one channel of many zeroed", planted("addmm", edited((..., 3), torch.zeros_like)))
    yield value("one output channel zeroed", changed(edited((..., 3), torch.zeros_like)), where=r", 3\]")
    yield value("two rows swapped", changed(lambda y: y[[0, 1, 3, 2, 4, 5, 6, 7]]), where=r"\[[23], ")
    yield value("scaled by 1.05", changed(lambda y: y * 1.05))
    yield value("all zeros", changed(torch.zeros_like))
    yield value("a constant", changed(lambda y: torch.full_like(y, float(y.mean()))))
    yield value("last tile missing", changed(edited((..., slice(32, None)), torch.zeros_like)), where=r"3\d\]")
    yield value("truncated to int8", changed(lambda y: y.to(torch.int8).float()))
    yield value("one row of the batch", changed(edited(5, lambda y: y * 1.1)), where=r"\[5, ")
    yield value("rotated by one", changed(lambda y: y.roll(1, 1)))
    yield value("stale value of another call", lambda model, args: plain(model, (args[0].flip(0),)))
    yield value("bias forgotten", on(addmm=lambda func, bias, a, b: a @ b))
    yield value("ReLU for GELU", on(gelu=lambda func, x, **_: x.relu()))
    yield value("half the sum", on(addmm=lambda func, bias, a, b: a[:, ::2] @ b[::2] * 2 + bias))
    yield replace(value("bfloat16 for float32", changed(lambda y: y.bfloat16())), cause="dtype")
    square = wrong("transposed, of the same shape", mlp(8), x, run=changed(lambda y: y.T), cause="values")
    yield square
    yield replace(square, name="transposed", model=mlp(), cause="shape")
    yield wrong("float64 done in float32", mlp().double(), x.double(), run=in_float32, cause="values")


def in_float32(model: nn.Module, args: tuple[Any, ...]) -> Any:
    return plain(copy.deepcopy(model).float(), (args[0].float(),)).double()


def wrong_low_precision() -> Iterator[Case]:
    for name, dtype in (("bfloat16", torch.bfloat16), ("float16", torch.float16)):
        model, x = mlp().to(dtype), rows_of(64, 16).to(dtype)
        yield wrong(f"{name} scaled by 1.2", model, x, run=changed(lambda y: y * 1.2), cause="values")
        yield wrong(f"{name} sign flipped", model, x, run=planted("gelu", torch.neg), cause="values")
        yield wrong(f"{name} all zeros", model, x, run=changed(torch.zeros_like), cause="values")
        zeroed = changed(edited((..., 3), torch.zeros_like))
        yield wrong(
            f"{name} one channel zeroed", model, x, run=zeroed, cause="values", where=r", 3\]|slice 3 along axis 1"
        )
        row = changed(edited(5, lambda y: -y))
        yield wrong(f"{name} one row", model, x, run=row, cause="values", where=r"\[5, |slice 5 along axis 0")
    scores = changed(edited((slice(None), slice(4, None)), lambda y: torch.rand_like(y) * 0.05))
    detector_ = detector().bfloat16()
    yield wrong("scores random, bfloat16", detector_, picture().bfloat16(), run=scores, cause="values")


def wrong_detections() -> Iterator[Case]:
    def detections(name: str, run: Run, **more: Any) -> Case:
        return wrong(name, detector(**more), picture(), run=run, cause="values")

    scores = (slice(None), slice(4, None))
    yield detections("scores random, boxes right", changed(edited(scores, lambda y: torch.rand_like(y) * 0.05)))
    yield detections("scores zero, boxes right", changed(edited(scores, torch.zeros_like)))
    last = (..., slice(4, None))
    yield detections("scores random, classes last", changed(edited(last, lambda y: y.flip(1))), last=True)
    yield detections("two classes swapped", changed(lambda y: y[:, [0, 1, 2, 3, 5, 4, *range(6, 24)]]))
    yield detections("width and height swapped", changed(lambda y: y[:, [0, 1, 3, 2, *range(4, 24)]]))
    yield detections("a fallen digit in one class score", changed(edited((1, 7, 100), lambda y: y * 0.1)))
    yield detections("second picture as the first", changed(lambda y: y[[0, 0]]))
    yield detections(
        "lower half not convolved", planted("convolution", edited((..., slice(8, None), 0), lambda y: y * 0))
    )


def wrong_kinds() -> Iterator[Case]:
    x = rows_of(8, 16)
    labels = Head(mlp(), lambda y: y.argmax(1))
    yield wrong("index off by one", labels, x, run=planted("argmax", lambda y: y + 1), cause="values")
    yield wrong(
        "one index off by one", labels, x, run=changed(edited(6, lambda y: y - 1)), cause="values", where=r"\[6\]"
    )
    yield wrong("indices as floats", labels, x, run=changed(lambda y: y.float()), cause="dtype")
    mask = Head(mlp(), lambda y: y > 0)
    yield wrong("mask inverted", mask, x, run=changed(torch.logical_not), cause="values")
    yield wrong("one bit of a mask", mask, x, run=changed(edited((2, 3), torch.logical_not)), cause="values")
    yield wrong("mask as integers", mask, x, run=changed(lambda y: y.int()), cause="dtype")
    yield wrong("imaginary part lost", torch.fft.fft, x, run=changed(lambda y: y.real + 0j), cause="values")
    yield wrong("conjugated", torch.fft.fft, x, run=changed(lambda y: y.conj()), cause="values")
    yield wrong("real for complex", torch.fft.fft, x, run=changed(lambda y: y.real), cause="dtype")
    sparse = Function(lambda x: x.relu().to_sparse())
    yield wrong("sparse, one value lost", sparse, x, run=changed(without_last), cause="values")
    pixels = Head(mlp(), to_pixels)
    yield wrong("all pixels off by one", pixels, x, run=changed(lambda y: y + 1), cause="values")
    yield wrong(
        "item() of another", Head(mlp(), lambda y: y.sum().item()), x, run=changed(lambda y: y * 1.1), cause="values"
    )
    yield wrong("0-dim doubled", Head(mlp(), lambda y: y.mean()), x, run=changed(lambda y: y * 2), cause="values")
    yield wrong("narrower dtype", mlp(), x, run=changed(lambda y: y.half()), cause="dtype")
    tiny = Head(mlp(), lambda y: y * 1e-30)
    yield wrong("tiny, become zero", tiny, x, run=changed(torch.zeros_like), cause="values")
    far = Function(lambda x: (x * 300).log_softmax(1))
    yield wrong("log-softmax of one row not shifted", far, x, run=changed(edited(2, lambda y: y + 200)), cause="values")


def without_last(x: Tensor) -> Tensor:
    x = x.coalesce()
    return torch.sparse_coo_tensor(x.indices()[:, :-1], x.values()[:-1], x.shape)


def wrong_not_finite() -> Iterator[Case]:
    x = rows_of(8, 16)
    zero = changed(lambda y: y.nan_to_num(0.0))
    yield wrong("NaN dropped", torch.log, x, run=zero, cause="NaN")
    yield wrong(
        "one NaN dropped",
        masked_attention,
        rows_of(1, 9, 32),
        run=changed(edited((0, 0, 0), lambda y: y.nan_to_num())),
        cause="NaN",
    )
    yield wrong(
        "NaN where none is",
        mlp(),
        x,
        run=changed(edited((4, 4), lambda y: y * float("nan"))),
        cause="NaN",
        where=r"\[4, 4\]",
    )
    masked = Function(lambda x: x.masked_fill(x < 0, float("-inf")))
    yield wrong("-inf became the lowest number", masked, x, run=changed(lambda y: y.nan_to_num()), cause="inf")
    yield wrong("+inf for -inf", masked, x, run=changed(torch.abs), cause="inf")
    yield wrong(
        "infinite where finite", mlp(), x, run=changed(edited((4, 4), lambda y: y / 0)), cause="inf", where=r"\[4, 4\]"
    )
    rest = changed(edited(0, lambda y: y.nan_to_num(nan=float("nan"), posinf=0, neginf=0) * 2))
    yield wrong("values beside NaN", torch.log, x.abs() * (x > -1) - 1e-9, run=rest, cause="values")


def wrong_structures() -> Iterator[Case]:
    x = rows_of(8, 16)
    nest, found = Head(mlp(), to_nest), Head(mlp(), to_found)
    yield wrong("a value is missing", nest, x, run=changed(without("text")), cause="missing")
    yield wrong("a value too many", nest, x, run=changed(lambda y: {**y, "more": y["a"][0]}), cause="missing")
    yield wrong("text changed", nest, x, run=changed(lambda y: {**y, "text": "no"}), cause="values", where="text")
    yield wrong("flag changed", nest, x, run=changed(lambda y: {**y, "flag": False}), cause="values", where="flag")
    yield wrong(
        "labels off",
        found,
        x,
        run=changed(lambda y: replace(y, labels=y.labels.flip(0))),
        cause="values",
        where="labels",
    )
    yield wrong(
        "scores of a dataclass",
        found,
        x,
        run=changed(lambda y: replace(y, scores=y.scores.flip(1))),
        cause="values",
        where="scores",
    )
    yield wrong(
        "one row less", found, x, run=changed(lambda y: replace(y, boxes=y.boxes[:-1])), cause="shape", where="boxes"
    )
    yield wrong(
        "something for None",
        found,
        x,
        run=changed(lambda y: replace(y, masks=y.boxes)),
        cause="dtype|missing",
        where="masks",
    )
    ids = torch.arange(24).reshape(2, 12)
    yield wrong(
        "BERT's soft-max flipped",
        bert(),
        ids,
        run=on(_softmax=flipped, _scaled_dot_product_flash_attention_for_cpu=flipped),
        cause="values",
    )
    yield wrong("GPT-2's cache of zeros", gpt(), ids, run=changed(zero_cache), cause="values", where="past_key_values")
    yield wrong("empty for some", lambda x: x[x[:, 0] > 0], x, run=changed(lambda y: y[:0]), cause="shape")
    own = Head(mlp(), OwnClass)
    yield wrong("class of its own, one part", own, x, run=changed(lambda y: OwnClass(y.x * 2)), cause="values")
    nested = Function(lambda x: torch.nested.nested_tensor([x[:3], x[3:]]))
    other = changed(lambda y: torch.nested.nested_tensor([y[0], y[1] * 2]))
    yield wrong("nested tensors, second part", nested, x, run=other, cause="values")


def without(key: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda found: {k: v for k, v in found.items() if k != key}


def flipped(func: Any, *args: Any, **kwargs: Any) -> Any:
    found = func(*args, **kwargs)
    return found.flip(-1) if isinstance(found, Tensor) else (found[0].flip(-1), *found[1:])


def zero_cache(found: Any) -> Any:
    found.past_key_values.layers[1].keys = torch.zeros_like(found.past_key_values.layers[1].keys)
    return found


def wrong_effects() -> Iterator[Case]:
    x = rows_of(8, 16)
    yield wrong("device writes into its input", mlp(), x, run=writes_into_input, cause="input")
    batch, rows = torch.cat([rows_of(2, 16)] * 5)[:9], (0, 1, 0, 1, 0, 1, 0, 1, 0)
    repeated: dict[str, Any] = {"examples": (rows_of(2, 16),), "rows": rows, "cause": "values"}
    yield wrong(
        "last row of a repeated batch", mlp(), batch, run=changed(edited(8, torch.neg)), where=r"\[8, ", **repeated
    )
    yield wrong(
        "middle row of a repeated batch", mlp(), batch, run=changed(edited(4, torch.neg)), where=r"\[4, ", **repeated
    )
    yield wrong(
        "remark of a state, wrong values", PythonCounter(used=False), x, run=changed(lambda y: y * 1.1), cause="values"
    )
    yield wrong(
        "in-place ReLU, wrong values",
        nn.Sequential(nn.ReLU(inplace=True), mlp()),
        x,
        run=changed(torch.neg),
        cause="values",
    )
    coarse = (rows_of(8, 64) * 2).round()
    yield wrong(
        "top-k with ties, not the largest", lambda x: tuple(x.topk(5)), coarse, run=on(topk=smallest), cause="values"
    )
    tokens = rows_of(64, 16).bfloat16()
    model = Head(mlp(500).bfloat16(), lambda y: y.argmax(1))
    yield wrong("next tokens in bfloat16, all off by one", model, tokens, run=changed(lambda y: y + 1), cause="values")
    half = changed(edited(slice(None, None, 4), lambda y: y * 0))
    yield wrong("next tokens in bfloat16, a quarter zero", model, tokens, run=half, cause="values")


def writes_into_input(model: nn.Module, args: tuple[Any, ...]) -> Any:
    output = plain(model, args)
    args[0].mul_(2)
    return output


def smallest(func: Any, x: Tensor, k: int, *rest: Any) -> Any:
    return func(x, k, -1, False)


def gaps() -> Iterator[Case]:
    """Wrong, but within what the documentation tolerates."""
    few = Head(mlp(6), lambda y: torch.cat([y[:, :4].sigmoid() * 640, y[:, 4:].sigmoid()], 1))
    inverted = changed(edited((..., slice(4, None)), lambda y: 1 - y))
    yield Case("scores of 8 boxes, fewer than 32 values", "gap", few, (rows_of(8, 16),), inverted, "values")
    batch, rows = torch.cat([rows_of(2, 16)] * 5)[:9], (0, 1, 0, 1, 0, 1, 0, 1, 0)
    one = changed(edited(6, torch.neg))
    yield Case(
        "a row that isn't looked at", "gap", mlp(), (batch,), one, "values", rows=rows, examples=(rows_of(2, 16),)
    )
    x = rows_of(8, 16)
    rounded = Case(
        "bfloat16 model scaled by 1.02", "gap", mlp().bfloat16(), (x.bfloat16(),), changed(lambda y: y * 1.02)
    )
    yield replace(rounded, cause="values")


GROUPS: tuple[Callable[[], Iterator[Case]], ...] = (
    right_dtypes,
    right_structures,
    right_kinds,
    right_not_finite,
    right_objects,
    right_scales,
    right_pictures,
    right_ties,
    right_effects,
    unverifiable,
    wrong_values,
    wrong_low_precision,
    wrong_detections,
    wrong_kinds,
    wrong_not_finite,
    wrong_structures,
    wrong_objects,
    wrong_effects,
    gaps,
)

# The count.


def ready(case: Case) -> tuple[nn.Module, tuple[Any, ...]]:
    """A device's own copy of model and inputs, in the dtype that is judged."""
    model, args = copy.deepcopy(case.model), copy.deepcopy(case.args)
    if case.dtype is None:
        return model, args
    dtype = getattr(torch, case.dtype)
    return model.to(dtype), tuple(arg.to(dtype) if arg.is_floating_point() else arg for arg in args)


def judge(case: Case) -> Judgement | str:
    """The verdict, as documented; what was raised, where something was."""
    try:
        reference = Reference(case.model, Inputs(case.args if case.examples is None else case.examples, {}))
        judge = reference.judge(case.dtype, rows=case.rows)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    model, args = ready(case)
    torch.manual_seed(11)
    output = case.run(model, args)
    try:
        return judge.check(output, inputs=(args, {}))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def names_cause(case: Case, found: Judgement) -> bool:
    reason = found.reason or ""
    pattern = "|".join(CAUSES[cause] for cause in case.cause.split("|"))
    return bool(re.search(pattern, reason)) and bool(re.search(case.where, f"{found.where} {reason}"))


def miss(case: Case, found: Judgement | str) -> str | None:
    """The kind of miss, if it is one."""
    if isinstance(found, str):
        return "raised"
    if case.truth == "right":
        return {"ok": None, "wrong": "right called wrong", "unverified": "right left unverified"}[found.verdict]
    if case.truth == "gap":
        return "gap called ok" if found.verdict == "ok" else None
    if found.verdict == "ok":
        return f"{case.truth} called ok"
    if found.verdict != ("wrong" if case.truth == "wrong" else "unverified"):
        return f"{case.truth} called {found.verdict}"
    return None if names_cause(case, found) else "cause not named"


def main() -> None:
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    cases = [case for group in GROUPS for case in group() if part in case.name]
    misses: dict[str, list[str]] = {}
    named: Counter[str] = Counter()
    for case in cases:
        found = judge(case)
        kind = miss(case, found)
        if kind:
            misses.setdefault(kind, []).append(case.name)
        elif case.cause:
            named[case.cause] += 1
        said = found if isinstance(found, str) else f"{found.verdict}: {found.reason}"
        print(f"{'MISS' if kind else 'good'}  {case.truth:12}  {case.name}: {said}{f'  [{kind}]' if kind else ''}")
    counts = Counter(case.truth for case in cases)
    names = ("right called wrong", "wrong called ok")
    document = {"cases": counts, **{name: len(misses.get(name, [])) for name in names}}
    print(json.dumps({**document, "causes named": named, "misses": misses}))


if __name__ == "__main__":
    main()
