"""Probes vary every argument that decides what work an operator does."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone import pretend
from torchstone.ops.placing import tensors
from torchstone.ops.probes.bases import all_bases
from torchstone.ops.probes.calling import perform, prepare
from torchstone.ops.probes.conditions import FORWARD, LOWERED, Point
from torchstone.ops.probes.judging import Prober

Calls = dict[str, list[dict[str, Any]]]
NOT_VARIED = frozenset({"dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking", "copy", "implicit"})
"""What says where and how a tensor is held: the conditions vary it."""


class _Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """The arguments by name of each operator that is called."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: Calls = defaultdict(list)

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        schema = function._schema.arguments
        values = {one.name: one.default_value for one in schema if one.has_default_value()}
        values |= {one.name: value for one, value in zip(schema, args, strict=False)} | (kwargs or {})
        self.calls[function.overloadpacket.__name__].append({"": function, **values})
        return function(*args, **(kwargs or {}))


@cache
def recorded() -> Calls:
    """Of every base, plain and with each option."""
    recorder = _Recorder()
    with recorder:
        for base in all_bases():
            for option in (None, *range(len(base.options))):
                point = Point(base.dtypes[0], option=option)
                perform(base, prepare(base, point, LOWERED), FORWARD)
    return recorder.calls


def constants() -> Iterator[tuple[str, str]]:
    """Operators and the arguments of theirs, tensors apart, that are the same in every call."""
    for name, calls in recorded().items():
        for argument in {one.name: one for call in calls for one in call[""]._schema.arguments}.values():
            given = [call[argument.name] for call in calls if argument.name in call]
            is_plain = not any(isinstance(value, (torch.Tensor, list)) and tensors(value) for value in given)
            if is_plain and argument.name not in NOT_VARIED and len({repr(value) for value in given}) == 1:
                yield name, argument.name


OF_WORK = """
dim dims k largest descending keepdim correction reduction reduce include_self accumulate padding_idx mode
scale_grad_by_freq per_sample_weights stride padding dilation output_padding groups transposed kernel_size ceil_mode
count_include_pad divisor_override upper left side right minlength alpha beta diagonal shifts posinf neginf p ord
threshold training train momentum label_smoothing ignore_index rounding_mode approximate is_causal scale
"""
DECIDES_WORK = frozenset(OF_WORK.split())
ONE_VALUE = {
    ("_fft_r2c", "dim"): "one transform stands for all",
    ("_fused_sgd_", "momentum"): "one set of settings for each optimizer",
    ("add_", "alpha"): "a part of another operator: add varies it",
    ("im2col", "dilation"): "the convolutions vary it",
    ("im2col", "kernel_size"): "the convolutions vary it",
    ("mkldnn_rnn_layer", "mode"): "the CPU's own name for an LSTM",
    ("mkldnn_rnn_layer", "train"): "the CPU's own name for an LSTM",
    ("reflection_pad1d", "padding"): "constant_pad_nd and the convolutions vary it",
    ("replication_pad1d", "padding"): "constant_pad_nd and the convolutions vary it",
    ("rsub", "alpha"): "Python's minus sets none",
    ("scatter_", "dim"): "a part of one_hot: scatter varies it",
    ("split", "dim"): "a view: only chunks of it are copied",
}
"""What is the same in every call, and why that is enough."""


def test_each_argument_that_decides_work_is_varied() -> None:
    found = {(name, argument) for name, argument in constants() if argument in DECIDES_WORK}
    assert sorted(found - set(ONE_VALUE)) == []


def calls_of(name: str) -> list[dict[str, Any]]:
    return recorded()[name]


def test_arguments_that_devices_got_wrong_in_combination() -> None:
    assert any(one["k"] > 1 and one["dim"] == 0 and not one["largest"] for one in calls_of("topk"))
    assert any(not one["sorted"] for one in calls_of("topk"))
    depthwise = [one for one in calls_of("convolution") if one["groups"] == 4 and not one["transposed"]]
    assert {2} <= {one["stride"][0] for one in depthwise}
    assert {2} <= {one["dilation"][0] for one in depthwise}
    assert any(any(one["output_padding"]) for one in calls_of("convolution") if one["transposed"])
    affine = {(one["weight"] is None, one["bias"] is None) for one in calls_of("native_layer_norm")}
    assert affine == {(True, True), (False, True), (True, False), (False, False)}
    assert {one["weight"] is None for one in calls_of("native_group_norm")} == {True, False}
    assert any(2 in one["dilation"] for one in calls_of("max_pool2d_with_indices"))


def reversed_from_two(call: pretend.Call) -> Any:
    values, indices = call.right()
    return (values.flip(-1), indices.flip(-1)) if call.args[1] > 1 else (values, indices)


def test_a_topk_that_is_wrong_from_two_on_is_found() -> None:
    pretend.install()
    base = next(one for one in all_bases() if one.name == "topk")
    points = [Point(torch.float32, option=number) for number in range(len(base.options))]
    with pretend.configure(faults={"topk": reversed_from_two}):
        prober = Prober(base, torch.device("pretend"), LOWERED)
        assert any(prober.judge(point) for point in points)


def test_names_are_unique() -> None:
    names = [one.name for one in all_bases()]
    assert len(names) == len(set(names))
