# earns: solved fast
# pair counts are kept up to date: only words with the pair are looked at again
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter, defaultdict

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
    kinds = Counter(split_words(text))
    words, times = [list(word.encode()) for word in kinds], list(kinds.values())
    pairs: Counter[Pair] = Counter()
    places: defaultdict[Pair, set[int]] = defaultdict(set)

    def count_word(i: int, sign: int) -> None:
        for pair in zip(words[i], words[i][1:]):
            pairs[pair] += sign * times[i]
            if sign > 0:
                places[pair].add(i)
            else:
                places[pair].discard(i)

    for i in range(len(words)):
        count_word(i, 1)
    merges: list[Pair] = []
    for token in range(256, 256 + count):
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=(0, 0))
        if pairs[best] < 2:
            break
        merges.append(best)
        for i in list(places[best]):
            count_word(i, -1)
            words[i] = merge(words[i], best, token)
            count_word(i, 1)
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
    result, waiting = bytearray(), list(reversed(tokens))
    while waiting:
        token = waiting.pop()
        if token < 256:
            result.append(token)
        else:
            waiting.extend(reversed(merges[token - 256]))
    return result.decode("utf-8", errors="replace")
