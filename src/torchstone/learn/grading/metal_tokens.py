"""The words of a Metal program: comments, directives and spaces are gone, and each word knows its line."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<float>(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?[fFhH]?|\d+[fFhH])|"
    r"(?P<whole>0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*)|(?P<name>[A-Za-z_]\w*)|"
    r"(?P<mark>\[\[|\]\]|<<=|>>=|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|[-+*/%<>=!~&|^?:;,.(){}\[\]])"
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    line: int


def _keep_lines(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")


def _without_directives(source: str) -> str:
    defined: dict[str, str] = {}
    lines = []
    for line in source.split("\n"):
        words = line.split(None, 2)
        if words and words[0] == "#define" and len(words) == 3 and "(" not in words[1]:
            defined[words[1]] = words[2]
        elif words and words[0].startswith("#") and not words[0].startswith(("#include", "#pragma")):
            raise SyntaxError(f"{words[0]}: only #include and #define NAME value are known here")
        lines.append("" if words and words[0].startswith("#") else line)
    text = "\n".join(lines)
    return re.sub(r"\b[A-Za-z_]\w*", lambda word: defined.get(word[0], word[0]), text)


def split(source: str) -> list[Token]:
    """The words of a source; SyntaxError where it has one that Metal does not know."""
    text = _without_directives(COMMENT.sub(_keep_lines, source))
    found, place, line = [], 0, 1
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise SyntaxError(f"line {line} of the Metal source: {text[place : place + 10]!r} is not understood")
        if match.lastgroup != "space":
            found.append(Token(str(match.lastgroup), match[0], line))
        line += match[0].count("\n")
        place = match.end()
    return [*found, Token("end", "the end", line)]


def literal(token: Token) -> Any:
    """The number that a word stands for."""
    text = token.text
    if token.kind == "float":
        return (np.float16 if text[-1] in "hH" else np.float32)(text.rstrip("fFhH"))
    digits = text.rstrip("uUlL")
    value = int(digits, 16 if digits[:2].lower() == "0x" else 10)
    suffix = text[len(digits) :].lower()
    kind = {"": np.int32, "u": np.uint32, "l": np.int64}.get(suffix, np.uint64)
    return (np.int64 if kind is np.int32 and value >= 2**31 else kind)(value)
