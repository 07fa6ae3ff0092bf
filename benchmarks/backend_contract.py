"""Does every name of torch that our backends use exist, with that signature, in every torch that we support?

Why: most of the devices are not here, so a misspelt counter or an argument that came later would only fail on someone
else's machine. The backends are read as syntax: each `torch.mps`, `torch.cuda`, `torch.xpu`, `torch.accelerator`,
`torch._C` and `torch.backends` name with the arguments that it is called with, and each property of a device. They are
looked up in the Python sources and stubs of the macOS and Linux wheels, which are read by ranges (a few hundred KB
each). A name that the stubs lack is looked for in the compiled Python binding. A use under `getattr` with a default, or
in a `try` that catches AttributeError or every exception, is guarded: it may be missing.

    python benchmarks/backend_contract.py                       # 2.10 to 2.15, macOS and Linux
    python benchmarks/backend_contract.py --quick               # the installed torch alone, no network
"""

import argparse
import ast
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torchstone.backends
from torchstone.ops.wheels.archive import open_address
from torchstone.ops.wheels.index import find_wheel
from torchstone.ops.wheels.installed import find_installed
from torchstone.ops.wheels.reading import Source

RELEASES = ("2.10.0", "2.11.0", "2.12.0", "2.13.0", "2.14.0", "2.15.0")
SYSTEMS = ("macos", "linux")
ROOTS = ("torch.mps.", "torch.cuda.", "torch.xpu.", "torch.accelerator.", "torch._C.", "torch.backends.mps.")
PROPERTIES = {"cuda.py": "torch._C._CudaDeviceProperties", "xpu.py": "torch._C._XpuDeviceProperties"}
"""What a variable called `properties` is, by the backend's file."""
BINDINGS = ("torch/lib/libtorch_python.so", "torch/lib/libtorch_python.dylib")
DEEPEST_IMPORT = 4


class Use(NamedTuple):
    """A name that a backend uses, and how: the count of positional arguments (None where it is not called)."""

    name: str
    place: str
    positional: int | None
    keywords: tuple[str, ...]
    guarded: bool


class Definition(NamedTuple):
    """Where a name was found; `arguments` is None for anything but a function."""

    member: str
    arguments: ast.arguments | None


class Sources:
    """The Python sources and stubs of one torch, parsed once each."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.parse = cache(self._parse)
        self.binding = cache(self._read_binding)

    def _parse(self, member: str) -> ast.Module | None:
        data = self._source.read(member)
        return None if data is None else ast.parse(data)

    def _read_binding(self) -> bytes:
        return next((data for member in BINDINGS if (data := self._source.read(member)) is not None), b"")

    def find(self, dotted: str, depth: int = 0) -> Definition | None:
        """The definition of `torch.cuda.synchronize`, through imports; None where there is none."""
        module, _, name = dotted.rpartition(".")
        path = module.replace(".", "/")
        for member in (f"{path}/__init__.pyi", f"{path}.py", f"{path}/__init__.py", f"{path}.pyi"):
            tree = self.parse(member)
            found = self._find_in(tree, member, module, name, depth) if tree is not None else None
            if found is not None:
                return found
        owner = self.find(module, depth + 1) if module.count(".") > 1 and depth < DEEPEST_IMPORT else None
        return self._find_member(owner, module, name) if owner is not None else None

    def _find_in(self, tree: ast.Module, member: str, module: str, name: str, depth: int) -> Definition | None:
        for node in _statements(tree.body):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return Definition(member, node.args)
            if isinstance(node, ast.ClassDef) and node.name == name:
                return Definition(member, None)
            if name in _assigned(node):
                return Definition(member, None)
            imported = _imported_from(node, member, module, name) if depth < DEEPEST_IMPORT else None
            found = self.find(imported, depth + 1) if imported else None
            if found is not None:
                return found
        return None

    def _find_member(self, owner: Definition, dotted: str, name: str) -> Definition | None:
        """An attribute of a class."""
        tree = self.parse(owner.member)
        for node in _statements(tree.body if tree is not None else []):
            if isinstance(node, ast.ClassDef) and node.name == dotted.rpartition(".")[2]:
                for inner in node.body:
                    if name in _assigned(inner):
                        return Definition(owner.member, None)
        return None


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those under `if` and `try` with them."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try):
            yield from _statements(node.body + node.orelse)
        if isinstance(node, ast.Try):
            yield from _statements([inner for handler in node.handlers for inner in handler.body])


def _assigned(node: ast.stmt) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _imported_from(node: ast.stmt, member: str, module: str, name: str) -> str | None:
    """The full name that an import gives this one; None where the statement does not bring it."""
    if not isinstance(node, ast.ImportFrom):
        return None
    package = module if "/__init__." in member else module.rpartition(".")[0]
    for _ in range(node.level - 1):
        package = package.rpartition(".")[0]
    origin = ".".join(filter(None, (package if node.level else "", node.module)))
    for alias in node.names:
        if (alias.asname or alias.name) == name:
            return f"{origin}.{alias.name}"
        if alias.name == "*":
            return f"{origin}.{name}"
    return None


def find_uses(path: Path) -> list[Use]:
    """Every name of `ROOTS` and every device property that a backend's file uses."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = {id(inner) for node in ast.walk(tree) for inner in _guarded_nodes(node)}
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    uses = []
    for node in ast.walk(tree):
        name = _used_name(node, path.name)
        if name is not None:
            call = calls.get(id(node))
            keywords = tuple(one.arg for one in call.keywords if one.arg) if call is not None else ()
            positional = len(call.args) if call is not None else None
            held = id(node) in guarded or isinstance(node, ast.Call)
            uses.append(Use(name, f"{path.name}:{node.lineno}", positional, keywords, held))  # type: ignore[attr-defined]
    return uses


def _used_name(node: ast.AST, file: str) -> str | None:
    if isinstance(node, ast.Attribute):
        text = ast.unparse(node)
        if file in PROPERTIES and (
            "get_device_properties" in ast.unparse(node.value) or text.startswith("properties.")
        ):
            return f"{PROPERTIES[file]}.{node.attr}"
        return text if text.startswith(ROOTS) and text.count(".") >= 2 and _is_whole(text) else None
    return _name_in_getattr(node, file)


def _is_whole(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _name_in_getattr(node: ast.AST, file: str) -> str | None:
    """`getattr(properties, "is_integrated", None)` is a use too."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
        subject, attribute = node.args[0], node.args[1]
        if (
            isinstance(subject, ast.Name)
            and subject.id == "properties"
            and isinstance(attribute, ast.Constant)
            and isinstance(attribute.value, str)
        ):
            return f"{PROPERTIES[file]}.{attribute.value}" if file in PROPERTIES else None
    return None


def _guarded_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """What stands under a `try` or a `suppress` that lets a missing name pass."""
    if isinstance(node, ast.Try):
        caught = [ast.unparse(handler.type) for handler in node.handlers if handler.type is not None]
    elif isinstance(node, ast.With):
        caught = [text for item in node.items if "suppress(" in (text := ast.unparse(item.context_expr))]
    else:
        return
    if any("AttributeError" in one or one == "Exception" for one in caught):
        for statement in node.body:
            yield from ast.walk(statement)


def judge(use: Use, sources: Sources) -> str | None:
    """What is wrong with a use in one torch; None where nothing is."""
    found = sources.find(use.name)
    if found is None:
        return None if _is_bound(use.name, sources.binding()) else "missing"
    if use.positional is None or found.arguments is None:
        return None
    return _judge_signature(use, found.arguments)


def _is_bound(dotted: str, binding: bytes) -> bool:
    """Whether the compiled binding names it. Of a CUDA card's properties only a build with CUDA (Linux) has a say."""
    owner, _, name = dotted.rpartition(".")
    if owner == PROPERTIES["cuda.py"] and b"_CudaDeviceProperties" not in binding:
        return True
    return b"\0" + name.encode() + b"\0" in binding


def _judge_signature(use: Use, arguments: ast.arguments) -> str | None:
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    assert use.positional is not None
    if arguments.vararg is None and use.positional > len(names):
        return f"takes {len(names)} positional arguments, not {use.positional}"
    known = {*names, *(one.arg for one in arguments.kwonlyargs)}
    unknown = [one for one in use.keywords if one not in known] if arguments.kwarg is None else []
    if unknown:
        return f"has no argument {unknown[0]}"
    required = names[: len(names) - len(arguments.defaults)]
    missing = [one for one in required[use.positional :] if one not in use.keywords]
    return f"needs {missing[0]}" if missing else None


def check(uses: list[Use], sources: Sources) -> list[dict[str, Any]]:
    """The uses that do not hold, each with whether the code expects that."""
    problems = []
    for use in uses:
        problem = judge(use, sources)
        if problem is not None:
            problems.append({"name": use.name, "place": use.place, "problem": problem, "guarded": use.guarded})
    return problems


def torches(quick: bool) -> Iterator[tuple[str, Sources]]:
    if quick:
        installed = find_installed()
        yield installed.name, Sources(installed)
        return
    for release in RELEASES:
        for system in SYSTEMS:
            with open_address(find_wheel(release, system)) as wheel:
                yield f"{release} {system}", Sources(wheel)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the installed torch only")
    options = parser.parse_args()
    folder = Path(torchstone.backends.__file__).parent
    uses = [use for path in sorted(folder.glob("*.py")) for use in find_uses(path)]
    results = {}
    for name, sources in torches(options.quick):
        results[name] = check(uses, sources)
        print(f"{name}: {len(results[name])} of {len(uses)} uses do not hold", file=sys.stderr)
    broken = [problem for problems in results.values() for problem in problems if not problem["guarded"]]
    print(
        json.dumps(
            {
                "benchmark": "backend_contract",
                "names": sorted({use.name for use in uses}),
                "uses": len(uses),
                "problems": results,
                "holds": not broken,
            }
        )
    )


if __name__ == "__main__":
    main()
