# earns: solved fast
# words as strings of private characters, merged by str.replace
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def letter(token: int) -> str:
    """One character for each token, past the surrogates."""
    return chr(token if token < 0xD800 else token + 0x800)


def number(character: str) -> int:
    """The token of a character."""
    code = ord(character)
    return code if code < 0xD800 else code - 0x800


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    words = Counter({word.encode().decode("latin-1"): often for word, often in Counter(split_words(text)).items()})
    merges: list[Pair] = []
    for new in range(256, 256 + count):
        pairs: Counter[str] = Counter()
        for word, often in words.items():
            for place in range(len(word) - 1):
                pairs[word[place : place + 2]] += often
        often = max(pairs.values(), default=0)
        if often < 2:
            break
        best = min(pair for pair, times in pairs.items() if times == often)
        merges.append((number(best[0]), number(best[1])))
        words = Counter({word.replace(best, letter(new)): times for word, times in words.items()})
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    tokens, known = [], {}
    for word in split_words(text):
        if word not in known:
            short = word.encode().decode("latin-1")
            for new, (first, second) in enumerate(merges, 256):
                short = short.replace(letter(first) + letter(second), letter(new))
            known[word] = [number(character) for character in short]
        tokens.extend(known[word])
    return tokens


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    result, stack = bytearray(), list(reversed(tokens))
    while stack:
        token = stack.pop()
        if token < 256:
            result.append(token)
        else:
            first, second = merges[token - 256]
            stack += (second, first)
    return result.decode(errors="replace")
