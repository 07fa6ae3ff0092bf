"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    words = [list(word.encode()) for word in split_words(text)]
    # TODO: count the pairs, merge the most frequent one, and again
    return []


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    # TODO: this knows the bytes only
    return list(text.encode())


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    # TODO: a token from 256 on stands for a pair of others
    return bytes(tokens).decode(errors="replace")
