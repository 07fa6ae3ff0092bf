"""The text tables: held equal to torchgen, the dispatcher and the OpInfos of the installed torch."""

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from tests.making_wheels import CI, DERIVATIVES, YAML

from torchstone.ops.wheels import op_infos
from torchstone.ops.wheels.ci_tables import MEMBER, read_ci_tables
from torchstone.ops.wheels.derivatives import Backward, read_derivatives
from torchstone.ops.wheels.installed import find_installed
from torchstone.ops.wheels.python_registrations import read_python_registrations
from torchstone.ops.wheels.reading import YAML as YAML_MEMBER
from torchstone.ops.wheels.yaml_table import COMPOSITES, YamlTable, read_yaml


@pytest.fixture(scope="module")
def installed_table() -> YamlTable:
    return read_yaml(_installed(YAML_MEMBER))


def _installed(member: str) -> str:
    data = find_installed().read(member)
    assert data is not None
    return data.decode()


def test_the_yaml_agrees_with_the_dispatcher_on_every_overload(installed_table: YamlTable) -> None:
    asked = [(overload, key) for overload in installed_table.keys for key in ("CPU", *COMPOSITES)]
    # In a process of its own: other tests register kernels of the pretend device in this one.
    code = (
        "import json, sys, torch; has = torch._C._dispatch_has_kernel_for_dispatch_key; "
        "print(json.dumps([has(f'aten::{name}', key) for name, key in json.load(sys.stdin)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    said = [key in installed_table.keys[overload] for overload, key in asked]
    assert len(installed_table.keys) > 3000
    assert [one for one, a, b in zip(asked, said, json.loads(done.stdout), strict=True) if a != b] == []


def test_the_yaml_agrees_with_torchgen_on_every_device(installed_table: YamlTable) -> None:
    pytest.importorskip("yaml", reason="torchgen needs PyYAML")
    from torchgen.gen import parse_native_yaml  # type: ignore[import-untyped]
    from torchgen.model import DispatchKey  # type: ignore[import-untyped]

    folder = find_installed().folder / Path(YAML_MEMBER).parent
    parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
    functions = {str(one.func.name): one for one in parsed.native_functions}
    assert set(functions) == set(installed_table.keys)
    for key in ("CPU", "CUDA", "MPS", "XPU"):
        index = parsed.backend_indices[DispatchKey.parse(key)]
        for name, function in functions.items():
            delegate = functions[str(function.structured_delegate)] if function.structured_delegate else function
            native = index.has_kernel(function) or index.has_kernel(delegate)
            assert native == (key in installed_table.keys[name]), (name, key)


def test_delegates_and_generated_overloads() -> None:
    table = read_yaml(YAML)
    assert table.keys["qr"] == ("CPU", "CUDA", "CompositeExplicitAutogradNonFunctional")
    assert table.keys["eigh"] == ("CompositeImplicitAutograd",)
    assert table.made_from == {"_eigh.out": "_eigh", "qr": "qr.out"}


def test_a_line_that_is_no_schema_is_named() -> None:
    with pytest.raises(ValueError, match="no schema"):
        read_yaml("- func: ???\n")


def test_ci_tables_of_both_forms() -> None:
    older = read_ci_tables(CI)
    assert older is not None
    assert older.fails == {"eigh": None, "floor": ("int64",)}
    assert older.complex_ok == ("floor",)
    assert older.no_double
    newer = read_ci_tables(CI.replace("SUPPORTED_COMPLEX_OPS", "UNSUPPORTED_COMPLEX_OPS"))
    assert newer is not None
    assert (newer.complex_ok, newer.complex_fails) == (None, ("floor",))


def test_an_entry_that_is_unequal_to_the_cpu_is_no_failure() -> None:
    comment = '"eigh": None,\n# returned output on CPU is float64\n"floor"'
    tables = read_ci_tables(CI.replace('"eigh": None, "floor"', comment))
    assert tables is not None
    assert (tables.fails, tables.fails_for_other_reasons) == ({"eigh": None}, {"floor": ("int64",)})


def test_a_comment_that_tells_something_else_changes_nothing() -> None:
    tables = read_ci_tables(CI.replace('"floor": [', '\n# uint8 is for CPU only\n"floor": ['))
    assert tables is not None
    assert "floor" in tables.fails


def test_ci_tables_of_an_unknown_form_are_no_tables() -> None:
    assert read_ci_tables("def mps_ops_modifier(ops):\n    return ops\n") is None


def test_the_installed_ci_tables_are_read() -> None:
    tables = read_ci_tables(_installed(MEMBER))
    assert tables is not None
    assert len(tables.fails) > 20
    assert "bincount" not in tables.fails  # MPS counts: _bincount_mps
    assert tables.no_double


def test_op_infos_claim_what_the_installed_torch_claims() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch imports distutils, which pip may have taken away before
        from torch.testing._internal.common_methods_invocations import op_db

    read = {info.key: info for member in op_infos.MEMBERS for info in op_infos.read_op_infos(_installed(member))}
    common = [info for info in op_db if info.name + info.variant_test_name in read]
    assert len(common) > 0.9 * len(op_db)
    for info in common:
        mine = read[info.name + info.variant_test_name]
        for device in mine.dtypes:
            claimed = {str(dtype).removeprefix("torch.") for dtype in _supported(info, device)}
            assert set(mine.dtypes[device]) == claimed, (mine.key, device)


def test_a_variant_is_told_apart_from_its_name() -> None:
    text = (
        'OpInfo("scatter_reduce", variant_test_name="sum", dtypes=floating_types())\nOpInfo("abs", dtypes=all_types())'
    )
    with_variant, plain = op_infos.read_op_infos(text)
    assert (with_variant.key, with_variant.label) == ("scatter_reducesum", "scatter_reduce (sum)")
    assert (plain.key, plain.label) == ("abs", "abs")


def _supported(info: Any, device: str) -> Any:
    return info.supported_dtypes(device)


def test_python_registrations_of_both_forms() -> None:
    bound = 'lib = torch.library.Library("aten", "IMPL", "MPS")\nlib.impl("aten::lu_solve.out", f)\n'
    given = '_lib = _Library("aten", "IMPL")\n_lib.impl("native_group_norm", f, "MPS")\n_lib.impl("abs", f, "CPU")\n'
    assert read_python_registrations(bound) == ("lu_solve.out",)
    assert read_python_registrations(given) == ("native_group_norm",)


def test_derivatives_keep_apart_what_runs_under_a_condition() -> None:
    found = read_derivatives(DERIVATIVES)
    assert found["relu"] == Backward(always=("threshold_backward",))
    conditional = read_derivatives("- name: f(Tensor x) -> Tensor\n  x: grad.defined() ? g(grad) : h(grad)\n")
    assert conditional["f"] == Backward(sometimes=("defined", "g", "h"))
