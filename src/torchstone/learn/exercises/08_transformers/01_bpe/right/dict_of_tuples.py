# earns: solved
# different words as tuples with their counts, counted anew for each merge
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def _merge(word: tuple[int, ...], pair: Pair, token: int) -> tuple[int, ...]:
    result: list[int] = []
    i = 0
    while i < len(word):
        if word[i : i + 2] == pair:
            result.append(token)
            i += 2
        else:
            result.append(word[i])
            i += 1
    return tuple(result)


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    words = {tuple(word.encode()): often for word, often in Counter(split_words(text)).items()}
    merges: list[Pair] = []
    while len(merges) < count:
        pairs: Counter[Pair] = Counter()
        for word, often in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += often
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None or pairs[best] < 2:
            break
        words = {_merge(word, best, 256 + len(merges)): often for word, often in words.items()}
        merges.append(best)
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    ranks = {pair: i for i, pair in enumerate(merges)}
    known: dict[str, tuple[int, ...]] = {}
    result: list[int] = []
    for text_word in split_words(text):
        if text_word not in known:
            word = tuple(text_word.encode())
            while len(word) > 1:
                pair = min(zip(word, word[1:]), key=lambda pair: ranks.get(pair, len(merges)))
                if pair not in ranks:
                    break
                word = _merge(word, pair, 256 + ranks[pair])
            known[text_word] = word
        result.extend(known[text_word])
    return result


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    pieces = [bytes([byte]) for byte in range(256)]
    for first, second in merges:
        pieces.append(pieces[first] + pieces[second])
    return b"".join(pieces[token] for token in tokens).decode(errors="replace")
