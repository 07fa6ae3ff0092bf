"""Layers and losses: on the device as on the CPU, forward and backward."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils._pytree import tree_leaves


class Attention(nn.Module):
    """Scaled dot-product attention, causal or not."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        free = functional.scaled_dot_product_attention(x, x, x)
        return free + functional.scaled_dot_product_attention(x, x, x, is_causal=True)


class Packed(nn.Module):
    """An LSTM over sequences of different lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(x, torch.tensor([5, 2]))
        padded: torch.Tensor = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0])[0]
        return padded


class Loss(nn.Module):
    """Cross entropy against fixed classes."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(x, torch.tensor([1, 0, 2], device=x.device), label_smoothing=0.1)


LAYERS: list[tuple[Callable[[], nn.Module], tuple[int, ...]]] = [
    (lambda: nn.Linear(4, 3), (2, 4)),
    (lambda: nn.Conv2d(3, 4, 3, padding=1), (2, 3, 6, 6)),
    (lambda: nn.Conv1d(4, 4, 3, groups=2, bias=False), (2, 4, 8)),
    (lambda: nn.ConvTranspose2d(3, 4, 3, stride=2), (2, 3, 4, 4)),
    (lambda: nn.BatchNorm2d(3), (2, 3, 4, 4)),
    (lambda: nn.BatchNorm2d(3).eval(), (2, 3, 4, 4)),
    (lambda: nn.LayerNorm(4), (2, 4)),
    (lambda: nn.GroupNorm(2, 4), (2, 4, 3)),
    (lambda: nn.MaxPool2d(2), (2, 3, 4, 4)),
    (lambda: nn.AdaptiveAvgPool2d(2), (2, 3, 5, 5)),
    (lambda: nn.Softmax(-1), (2, 4)),
    (lambda: nn.Sequential(nn.GELU(), nn.SiLU(), nn.Sigmoid(), nn.Tanh(), nn.ReLU()), (2, 4)),
    (lambda: nn.LSTM(4, 3, num_layers=2, bidirectional=True), (5, 2, 4)),
    (lambda: nn.LSTM(4, 3, bias=False), (5, 2, 4)),
    (lambda: nn.GRU(4, 3), (5, 2, 4)),
    (lambda: nn.GRU(4, 3, bias=False), (5, 2, 4)),
    (lambda: nn.RNN(4, 3), (5, 2, 4)),
    (lambda: nn.LSTMCell(4, 3), (2, 4)),
    (lambda: nn.GRUCell(4, 3), (2, 4)),
    (Packed, (5, 2, 4)),
    (Attention, (2, 2, 4, 8)),
    (lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), (2, 3, 8)),
    (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), (2, 3, 8)),
    (Loss, (3, 4)),
]


def _gradients(module: nn.Module, source: torch.Tensor) -> list[torch.Tensor | None]:
    leaf = source.clone().requires_grad_()
    outputs = [output for output in tree_leaves(module(leaf)) if output.requires_grad]
    sum(output.square().sum() for output in outputs).backward()
    return [*outputs, leaf.grad, *(parameter.grad for parameter in module.parameters())]


@pytest.mark.parametrize(("make", "shape"), LAYERS)
def test_layers_agree_with_the_cpu(device: str, make: Callable[[], nn.Module], shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    module, source = make(), torch.randn(shape)
    twin = copy.deepcopy(module).to(device)
    expected, got = _gradients(module, source), _gradients(twin, source.to(device))
    assert all(value is None or value.device.type == device for value in got)
    torch.testing.assert_close(got, expected, check_device=False)


def test_inference_takes_the_fast_path_of_transformers(device: str) -> None:
    torch.manual_seed(0)
    module, source = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), torch.randn(2, 3, 8)
    with torch.inference_mode():
        expected = module(source)
        torch.testing.assert_close(module.to(device)(source.to(device)).cpu(), expected)


def test_embeddings(device: str) -> None:
    module, source = nn.Embedding(5, 3), torch.tensor([[0, 4], [4, 1]])
    twin = copy.deepcopy(module).to(device)
    module(source).square().sum().backward()
    twin(source.to(device)).square().sum().backward()
    torch.testing.assert_close(twin.weight.grad, module.weight.grad, check_device=False)


def test_dropout_passes_gradients_where_it_passed_values(device: str) -> None:
    leaf = torch.ones(200, device=device, requires_grad=True)
    result = functional.dropout(leaf, 0.5)
    torch.autograd.backward(result.sum())
    assert 0 < int((result == 0).sum()) < 200
    assert leaf.grad is not None
    assert torch.equal(result, leaf.grad)


def test_gradients_add_up_pass_hooks_and_custom_functions(device: str) -> None:
    seen: list[str] = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            doubled: torch.Tensor = 2 * x * grads[0]
            return doubled

    leaf = torch.arange(3.0, device=device, requires_grad=True)
    leaf.register_hook(lambda grad: seen.append(grad.device.type))  # type: ignore[no-untyped-call]
    for _ in range(2):
        Square.apply(leaf).sum().backward()  # type: ignore[no-untyped-call]
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [0, 4, 8]
    assert seen == [device, device]


def test_double_backward(device: str) -> None:
    leaf = torch.arange(3.0, device=device, requires_grad=True)
    (grad,) = torch.autograd.grad((leaf**3).sum(), leaf, create_graph=True)
    torch.autograd.backward(grad.sum())
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [0, 6, 12]


def test_function_transforms(device: str) -> None:
    tensor = torch.arange(6.0, device=device).view(3, 2)
    per_row = torch.func.vmap(torch.func.grad(lambda row: (row**2).sum()))(tensor)
    assert torch.equal(per_row, 2 * tensor)
