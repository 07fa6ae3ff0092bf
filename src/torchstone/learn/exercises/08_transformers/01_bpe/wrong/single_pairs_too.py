# rejected by: merges_are_right: Count all pairs
# "Stop early when no pair occurs twice": goes on with pairs that occur once
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def merge(word: list[int], pair: Pair, token: int) -> list[int]:
    """The word with the pair replaced, from left to right."""
    result, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            result.append(token)
            i += 2
        else:
            result.append(word[i])
            i += 1
    return result


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    words = [(list(word.encode()), times) for word, times in Counter(split_words(text)).items()]
    merges: list[Pair] = []
    while len(merges) < count:
        pairs: Counter[Pair] = Counter()
        for word, times in words:
            for pair in zip(word, word[1:]):
                pairs[pair] += times
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None:
            break
        token = 256 + len(merges)
        merges.append(best)
        words = [(merge(word, best, token), times) for word, times in words]
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    known: dict[str, list[int]] = {}
    result = []
    for text_word in split_words(text):
        if text_word not in known:
            word = list(text_word.encode())
            while len(word) > 1:
                pair = min(zip(word, word[1:]), key=lambda pair: ranks.get(pair, len(ranks)))
                if pair not in ranks:
                    break
                word = merge(word, pair, 256 + ranks[pair])
            known[text_word] = word
        result += known[text_word]
    return result


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    table = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    return b"".join(table[token] for token in tokens).decode(errors="replace")
