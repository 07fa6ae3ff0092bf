"""`torch.pretend` and `torch.accelerator`: what generic code asks of a device."""

from typing import Any

import pytest
import torch

import torchstone.pretend as pretend


@pytest.fixture
def module() -> Any:
    return torch.get_device_module("pretend")


def test_the_accelerator_is_this_device(device: str, module: Any) -> None:
    assert torch.accelerator.current_accelerator() == torch.device(device)
    assert torch.accelerator.is_available()
    assert torch.accelerator.device_count() == module.device_count() == 1
    assert torch.accelerator.current_device_index() == module.current_device() == 0
    with torch.accelerator.device_index(0), module.device(0):
        assert torch.ones(1, device=device).get_device() == 0


def test_the_module_answers_as_cuda_does(device: str, module: Any) -> None:
    assert module.is_available()
    assert module.is_initialized()
    assert module.get_device_name() == "Pretend accelerator"
    assert module.get_device_capability() == (1, 0)
    module.set_device(0)
    module.set_device("pretend:0")
    with pytest.raises(RuntimeError, match="invalid device ordinal 1"):
        module.set_device(1)


def test_mixed_precision_follows_the_dtypes_that_exist(module: Any) -> None:
    assert module.get_amp_supported_dtype() == [torch.bfloat16, torch.float16]
    assert module.is_bf16_supported()
    with pretend.configure(rejected_dtypes={"bfloat16"}):
        assert module.get_amp_supported_dtype() == [torch.float16]
        assert not module.is_bf16_supported()


def test_the_random_state_can_be_kept_and_restored(device: str, module: Any) -> None:
    state = module.get_rng_state()
    first = torch.rand(3, device=device)
    module.set_rng_state(state)
    assert torch.equal(first, torch.rand(3, device=device))
    with torch.random.fork_rng(devices=[0], device_type=device):
        torch.rand(3, device=device)


def test_what_pytorch_takes_from_c_plus_plus_only_is_an_exception(device: str) -> None:
    with pytest.raises(NotImplementedError):
        torch.Generator(device=device)
    with pytest.raises(NotImplementedError):
        torch.ones(1, device=device).untyped_storage().resize_(100)
