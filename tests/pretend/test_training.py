"""Training on the device: optimizers, data, mixed precision, checkpointing, threads, compilation."""

import copy
import threading
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset


def _train(module: nn.Module, source: torch.Tensor, kind: Any, **options: Any) -> torch.Tensor:
    optimizer = kind(module.parameters(), lr=0.05, **options)
    for _ in range(3):
        optimizer.zero_grad()
        module(source).square().sum().backward()
        nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()
    return torch.cat([parameter.detach().flatten() for parameter in module.parameters()])


@pytest.mark.parametrize("options", [{"foreach": True}, {"foreach": False}, {"fused": True}, {}])
@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW])
def test_optimizers_agree_with_the_cpu(device: str, kind: Any, options: dict[str, bool]) -> None:
    torch.manual_seed(0)
    module, source = nn.Linear(3, 2), torch.randn(4, 3)
    twin = copy.deepcopy(module).to(device)
    expected, got = _train(module, source, kind, **options), _train(twin, source.to(device), kind, **options)
    assert got.device.type == device
    torch.testing.assert_close(got.cpu(), expected)


@pytest.mark.parametrize("pin_memory", [False, True])
def test_a_data_loader_feeds_the_device(device: str, pin_memory: bool) -> None:
    loader = DataLoader(TensorDataset(torch.arange(8.0)), batch_size=4, pin_memory=pin_memory)
    total = sum(batch.to(device, non_blocking=True).sum().item() for (batch,) in loader)
    assert total == 28


def test_data_loader_workers_live_beside_the_device(device: str) -> None:
    torch.autograd.backward(torch.ones(1, device=device, requires_grad=True).exp())
    loader = DataLoader(TensorDataset(torch.arange(8.0)), batch_size=4, num_workers=1)
    assert sum(batch.to(device).sum().item() for (batch,) in loader) == 28


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpointing_repeats_the_same_dropout(device: str, use_reentrant: bool) -> None:
    module = nn.Sequential(nn.Linear(4, 50, bias=False), nn.Dropout(0.5)).to(device)
    source = torch.ones(1, 4, device=device, requires_grad=True)
    result = checkpoint(module, source, use_reentrant=use_reentrant)
    result.sum().backward()
    gradient = next(module.parameters()).grad
    assert gradient is not None
    assert torch.equal(gradient[:, 0] != 0, result[0] != 0)


def test_autocast_chooses_the_precision_of_each_op(device: str) -> None:
    module = nn.Linear(4, 3).to(device)
    source = torch.randn(2, 4, device=device)
    # oneDNN's bfloat16 kernels use AMX, which a virtual machine may announce and then refuse with SIGILL.
    was_enabled = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        with torch.autocast(device, dtype=torch.bfloat16):
            logits = module(source)
            loss = nn.functional.cross_entropy(logits, torch.tensor([0, 1], device=device))
            widest = torch.dot(logits[0], source[0, :3])
            outside = logits + source[:, :3]
        torch.autograd.backward(loss)
    finally:
        torch._C._set_mkldnn_enabled(was_enabled)
    assert (logits.dtype, loss.dtype) == (torch.bfloat16, torch.float32)
    assert (widest.dtype, outside.dtype) == (torch.float32, torch.float32)
    assert module.weight.grad is not None
    assert module.weight.grad.dtype == torch.float32
    assert module(source).dtype == torch.float32


def test_gradient_scaling(device: str) -> None:
    module = nn.Linear(3, 1).to(device)
    before = module.weight.detach().clone()
    scaler = torch.amp.GradScaler(device)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    scaler.scale(module(torch.ones(2, 3, device=device)).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    torch.testing.assert_close(module.weight.detach(), before - 0.2)


def test_backward_passes_from_several_threads(device: str) -> None:
    results: list[float] = []

    def work() -> None:
        for _ in range(5):
            leaf = torch.ones(4, device=device, requires_grad=True)
            torch.autograd.backward((leaf * 3).exp().log().sum())
            assert leaf.grad is not None
            results.append(round(leaf.grad.sum().item(), 4))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [12.0] * 20


def test_compiling_with_the_eager_backend(device: str) -> None:
    module = nn.Sequential(nn.Linear(4, 4), nn.ReLU()).to(device)
    source = torch.randn(2, 4, device=device)
    compiled = torch.compile(module, backend="eager")
    result = compiled(source)
    result.sum().backward()
    torch.testing.assert_close(result, module(source))
    assert module[0].weight.grad is not None
