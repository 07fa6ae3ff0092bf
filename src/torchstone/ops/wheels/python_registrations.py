"""Read the few MPS kernels that torch registers from Python, with `torch.library.Library(…).impl(…)`.

They stand in neither the yaml nor the library of the wheel: `linalg_lu_solve.out` from 2.10 to 2.13, group
normalisation up to 2.12. `benchmarks/static_evidence.py` looks through every Python file of whole wheels for others.
"""

import ast

MEMBERS = ("torch/_refs/linalg/__init__.py", "torch/backends/mps/__init__.py")
_KEY = "MPS"


def read_python_registrations(text: str) -> tuple[str, ...]:
    """The overloads, without `aten::`, that the file registers for MPS."""
    tree = ast.parse(text)
    libraries = _libraries_for_mps(tree)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
    return tuple(
        sorted(
            _operator(call)
            for call in calls
            if isinstance(call.func, ast.Attribute) and call.func.attr == "impl" and _is_for_mps(call, libraries)
        )
    )


def _libraries_for_mps(tree: ast.AST) -> set[str]:
    """The variables that hold `Library("aten", "IMPL", "MPS")`."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            arguments = [ast.literal_eval(one) for one in node.value.args if isinstance(one, ast.Constant)]
            if "IMPL" in arguments and _KEY in arguments:
                found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def _is_for_mps(call: ast.Call, libraries: set[str]) -> bool:
    assert isinstance(call.func, ast.Attribute)
    named = isinstance(call.func.value, ast.Name) and call.func.value.id in libraries
    given = any(isinstance(argument, ast.Constant) and argument.value == _KEY for argument in call.args)
    return bool(_operator(call)) and (named or given)


def _operator(call: ast.Call) -> str:
    first = call.args[0] if call.args else None
    return str(first.value).removeprefix("aten::") if isinstance(first, ast.Constant) else ""
