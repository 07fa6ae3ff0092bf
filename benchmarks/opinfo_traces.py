"""Record which operators torch's own samples call, with the dtypes of their tensors: what static evidence is asked.

PyTorch's CI judges functions (`nn.functional.cross_entropy`); a wheel tells of operators. The samples of each OpInfo
are run on the CPU under a dispatch mode, forward and backward, in worker processes of their own. Whether a person's
code asks for float64 is noted apart: the CPU computes in float64 where no one asked.
"""

import json
import subprocess
import sys
import time
import warnings
from typing import Any

from torchstone.ops.wheels.rules import ALWAYS_DOUBLE, NO_DOUBLE

DTYPES = ("float32", "float16", "bfloat16", "int64", "complex64")
SAMPLES = {"float32": 16}
FEWER_SAMPLES = 6
SECONDS = 4.0
"""At most, for one operator in one dtype."""
Call = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Operator, dtypes of its inputs, dtypes of its outputs."""


def trace_all(workers: int, names: set[str] | None = None) -> dict[str, Any]:
    """The traces of every OpInfo (or of those named), from worker processes."""
    shards = [
        subprocess.Popen(
            [sys.executable, __file__, str(number), str(workers), json.dumps(sorted(names or ()))],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for number in range(workers)
    ]
    traces: dict[str, Any] = {}
    for shard in shards:
        output, _ = shard.communicate()
        if shard.returncode:
            raise RuntimeError(f"a worker that traces OpInfos ended with {shard.returncode}")
        traces |= json.loads(output.splitlines()[-1])
    return traces


def _name(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def _recorder() -> Any:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    def described(value: object) -> tuple[str, ...]:
        tensors = [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]
        return tuple(
            _name(one.dtype) + ("" if one.layout is torch.strided else f":{_name(one.layout)}") for one in tensors
        )

    class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
        """Keeps every distinct call, before it is executed: one that raises is recorded too."""

        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call]
            self.calls: dict[tuple[str, tuple[str, ...]], set[str]] = {}

        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            name = function.name().removeprefix("aten::")
            outputs = self.calls.setdefault((name, described((args, kwargs))[:6]), set())
            result = function(*args, **(kwargs or {}))
            outputs.update(described(result))
            return result

        def listed(self) -> list[Call]:
            return [(name, inputs, tuple(sorted(outputs))) for (name, inputs), outputs in self.calls.items()]

    return Recorder


def _asks_for_doubles(sample: Any, info: Any) -> bool:
    """Whether the sample's own arguments, or the function by its documentation, ask for float64 or complex128."""
    import torch
    from torch.utils._pytree import tree_leaves

    asked = {_name(leaf) for leaf in tree_leaves((sample.args, sample.kwargs)) if isinstance(leaf, torch.dtype)}
    elsewhere = sample.kwargs.get("device") == "cpu"
    return bool(asked & NO_DOUBLE and not elsewhere) or info.name.split(".")[-1] in ALWAYS_DOUBLE


def sample_as_on_mps() -> None:
    """The samples that ask for a device's highest precision ask for less on MPS: have them do so here."""
    import torch
    from torch.testing._internal import common_methods_invocations as invocations

    for name, dtype in (("highest_precision_float", torch.float32), ("highest_precision_complex", torch.complex64)):
        if hasattr(invocations, name):
            setattr(invocations, name, lambda device, dtype=dtype: dtype)


def _trace(info: Any, dtype: Any) -> dict[str, Any]:
    import torch
    from torch.utils._pytree import tree_leaves

    recorder_type = _recorder()
    forward, backward = recorder_type(), recorder_type()
    gradients = info.supports_autograd and dtype in info.supported_backward_dtypes("mps")
    asked, begun = False, time.monotonic()
    torch.manual_seed(0)
    for number, sample in enumerate(info.sample_inputs("cpu", dtype, requires_grad=gradients)):
        if number >= SAMPLES.get(_name(dtype), FEWER_SAMPLES) or time.monotonic() - begun > SECONDS:
            break
        asked = asked or _asks_for_doubles(sample, info)
        try:
            with forward:
                result = info(sample.input, *sample.args, **sample.kwargs)
            outputs = [one for one in tree_leaves(sample.output_process_fn_grad(result)) if _has_gradient(one)]
            if gradients and outputs:
                with backward:
                    torch.autograd.backward(outputs, [torch.ones_like(one) for one in outputs])
        except Exception:  # a sample that the CPU refuses still showed its calls
            continue
    return {"forward": forward.listed(), "backward": backward.listed(), "asks_for_doubles": asked}


def _has_gradient(value: object) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.requires_grad


def _trace_shard(number: int, of: int, names: set[str]) -> dict[str, Any]:
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    torch.set_num_threads(1)
    sample_as_on_mps()
    found: dict[str, Any] = {}
    for info in op_db[number::of]:
        key = info.name + info.variant_test_name
        if names and key not in names:
            continue
        on_both = info.supported_dtypes("mps") & info.supported_dtypes("cpu")  # type: ignore[no-untyped-call]
        claimed = {_name(dtype): dtype for dtype in on_both}
        found[key] = {name: _safely(info, claimed[name]) for name in DTYPES if name in claimed}
    return found


def _safely(info: Any, dtype: Any) -> dict[str, Any]:
    try:
        return _trace(info, dtype)
    except Exception:  # its sample function does not work here
        return {"forward": [], "backward": [], "asks_for_doubles": False}


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    found = _trace_shard(int(sys.argv[1]), int(sys.argv[2]), set(json.loads(sys.argv[3])))
    print("\n" + json.dumps(found))
