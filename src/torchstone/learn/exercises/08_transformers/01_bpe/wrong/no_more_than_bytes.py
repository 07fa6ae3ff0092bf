# rejected by: merges_are_right: Count all pairs, merge the most frequent (of equals the smallest) from left to
# no more than 256 merges are learned; 'learns up to `count` merges'
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter
from itertools import pairwise

Pair = tuple[int, int]
BYTES = 256
"""The tokens that are there before the first merge."""


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    # A text has far fewer different words than words: each is kept once, with its number.
    occurrences = Counter(split_words(text))
    words = [(list(word.encode()), times) for word, times in occurrences.items()]
    merges: list[Pair] = []
    while len(merges) < min(count, 256):
        pairs: Counter[Pair] = Counter()
        for word, times in words:
            for pair in pairwise(word):
                pairs[pair] += times
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None or pairs[best] < 2:
            break
        words = [(_merge(word, best, BYTES + len(merges)), times) for word, times in words]
        merges.append(best)
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    known: dict[str, list[int]] = {}
    tokens: list[int] = []
    for word in split_words(text):
        if word not in known:
            known[word] = _encode_word(word, ranks)
        tokens += known[word]
    return tokens


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    pieces = [bytes([byte]) for byte in range(BYTES)]
    for left, right in merges:
        pieces.append(pieces[left] + pieces[right])
    # Joined before it is decoded: one character's bytes may lie in two tokens.
    return b"".join(pieces[token] for token in tokens).decode(errors="replace")


def _encode_word(word: str, ranks: dict[Pair, int]) -> list[int]:
    tokens = list(word.encode())
    while True:
        rank, pair = min(((ranks[pair], pair) for pair in pairwise(tokens) if pair in ranks), default=(None, None))
        if pair is None:
            return tokens
        tokens = _merge(tokens, pair, BYTES + rank)


def _merge(tokens: list[int], pair: Pair, new: int) -> list[int]:
    """Every `pair`, from left to right, as `new`."""
    merged: list[int] = []
    for token in tokens:
        if merged and (merged[-1], token) == pair:
            merged[-1] = new
        else:
            merged.append(token)
    return merged
