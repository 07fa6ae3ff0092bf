# earns: solved fast
# a word is a str with one character for each token, and a merge is str.replace
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def spell(word: str) -> str:
    """One character for each byte."""
    return word.encode().decode("latin-1")


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    words = [(spell(word), often) for word, often in Counter(split_words(text)).items()]
    merges: list[Pair] = []
    while len(merges) < count:
        pairs: Counter[str] = Counter()
        for word, often in words:
            for pair in map("".join, zip(word, word[1:], strict=False)):
                pairs[pair] += often
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if pairs[best] < 2:
            break
        token = chr(256 + len(merges))
        merges.append((ord(best[0]), ord(best[1])))
        words = [(word.replace(best, token), often) for word, often in words]
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    words = split_words(text)
    known = {}
    for word in set(words):
        tokens = spell(word)
        for i, (left, right) in enumerate(merges):
            tokens = tokens.replace(chr(left) + chr(right), chr(256 + i))
        known[word] = [ord(token) for token in tokens]
    return [token for word in words for token in known[word]]


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    spelled = [bytes([i]) for i in range(256)]
    for left, right in merges:
        spelled.append(spelled[left] + spelled[right])
    return b"".join(spelled[token] for token in tokens).decode(errors="replace")
