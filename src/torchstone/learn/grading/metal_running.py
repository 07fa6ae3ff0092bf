"""The steps of a Metal program as Python functions of its variables."""

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from torchstone.learn.grading.metal_values import Pointer, calculate, convert

LONGEST_LOOP = 1_000_000
Env = dict[str, Any]
Run = Callable[[Env], Any]


class Return(Exception):  # noqa: N818 - a way out, no error
    """Leaves a function."""


class Break(Exception):  # noqa: N818
    """Leaves a loop."""


class Continue(Exception):  # noqa: N818
    """Begins the next round of a loop."""


def call_body(body: Run, env: Env, kind: Any) -> Any:
    try:
        body(env)
    except Return as found:
        value = found.args[0]
        return value if kind is None or value is None else convert(value, kind)
    return None


def run_in_order(parts: list[Run]) -> Run:
    def run(env: Env) -> Any:
        value = None
        for part in parts:
            value = part(env)
        return value

    return run


def leave(way: Exception) -> NoReturn:
    raise way


def run_loop(test: Run, body: Run, step: Run) -> Run:
    def run(env: Env) -> None:
        for _ in range(LONGEST_LOOP):
            if not test(env):
                return
            try:
                body(env)
            except Break:
                return
            except Continue:
                pass
            step(env)
        raise RuntimeError("a loop of the kernel does not end")

    return run


def assign_new(key: str, kind: Any, value: Run | None) -> Run:
    def run(env: Env) -> None:
        if value is None:
            env.pop(key, None)  # what a variable holds that was given nothing is anyone's guess
        else:
            found = value(env)
            env[key] = found if kind is None else convert(found, kind)

    return run


def write_variable(key: str, kind: Any, env: Env, value: Any) -> Any:
    """The value as the variable's type has it."""
    env[key] = value if kind is None else convert(value, kind)
    return env[key]


def value_of(env: Env, key: str, name: str) -> Any:
    if key not in env:
        raise RuntimeError(f"the kernel reads {name!r} before anything was written to it")
    return env[key]


def combine(sign: str, left: Run, right: Run) -> Run:
    if sign == "&&":
        return lambda env: np.bool_(left(env) and right(env))
    if sign == "||":
        return lambda env: np.bool_(left(env) or right(env))
    return lambda env: calculate(sign, left(env), right(env))


def apply_sign(sign: str, value: Any) -> Any:
    if sign == "!":
        return np.bool_(not value)
    if sign == "~":
        return calculate("^", value, np.int32(-1))
    if sign == "+":
        return value
    if isinstance(value, np.floating):
        return -value
    return calculate("-", np.int32(0), value)


def address_at(pointer: Run, index: Run) -> Run:
    def run(env: Env) -> Pointer:
        base = pointer(env)
        if not isinstance(base, Pointer):
            raise SyntaxError("[ ] is for pointers, and this is a number")
        return base.moved(index(env))

    return run


def loaded(address: Run) -> Run:
    return lambda env: load(address(env))


def load(pointer: Any) -> Any:
    return pointer.buffer.load(pointer.place)


def store(pointer: Any, value: Any) -> Any:
    pointer.buffer.store(pointer.place, value)
    return value
