"""What a TARGET says before anything of it is imported: a mistyped one is told at once, not when torch is there."""

import ast
import hashlib
import re
from pathlib import Path

from torchstone.errors import UserError
from torchstone.models.foreign import is_file, names_hint, require_file
from torchstone.models.zoo import require_known, zoo_names

FORMS = "TARGET is path/to/file.py:name, package.module:name, zoo:NAME or hf:FOLDER"
MADE_ELSEWHERE = re.compile(r"import\s*\(?\s*\*|globals\(|setattr\(|exec\(|__getattr__")
"""Names of a file may come from elsewhere: then only importing it tells."""


def require_target(name: str) -> None:
    """Refuse what can't be one: no form of it, no such file, a name that the file does not even contain."""
    if not name.strip() or ":" not in name:
        raise UserError(f"{name!r} does not say which model to take", _hint_without_name(name))
    kind, _, rest = name.partition(":")
    if kind == "zoo":
        require_known(rest)
    elif kind != "hf":
        _require_name(name)


def digest_of(name: str) -> str | None:
    """Of the file that a TARGET names, so that a changed model is not taken for the same; None where it names none."""
    place = name.rpartition(":")[0]
    if not name.startswith("hf:") and not is_file(place):
        return None
    file = Path(name.removeprefix("hf:"), "config.json") if name.startswith("hf:") else Path(place)
    try:
        return hashlib.sha256(file.expanduser().read_bytes()).hexdigest()
    except OSError:
        return None


def _hint_without_name(name: str) -> str:
    if name in zoo_names():
        return f"for the model that we ship: zoo:{name}"
    if name.endswith(".py"):
        return f"add the name of a function or class in the file: {name}:NAME"
    return FORMS


def _require_name(name: str) -> None:
    place, _, attribute = name.rpartition(":")
    if not place or not attribute.isidentifier():
        raise UserError(f"{name!r} does not name a function or class", FORMS)
    if is_file(place):
        path = Path(place).expanduser()
        require_file(path)
        _require_word(place, path, attribute)


def _require_word(place: str, path: Path, attribute: str) -> None:
    """A file whose code can't be read is left to Python, which says what is wrong with it."""
    try:
        source = path.read_text(encoding="utf-8")
        body = ast.parse(source).body
    except (OSError, ValueError, SyntaxError, RecursionError):
        return
    if re.search(rf"\b{attribute}\b", source) or MADE_ELSEWHERE.search(source):
        return
    names = [
        one.name for one in body if isinstance(one, ast.FunctionDef | ast.ClassDef) and not one.name.startswith("_")
    ]
    raise UserError(f"{place} has no {attribute!r}", names_hint(names, names, attribute))
