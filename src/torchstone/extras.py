"""Import what comes with `torchstone[bench]`, and say in one line what to install where it is missing."""

import importlib
from typing import Any

from torchstone.errors import UserError

HINT = "pip install 'torchstone[bench]'"


def import_extra(name: str) -> Any:
    """The module of that name. Typed `Any`: these packages carry no types, and mypy should not read all of them."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] == name.split(".")[0]:
            raise UserError(f"the package {name} is not installed", HINT) from None
        raise UserError(f"the package {name} cannot be imported: {error}", HINT) from None
    except (ImportError, RuntimeError) as error:
        # RuntimeError: a torchvision that was built for another torch breaks `import transformers` in this way.
        raise UserError(
            f"the package {name} cannot be imported: {error}", f"see which package is broken, or reinstall: {HINT}"
        ) from None
