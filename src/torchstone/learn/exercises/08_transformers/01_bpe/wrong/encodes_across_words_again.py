# rejected by: tokens_are_right: A pair was merged across two words: cut the text into words first.
# encode merges over the whole text, also a run of spaces with the word behind it; 'no pair reaches across two words'
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def merge(tokens: list[int], pair: Pair, new: int) -> list[int]:
    """Make each occurrence of the pair one token, from left to right."""
    result, i = [], 0
    while i < len(tokens):
        if i + 1 < len(tokens) and (tokens[i], tokens[i + 1]) == pair:
            result.append(new)
            i += 2
        else:
            result.append(tokens[i])
            i += 1
    return result


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    words = [(list(word.encode()), often) for word, often in Counter(split_words(text)).items()]
    merges = []
    while len(merges) < count:
        pairs = Counter()
        for tokens, often in words:
            for pair in zip(tokens, tokens[1:]):
                pairs[pair] += often
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if pairs[best] < 2:
            break
        words = [(merge(tokens, best, 256 + len(merges)), often) for tokens, often in words]
        merges.append(best)
    return merges


def encode_word(word: str, ranks: dict[Pair, int]) -> list[int]:
    """The tokens of one word."""
    tokens = list(word.encode())
    while len(tokens) > 1:
        best = min(zip(tokens, tokens[1:]), key=lambda pair: ranks.get(pair, len(ranks)))
        if best not in ranks:
            break
        tokens = merge(tokens, best, 256 + ranks[best])
    return tokens


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    return encode_word(text, ranks)


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    pieces = [bytes([byte]) for byte in range(256)]
    for first, second in merges:
        pieces.append(pieces[first] + pieces[second])
    return b"".join(pieces[token] for token in tokens).decode(errors="replace")
