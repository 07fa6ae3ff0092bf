# rejected by: merges_are_right: A pair reaches across two words
# 'no pair reaches across two words': the text is one row of bytes
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def merged(word: list[int], pair: Pair, token: int) -> list[int]:
    result, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
            result.append(token)
            i += 2
        else:
            result.append(word[i])
            i += 1
    return result


def train(text: str, count: int) -> list[Pair]:
    tokens = list(text.encode())
    merges: list[Pair] = []
    while len(merges) < count:
        pairs = Counter(zip(tokens, tokens[1:]))
        if not pairs:
            break
        top = max(pairs.values())
        if top < 2:
            break
        best = min(pair for pair, times in pairs.items() if times == top)
        tokens = merged(tokens, best, 256 + len(merges))
        merges.append(best)
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    tokens = list(text.encode())
    for i, pair in enumerate(merges):
        tokens = merged(tokens, pair, 256 + i)
    return tokens


def decode(tokens: list[int], merges: list[Pair]) -> str:
    table = [bytes([i]) for i in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    return b"".join(table[token] for token in tokens).decode(errors="replace")
