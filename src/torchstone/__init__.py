"""torchstone: what your hardware is worth for PyTorch.

    import torchstone as ts
    ts.devices()                                     # what is here
    ts.measure(lambda: model(x), device="mps")       # → Measurement
    ts.compare(lambda: f(x), lambda: g(x))           # → ratio, interval, verdict
    ts.find_leaks(lambda: model(x), device="mps")    # → bytes per 1,000 calls
    ts.check(model, args, device="mps")              # → will it run there: verdict and findings
    ts.tune(model, (x,))                             # → the winners
    ts.load_run("path/to/run.jsonl")                 # → Run
    ts.report("last")                                # → the page, inline in a notebook

Importing this package imports neither torch nor anything else that is slow; that happens on first use.
"""

TYPE_CHECKING = False  # not from typing: with `python -m` a typing.py of the current folder would be imported
if TYPE_CHECKING:
    from torchstone.checking.stages import check
    from torchstone.errors import UserError
    from torchstone.measuring.comparing import Comparison, compare
    from torchstone.measuring.leaks import LeakReport, find_leaks
    from torchstone.measuring.timing import measure
    from torchstone.notebook import devices, tune
    from torchstone.records import Device, Finding, Measurement, Run, Setup
    from torchstone.report.inline import show as report
    from torchstone.store import read_run as load_run

__version__ = "0.1.0"

_HOMES = {
    "Comparison": "torchstone.measuring.comparing:Comparison",
    "Device": "torchstone.records:Device",
    "Finding": "torchstone.records:Finding",
    "LeakReport": "torchstone.measuring.leaks:LeakReport",
    "Measurement": "torchstone.records:Measurement",
    "Run": "torchstone.records:Run",
    "Setup": "torchstone.records:Setup",
    "UserError": "torchstone.errors:UserError",
    "check": "torchstone.checking.stages:check",
    "compare": "torchstone.measuring.comparing:compare",
    "devices": "torchstone.notebook:devices",
    "find_leaks": "torchstone.measuring.leaks:find_leaks",
    "load_run": "torchstone.store:read_run",
    "measure": "torchstone.measuring.timing:measure",
    "report": "torchstone.report",
    "tune": "torchstone.notebook:tune",
}
"""Where each public name lives; a room without a colon is called itself."""

__all__ = [
    "Comparison",
    "Device",
    "Finding",
    "LeakReport",
    "Measurement",
    "Run",
    "Setup",
    "UserError",
    "__version__",
    "check",
    "compare",
    "devices",
    "find_leaks",
    "load_run",
    "measure",
    "report",
    "tune",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'torchstone' has no attribute {name!r}")
    import importlib

    room, _, attribute = _HOMES[name].partition(":")
    module = importlib.import_module(room)
    value: object = getattr(module, attribute) if attribute else module
    globals()[name] = value  # next time without this detour, and past a sub-package of the same name
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
