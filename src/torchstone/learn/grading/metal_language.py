"""The part of the Metal shading language that exercises need, read and made runnable without a Mac.

Functions, variables, pointers, `if`, `for`, `while`, arithmetic and Metal's mathematics; no templates, vectors or
threadgroup memory, which are refused in words. Each piece of a program becomes a Python function of its variables.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

import numpy as np

from torchstone.learn.grading.metal_running import (
    Break,
    Continue,
    Env,
    Return,
    Run,
    address_at,
    apply_sign,
    assign_new,
    call_body,
    combine,
    leave,
    load,
    loaded,
    run_in_order,
    run_loop,
    store,
    value_of,
    write_variable,
)
from torchstone.learn.grading.metal_tokens import Token, literal, split
from torchstone.learn.grading.metal_values import FUNCTIONS, TYPES, calculate, convert

SPACES = ("device", "constant", "thread", "threadgroup")
QUALIFIERS = ("const", "static", "inline", "constexpr", "volatile", "restrict", *SPACES)
NAMESPACES = ("metal", "fast", "precise")
UNKNOWN = {"template", "struct", "typedef", "simdgroup", "threadgroup", "switch", "goto", "atomic_int", "atomic_uint"}
POWERS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
"""Binary operators, from those that bind least."""
ASSIGNING = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="}


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: Any
    is_pointer: bool
    is_reference: bool
    attribute: str | None
    index: int | None
    """Of `[[buffer(2)]]`."""
    is_constant: bool


@dataclass
class Function:
    name: str
    parameters: list[Parameter]
    kind: Any
    is_kernel: bool
    body: Callable[[list[Any]], Any] = field(repr=False, default=lambda values: None)


def parse(source: str) -> dict[str, Function]:
    """The functions of a program by name; SyntaxError, with a line, where it is none."""
    return Parser(split(source)).program()


class Parser:
    """Reads tokens one by one and makes functions of them."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.place = 0
        self.functions: dict[str, Function] = {}
        self.globals: Env = {}
        self.scopes: list[dict[str, tuple[str, Any]]] = [{}]
        """What a name stands for, by block: the key of its variable, and its type."""
        self.made = 0

    # Tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def take(self) -> Token:
        self.place += 1
        return self.tokens[self.place - 1]

    def accept(self, *texts: str) -> str | None:
        return self.take().text if self.next.text in texts and self.next.kind != "end" else None

    def need(self, text: str) -> None:
        if self.accept(text) is None:
            self.fail(f"{text!r} was expected, and {self.next.text!r} stands there")

    def fail(self, message: str) -> NoReturn:
        raise SyntaxError(f"line {self.next.line} of the Metal source: {message}")

    def name(self) -> str:
        if self.next.kind != "name":
            self.fail(f"a name was expected, and {self.next.text!r} stands there")
        return self.take().text

    # Programs

    def program(self) -> dict[str, Function]:
        while self.next.kind != "end":
            if self.accept("using"):
                while self.take().text != ";":
                    pass
            else:
                self.definition()
        return self.functions

    def definition(self) -> None:
        attributes = self.attribute()
        is_kernel = self.accept("kernel") is not None or attributes == "kernel"
        kind, _, _ = self.type()
        name = self.name()
        if self.next.text != "(":
            self.need("=")
            self.globals[self.declare(name, kind)] = convert(self.expression()(self.globals), kind)
            self.need(";")
            return
        self.scopes.append({})
        parameters = self.parameters()
        function = self.functions[name] = Function(name, parameters, kind, is_kernel)
        keys = [self.declare(one.name, None if one.is_pointer else one.kind) for one in parameters]
        body = self.block()
        self.scopes.pop()
        function.body = lambda values: call_body(body, dict(self.globals, **dict(zip(keys, values, strict=True))), kind)

    def parameters(self) -> list[Parameter]:
        self.need("(")
        found: list[Parameter] = []
        while not self.accept(")"):
            before = self.place
            kind, is_pointer, is_reference = self.type()
            is_constant = any(token.text in ("const", "constant") for token in self.tokens[before : self.place])
            name = self.name()
            attribute, _, index = (self.attribute() or "").partition(" ")
            found.append(
                Parameter(
                    name, kind, is_pointer, is_reference, attribute or None, int(index) if index else None, is_constant
                )
            )
            if self.next.text != ")":
                self.need(",")
        return found

    def attribute(self) -> str | None:
        """`buffer 2`, `thread_position_in_grid`."""
        if not self.accept("[["):
            return None
        name = self.name()
        if self.accept("("):
            name += f" {self.take().text}"
            self.need(")")
        self.need("]]")
        return name

    def at_type(self) -> bool:
        return self.next.text in TYPES or self.next.text in QUALIFIERS or self.next.text in ("auto", "void", "double")

    def type(self) -> tuple[Any, bool, bool]:
        """The type, and whether it is a pointer or a reference."""
        while self.accept(*[one for one in QUALIFIERS if one != "threadgroup"]):
            pass
        if self.accept("unsigned"):
            self.accept("int")
            return np.uint32, *self.stars()
        text = self.name()
        if text == "double":
            self.fail("Metal has no double: float has 32 bits, and so have literals like 1.0")
        if text in UNKNOWN or (text not in TYPES and text not in ("auto", "void")):
            self.fail(f"{text!r} is not known here: plain numbers, pointers and functions are")
        return (None if text in ("auto", "void") else TYPES[text]), *self.stars()

    def stars(self) -> tuple[bool, bool]:
        marks = []
        while (mark := self.accept("*", "&", *QUALIFIERS)) is not None:
            marks.append(mark)
        return "*" in marks, "&" in marks

    def declare(self, name: str, kind: Any) -> str:
        if name in self.scopes[-1]:
            self.fail(f"{name!r} is declared twice")
        self.made += 1
        self.scopes[-1][name] = (f"{name}#{self.made}", kind)
        return self.scopes[-1][name][0]

    def look_up(self, name: str) -> tuple[str, Any]:
        known: dict[str, tuple[str, Any]] = {}
        for scope in self.scopes:
            known |= scope
        if name not in known:
            self.fail(f"{name!r} is not declared")
        return known[name]

    # Statements

    def block(self) -> Run:
        self.need("{")
        self.scopes.append({})
        parts = []
        while not self.accept("}"):
            if self.next.kind == "end":
                self.fail("a } is missing")
            parts.append(self.statement())
        self.scopes.pop()
        return run_in_order(parts)

    def statement(self) -> Run:
        if self.next.text == "{":
            return self.block()
        if self.accept("if"):
            return self.condition()
        if self.accept("for"):
            return self.counted_loop()
        if self.accept("while"):
            self.need("(")
            test = self.expression()
            self.need(")")
            return run_loop(test, self.statement(), lambda env: None)
        if self.accept("return"):
            value = None if self.next.text == ";" else self.expression()
            self.need(";")
            return lambda env: leave(Return(None if value is None else value(env)))
        word = self.accept("break", "continue")
        if word is not None:
            self.need(";")
            return lambda env: leave(Break() if word == "break" else Continue())
        run = self.simple()
        self.need(";")
        return run

    def simple(self) -> Run:
        """A declaration or an expression, without its semicolon."""
        if self.next.text in (";", ")"):
            return lambda env: None
        return self.declaration() if self.at_type() else self.expression()

    def declaration(self) -> Run:
        kind, is_pointer, _ = self.type()
        parts: list[Run] = []
        while True:
            name = self.name()
            if self.next.text == "[":
                self.fail("arrays of a thread's own are not known here")
            value = self.expression(lowest=False) if self.accept("=") else None
            key = self.declare(name, None if is_pointer else kind)
            parts.append(assign_new(key, None if is_pointer else kind, value))
            if not self.accept(","):
                return run_in_order(parts)

    def condition(self) -> Run:
        self.need("(")
        test = self.expression()
        self.need(")")
        then = self.statement()
        otherwise = self.statement() if self.accept("else") else None

        def run(env: Env) -> None:
            if test(env):
                then(env)
            elif otherwise is not None:
                otherwise(env)

        return run

    def counted_loop(self) -> Run:
        self.need("(")
        self.scopes.append({})
        begin = self.simple()
        self.need(";")
        test = (lambda env: True) if self.next.text == ";" else self.expression()
        self.need(";")
        step = self.simple() if self.next.text == ")" else self.expression()
        self.need(")")
        body = self.statement()
        self.scopes.pop()
        return run_in_order([begin, run_loop(test, body, step)])

    # Expressions

    def expression(self, lowest: bool = True) -> Run:
        """With commas between, unless they belong to someone else."""
        run = self.assignment()
        while lowest and self.accept(","):
            run = run_in_order([run, self.assignment()])
        return run

    def assignment(self) -> Run:
        begin = self.place
        left = self.choice()
        sign = self.accept(*ASSIGNING)
        if sign is None:
            return left
        target = self.target(begin, self.place - 1)
        right = self.assignment()

        def run(env: Env) -> Any:
            value = right(env)
            return target(env, value if sign == "=" else calculate(sign[:-1], left(env), value))

        return run

    def target(self, begin: int, end: int) -> Callable[[Env, Any], Any]:
        """How to write to what these tokens name: a variable, `p[i]` or `*p`."""
        tokens = self.tokens[begin:end]
        if len(tokens) == 1 and tokens[0].kind == "name":
            key, kind = self.look_up(tokens[0].text)
            return partial(write_variable, key, kind)
        inner = Parser([*tokens, Token("end", "the end", tokens[-1].line)])
        inner.scopes, inner.functions, inner.globals = self.scopes, self.functions, self.globals
        if tokens[0].text == "*":
            inner.take()
            address = inner.unary()
        elif tokens[-1].text == "]":
            address = inner.postfix(as_address=True)
        else:
            self.fail("nothing can be written there")
        return lambda env, value: store(address(env), value)

    def choice(self) -> Run:
        test = self.binary(0)
        if not self.accept("?"):
            return test
        yes = self.assignment()
        self.need(":")
        no = self.assignment()
        return lambda env: yes(env) if test(env) else no(env)

    def binary(self, level: int) -> Run:
        if level == len(POWERS):
            return self.unary()
        left = self.binary(level + 1)
        while (sign := self.accept(*POWERS[level])) is not None:
            left = combine(sign, left, self.binary(level + 1))
        return left

    def unary(self) -> Run:
        sign = self.accept("-", "+", "!", "~", "++", "--", "*", "&")
        if sign is None:
            return self.cast()
        begin = self.place
        inner = self.unary()
        if sign in ("++", "--"):
            return self.step(sign, inner, self.target(begin, self.place), before=True)
        if sign == "*":
            return lambda env: load(inner(env))
        if sign == "&":
            self.fail("addresses of variables are not known here")
        return lambda env: apply_sign(sign, inner(env))

    def step(self, sign: str, value: Run, target: Callable[[Env, Any], Any], before: bool) -> Run:
        def run(env: Env) -> Any:
            old = value(env)
            new = target(env, calculate(sign[0], old, np.int32(1)))
            return new if before else old

        return run

    def cast(self) -> Run:
        """`(float)x`, or something in parentheses."""
        if self.next.text == "(" and self.tokens[self.place + 1].text in TYPES:
            self.take()
            kind, is_pointer, _ = self.type()
            self.need(")")
            inner = self.unary()
            return inner if is_pointer else lambda env: convert(inner(env), kind)
        return self.postfix()

    def postfix(self, as_address: bool = False) -> Run:
        begin = self.place
        run = self.primary()
        while True:
            if self.accept("["):
                index = self.expression()
                self.need("]")
                address = address_at(run, index)
                if as_address and self.next.kind == "end":
                    return address
                run = loaded(address)
            elif (sign := self.accept("++", "--")) is not None:
                run = self.step(sign, run, self.target(begin, self.place - 1), before=False)
            elif self.next.text == ".":
                self.fail("vectors and their parts are not known here")
            else:
                return run

    def primary(self) -> Run:
        token = self.take()
        if token.text == "(":
            run = self.expression()
            self.need(")")
            return run
        if token.kind in ("float", "whole"):
            value = literal(token)
            return lambda env: value
        if token.text in ("true", "false"):
            return lambda env: np.bool_(token.text == "true")
        if token.kind != "name":
            self.place -= 1
            self.fail(f"{token.text!r} stands where a value was expected")
        return self.named(token)

    def named(self, token: Token) -> Run:
        name = token.text
        while name in NAMESPACES and self.accept("::"):
            name = self.name()
        if name == "static_cast":
            self.need("<")
            kind, _, _ = self.type()
            self.need(">")
            (inner,) = self.arguments()
            return lambda env: convert(inner(env), kind)
        if name in TYPES:
            kind = TYPES[name]
            (inner,) = self.arguments()
            return lambda env: convert(inner(env), kind)
        if self.next.text == "(":
            return self.call(name)
        if name == "INFINITY":
            return lambda env: np.float32("inf")
        key, _ = self.look_up(name)
        return lambda env: value_of(env, key, name)

    def call(self, name: str) -> Run:
        arguments = self.arguments()
        if name in self.functions:
            function = self.functions[name]
            if len(arguments) != len(function.parameters):
                self.fail(f"{name} takes {len(function.parameters)} arguments")
            kinds = [None if one.is_pointer else one.kind for one in function.parameters]
            return lambda env: function.body(
                [
                    one(env) if kind is None else convert(one(env), kind)
                    for one, kind in zip(arguments, kinds, strict=True)
                ]
            )
        if name not in FUNCTIONS:
            self.fail(f"there is no function {name!r}, as far as is known here")
        known = FUNCTIONS[name]
        return lambda env: known(*(one(env) for one in arguments))

    def arguments(self) -> list[Run]:
        self.need("(")
        found: list[Run] = []
        while not self.accept(")"):
            found.append(self.expression(lowest=False))
            if self.next.text != ")":
                self.need(",")
        return found
