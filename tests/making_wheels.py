"""Make small wheels of torch for macOS: real archives with a few tables and, where asked for, a library."""

import zipfile
from pathlib import Path

from tests.making_macho import (
    ERROR_STUB,
    FALLBACK,
    GRAPH,
    METAL,
    REGISTER,
    Library,
    address,
    aten_call,
    block,
    call,
    kernel,
    registering,
    text,
)

YAML = """\
- func: relu(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: relu
    MPS: relu_mps
  tags: core

- func: floor(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA, MPS: floor

- func: qr(Tensor self) -> Tensor
  structured_delegate: qr.out

- func: qr.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU, CUDA: qr_out

- func: _eigh(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: _eigh
  autogen: _eigh.out

- func: eigh(Tensor self) -> Tensor

- func: embedding_renorm_(Tensor(a!) self) -> Tensor(a!)
  dispatch:
    CPU: embedding_renorm_cpu_

- func: _slow_conv2d_forward(Tensor self) -> Tensor
  dispatch:
    CPU: slow_conv2d_forward_cpu

- func: shrink(Tensor self) -> Tensor
  dispatch:
    CompositeExplicitAutograd: shrink
"""
CI = """\
import torch
if torch.backends.mps.is_available():
    def mps_ops_modifier(ops):
        SUPPORTED_COMPLEX_OPS = {"floor"}
        UNIMPLEMENTED_XFAILLIST = {"eigh": None, "floor": [torch.int64]}
        UNDEFINED_XFAILLIST = {}
        ON_MPS_XFAILLIST = {}
        SKIPLIST = {}
        EMPTY_OPS_SKIPLIST = {}
        for op in ops:
            add(op, DecorateInfo(unittest.expectedFailure, dtypes=[torch.double, torch.cdouble]))
    def mps_ops_grad_modifier(ops):
        XFAILLIST_GRAD = {"floor": [torch.float16]}
        ON_MPS_XFAILLIST = {}
        SKIPLIST_GRAD = {}
"""
OP_INFOS = """\
op_db = [
    UnaryUfuncInfo("floor", dtypes=all_types_and(torch.half), dtypesIfMPS=floating_types_and(torch.half, torch.int64)),
    OpInfo("eigh", dtypes=floating_types()),
]
"""
DERIVATIVES = """\
- name: relu(Tensor self) -> Tensor
  self: threshold_backward(grad, result, 0)
  result: auto_element_wise

- name: shrink(Tensor self) -> Tensor
  self: qr(grad)
"""
TEXTS = {
    "torch/version.py": "__version__ = '2.13.0'\n",
    "torchgen/packaged/ATen/native/native_functions.yaml": YAML,
    "torchgen/packaged/autograd/derivatives.yaml": DERIVATIVES,
    "torch/testing/_internal/common_mps.py": CI,
    "torch/testing/_internal/common_methods_invocations.py": OP_INFOS,
    "torch/include/ATen/MPSFunctions_inl.h": "#include <ATen/ops/relu_mps_dispatch.h>\n"
    "#include <ATen/ops/floor_mps_dispatch.h>\n",
    "torch/_refs/linalg/__init__.py": 'lib = Library("aten", "IMPL", "MPS")\nlib.impl("aten::qr.out", qr_mps)\n',
}
REFUSAL = "relu is not supported for complex on MPS"


def make_library() -> Library:
    """A library that registers what `YAML` says, with kernels, a message, a fallback and an error stub."""
    return Library(
        functions={
            block("MPS"): [*registering("relu", kernel("relu_mps")), *registering("floor", kernel("floor_mps"))],
            block("MPS", 2): [text("embedding_renorm_"), address(FALLBACK), call(REGISTER)],
            block("MPS", 3): registering("_slow_conv2d_forward", ERROR_STUB),
            block("CPU"): registering("qr.out", kernel("qr_cpu")),
            block("CompositeExplicitAutograd"): registering("shrink", kernel("shrink")),
            block("CompositeImplicitAutograd"): registering("eigh", kernel("eigh")),
            kernel("relu_mps"): [text("relu_{}"), text(REFUSAL), call(METAL)],
            kernel("floor_mps"): [call(GRAPH)],
            kernel("shrink"): [call(aten_call("relu"))],
            kernel("eigh"): [call(aten_call("_eigh"))],
        },
        metal=("relu_float", "relu_half", "other_float"),
    )


def make_wheel(
    folder: Path,
    *,
    release: str = "2.13.0",
    platform: str = "macosx_14_0_arm64",
    texts: dict[str, str] | None = None,
    library: Library | None = None,
) -> Path:
    """A wheel file; without `library` it holds none."""
    path = folder / f"torch-{release}-cp311-none-{platform}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in (TEXTS if texts is None else texts).items():
            archive.writestr(member, content)
        if library is not None:
            archive.writestr("torch/lib/libtorch_cpu.dylib", library.bytes())
        archive.writestr(f"torch-{release}.dist-info/WHEEL", f"Wheel-Version: 1.0\nTag: cp311-none-{platform}\n")
        archive.writestr(
            f"torch-{release}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: {release}\n"
        )
        archive.writestr(f"torch-{release}.dist-info/RECORD", "")
    return path
