"""torchstone: what your hardware is worth for PyTorch.

    import torchstone as ts
    ts.devices()                                     # what is here
    ts.measure(lambda: model(x), device="mps")       # → Measurement
    ts.compare(lambda: f(x), lambda: g(x))           # → ratio, interval, verdict
    ts.load_run("path/to/run.jsonl")                 # → Run

Importing this package imports neither torch nor anything else that is slow; that happens on first use.
"""

TYPE_CHECKING = False  # not from typing: with `python -m` a typing.py of the current folder would be imported
if TYPE_CHECKING:
    from torchstone.errors import UserError
    from torchstone.measuring.pairing import Comparison, compare
    from torchstone.measuring.timing import measure
    from torchstone.notebook import devices
    from torchstone.records import Device, Finding, Measurement, Run, Setup
    from torchstone.store import read_run as load_run

__version__ = "0.1.0"

_HOMES = {
    "Comparison": "torchstone.measuring.pairing:Comparison",
    "Device": "torchstone.records:Device",
    "Finding": "torchstone.records:Finding",
    "Measurement": "torchstone.records:Measurement",
    "Run": "torchstone.records:Run",
    "Setup": "torchstone.records:Setup",
    "UserError": "torchstone.errors:UserError",
    "compare": "torchstone.measuring.pairing:compare",
    "devices": "torchstone.notebook:devices",
    "load_run": "torchstone.store:read_run",
    "measure": "torchstone.measuring.timing:measure",
}
"""Where each public name lives."""

__all__ = [
    "Comparison",
    "Device",
    "Finding",
    "Measurement",
    "Run",
    "Setup",
    "UserError",
    "__version__",
    "compare",
    "devices",
    "load_run",
    "measure",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'torchstone' has no attribute {name!r}")
    import importlib

    module, _, attribute = _HOMES[name].partition(":")
    value: object = getattr(importlib.import_module(module), attribute)
    globals()[name] = value  # next time without this detour, and past a sub-package of the same name
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
