"""Faults of one's own: what a fault sees of a call, and what it can do to it."""

import struct
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as functional

import torchstone.pretend as pretend
from torchstone.errors import UserError
from torchstone.pretend.machine import machine

attend: Any = functional.scaled_dot_product_attention
RunPython = Callable[[str], "subprocess.CompletedProcess[str]"]


def test_a_fault_sees_the_call_as_the_device_does(device: str) -> None:
    seen: list[pretend.Call] = []

    def watch(call: pretend.Call) -> Any:
        seen.append(call)
        return call.right()

    tensor = torch.arange(12.0).to(device).view(3, 4).t()[1:]
    with pretend.configure(faults={"exp": watch}):
        result = tensor.exp()
    (call,) = seen
    assert call.op == "aten::exp"
    assert (call.args[0].stride(), call.args[0].storage_offset()) == ((1, 4), 1)
    assert call.given[0] is tensor
    assert torch.equal(result.cpu(), tensor.cpu().exp())


def test_a_fault_gives_the_answer_and_ends_with_the_block(device: str) -> None:
    tensor = torch.ones(3, device=device)
    with pretend.configure(faults={"aten::exp": lambda call: call.right() * 2}):
        doubled = tensor.exp()
    assert torch.equal(doubled, tensor.exp() * 2)


def test_a_fault_writes_where_the_op_writes(device: str) -> None:
    def negate(call: pretend.Call) -> Any:
        call.right()
        call.written[0].neg_()

    tensor, target = torch.ones(3, device=device), torch.zeros(3, device=device)
    with pretend.configure(faults={"add_": negate, "add.out": negate}):
        torch.add(tensor, tensor, out=target)
        tensor.add_(1)
    assert target.tolist() == [-2, -2, -2]
    assert tensor.tolist() == [-2, -2, -2]


def test_copies_and_numbers_read_back_can_be_at_fault(device: str) -> None:
    def forget(call: pretend.Call) -> Any:
        if call.given[1].is_cpu:
            call.args[1].zero_()
        else:
            call.right()

    with pretend.configure(faults={"_copy_from": forget, "_local_scalar_dense": lambda call: 7}):
        tensor = torch.ones(3).to(device)
        assert tensor.cpu().tolist() == [0, 0, 0]
        assert tensor[0].item() == 7


def test_a_fault_for_an_op_that_never_arrives_is_a_mistake() -> None:
    with pytest.raises(UserError, match="never sees linear"), pretend.configure(faults={"linear": lambda call: None}):
        pass


def test_freed_blocks_keep_what_they_held_until_the_cache_is_emptied(device: str) -> None:
    with pretend.configure(freed_blocks_kept=2):
        block = torch.full((4,), 3.0, device=device)
        del block
        assert machine.freed_blocks[-1].head == struct.pack("4f", 3, 3, 3, 3)
        torch.accelerator.empty_cache()
        assert not machine.freed_blocks
    assert machine.freed_blocks.maxlen == 0


def test_the_host_is_seen_to_wait(device: str) -> None:
    tensor = torch.ones(3, device=device)
    before = machine.clock.waits
    tensor.exp()
    assert machine.clock.waits == before
    torch.accelerator.synchronize()
    assert machine.clock.waits == before + 1


def draw_attention(device: str, heads: int = 2) -> list[torch.Tensor]:
    torch.manual_seed(0)
    shapes = [(2, 4, 5, 8), (2, heads, 7, 8), (2, heads, 7, 8)]
    return [torch.randn(shape).to(device).requires_grad_() for shape in shapes]


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.3}, {"attn_mask": "bias"}])
@pytest.mark.parametrize("heads", [4, 2])
def test_fused_attention_is_the_cpus(device: str, options: dict[str, Any], heads: int) -> None:
    answers = {}
    for where in ("cpu", device):
        inputs = draw_attention(where, heads)
        chosen = dict(options)
        if "attn_mask" in chosen:
            inputs.append(torch.linspace(-1, 1, 35).view(5, 7).to(where).requires_grad_())
            chosen["attn_mask"] = inputs[-1]
        with pretend.configure(fused_attention=True):
            result = attend(*inputs[:3], enable_gqa=heads == 2, **chosen)
            torch.autograd.backward(result.square().sum())
        answers[where] = [result, *[tensor.grad for tensor in inputs]]
    for expected, got in zip(answers["cpu"], answers[device], strict=True):
        assert expected is not None
        assert got is not None
        torch.testing.assert_close(got.cpu(), expected)


def test_attention_is_one_op_only_if_asked_for_and_without_dropout(device: str) -> None:
    seen: list[str] = []

    def watch(call: pretend.Call) -> Any:
        seen.append(call.op)
        return call.right()

    name = "_scaled_dot_product_fused_attention_overrideable"
    inputs = draw_attention(device, heads=4)
    for fused, dropout, times in ((False, 0.0, 0), (True, 0.5, 0), (True, 0.0, 1)):
        with pretend.configure(fused_attention=fused, faults={name: watch}):
            attend(*inputs, dropout_p=dropout)
        assert len(seen) == times
    with torch.inference_mode(), pretend.configure(fused_attention=True, faults={name: watch}):
        attend(*inputs)
    assert len(seen) == 2


def test_knobs_come_from_the_environment_of_the_process(
    run_python: RunPython, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "planting.py").write_text(
        "from torchstone.pretend import Knobs\ndef pretend_knobs(name): return Knobs(missing={name})\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv(pretend.KNOBS_VARIABLE, "planting:exp")
    program = "import torchstone.pretend as p; p.install(); print(sorted(p.knobs().missing))"
    assert run_python(program).stdout == "['exp']\n"
    monkeypatch.setenv(pretend.KNOBS_VARIABLE, "nothing_here:exp")
    assert "is not understood: No module named 'nothing_here'" in run_python(program).stderr
